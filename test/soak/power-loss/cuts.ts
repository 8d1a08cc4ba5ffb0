/** Which cuts a run makes, and what each of them leaves of what was under way: by a seed, so that it can be repeated. */
import type { Choose, Fate, PendingChange } from './disk-model.ts'

/** Changes that a cut leaves, of those that are not surely on the disk. */
const KINDS = ['nothing', 'everything', 'names', 'contents', 'oldest', 'newest', 'some', 'some', 'some'] as const

/** A cut right before a record of the trace. */
export type Cut = {
  /** How many records were before it. */
  readonly at: number
  readonly kind: (typeof KINDS)[number]
  readonly seed: number
}

/** Spreads cuts over the whole trace, from its beginning to its end. Every kind comes everywhere. */
export function planCuts({ records, cuts, seed }: { records: number; cuts: number; seed: number }): readonly Cut[] {
  const random = createRandom(seed)
  const step = records / cuts
  return Array.from({ length: cuts }, (_, n) => ({
    at: Math.min(records, 1 + Math.floor((n + random()) * step)),
    kind: KINDS[n % KINDS.length] ?? 'some',
    seed: Math.floor(random() * 2 ** 32),
  }))
}

/** Decides what a cut leaves; the same change has the same fate whenever it is asked for. */
export function chooseFor({ kind, at, seed }: Cut): Choose {
  const random = createRandom(seed)
  const fates = new Map<PendingChange, Fate>()
  const part = random()
  // Pending changes are young as a rule: a border far in the past would divide nothing.
  const border = at - Math.floor(part ** 3 * 400)
  const decide = (change: PendingChange): Fate => {
    switch (kind) {
      case 'nothing':
        return 'lost'
      case 'everything':
        return 'kept'
      case 'names':
        return change.kind === 'name' ? 'kept' : 'lost'
      case 'contents':
        return change.kind === 'name' ? 'lost' : 'kept'
      case 'oldest':
        return change.begunAt < border ? 'kept' : change.begunAt === border ? torn(random) : 'lost'
      case 'newest':
        return change.begunAt >= border ? 'kept' : 'lost'
      case 'some':
        if (random() < part) return 'kept'
        if (change.kind === 'name' || random() < 0.5) return 'lost'
        return random() < 0.2 ? 'length' : torn(random)
    }
  }
  return (change) => {
    const fate = fates.get(change) ?? decide(change)
    fates.set(change, fate)
    return fate
  }
}

function torn(random: () => number): Fate {
  const seed = Math.floor(random() * 2 ** 32)
  const part = random()
  return { torn: (sector) => createRandom(seed ^ Math.imul(sector + 1, 0x9e3779b1))() < part }
}

/** Numbers from 0 to 1 that a seed decides: a counter whose bits are mixed (splitmix32). */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x9e3779b9) >>> 0
    let mixed = state ^ (state >>> 16)
    mixed = Math.imul(mixed, 0x21f0aaad)
    mixed ^= mixed >>> 15
    mixed = Math.imul(mixed, 0x735a2d97)
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32
  }
}
