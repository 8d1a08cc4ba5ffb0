import { watch as watchFolder } from 'node:fs'
import { access, chmod, constants, stat, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { DoctorRow } from '../../../contract/system.ts'
import { errorCode } from '../../../lib/error-code.ts'
import { shellQuoted, sizeText } from '../../../lib/text.ts'
import { GIB, MIB } from '../../../lib/units.ts'

// Bytes of free space for a warning and a failure. Source: ours, 50 results of the largest size.
const LOW_SPACE_BYTES = GIB
const NO_SPACE_BYTES = 64 * MIB

// Files that would give another user of this machine access, or reveal secrets.
const PRIVATE_FILES = ['account.key', 'secrets.key', 'drydock.db', 'service.json'] as const
const OTHERS = 0o077
// Other programs, such as editors, use watches of the same user.
const MORE_WATCHES =
  'Close programs that watch many files, or raise the limits: `sudo sysctl fs.inotify.max_user_watches=1048576 fs.inotify.max_user_instances=1024`.'
const FOLDER_MODE = 0o700
const FILE_MODE = 0o600

export const recoverCommand = (folder: string): string => `drydock recover NEW_FOLDER --data ${shellQuoted(folder)}`

export async function folderRow(folder: string): Promise<DoctorRow> {
  const check = 'data folder'
  const existing = await nearestExisting(folder)
  const found = existing === folder ? folder : `${folder} (not made yet)`
  if (await canWrite(existing)) return { check, state: 'ok', found }
  return {
    check,
    state: 'failed',
    found: `${existing} is not writable`,
    fix: 'Make it writable, or name another folder with --data.',
  }
}

export async function spaceRow(folder: string): Promise<DoctorRow> {
  const check = 'free space'
  const { freeBytes } = await diskSpace(folder)
  const found = sizeText(freeBytes)
  const fix = 'Free some space, or name a folder on another disk with --data.'
  if (freeBytes >= LOW_SPACE_BYTES) return { check, state: 'ok', found }
  return { check, state: freeBytes >= NO_SPACE_BYTES ? 'warning' : 'failed', found, fix }
}

export async function watchRows(folder: string, watch = watchFolder): Promise<readonly DoctorRow[]> {
  const existing = await nearestExisting(folder)
  try {
    watch(existing, { persistent: false }).close()
    return []
  } catch (error) {
    const found = `the system refuses to watch files (${errorCode(error)}), so they are polled, which is slower`
    return [{ check: 'file watches', state: 'warning', found, fix: MORE_WATCHES }]
  }
}

export async function diskSpace(folder: string): Promise<{ readonly freeBytes: number; readonly totalBytes: number }> {
  const { bavail, blocks, bsize } = await statfs(await nearestExisting(folder))
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize }
}

/** Windows has other permissions, which this check does not cover. */
export async function permissionRow(folder: string, platform: NodeJS.Platform): Promise<DoctorRow> {
  const check = 'permissions'
  if (platform === 'win32') return { check, state: 'ok', found: 'those of the user folder' }
  const open = await openToOthers(folder)
  if (open.length === 0) return { check, state: 'ok', found: 'only you can read keys and data' }
  return {
    check,
    state: 'warning',
    found: `other users of this machine can reach ${open.map(({ name }) => name).join(', ')}`,
    fix: `Run \`chmod -R go= ${folder}\`.`,
    action: {
      action: 'tighten-permissions',
      label: 'Make private',
      effect: 'Removes access for the group and for others; nothing else changes.',
    },
  }
}

export async function tightenPermissions(folder: string): Promise<readonly string[]> {
  const open = await openToOthers(folder)
  for (const { path, isFolder } of open) await chmod(path, isFolder ? FOLDER_MODE : FILE_MODE)
  return open.map(({ name }) => name)
}

type OpenPath = { readonly name: string; readonly path: string; readonly isFolder: boolean }

async function openToOthers(folder: string): Promise<readonly OpenPath[]> {
  const paths = [
    { name: 'the data folder', path: folder, isFolder: true },
    ...PRIVATE_FILES.map((name) => ({ name, path: join(folder, name), isFolder: false })),
  ]
  const modes = await Promise.all(
    paths.map(({ path }) =>
      stat(path).then(
        ({ mode }) => mode,
        () => 0,
      ),
    ),
  )
  return paths.filter((_path, at) => ((modes[at] ?? 0) & OTHERS) !== 0)
}

async function nearestExisting(path: string): Promise<string> {
  try {
    await access(path)
    return path
  } catch {
    return dirname(path) === path ? path : nearestExisting(dirname(path))
  }
}

async function canWrite(path: string): Promise<boolean> {
  return access(path, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  )
}
