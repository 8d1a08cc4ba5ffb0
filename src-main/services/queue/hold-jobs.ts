/** Holds jobs back for the fault switch delayMs: none is handed out before it has waited so long. */
import type { Clock, Storage } from '../ports.ts'

/** What may be handed out now: at most `free` jobs, none of `held` (seqs). */
export type Hold = { readonly free: number; readonly held: readonly number[] }

/** The jobs that are held back. */
export type JobHold = {
  /** Looks what is next; the hand-out is tried again when the first held job may go. */
  readonly look: (endpointId: string, delayMs: number) => Hold
  readonly close: () => void
}

// So far is looked ahead; those behind wait for those before them, which is no shorter than they have to.
const LOOK_AHEAD = 200

/** Makes the hold. */
export function createJobHold(storage: Pick<Storage, 'jobs' | 'poke'>, clock: Clock): JobHold {
  const looks = new Map<string, () => void>()

  function lookAgain(endpointId: string, ms: number): void {
    looks.get(endpointId)?.()
    const cancel = clock.after(ms, () => {
      looks.delete(endpointId)
      storage.poke()
    })
    looks.set(endpointId, cancel)
  }

  return {
    look(endpointId, delayMs) {
      const now = clock.steady()
      const next = storage.jobs.waiting(endpointId, LOOK_AHEAD, Number.MAX_SAFE_INTEGER)
      const held = next.filter(({ queuedAt }) => queuedAt + delayMs > now)
      if (held.length > 0) lookAgain(endpointId, Math.min(...held.map(({ queuedAt }) => queuedAt)) + delayMs - now)
      return { free: next.length - held.length, held: held.map(({ seq }) => seq) }
    },
    close() {
      for (const cancel of looks.values()) cancel()
      looks.clear()
    },
  }
}
