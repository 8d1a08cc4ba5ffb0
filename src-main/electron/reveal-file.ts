import { existsSync } from 'node:fs'
import { posix, win32 } from 'node:path'

/**
 * Whether a path may be shown in the file manager: an absolute path of this machine. Paths like \\host\share are none:
 * looking at one sends the user's name to that host.
 */
export function mayReveal(path: string, platform: NodeJS.Platform): boolean {
  if (path.includes('\0')) return false
  if (platform !== 'win32') return posix.isAbsolute(path)
  return win32.isAbsolute(path) && /^[A-Za-z]:[\\/]/.test(path)
}

/** Shows a file in the file manager. @returns false where it may not be shown, or is not there */
export function revealFile(path: string, show: (path: string) => void, platform: NodeJS.Platform): boolean {
  if (!mayReveal(path, platform) || !existsSync(path)) return false
  show(path)
  return true
}
