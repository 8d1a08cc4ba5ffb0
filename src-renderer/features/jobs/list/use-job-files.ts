import { useCallback } from 'react'
import { limit } from '../../../../src-main/contract/limits.ts'
import { chooseFiles, saveToDisk } from '../../../platform/browser-files.ts'
import { useApp } from '../../../store/app-context.ts'
import { counted } from '../../../ui/format.ts'
import { type JobListFilter, queryOf } from './job-list-filter.ts'
import type { JobWindow } from './job-window.ts'
import type { Selected } from './use-selection.ts'

const FILE = 'jobs.jsonl'
const TYPES = '.jsonl,.ndjson,.json,application/x-ndjson'

// Bad lines that a notice names; the command names more.
const NAMED = 3

/** Saves jobs as lines of JSON: what is selected, or all that the list holds. */
export function useExport(list: JobWindow, selected: Selected): () => Promise<void> {
  const { client, platform, store } = useApp()
  return useCallback(async () => {
    const { cursor, countedAt } = list.getState()
    try {
      if (selected.kind === 'all') {
        // A link, so that the browser writes what comes to the disk and nobody holds it.
        const href = client.address('jobExport', { query: { ...queryOf(list.filter, countedAt), cursor } })
        Object.assign(document.createElement('a'), { href, download: FILE }).click()
        return
      }
      const ids = [...selected.jobs.keys()]
      const parts: Blob[] = []
      for (let from = 0; from < ids.length; from += limit('listIds')) {
        const some = ids.slice(from, from + limit('listIds')).join(',')
        parts.push(await client.download('jobExport', { query: { ids: some } }))
      }
      saveToDisk(new Blob(parts), FILE, platform)
    } catch (error) {
      store.getState().tell({ kind: 'error', text: (error as Error).message })
    }
  }, [client, platform, store, list, selected])
}

/** All jobs that a list holds. */
export const ALL_OF_LIST: Selected = { kind: 'all' }

/** Asks for a file of JSON lines and queues a new job on the endpoint for each of its lines. */
export function useImport(endpointId: JobListFilter['endpoint']): () => Promise<void> {
  const { client, store } = useApp()
  return useCallback(async () => {
    const { tell } = store.getState()
    if (endpointId === undefined) return
    for (const file of await chooseFiles(TYPES)) {
      try {
        const { queued, refused, bad } = await client.call('jobImport', { path: { endpointId }, bytes: file })
        tell({ kind: 'done', text: `${counted(queued, 'job')} of ${file.name} queued on ${endpointId}.` })
        if (refused === 0) continue
        const named = bad.slice(0, NAMED).map(({ line, reason }) => `line ${line}: ${reason}`)
        const more = refused > NAMED ? ` And ${counted(refused - NAMED, 'more line')}.` : ''
        tell({
          kind: 'error',
          text: `${counted(refused, 'line')} of ${file.name} gave no job. ${named.join(' ')}${more}`,
        })
      } catch (error) {
        tell({ kind: 'error', text: (error as Error).message })
      }
    }
  }, [client, store, endpointId])
}
