import type { Clock } from '../../lib/clock.ts'

// Reading megabytes that cannot be used costs the server, too. Source: ours.
const FIRST_PAUSE_MS = 60_000
const LONGEST_PAUSE_MS = 3_600_000

export type UnusableServers = ReturnType<typeof createUnusableServers>

/** Servers whose node classes cannot be used: they are read again after growing pauses, or when they change. */
export function createUnusableServers(clock: Pick<Clock, 'steady'>) {
  const known = new Map<string, { readonly pauseMs: number; readonly until: number }>()
  return {
    isPaused: (address: string): boolean => (known.get(address)?.until ?? Number.NEGATIVE_INFINITY) > clock.steady(),
    note(address: string): void {
      const pauseMs = Math.min((known.get(address)?.pauseMs ?? FIRST_PAUSE_MS / 2) * 2, LONGEST_PAUSE_MS)
      known.set(address, { pauseMs, until: clock.steady() + pauseMs })
    },
    forget: (address: string): void => void known.delete(address),
  }
}
