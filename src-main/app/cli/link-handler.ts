import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Surroundings } from './surroundings.ts'

export const DESKTOP_ENTRY = 'drydock-clone.desktop'

export function entryFile({ env, home }: Pick<Surroundings, 'env' | 'home'>): string {
  return join(env.XDG_DATA_HOME || join(home, '.local', 'share'), 'applications', DESKTOP_ENTRY)
}

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

export function removeLinks(file: string): boolean {
  const wasThere = existsSync(file)
  rmSync(file, { force: true })
  return wasThere
}

// Source: the Desktop Entry Specification, the key Exec: first its own quoting, then that of a string.
function quoted(argument: string): string {
  const inQuotes = argument.replaceAll(/["`$\\]/g, String.raw`\$&`).replaceAll('%', '%%')
  return `"${inQuotes.replaceAll('\\', '\\\\')}"`
}
