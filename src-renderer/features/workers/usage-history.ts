import type { UsageReading, WorkerUsage } from '../../../src-main/contract/endpoint.ts'

/** What a worker used at a moment, ms since the epoch. */
export type UsagePoint = WorkerUsage & { readonly at: number }

/** Points of each worker, oldest first. */
export type UsageHistory = ReadonlyMap<string, readonly UsagePoint[]>

/** How far back the charts of a worker go, ms. */
export const HISTORY_MS = 180_000

/** Adds readings. Workers that are in the newest no more have gone, and what is too old goes too. */
export function addReadings(history: UsageHistory, readings: readonly UsageReading[]): UsageHistory {
  return readings.reduce<UsageHistory>(
    (sum, { at, workers }) =>
      new Map(
        workers.map(({ workerId, endpointId: _endpoint, ...usage }) => {
          const before = sum.get(workerId) ?? []
          return [workerId, [...before.filter((point) => at - point.at < HISTORY_MS), { at, ...usage }]]
        }),
      ),
    history,
  )
}
