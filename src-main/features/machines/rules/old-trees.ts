import { DAY_MS, MINUTE_MS } from '../../../lib/units.ts'

/** `owner`: for example an endpoint; `usedAt`: last sent, ms of the remote clock. */
export type KeptTree = { readonly tree: string; readonly owner: string; readonly usedAt: number }

// Newest tree of an owner, so that an idle endpoint need not resend it. Source: ours.
const NEWEST_KEPT_MS = 7 * DAY_MS
// Others, because a worker about to start may need one. Source: ours.
const OTHERS_KEPT_MS = 10 * MINUTE_MS

/**
 * Returns trees unused by workers that are outdated or not sent for a week.
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
