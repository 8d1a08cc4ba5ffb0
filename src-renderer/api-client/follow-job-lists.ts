/**
 * Lists of jobs that are shown follow the events: a job that is in one changes in place at once, and a list that a new or
 * ended job may belong to is read again, at most twice a second.
 */
import type { QueryClient } from '@tanstack/react-query'
import type { JobList, JobState } from '../../src-main/contract/job.ts'
import type { Platform } from '../platform/platform.ts'
import type { NumberedEvent } from './event-stream.ts'

const READ_AGAIN_MS = 500

/** @returns hears of events */
export function followJobLists(
  queries: QueryClient,
  platform: Pick<Platform, 'after'>,
): (events: readonly NumberedEvent[]) => void {
  let planned = false
  return (events) => {
    const states = new Map<string, JobState>()
    for (const { event } of events) if (event.type === 'job') states.set(event.jobId, event.to)
    if (states.size === 0) return
    queries.setQueriesData<JobList>({ queryKey: ['jobs'] }, (list) => list && withStates(list, states))
    if (planned) return
    planned = true
    platform.after(READ_AGAIN_MS, () => {
      planned = false
      void queries.invalidateQueries({ queryKey: ['jobs'] })
    })
  }
}

function withStates(list: JobList, states: ReadonlyMap<string, JobState>): JobList {
  if (!list.requests.some(({ id }) => states.has(id))) return list
  const requests = list.requests.map((job) => ({ ...job, status: states.get(job.id) ?? job.status }))
  return { ...list, requests }
}
