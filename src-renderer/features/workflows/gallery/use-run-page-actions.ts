import { useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useLocation } from 'wouter'
import type { RunDetail } from '../../../../src-main/contract/workflows.ts'
import { ADDRESS } from '../../../addresses.ts'
import { useApp } from '../../../store/app-context.ts'
import { addDraft } from '../../workflow-editor/files/add-workflow.ts'
import { workflowName } from '../../workflow-editor/files/workflow-name.ts'

/** What can be done with a run on its page. */
export function useRunPageActions(run: RunDetail) {
  const { client, store } = useApp()
  const [, go] = useLocation()
  const queries = useQueryClient()
  return useMemo(() => {
    const tellError = (text: string) => store.getState().tell({ kind: 'error', text })
    return {
      compareAddress: `${ADDRESS.gallery()}?compare=${encodeURIComponent(run.id)}`,
      /** Adds the graph that it was made of to the library, as a draft, and opens it. */
      async openGraph() {
        try {
          const { id } = await addDraft(client, workflowName(run.title, ' (of a run)'), run.document ?? run.payload)
          go(ADDRESS.workflow(id))
        } catch (error) {
          tellError(`The graph was not opened: ${(error as Error).message}`)
        }
      },
      async remove() {
        try {
          await client.call('runDelete', { path: { runId: run.id } })
          queries.removeQueries({ queryKey: ['run', run.id] })
          store.getState().tell({ kind: 'done', text: 'The run is deleted' })
          go(ADDRESS.gallery(), { replace: true })
        } catch (error) {
          tellError(`The run was not deleted: ${(error as Error).message}`)
        }
      },
    }
  }, [client, store, queries, go, run])
}
