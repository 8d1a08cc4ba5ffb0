import type { Database } from 'better-sqlite3'
import type { GroupCommit } from './group-commit.ts'
import type { PayloadFiles } from './payload-files.ts'

const NAMED = `
  SELECT 1 FROM job_inputs WHERE file = @file UNION ALL SELECT 1 FROM job_outputs WHERE file = @file`
const REMOVED = `SELECT file FROM removed_payloads`
const FORGET = `DELETE FROM removed_payloads`

/** Whether a row names the file of a payload. */
export function createIsNamed(db: Database): (file: string) => boolean {
  const named = db.prepare<[object]>(NAMED)
  return (file) => named.get({ file }) !== undefined
}

/** Deletes files of payloads after the commit in which their rows went or changed; triggers note them. */
export function deleteRemovedPayloads(
  db: Database,
  commit: Pick<GroupCommit, 'beforeCommit'>,
  files: Pick<PayloadFiles, 'remove'>,
): void {
  const removed = db.prepare<[], { file: string }>(REMOVED)
  const forget = db.prepare(FORGET)
  commit.beforeCommit(() => {
    const names = removed.all().map(({ file }) => file)
    if (names.length === 0) return undefined
    forget.run()
    return () => files.remove(names)
  })
}
