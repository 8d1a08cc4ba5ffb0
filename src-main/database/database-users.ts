import { spawnSync } from 'node:child_process'
import { readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { basename } from 'node:path'

const LSOF_MS = 5000

/**
 * Finds another process with the database open, as a held lock file can be deleted on Linux and macOS.
 * @returns its process id; undefined if no process of this user has it open
 */
export function otherUserOf(database: string): number | undefined {
  if (process.platform === 'linux') return readProc(database)
  return process.platform === 'darwin' ? askLsof(database) : undefined
}

function readProc(database: string): number | undefined {
  const wanted = orUndefined(() => ({ ...statSync(database), name: basename(realpathSync(database)) }))
  if (wanted === undefined) return undefined
  const isDatabase = (file: string) =>
    orUndefined(() => {
      // Compares names first, because a stat of every open file takes ten times as long.
      if (basename(readlinkSync(file)) !== wanted.name) return false
      const { dev, ino } = statSync(file)
      return dev === wanted.dev && ino === wanted.ino
    }) === true
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger)
  return pids.find(
    (pid) =>
      pid !== process.pid &&
      orUndefined(() => readdirSync(`/proc/${pid}/fd`))?.some((fd) => isDatabase(`/proc/${pid}/fd/${fd}`)),
  )
}

function askLsof(database: string): number | undefined {
  const { stdout } = spawnSync('/usr/sbin/lsof', ['-t', '--', database], { encoding: 'utf8', timeout: LSOF_MS })
  return (stdout ?? '')
    .split('\n')
    .map(Number)
    .find((pid) => pid > 0 && pid !== process.pid)
}

// Processes may exit during the scan, and those of other users are unreadable.
function orUndefined<Result>(look: () => Result): Result | undefined {
  try {
    return look()
  } catch {
    return undefined
  }
}
