import type { Storage } from './ports/storage.ts'
import type { Clock, Log } from './ports/system.ts'

/** Where time comes from: two readings in ms and a timer. */
export type TimeSource = {
  readonly wall: () => number
  readonly monotonic: () => number
  readonly after: (ms: number, run: () => void) => () => void
}

// Slow corrections of the wall clock stay below this within one check; a set clock or a suspended machine does not.
const JUMP_MS = 2000

/**
 * Makes the clock of the service. `steady` starts at wall time less `offset` and from then on follows the monotonic
 * source, so a clock that is set, or a lid that is closed, neither ends a lease nor the ttl of a job. A jump is put
 * into the offset, which is stored, so that deadlines in the database keep their meaning after a restart.
 * @param offset the stored offset in ms, 0 at the first start
 * @param saveOffset called when `checkForJump` finds that the wall clock has jumped
 */
export function createSteadyClock(
  source: TimeSource,
  offset: number,
  saveOffset: (offset: number) => void,
): Clock & { readonly checkForJump: () => void } {
  const steadyStart = source.wall() - offset
  const monotonicStart = source.monotonic()
  const steady = () => Math.floor(steadyStart + source.monotonic() - monotonicStart)
  let known = offset
  return {
    now: () => Math.floor(source.wall()),
    steady,
    after: source.after,
    checkForJump() {
      const seen = source.wall() - steady()
      if (Math.abs(seen - known) < JUMP_MS) return
      known = Math.round(seen)
      saveOffset(known)
    },
  }
}

const OFFSET = 'clock.offset'

/** Makes the clock with the offset of earlier runs, and stores each that it finds. */
export function createStoredClock({
  source,
  storage,
  log,
}: {
  readonly source: TimeSource
  readonly storage: Pick<Storage, 'write' | 'state'>
  readonly log: Log
}): ReturnType<typeof createSteadyClock> {
  return createSteadyClock(source, Number(storage.state.get(OFFSET) ?? 0), (offset) => {
    log.warn('the wall clock jumped', { offset })
    storage
      .write(() => storage.state.set(OFFSET, offset))
      .catch((error) => log.error('clock offset not stored', { error }))
  })
}

/** Both times of this moment. */
export function momentOf(clock: Clock): { readonly now: number; readonly steady: number } {
  return { now: clock.now(), steady: clock.steady() }
}
