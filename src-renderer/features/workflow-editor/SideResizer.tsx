import type { KeyboardEvent, PointerEvent } from 'react'

/** The edge between the canvas and a panel, by which the panel is made wider. */
export type SideResizerProps = {
  /** px */
  readonly width: number
  readonly onWidth: (width: number) => void
}

const LEAST = 260
const MOST = 720
const STEP = 20

/** An edge that is dragged, or moved with arrows. */
export function SideResizer({ width, onWidth }: SideResizerProps) {
  const set = (wanted: number) => onWidth(Math.round(Math.min(MOST, Math.max(LEAST, wanted))))
  function onPointerMove(event: PointerEvent<HTMLElement>) {
    if (event.currentTarget.hasPointerCapture(event.pointerId)) set(width - event.movementX)
  }
  function onKeyDown({ key }: KeyboardEvent) {
    if (key === 'ArrowLeft') set(width + STEP)
    if (key === 'ArrowRight') set(width - STEP)
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: an <hr> cannot be moved
    <div
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label="Width of the panel"
      aria-valuenow={width}
      aria-valuemin={LEAST}
      aria-valuemax={MOST}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={onPointerMove}
      onKeyDown={onKeyDown}
      className="absolute inset-y-0 -left-1 z-10 w-2 cursor-col-resize touch-none hover:bg-accent-soft max-lg:hidden"
    />
  )
}
