import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useApp, useAppState } from '../../store/app-context.ts'
import { useNow } from '../../ui/use-now.ts'
import { ENDED_SHOWN_MS, type EndedWorker, endedWorkers } from './ended-workers.ts'

const NEWEST = 500
const LOOK_EVERY_MS = 30_000

/** Workers that ended in the last minutes, newest first. @param endpointId only its workers */
export function useEndedWorkers(endpointId: string | undefined): readonly EndedWorker[] {
  const { client, platform } = useApp()
  const lastEnd = useAppState(
    ({ live }) => live.recent.findLast(({ event }) => event.type === 'worker' && event.to === 'ended')?.id ?? 0,
  )
  const now = useNow(LOOK_EVERY_MS)
  const { data } = useQuery({
    queryKey: ['ended-workers', endpointId, lastEnd],
    queryFn: ({ signal }) => {
      // From twice as long ago, so that the start of those that ended is known too.
      const query = {
        endpoint: endpointId,
        kinds: 'scale,crash,worker',
        from: platform.now() - 2 * ENDED_SHOWN_MS,
        limit: NEWEST,
      }
      return client.call('fleetEventList', { query, signal })
    },
    placeholderData: keepPreviousData,
  })
  return useMemo(
    () => endedWorkers(data?.events ?? []).filter(({ endedAt }) => now - endedAt < ENDED_SHOWN_MS),
    [data, now],
  )
}
