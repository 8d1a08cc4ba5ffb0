/** Where the window was, and where it can be: screens come and go between two starts. */
import { z } from 'zod'

const length = z.number().int().min(-100_000).max(100_000)

/** A rectangle of the desktop, in the pixels that Electron counts in. */
export const bounds = z.object({ x: length, y: length, width: length.min(1), height: length.min(1) })

/** A rectangle of the desktop. */
export type Bounds = z.infer<typeof bounds>

/** Where the window was when it was closed. */
export const windowPlace = z.object({ bounds, maximised: z.boolean() })

/** Smallest window: at 800 all pages still work. Source: interface, Frame. */
export const SMALLEST = { width: 800, height: 560 } as const

const FIRST = { width: 1440, height: 900 } as const
// As much of the window, in pixels, must be on a screen that a person can take hold of it.
const HOLD = { width: 160, height: 40 } as const

/**
 * Where the window opens: where it was, cut to the screen that shows most of it; in the middle of the first screen
 * where no screen shows enough.
 * @param screens what each screen leaves to windows, the first one first
 */
export function placeWindow(last: Bounds | undefined, screens: readonly Bounds[]): Bounds {
  const first = screens[0] ?? { x: 0, y: 0, ...FIRST }
  if (last === undefined) return centred(FIRST, first)
  const [best = first] = screens.toSorted((one, other) => area(last, other) - area(last, one))
  const seen = overlap(last, best)
  if (seen.width < HOLD.width || seen.height < HOLD.height) return centred(last, first)
  const width = Math.min(best.width, Math.max(SMALLEST.width, last.width))
  const height = Math.min(best.height, Math.max(SMALLEST.height, last.height))
  return {
    x: clamp(last.x, best.x, best.x + best.width - width),
    y: clamp(last.y, best.y, best.y + best.height - height),
    width,
    height,
  }
}

function centred(size: Pick<Bounds, 'width' | 'height'>, screen: Bounds): Bounds {
  const width = Math.min(size.width, screen.width)
  const height = Math.min(size.height, screen.height)
  return {
    x: screen.x + Math.round((screen.width - width) / 2),
    y: screen.y + Math.round((screen.height - height) / 2),
    width,
    height,
  }
}

function overlap(one: Bounds, other: Bounds): { readonly width: number; readonly height: number } {
  const span = (from: number, size: number, otherFrom: number, otherSize: number) =>
    Math.max(0, Math.min(from + size, otherFrom + otherSize) - Math.max(from, otherFrom))
  return {
    width: span(one.x, one.width, other.x, other.width),
    height: span(one.y, one.height, other.y, other.height),
  }
}

function area(one: Bounds, other: Bounds): number {
  const { width, height } = overlap(one, other)
  return width * height
}

const clamp = (value: number, from: number, to: number) => Math.max(from, Math.min(to, value))
