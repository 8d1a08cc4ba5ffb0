/**
 * How the workers of each endpoint stand: what scaling decided last, and whether they crash. The supervisor writes it;
 * views, and requests that wait for a worker, read it. They in turn tell scaling when something changed that it cares
 * for, so that neither has to know the other.
 */
import { createEmitter } from '../domain/emitter.ts'
import type { CrashLoop } from '../domain/worker/crash-loop.ts'
import type { ScalingDecision } from '../domain/worker/scaling-facts.ts'
import type { Clock } from './ports/system.ts'

/** State of one endpoint's fleet, for people and health. */
export type FleetStatus = { readonly decision: ScalingDecision | undefined; readonly crashLoop: CrashLoop | undefined }

/** The states of all fleets. */
export type FleetStatuses = {
  readonly of: (endpointId: string) => FleetStatus
  /** Notes what scaling decided; undefined: the endpoint is gone. */
  readonly decided: (endpointId: string, decision: ScalingDecision | undefined) => void
  /** Endpoints that want a worker for which there is no slot. */
  readonly throttled: () => readonly string[]
}

/** Starts with no decision of any endpoint. @param crashes the history of crashes, asked with a steady time in ms */
export function createFleetStatuses(
  clock: Pick<Clock, 'steady'>,
  crashes: { readonly crashLoop: (endpointId: string, now: number) => CrashLoop | undefined },
): FleetStatuses {
  const decisions = new Map<string, ScalingDecision>()
  return {
    of: (endpointId) => ({
      decision: decisions.get(endpointId),
      crashLoop: crashes.crashLoop(endpointId, clock.steady()),
    }),
    decided(endpointId, decision) {
      if (decision === undefined) decisions.delete(endpointId)
      else decisions.set(endpointId, decision)
    },
    throttled: () => [...decisions].flatMap(([endpointId, { throttled }]) => (throttled > 0 ? [endpointId] : [])),
  }
}

/** Tells scaling which endpoint to look at. */
export type ScalingSignal = {
  /** Something changed that scaling cares for. */
  readonly notify: (endpointId: string) => void
  readonly onNotify: (listener: (endpointId: string) => void) => void
}

/** Makes the signal; what is reported before somebody listens is lost. */
export function createScalingSignal(): ScalingSignal {
  const { emit, on } = createEmitter<[endpointId: string]>()
  return { notify: emit, onNotify: on }
}
