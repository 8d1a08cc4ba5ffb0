/** What the desktop stores for itself, beside its windows' profile: a small file, not the database of the service. */
import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { writePrivate } from '../server/data-folder.ts'

// Where the window was, and where it can be: screens come and go between two starts.
const length = z.number().int().min(-100_000).max(100_000)

/** A rectangle of the desktop, in the pixels that Electron counts in. */
const bounds = z.object({ x: length, y: length, width: length.min(1), height: length.min(1) })

/** A rectangle of the desktop. */
type Bounds = z.infer<typeof bounds>

/** Where the window was when it was closed. */
const windowState = z.object({ bounds, maximised: z.boolean() })

/** Smallest window: at 800 all pages still work. Source: docs/spec/interface.md, 2. */
export const SMALLEST = { width: 800, height: 560 } as const

const FIRST = { width: 1440, height: 900 } as const
// As much of the window, in pixels, must be on a screen that a person can take hold of it.
const HOLD = { width: 160, height: 40 } as const

/**
 * Where the window opens: where it was, cut to the screen that shows most of it; in the middle of the first screen
 * where no screen shows enough.
 * @param screens what each screen leaves to windows, the first one first
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

// A value that is not understood is as good as none: each falls back alone.
const desktopSettings = z.object({
  notifications: z.boolean().catch(true),
  keepInTray: z.boolean().catch(true),
  /** Whether it was said once that a closed window ends nothing. */
  toldOfTray: z.boolean().catch(false),
  window: windowState.optional().catch(undefined),
})

/** What it stores. */
export type DesktopSettings = z.infer<typeof desktopSettings>

/** The settings, with their file. */
export type SettingsFile = {
  readonly read: () => DesktopSettings
  readonly change: (change: Partial<DesktopSettings>) => void
}

/**
 * Opens them; a file that is missing or damaged gives the defaults.
 * @param onError gets the error when they could not be stored
 */
export function openSettings(file: string, onError: (error: unknown) => void): SettingsFile {
  let settings = desktopSettings.safeParse(contentOf(file)).data ?? desktopSettings.parse({})
  return {
    read: () => settings,
    change(change) {
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
    return {} // the first start, or half written by another program
  }
}
