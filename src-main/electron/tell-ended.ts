import type { TimeSource } from '../core.ts'
import { type Ended, type EndedNote, isTold, joinEnded } from './ended-work.ts'

// Jobs that end together are one notification, in ms.
const GATHER_MS = 2000
// A queue that is worked off for hours says so twice a minute at most.
const BETWEEN_MS = 30_000
// More than a person counts; further ones are not kept.
const KEPT = 1000

/** Gathers what ends and tells it; stops with `stop`. */
export type EndedTeller = { readonly hear: (ended: Ended) => void; readonly stop: () => void }

/** Makes it. @param wanted whether it is told now: the setting is on, and nobody looks at the window */
export function tellEnded({
  time,
  wanted,
  show,
}: {
  readonly time: Pick<TimeSource, 'monotonic' | 'after'>
  readonly wanted: () => boolean
  readonly show: (note: EndedNote) => void
}): EndedTeller {
  let gathered: Ended[] = []
  let lastShownAt = Number.NEGATIVE_INFINITY
  let cancel: (() => void) | undefined

  function tell(): void {
    cancel = undefined
    const note = joinEnded(gathered)
    gathered = []
    // Whoever came back in the meantime sees it.
    if (note === undefined || !wanted()) return
    lastShownAt = time.monotonic()
    show(note)
  }

  return {
    hear(ended) {
      if (!isTold(ended) || !wanted()) return
      if (gathered.length < KEPT) gathered.push(ended)
      cancel ??= time.after(Math.max(GATHER_MS, lastShownAt + BETWEEN_MS - time.monotonic()), tell)
    },
    stop() {
      cancel?.()
      cancel = undefined
      gathered = []
    },
  }
}
