import { MIB } from '../../../../src-main/contract/units.ts'

/**
 * A mask over a picture, and what a brush does to it. A worker reads the mask of a loaded picture from its alpha: what
 * is masked is transparent. So a masked picture keeps its colours below, and its alpha is the mask, turned round.
 */

/** How much of each pixel is masked, from 0 to 255, row by row. A brush paints in place. */
export type Mask = { readonly width: number; readonly height: number; readonly data: Uint8ClampedArray<ArrayBuffer> }

/** A place in a picture, px from its upper left corner. */
export type Spot = { readonly x: number; readonly y: number }

/** `size`: px across; `hardness`: from 0, soft from its middle on, to 1. */
export type Brush = { readonly size: number; readonly hardness: number; readonly erases: boolean }

/** A part of a picture, px. */
export type Area = { readonly x: number; readonly y: number; readonly width: number; readonly height: number }

const FULL = 255
const CHANNELS = 4
const ALPHA = 3

/** A mask of nothing. */
export const emptyMask = (width: number, height: number): Mask => {
  return { width, height, data: new Uint8ClampedArray(width * height) }
}

/** The mask that a picture has. @param pixels red, green, blue and alpha of each */
export function maskOf(pixels: Uint8ClampedArray, width: number, height: number): Mask {
  return {
    width,
    height,
    data: Uint8ClampedArray.from({ length: width * height }, (_one, at) => FULL - alphaAt(pixels, at)),
  }
}

const alphaAt = (pixels: Uint8ClampedArray, at: number) => pixels[at * CHANNELS + ALPHA] ?? FULL

/** The pixels of a picture with a mask, in the colours that they have. */
export function withMask(pixels: Uint8ClampedArray, { data }: Mask): Uint8ClampedArray<ArrayBuffer> {
  const masked = Uint8ClampedArray.from(pixels)
  for (let at = 0; at < data.length; at++) masked[at * CHANNELS + ALPHA] = FULL - (data[at] ?? 0)
  return masked
}

/** What was masked is not, and what was not is. */
export const inverted = (mask: Mask): Mask => ({ ...mask, data: mask.data.map((value) => FULL - value) })

/** Draws a brush from one spot to another, into the mask itself. @returns what it may have changed */
export function paintLine(mask: Mask, from: Spot, to: Spot, brush: Brush): Area {
  const { width, data } = mask
  const radius = brush.size / 2
  const area = areaAround(from, to, radius, mask)
  for (let y = area.y; y < area.y + area.height; y++)
    for (let x = area.x; x < area.x + area.width; x++) {
      const covered = FULL * coverAt(distance({ x: x + 0.5, y: y + 0.5 }, from, to), radius, brush.hardness)
      const at = y * width + x
      const before = data[at] ?? 0
      data[at] = brush.erases ? Math.min(before, FULL - covered) : Math.max(before, covered)
    }
  return area
}

// All of it within the hard core, then less and less up to the edge.
function coverAt(away: number, radius: number, hardness: number): number {
  const core = radius * hardness
  if (away <= core) return 1
  return away >= radius ? 0 : (radius - away) / (radius - core)
}

// From a spot to the nearest one of a line.
function distance({ x, y }: Spot, from: Spot, to: Spot): number {
  const [across, down] = [to.x - from.x, to.y - from.y]
  const length = across ** 2 + down ** 2
  const along = length === 0 ? 0 : Math.min(1, Math.max(0, ((x - from.x) * across + (y - from.y) * down) / length))
  return Math.hypot(x - from.x - along * across, y - from.y - along * down)
}

function areaAround(from: Spot, to: Spot, radius: number, { width, height }: Mask): Area {
  const within = (value: number, most: number) => Math.min(most, Math.max(0, value))
  const [left, top] = [Math.min(from.x, to.x), Math.min(from.y, to.y)].map((one) => Math.floor(one - radius))
  const [right, bottom] = [Math.max(from.x, to.x), Math.max(from.y, to.y)].map((one) => Math.ceil(one + radius))
  const [x, y] = [within(left ?? 0, width), within(top ?? 0, height)]
  return { x, y, width: within(right ?? 0, width) - x, height: within(bottom ?? 0, height) - y }
}

// A mask of 4,000 by 4,000 pixels has 16 MB.
const MOST_BYTES = 256 * MIB
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
