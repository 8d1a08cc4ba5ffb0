import { MIB } from '../../../../src-main/lib/units.ts'
import type { Box } from '../graph/geometry.ts'
import { distanceToLine } from '../graph/links.ts'
import type { Point } from '../store/canvas-store.ts'

/**
 * A mask over a picture. Workers read transparent as masked, so the picture keeps its colours and stores the inverted
 * mask as alpha.
 */

/** How much each pixel is masked, 0 to 255, row by row. Brushes paint in place. */
export type Mask = { readonly width: number; readonly height: number; readonly data: Uint8ClampedArray<ArrayBuffer> }

/** `size`: px across; `hardness`: from 0, soft from the middle on, to 1. */
export type Brush = { readonly size: number; readonly hardness: number; readonly erases: boolean }

const FULL = 255
const CHANNELS = 4
const ALPHA = 3

export const emptyMask = (width: number, height: number): Mask => {
  return { width, height, data: new Uint8ClampedArray(width * height) }
}

/** @param pixels RGBA */
export function maskOf(pixels: Uint8ClampedArray, width: number, height: number): Mask {
  const masked = (_one: unknown, at: number) => FULL - (pixels[at * CHANNELS + ALPHA] ?? FULL)
  return { width, height, data: Uint8ClampedArray.from({ length: width * height }, masked) }
}

export function withMask(pixels: Uint8ClampedArray, { data }: Mask): Uint8ClampedArray<ArrayBuffer> {
  const masked = Uint8ClampedArray.from(pixels)
  for (let at = 0; at < data.length; at++) masked[at * CHANNELS + ALPHA] = FULL - (data[at] ?? 0)
  return masked
}

export const inverted = (mask: Mask): Mask => ({ ...mask, data: mask.data.map((value) => FULL - value) })

/**
 * Draws a stroke into the mask itself.
 * @returns the area it may have changed
 */
export function paintLine(mask: Mask, from: Point, to: Point, brush: Brush): Box {
  const { width, data } = mask
  const radius = brush.size / 2
  const area = areaAround(from, to, radius, mask)
  for (let y = area.y; y < area.y + area.height; y++)
    for (let x = area.x; x < area.x + area.width; x++) {
      const covered = FULL * coverAt(distanceToLine({ x: x + 0.5, y: y + 0.5 }, from, to), radius, brush.hardness)
      const at = y * width + x
      const before = data[at] ?? 0
      data[at] = brush.erases ? Math.min(before, FULL - covered) : Math.max(before, covered)
    }
  return area
}

// Full inside the hard core, then falling to the edge.
function coverAt(away: number, radius: number, hardness: number): number {
  const core = radius * hardness
  if (away <= core) return 1
  return away >= radius ? 0 : (radius - away) / (radius - core)
}

function areaAround(from: Point, to: Point, radius: number, { width, height }: Mask): Box {
  const within = (value: number, most: number) => Math.min(most, Math.max(0, value))
  const [left, top] = [Math.min(from.x, to.x), Math.min(from.y, to.y)].map((one) => Math.floor(one - radius))
  const [right, bottom] = [Math.max(from.x, to.x), Math.max(from.y, to.y)].map((one) => Math.ceil(one + radius))
  const [x, y] = [within(left ?? 0, width), within(top ?? 0, height)]
  return { x, y, width: within(right ?? 0, width) - x, height: within(bottom ?? 0, height) - y }
}

// A mask of 4,000 by 4,000 pixels takes 16 MB.
const MOST_BYTES = 256 * MIB
const MOST_STEPS = 100

export type MaskHistory = ReturnType<typeof createMaskHistory>

/** Starts with a mask. The oldest steps are dropped if all take too much memory. */
export function createMaskHistory(first: Mask) {
  let current = first
  let past: readonly Mask[] = []
  let future: readonly Mask[] = []
  const most = Math.min(MOST_STEPS, Math.max(1, Math.floor(MOST_BYTES / Math.max(1, first.data.length))))

  function begin(): void {
    past = [...past, { ...current, data: current.data.slice() }].slice(-most)
    future = []
  }

  return {
    mask: (): Mask => current,
    /** Stores the current mask; what follows is one step. */
    begin,
    replace(mask: Mask) {
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
    canUndo: (): boolean => past.length > 0,
    canRedo: (): boolean => future.length > 0,
  }
}
