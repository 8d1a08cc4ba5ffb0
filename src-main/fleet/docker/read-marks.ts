import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** How far the output of each worker is stored, so that a later run of the service goes on there. */
export type ReadMarks = {
  /** Stamp of the last line that is stored; undefined where there is none. */
  readonly get: (workerId: string) => string | undefined
  readonly set: (workerId: string, stamp: string) => void
  readonly remove: (workerId: string) => void
  /** Removes all but those of these workers. */
  readonly keepOnly: (workerIds: ReadonlySet<string>) => void
}

const ENDING = '.stamp'

/** Keeps them in a folder, which is made if missing. A mark that is lost only means that lines are given twice. */
export function openReadMarks(folder: string): ReadMarks {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = (workerId: string) => join(folder, `${workerId}${ENDING}`)
  return {
    get(workerId) {
      try {
        return readFileSync(path(workerId), 'utf8') || undefined
      } catch {
        return undefined // nothing was stored yet
      }
    },
    set: (workerId, stamp) => writeFileSync(path(workerId), stamp, { mode: 0o600 }),
    remove: (workerId) => rmSync(path(workerId), { force: true }),
    keepOnly(workerIds) {
      for (const name of readdirSync(folder)) {
        if (name.endsWith(ENDING) && !workerIds.has(name.slice(0, -ENDING.length)))
          rmSync(join(folder, name), { force: true })
      }
    },
  }
}
