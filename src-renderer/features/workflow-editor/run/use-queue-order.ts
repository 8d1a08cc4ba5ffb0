import { keepPreviousData, useQueries, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import type { RunView } from '../../../../src-main/contract/workflows.ts'
import { useApp } from '../../../store/app-context.ts'

// Many jobs of an endpoint may move at once.
const READ_AGAIN_MS = 100

/** Runs in the order in which workers get them. */
export type QueueOrder = {
  readonly ordered: readonly RunView[]
  /** How many jobs wait before a run; undefined: it does not wait, or that is not known. */
  readonly before: (run: RunView) => number | undefined
}

/** Sorts runs as their endpoints hand them out, and follows that: what runs is first, what is not known yet is last. */
export function useQueueOrder(runs: readonly RunView[]): QueueOrder {
  const { client, store, platform } = useApp()
  const queries = useQueryClient()
  const endpointIds = useMemo(() => [...new Set(runs.map(({ endpointId }) => endpointId))], [runs])
  const queues = useQueries({
    queries: endpointIds.map((endpointId) => ({
      queryKey: ['queue', endpointId],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
        client.call('jobQueue', { path: { endpointId }, signal }),
      placeholderData: keepPreviousData,
    })),
  })

  useEffect(() => {
    let cancel: (() => void) | undefined
    const stop = store.subscribe(({ heard }, { heard: before }) => {
      if (heard === before) return
      const isTouched = heard.events.some(({ event }) => event.type === 'job' && event.event !== 'progress')
      if (!isTouched && heard.begun === before.begun) return
      cancel ??= platform.after(READ_AGAIN_MS, () => {
        cancel = undefined
        void queries.invalidateQueries({ queryKey: ['queue'] })
      })
    })
    return () => {
      stop()
      cancel?.()
    }
  }, [store, platform, queries])

  const places = new Map(queues.flatMap(({ data }) => data?.jobs.map(({ id }, at) => [id, at] as const) ?? []))
  const rank = ({ id, status, endpointId }: RunView) =>
    status === 'IN_PROGRESS' ? [-1, 0] : [endpointIds.indexOf(endpointId), places.get(id) ?? Number.MAX_SAFE_INTEGER]
  return {
    ordered: runs.toSorted((one, other) => {
      const [[a = 0, b = 0], [c = 0, d = 0]] = [rank(one), rank(other)]
      return a - c || b - d
    }),
    before: ({ id }) => places.get(id),
  }
}
