import { homedir } from 'node:os'
import { delimiter, dirname, posix, relative, sep, win32 } from 'node:path'
import { commandOf, shellQuoted } from '../domain/text.ts'

/** Who calls: variables and folder of the process. */
export type Caller = { readonly env: Readonly<Record<string, string | undefined>>; readonly cwd: string }

/**
 * How the caller starts this command line, as hints say it: `drydock` where a shell finds it, `npx drydock` in a clone
 * or a package of npm, else the path that was called.
 */
export function calledAs({ env, cwd }: Caller): string {
  if (isByNpm(env)) return 'npx drydock'
  // Set by the launchers, which know by which path they were called.
  const path = env.DRYDOCK_CALLED_BY
  if (!path || isInPath(path, env)) return 'drydock'
  const short = relative(cwd, path)
  const shown = short.startsWith('..') ? path : /[\\/]/.test(short) ? short : `.${sep}${short}`
  return startOf(path, shown)
}

// A launcher that is no program of its own is run by Node.
const startOf = (path: string, shown: string) => (path.endsWith('.mjs') ? `node ${shown}` : shown)

const isByNpm = (env: Caller['env']) => env.npm_command === 'exec' || env.npm_lifecycle_event !== undefined

// The PATH that npm gives its children has folders of the clone, which no other shell has.
const isInPath = (path: string, env: Caller['env']) =>
  !isByNpm(env) && (env.PATH ?? '').split(delimiter).includes(dirname(path))

/** The user and system that the default data folder depends on. */
export type FolderOwner = Pick<Caller, 'env'> & { readonly platform: NodeJS.Platform; readonly home: string }

/** The user's default data folder by the custom of the system. */
export function defaultDataFolder({ env, platform, home }: FolderOwner): string {
  if (platform === 'win32') {
    return win32.join(env.APPDATA || win32.join(home, 'AppData', 'Roaming'), 'Drydock')
  }
  if (platform === 'darwin') return posix.join(home, 'Library', 'Application Support', 'Drydock')
  // The custom says that a relative value is not valid and is to be ignored.
  const shared = env.XDG_DATA_HOME
  return posix.join(shared && posix.isAbsolute(shared) ? shared : posix.join(home, '.local', 'share'), 'drydock')
}

/** How a shell in any folder starts this command line. npx finds a clone only from within, so its path is shown. */
export function calledAnywhere(env: Caller['env']): string {
  const path = env.DRYDOCK_CALLED_BY
  if (!path || isInPath(path, env)) return 'drydock'
  return startOf(path, shellQuoted(path))
}

/** How pages name the command line of this process's service. @param data its data folder, absolute */
export function commandHere(data: string): string {
  const { env, platform } = process
  const isDefault = data === defaultDataFolder({ env, platform, home: homedir() })
  return commandOf(calledAnywhere(env), isDefault ? undefined : data)
}
