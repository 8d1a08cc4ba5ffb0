import { execFileSync } from 'node:child_process'
import { readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { basename } from 'node:path'

const LSOF_MS = 5000

/**
 * Finds another process that has a database open. A lock file can be deleted under the process that holds it, an open
 * file cannot. On Windows an open lock file cannot be deleted either, so nothing is asked there.
 * @returns its number; undefined: none, or none of this user
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
      // The name first: a stat of each open file of each process would take ten times as long.
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
  const printed = orUndefined(() =>
    execFileSync('lsof', ['-t', '--', database], {
      encoding: 'utf8',
      timeout: LSOF_MS,
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  )
  return printed
    ?.split('\n')
    .map(Number)
    .find((pid) => pid > 0 && pid !== process.pid)
}

// A process may end between two looks, and those of other users show nothing.
function orUndefined<Result>(look: () => Result): Result | undefined {
  try {
    return look()
  } catch {
    return undefined
  }
}
