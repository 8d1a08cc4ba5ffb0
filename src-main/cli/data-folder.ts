import { posix, win32 } from 'node:path'
import type { Surroundings } from './surroundings.ts'

/** What the place of the data folder depends on. */
type Place = Pick<Surroundings, 'env' | 'cwd' | 'platform' | 'home'>

/**
 * The data folder of a command, absolute: `--data`, else `SVC_DATA`, else the user's default folder.
 * @param given the value of `--data`, relative to the caller's folder
 */
export function dataFolder(given: string | undefined, place: Place): string {
  const path = pathOf(place)
  const chosen = given || place.env.SVC_DATA
  return chosen ? path.resolve(place.cwd, chosen) : defaultDataFolder(place)
}

/** The user's default data folder by the custom of the system. */
export function defaultDataFolder({ env, platform, home }: Omit<Place, 'cwd'>): string {
  if (platform === 'win32') {
    return win32.join(env.APPDATA || win32.join(home, 'AppData', 'Roaming'), 'Drydock')
  }
  if (platform === 'darwin') return posix.join(home, 'Library', 'Application Support', 'Drydock')
  // The custom says that a relative value is not valid and is to be ignored.
  const shared = env.XDG_DATA_HOME
  return posix.join(shared && posix.isAbsolute(shared) ? shared : posix.join(home, '.local', 'share'), 'drydock')
}

function pathOf({ platform }: Pick<Place, 'platform'>) {
  return platform === 'win32' ? win32 : posix
}
