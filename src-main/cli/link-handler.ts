/** Links drydock:// that open the window of a clone on Linux, where no package has registered them. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Surroundings } from './surroundings.ts'

/** Name of the desktop entry, by which Electron makes it the one for links. */
export const DESKTOP_ENTRY = 'drydock-clone.desktop'

/** Where the user's desktop entry for links is. */
export function entryFile({ env, home }: Pick<Surroundings, 'env' | 'home'>): string {
  return join(env.XDG_DATA_HOME || join(home, '.local', 'share'), 'applications', DESKTOP_ENTRY)
}

/**
 * Writes the desktop entry.
 * @param command that a link is added to
 * @returns whether it was not there, or another one
 */
export function registerLinks(file: string, command: readonly string[]): boolean {
  const entry = `[Desktop Entry]
Type=Application
Name=Drydock
Exec=${command.map(quoted).join(' ')} %u
MimeType=x-scheme-handler/drydock;
NoDisplay=true
Terminal=false
`
  if (existsSync(file) && readFileSync(file, 'utf8') === entry) return false
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, entry)
  return true
}

/** Removes it. @returns whether it was there */
export function removeLinks(file: string): boolean {
  const wasThere = existsSync(file)
  rmSync(file, { force: true })
  return wasThere
}

// Source: the Desktop Entry Specification, the key Exec: first quotes of its own, then those of a string.
function quoted(argument: string): string {
  const inQuotes = argument.replaceAll(/["`$\\]/g, String.raw`\$&`).replaceAll('%', '%%')
  return `"${inQuotes.replaceAll('\\', '\\\\')}"`
}
