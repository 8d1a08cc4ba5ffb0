/**
 * Frees memory when the service turns quiet. V8's heap grows with the allocation rate (to 110 MB with 35 MB live, at 75
 * requests a second) and shrinks only on collection, which stops the process some 50 ms.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { TimeSource } from '../core.ts'

export const POLL_EVERY_MS = 2500
// Share of one core between two checks. Source: ours; an idle service with workers uses 0.01, one that answers 75
// requests a second 0.2.
const BUSY = 0.15
const QUIET = 0.1
// Far less work than before also counts as quiet: after a burst, the search index is built in slices.
const QUIET_PART = 0.25
// Consecutive quiet checks; a pause in a load is not its end. Source: ours, 8 s.
const QUIET_CHECKS = 3

export type QuietNeeds = {
  readonly time: Pick<TimeSource, 'monotonic' | 'after'>
  readonly computedMs: () => number
  readonly onQuiet: () => void
}

export function watchForQuiet({ time, computedMs, onQuiet }: QuietNeeds): () => void {
  let before = { at: time.monotonic(), computed: computedMs() }
  let most = BUSY
  let quietChecks = 0
  const check = () => {
    const now = { at: time.monotonic(), computed: computedMs() }
    const used = (now.computed - before.computed) / (now.at - before.at)
    before = now
    most = Math.max(most, used)
    quietChecks = used < Math.max(QUIET, most * QUIET_PART) ? quietChecks + 1 : 0
    if (most >= BUSY && quietChecks >= QUIET_CHECKS) {
      most = 0
      quietChecks = 0
      onQuiet()
    }
    cancel = time.after(POLL_EVERY_MS, check)
  }
  let cancel = time.after(POLL_EVERY_MS, check)
  return () => cancel()
}

export function computedMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

type Collect = (options: { readonly type: 'major'; readonly flavor: 'last-resort' }) => void
let collect: Collect | undefined

export function collectGarbage(): void {
  if (collect === undefined) {
    // The documented way to get `gc` without the flag; only new contexts receive it.
    setFlagsFromString('--expose-gc')
    collect = runInNewContext('gc') as Collect
  }
  // Other flavours leave the young generation at its grown size.
  collect({ type: 'major', flavor: 'last-resort' })
}
