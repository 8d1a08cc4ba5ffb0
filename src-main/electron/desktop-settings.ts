/** What the desktop keeps for itself, beside its windows' profile: a small file, not the database of the service. */
import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { writePrivate } from '../server/data-folder.ts'
import { windowPlace } from './window-bounds.ts'

// A value that is not understood is as good as none: each falls back alone.
const desktopSettings = z.object({
  notifications: z.boolean().catch(true),
  keepInTray: z.boolean().catch(true),
  /** Whether it was said once that a closed window ends nothing. */
  toldOfTray: z.boolean().catch(false),
  window: windowPlace.optional().catch(undefined),
})

/** What it keeps. */
export type DesktopSettings = z.infer<typeof desktopSettings>

/** The settings, with their file. */
export type SettingsFile = {
  readonly read: () => DesktopSettings
  readonly change: (change: Partial<DesktopSettings>) => void
}

/** Opens them; a file that is missing or damaged gives the defaults. @param onFault hears that they could not be kept */
export function openSettings(file: string, onFault: (error: unknown) => void): SettingsFile {
  let settings = desktopSettings.safeParse(contentOf(file)).data ?? desktopSettings.parse({})
  return {
    read: () => settings,
    change(change) {
      settings = { ...settings, ...change }
      try {
        writePrivate(file, JSON.stringify(settings))
      } catch (error) {
        onFault(error)
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
