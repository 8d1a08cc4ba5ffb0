/** Which trees of files another machine need not keep any more. */
import { DAY_MS, MINUTE_MS } from '../../contract/units.ts'

/** A tree there. `owner`: whose it is, for example an endpoint's; `usedAt`: when it was last sent, ms of the clock there. */
export type KeptTree = { readonly tree: string; readonly owner: string; readonly usedAt: number }

// The newest tree of an owner: an endpoint that sleeps need not send all of it again when it wakes. Source: ours.
const NEWEST_KEPT_MS = 7 * DAY_MS
// Any other one: a worker that is about to start with it is known some seconds later. Source: ours.
const OTHERS_KEPT_MS = 10 * MINUTE_MS

/**
 * The trees that nobody needs: no worker has them, and the newest of their owner has not been sent for a week, or there
 * is a newer one.
 * @param inUse ids of the trees that workers have
 * @param now ms of the clock there
 */
export function oldTrees(trees: readonly KeptTree[], inUse: ReadonlySet<string>, now: number): readonly string[] {
  const newest = new Map<string, number>()
  for (const { owner, usedAt } of trees) newest.set(owner, Math.max(usedAt, newest.get(owner) ?? 0))
  return trees
    .filter(({ tree, owner, usedAt }) => {
      const keptMs = usedAt === newest.get(owner) ? NEWEST_KEPT_MS : OTHERS_KEPT_MS
      return !inUse.has(tree) && now - usedAt > keptMs
    })
    .map(({ tree }) => tree)
}
