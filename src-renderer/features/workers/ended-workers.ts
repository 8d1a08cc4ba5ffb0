import type { FleetEvent } from '../../../src-main/contract/fleet-events.ts'

/** A worker that ended a little while ago. */
export type EndedWorker = {
  readonly id: string
  readonly endpointId: string
  /** ms since the epoch. */
  readonly endedAt: number
  /** undefined: it started before the events that are shown. */
  readonly startedAt: number | undefined
  /** Its last words, or why it was stopped. */
  readonly reason: string | undefined
  /** Whether it ended by itself. */
  readonly crashed: boolean
}

/** How long an ended worker stays in sight, ms. */
export const ENDED_SHOWN_MS = 600_000

/** The workers that ended, newest first. @param events newest first */
export function endedWorkers(events: readonly FleetEvent[]): readonly EndedWorker[] {
  const startedAt = new Map(
    events.flatMap(({ workerId, event, at }) =>
      event === 'initializing' && workerId ? [[workerId, at] as const] : [],
    ),
  )
  return events.flatMap(({ workerId, endpointId, event, at, reason, kind }) =>
    event === 'ended' && workerId !== undefined
      ? [
          {
            id: workerId,
            endpointId,
            endedAt: at,
            startedAt: startedAt.get(workerId),
            reason,
            crashed: kind === 'crash',
          },
        ]
      : [],
  )
}
