import type { Mask } from './mask.ts'

// A mask of 4,000 by 4,000 pixels has 16 MB.
const MOST_BYTES = 256 * 2 ** 20
const MOST_STEPS = 100

/** A mask that is being painted, with its steps. */
export type MaskHistory = {
  /** As it is now. A brush paints into it after `begin`. */
  readonly mask: () => Mask
  /** Keeps the mask as it is now: what follows is a step. */
  readonly begin: () => void
  /** Another mask, as a step. */
  readonly replace: (mask: Mask) => void
  readonly undo: () => void
  readonly redo: () => void
  readonly canUndo: () => boolean
  readonly canRedo: () => boolean
}

/** Begins with a mask. The oldest steps are given up where all together would take too much memory. */
export function createMaskHistory(first: Mask): MaskHistory {
  let current = first
  let past: readonly Mask[] = []
  let future: readonly Mask[] = []
  const most = Math.min(MOST_STEPS, Math.max(1, Math.floor(MOST_BYTES / Math.max(1, first.data.length))))

  function begin(): void {
    past = [...past, { ...current, data: current.data.slice() }].slice(-most)
    future = []
  }

  return {
    mask: () => current,
    begin,
    replace(mask) {
      begin()
      current = mask
    },
    undo() {
      const before = past.at(-1)
      if (before === undefined) return
      future = [...future, current]
      past = past.slice(0, -1)
      current = before
    },
    redo() {
      const next = future.at(-1)
      if (next === undefined) return
      past = [...past, current]
      future = future.slice(0, -1)
      current = next
    },
    canUndo: () => past.length > 0,
    canRedo: () => future.length > 0,
  }
}
