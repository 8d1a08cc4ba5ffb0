import type { WorkerState } from '../../contract/endpoint.ts'
import type { HealthRecord } from '../../contract/job.ts'

/**
 * The six worker counters of health; `ready` is `idle` under its other name. Source: job-api, health.
 * @param workers - the workers of an endpoint; stopping and ended ones are not counted
 * @param throttled - workers that are wanted and have no place, from the last scaling decision
 */
export function healthCounts(
  workers: readonly { readonly state: WorkerState }[],
  throttled: number,
): HealthRecord['workers'] {
  const count = (state: WorkerState) => workers.filter((worker) => worker.state === state).length
  return {
    idle: count('idle'),
    running: count('running'),
    ready: count('idle'),
    initializing: count('initializing'),
    throttled,
    unhealthy: count('unhealthy'),
  }
}
