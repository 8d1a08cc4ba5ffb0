import { type CopyOptions, existsSync, readdirSync } from 'node:fs'
import { constants, cp, lstat } from 'node:fs/promises'
import { join, resolve, sep } from 'node:path'
import { StartError } from '../../lib/start-error.ts'
import { otherUserOf, type RecoveredTable, recoverDatabase } from '../core.ts'
import { type DataFolder, openDataFolder } from './data-folder.ts'

// The service recreates these files, and the log stays with the damaged folder.
const LEFT_BEHIND = /^(drydock\.db|drydock\.lock|drydock\.log|service\.json|workers)/

// A killed service leaves ssh sockets, which cannot be copied.
const COPIED: CopyOptions = {
  recursive: true,
  verbatimSymlinks: true,
  mode: constants.COPYFILE_FICLONE,
  filter: async (path) => !(await lstat(path)).isSocket(),
}

/**
 * Copies all readable rows of a damaged data folder, which stays unchanged.
 * @param into a missing or empty folder
 * @throws StartError if the source is in use or the target unusable
 */
export async function recoverFolder(
  data: string,
  into: string,
): Promise<{ readonly folder: string; readonly tables: readonly RecoveredTable[] }> {
  const damaged = resolve(data)
  const database = join(damaged, 'drydock.db')
  if (!existsSync(database)) throw new StartError('data', `${damaged} is not a data folder: it has no drydock.db.`)
  const pid = otherUserOf(database)
  if (pid !== undefined)
    throw new StartError('locked', `The data folder ${damaged} is in use by pid ${pid}. Stop that process first.`)
  const folder = resolve(into)
  if (`${folder}${sep}`.startsWith(`${damaged}${sep}`))
    throw new StartError('data', `The folder ${folder} is inside ${damaged}. Choose one outside.`)
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new StartError('data', `The folder ${folder} is not empty. Choose one that does not exist.`)
  const fresh: DataFolder = openDataFolder(folder)
  const tables = recoverDatabase(database, fresh.database)
  for (const name of readdirSync(damaged))
    if (!LEFT_BEHIND.test(name)) await cp(join(damaged, name), join(folder, name), COPIED)
  return { folder, tables }
}
