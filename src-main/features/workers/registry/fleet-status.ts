/**
 * Scaling decisions and crash states per endpoint and pool: the supervisor writes them; views and waiting requests read
 * them and signal scaling. Neither side depends on the other.
 */

import type { WorkerPool } from '../../../contract/endpoint.ts'
import type { Clock } from '../../../lib/clock.ts'
import { createEmitter } from '../../../lib/emitter.ts'
import type { CrashLoop } from '../rules/crash-loop.ts'
import type { ScalingDecision } from '../rules/scaling-facts.ts'

type PoolStatus = { readonly decision: ScalingDecision | undefined; readonly crashLoop: CrashLoop | undefined }

export type FleetStatus = Readonly<Record<WorkerPool, PoolStatus>>

export type FleetStatuses = ReturnType<typeof createFleetStatuses>

export function createFleetStatuses(
  clock: Pick<Clock, 'steady'>,
  crashes: { readonly crashLoop: (endpointId: string, pool: WorkerPool, now: number) => CrashLoop | undefined },
) {
  const decisions = { main: new Map<string, ScalingDecision>(), batch: new Map<string, ScalingDecision>() }
  const ofPool = (endpointId: string, pool: WorkerPool): PoolStatus => ({
    decision: decisions[pool].get(endpointId),
    crashLoop: crashes.crashLoop(endpointId, pool, clock.steady()),
  })
  return {
    of: (endpointId: string): FleetStatus => ({
      main: ofPool(endpointId, 'main'),
      batch: ofPool(endpointId, 'batch'),
    }),
    decided(endpointId: string, pool: WorkerPool, decision: ScalingDecision | undefined) {
      if (decision === undefined) decisions[pool].delete(endpointId)
      else decisions[pool].set(endpointId, decision)
    },
    throttled: (pool: WorkerPool): readonly (readonly [endpointId: string, ScalingDecision])[] =>
      [...decisions[pool]].filter(([, { throttled }]) => throttled > 0),
  }
}

export type ScalingSignal = ReturnType<typeof createScalingSignal>

export function createScalingSignal() {
  const { emit, on } = createEmitter<[endpointId: string]>()
  return { notify: emit, onNotify: on }
}
