import { useQuery } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { useStore } from 'zustand'
import { JOB_STATES, type JobState } from '../../../../src-main/contract/job.ts'
import type { BulkAction } from '../../../../src-main/contract/job-routes.ts'
import { TRANSITIONS } from '../../../../src-main/domain/job/transitions.ts'
import { useApp } from '../../../store/app-context.ts'
import { counted } from '../../../ui/format.ts'
import { bodyOf, type JobListFilter, queryOf } from './job-list-filter.ts'
import type { JobWindow } from './job-window.ts'
import type { Selected } from './use-selection.ts'

/** A move of what is selected. */
export type Bulk = {
  /** How many of the selected jobs it can move; undefined while that is counted. */
  readonly count: number | undefined
  readonly run: () => Promise<void>
}

/** The moves of what is selected. @param onDone hears of a move that went well */
export function useBulk({
  list,
  selected,
  onDone,
}: {
  readonly list: JobWindow
  readonly selected: Selected
  readonly onDone: () => void
}): Readonly<Record<BulkAction, Bulk>> & { readonly busy: BulkAction | undefined } {
  const { client, store } = useApp()
  const [busy, setBusy] = useState<BulkAction>()
  const rows = useStore(list, (state) => state.rows)
  const all = {
    retry: useCountOf('retry', list, selected),
    cancel: useCountOf('cancel', list, selected),
  }
  const idsFor = (action: BulkAction) =>
    selected.kind === 'all'
      ? []
      : [...selected.jobs.values()]
          .filter((job) => from(action).includes((rows.get(job.id) ?? job).status))
          .map(({ id }) => id)

  const run = useCallback(
    async (action: BulkAction, ids: readonly string[]) => {
      const { cursor, countedAt } = list.getState()
      const named =
        selected.kind === 'all'
          ? { filter: bodyOf(list.filter, statesFor(action, list.filter), cursor, countedAt) }
          : { ids }
      setBusy(action)
      list.patch(ids, { status: TRANSITIONS[action].to })
      const { tell } = store.getState()
      try {
        const { changed, refused } = await client.call('jobBulk', { body: { action, ...named } })
        tell({
          kind: 'done',
          text: [`${counted(changed, 'job')} ${DONE[action]}.`, ...refused.map(tellRefused)].join(' '),
        })
        onDone()
        if (selected.kind === 'all') void list.begin()
      } catch (error) {
        tell({ kind: 'error', text: (error as Error).message })
      }
      setBusy(undefined)
      list.readAgain(ids)
    },
    [client, store, list, selected, onDone],
  )

  const bulk = (action: BulkAction): Bulk => {
    const ids = idsFor(action)
    return { count: selected.kind === 'all' ? all[action] : ids.length, run: () => run(action, ids) }
  }
  return { retry: bulk('retry'), cancel: bulk('cancel'), busy }
}

const DONE = { retry: 'queued again', cancel: 'cancelled' } as const

const from = (action: BulkAction): readonly JobState[] => TRANSITIONS[action].from

const tellRefused = ({ reason, count }: { readonly reason: string; readonly count: number }) =>
  `${counted(count, 'job')} left as ${count === 1 ? 'it is' : 'they are'}: ${reason}.`

// The states of the filter that the move starts from.
function statesFor(action: BulkAction, { states }: JobListFilter): readonly JobState[] {
  return JOB_STATES.filter((state) => from(action).includes(state) && (states.length === 0 || states.includes(state)))
}

function useCountOf(action: BulkAction, list: JobWindow, selected: Selected): number | undefined {
  const { client } = useApp()
  const { cursor, countedAt } = useStore(list)
  const states = statesFor(action, list.filter)
  const query = { ...queryOf(list.filter, countedAt), status: states.join(','), cursor }
  const { data } = useQuery({
    queryKey: ['job-count', query],
    queryFn: ({ signal }) => client.call('jobCount', { query, signal }),
    enabled: selected.kind === 'all' && states.length > 0,
  })
  return states.length === 0 ? 0 : data?.count
}
