import { useState } from 'react'

/** A list whose new rows wait while somebody reads it. */
export type HeldBack = {
  /** Up to which event the list goes. */
  readonly shown: number
  /** Whether newer ones wait. */
  readonly isBehind: boolean
  readonly showNow: () => void
  /** For the element that holds the list. */
  readonly hold: {
    readonly onPointerEnter: () => void
    readonly onPointerLeave: () => void
    readonly onFocus: () => void
    readonly onBlur: () => void
  }
}

/** Holds new rows back while the pointer or the focus is on the list. @param newest number of the newest event */
export function useHeldBack(newest: number): HeldBack {
  const [heldAt, setHeldAt] = useState<number>()
  const hold = () => setHeldAt((held) => held ?? newest)
  const release = () => setHeldAt(undefined)
  const shown = heldAt ?? newest
  return {
    shown,
    isBehind: shown < newest,
    showNow: () => setHeldAt(newest),
    hold: { onPointerEnter: hold, onPointerLeave: release, onFocus: hold, onBlur: release },
  }
}
