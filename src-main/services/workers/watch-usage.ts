import type { UsageReading } from '../../contract/endpoint.ts'
import { type Bell, createBell } from '../bell.ts'
import type { Clock, Fleet, Log } from '../ports.ts'
import type { WorkerRegistry } from './worker-registry.ts'

/** Readings of what workers use, made only while somebody looks. */
export type UsageWatch = {
  /** One reading now. */
  readonly read: () => Promise<UsageReading>
  /** Somebody looks, from now until the function that is returned is called: there is a reading every 2 s. */
  readonly look: () => () => void
  /** The readings of the last three minutes after a moment, ms since the epoch, oldest first. */
  readonly since: (at: number) => readonly UsageReading[]
  /** Rings with each. */
  readonly bell: Bell
}

// Between two readings, ms. Source: issue, Statistics.
const EVERY_MS = 2000
// What charts begin with where somebody looked a moment ago. Source: ours; some hundred KB with 200 workers.
const KEPT_MS = 180_000

/** Makes the watch; nothing is read yet. */
export function createUsageWatch({
  clock,
  fleet,
  registry,
  log,
}: {
  readonly clock: Clock
  readonly fleet: Pick<Fleet, 'usage'>
  readonly registry: WorkerRegistry
  readonly log: Log
}): UsageWatch {
  const bell = createBell(clock)
  let lookers = 0
  let kept: readonly UsageReading[] = []
  let goesOn = false

  async function read(): Promise<UsageReading> {
    const usage = await fleet.usage(registry.all().map(({ id }) => id))
    const workers = registry.all().flatMap(({ id: workerId, endpointId }) => {
      const used = usage.get(workerId)
      return used === undefined ? [] : [{ workerId, endpointId, ...used }]
    })
    return { at: clock.now(), workers }
  }

  // The next reading begins when this one is there, so that a slow engine is not asked twice at once.
  async function goOn(): Promise<void> {
    const startedAt = clock.steady()
    try {
      const reading = await read()
      kept = [...kept.filter(({ at }) => reading.at - at < KEPT_MS), reading]
      bell.ring()
    } catch (error) {
      log.warn('what workers use could not be read', { error })
    }
    if (lookers === 0) goesOn = false
    else clock.after(Math.max(0, EVERY_MS - (clock.steady() - startedAt)), () => void goOn())
  }

  return {
    read,
    look() {
      lookers += 1
      if (!goesOn) {
        goesOn = true
        void goOn()
      }
      let looks = true
      return () => {
        if (looks) lookers -= 1
        looks = false
      }
    },
    since: (at) => kept.filter((reading) => reading.at > at),
    bell,
  }
}
