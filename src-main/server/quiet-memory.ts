/**
 * Gives memory back to the system once a busy service has become quiet. V8 lets its heap grow with the rate at which a
 * load allocates (to 110 MB beside 35 MB that live, measured at 75 requests a second) and shrinks it only when it
 * collects, which a service without work does not do by itself.
 *
 * A collection stops the process for some 50 ms. So none is made while there is work, and only one after each time of
 * work.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { TimeSource } from '../core.ts'

/** How often one looks, in ms; source: ours, a look costs 5 us. */
export const POLL_EVERY_MS = 2500
// Parts of one core, as this process used it between two looks. Source: ours; an idle service with workers uses 0.01,
// one that answers 75 requests a second 0.2.
const BUSY = 0.15
const QUIET = 0.1
// Quiet is also what is so much less than the work before: after a burst of jobs, their index for the search is made in
// slices.
const QUIET_PART = 0.25
// Looks in a row without work; a pause of a load is no end of it. Source: ours, 8 s.
const QUIET_CHECKS = 3

/** What watching needs. */
export type QuietNeeds = {
  readonly time: Pick<TimeSource, 'monotonic' | 'after'>
  /** Time that all threads of this process have computed, in ms. */
  readonly computedMs: () => number
  /** Called once after each time of work. */
  readonly onQuiet: () => void
}

/** Watches until the function that it returns is called. */
export function watchForQuiet({ time, computedMs, onQuiet }: QuietNeeds): () => void {
  let before = { at: time.monotonic(), computed: computedMs() }
  let most = BUSY // the start was work, too
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

/** Time that all threads of this process have computed, in ms. */
export function computedMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

type Collect = (options: { readonly type: 'major'; readonly flavor: 'last-resort' }) => void
let collect: Collect | undefined

/** Collects all that is not used, and gives the memory that this frees to the system. */
export function collectGarbage(): void {
  if (collect === undefined) {
    // The documented way to `gc` in a process that was started without the flag; contexts that are there do not get it.
    setFlagsFromString('--expose-gc')
    collect = runInNewContext('gc') as Collect
  }
  // Any other flavour leaves the space of young objects as large as it has become.
  collect({ type: 'major', flavor: 'last-resort' })
}
