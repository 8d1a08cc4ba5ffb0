import { existsSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, dirname, join, posix, relative, sep, win32 } from 'node:path'
import { commandOf, shellQuoted } from '../../lib/text.ts'

export type Caller = { readonly env: Readonly<Record<string, string | undefined>>; readonly cwd: string }

/**
 * How hints name the CLI: `drydock` if in the PATH, `npx drydock` in a clone or npm package, else its path, relative if
 * shorter.
 */
export function calledAs({ env, cwd }: Caller): string {
  if (isByNpm(env)) return 'npx drydock'
  // Set by the launchers, which know the path they were called by.
  const path = env.DRYDOCK_CALLED_BY
  if (!path || isInPath(path, env)) return 'drydock'
  const fromHere = relative(cwd, path)
  const here = /[\\/]/.test(fromHere) ? fromHere : `.${sep}${fromHere}`
  const shown = here.length < path.length ? here : path
  return startOf(path, /\s/.test(shown) ? shellQuoted(shown) : shown)
}

const startOf = (path: string, shown: string) => (path.endsWith('.mjs') ? `node ${shown}` : shown)

const isByNpm = (env: Caller['env']) => env.npm_command === 'exec' || env.npm_lifecycle_event !== undefined

function isInPath(path: string, env: Caller['env']): boolean {
  // npm adds folders of the clone to its children's PATH, which other shells lack.
  if (isByNpm(env)) return false
  const folders = (env.PATH ?? '').split(delimiter)
  if (folders.includes(dirname(path))) return true
  const found = folders.map((folder) => join(folder, 'drydock')).find(existsSync)
  return found !== undefined && existsSync(path) && realpathSync(found) === realpathSync(path)
}

export type FolderOwner = Pick<Caller, 'env'> & { readonly platform: NodeJS.Platform; readonly home: string }

export function defaultDataFolder({ env, platform, home }: FolderOwner): string {
  if (platform === 'win32') {
    return win32.join(env.APPDATA || win32.join(home, 'AppData', 'Roaming'), 'Drydock')
  }
  if (platform === 'darwin') return posix.join(home, 'Library', 'Application Support', 'Drydock')
  // The XDG specification says that relative values are invalid and ignored.
  const shared = env.XDG_DATA_HOME
  return posix.join(shared && posix.isAbsolute(shared) ? shared : posix.join(home, '.local', 'share'), 'drydock')
}

/** A command that works in any folder; npx finds a clone only from within, so its path is shown. */
export function calledAnywhere(env: Caller['env']): string {
  const path = env.DRYDOCK_CALLED_BY
  if (!path || isInPath(path, env)) return 'drydock'
  return startOf(path, shellQuoted(path))
}

export function commandHere(data: string): string {
  const { env, platform } = process
  const isDefault = data === defaultDataFolder({ env, platform, home: homedir() })
  return commandOf(calledAnywhere(env), isDefault ? undefined : data)
}
