import type { NumberedEvent } from '../../../api-client/event-stream.ts'

/** What events tell of runs: which have changed, and whether there may be ones that nobody has listed yet. */
export type RunsHeard = { readonly changed: ReadonlySet<string>; readonly mayBeNew: boolean }

/** Reads events. A run has the id of its job; what its worker reports on the way changes nothing that is listed. */
export function runsHeard(events: readonly NumberedEvent[]): RunsHeard {
  const changed = new Set<string>()
  let mayBeNew = false
  for (const { event } of events) {
    if (event.type === 'job' && event.event !== 'progress') changed.add(event.jobId)
    if (event.type !== 'run') continue
    changed.add(event.runId)
    mayBeNew ||= event.event === 'created'
  }
  return { changed, mayBeNew }
}
