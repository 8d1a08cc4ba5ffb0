import type { UsageReading } from '../../contract/endpoint.ts'
import type { Clock, Log } from '../../lib/clock.ts'
import { createNotifier } from '../../lib/wait.ts'
import type { Fleet } from '../../runtimes/port.ts'
import type { WorkerRegistry } from '../workers/registry/worker-registry.ts'

export type UsageWatch = ReturnType<typeof createUsageWatch>

// Interval between two usage readings, ms. Source: ours.
const EVERY_MS = 2000
// Start of charts for those who looked recently. Source: ours; some hundred KB with 200 workers.
const RETENTION_MS = 180_000

export function createUsageWatch(deps: {
  readonly clock: Clock
  readonly fleet: Pick<Fleet, 'usage'>
  readonly registry: WorkerRegistry
  readonly log: Log
}) {
  const { clock, fleet, registry, log } = deps
  const notifier = createNotifier(clock)
  let lookers = 0
  let readings: readonly UsageReading[] = []
  let goesOn = false

  async function read(): Promise<UsageReading> {
    const usage = await fleet.usage(registry.all().map(({ id }) => id))
    const workers = registry.all().flatMap(({ id: workerId, endpointId }) => {
      const used = usage.get(workerId)
      return used === undefined ? [] : [{ workerId, endpointId, ...used }]
    })
    return { at: clock.now(), workers }
  }

  // Sequential, so that a slow engine is never asked twice at once.
  async function goOn(): Promise<void> {
    const startedAt = clock.steady()
    try {
      const reading = await read()
      readings = [...readings.filter(({ at }) => reading.at - at < RETENTION_MS), reading]
      notifier.notify()
    } catch (error) {
      log.warn('what workers use could not be read', { error })
    }
    if (lookers === 0) goesOn = false
    else clock.after(Math.max(0, EVERY_MS - (clock.steady() - startedAt)), () => void goOn())
  }

  return {
    read,
    /** Reads every 2 s until the returned function is called. */
    watch(): () => void {
      lookers += 1
      if (!goesOn) {
        goesOn = true
        void goOn()
      }
      let isWatching = true
      return () => {
        if (isWatching) lookers -= 1
        isWatching = false
      }
    },
    /** Last three minutes after a moment, ms since the epoch, oldest first. */
    since: (at: number): readonly UsageReading[] => readings.filter((reading) => reading.at > at),
    notifier,
  }
}
