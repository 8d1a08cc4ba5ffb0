import type { Clock, Log, TimeSource } from '../lib/clock.ts'
import type { Storage } from '../storage/storage.ts'

// Above slow clock corrections within one check, below a set clock or suspension.
const JUMP_MS = 2000

/**
 * `steady` follows the monotonic source, so a changed clock or sleep ends no lease or ttl; jumps go into the stored
 * offset.
 * @param offset stored, ms; 0 at first start
 * @param saveOffset called when the wall clock jumped
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
