import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { writePrivate } from '../headless/data-folder.ts'

const length = z.number().int().min(-100_000).max(100_000)

const bounds = z.object({ x: length, y: length, width: length.min(1), height: length.min(1) })

/** A rectangle in device-independent pixels (DIP). */
type Bounds = z.infer<typeof bounds>

const windowState = z.object({ bounds, maximised: z.boolean() })

/** Minimum window size: all pages work at a width of 800. Source: docs/spec/interface.md, 2. */
export const SMALLEST = { width: 800, height: 560 } as const

const FIRST = { width: 1440, height: 900 } as const
// The part of the window that must stay on a screen, so that users can drag it.
const HOLD = { width: 160, height: 40 } as const

/**
 * Clips the last window position to the best screen or centers it, because screens may have changed.
 * @param screens work area of each screen, the primary one first
 */
export function restoreBounds(last: Bounds | undefined, screens: readonly Bounds[]): Bounds {
  const first = screens[0] ?? { x: 0, y: 0, ...FIRST }
  if (last === undefined) return centred(FIRST, first)
  const [best = first] = screens.toSorted((one, other) => area(last, other) - area(last, one))
  const seen = overlap(last, best)
  const wanted = { width: Math.max(SMALLEST.width, last.width), height: Math.max(SMALLEST.height, last.height) }
  if (seen.width < HOLD.width || seen.height < HOLD.height) return centred(wanted, first)
  const width = Math.min(best.width, wanted.width)
  const height = Math.min(best.height, wanted.height)
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

// An invalid value falls back to its default without affecting others.
const desktopSettings = z.object({
  notifications: z.boolean().catch(true),
  keepInTray: z.boolean().catch(true),
  toldOfTray: z.boolean().catch(false),
  window: windowState.optional().catch(undefined),
})

export type DesktopSettings = z.infer<typeof desktopSettings>

export type SettingsFile = ReturnType<typeof openSettings>

export function openSettings(file: string, onError: (error: unknown) => void) {
  let settings = desktopSettings.safeParse(contentOf(file)).data ?? desktopSettings.parse({})
  return {
    read: (): DesktopSettings => settings,
    change(change: Partial<DesktopSettings>) {
      settings = { ...settings, ...change }
      try {
        writePrivate(file, JSON.stringify(settings))
      } catch (error) {
        onError(error)
      }
    },
  }
}

function contentOf(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return {}
  }
}
