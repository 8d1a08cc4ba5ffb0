import { existsSync, rmSync } from 'node:fs'
import { openFolderStorage } from '../core.ts'
import { openDataFolder } from './data-folder.ts'
import { createFleets } from './fleets.ts'
import { StartError } from './start-error.ts'
import { createLog, systemTime } from './system-ports.ts'

/**
 * Removes what a service that was killed left behind: worker processes, containers and networks of its data folder. No
 * worker is started, and the folder stays.
 * @param path of the data folder
 * @returns 'in use' when a service runs on it, and 'empty' when none ever did: then nothing is touched
 * @throws StartError when its data cannot be used
 */
export async function sweepData(path: string): Promise<'swept' | 'in use' | 'empty'> {
  if (!existsSync(path)) return 'empty'
  const folder = openDataFolder(path)
  if (!existsSync(folder.database)) return 'empty'
  const opened = openFolderStorage(folder, systemTime.wall())
  if (opened.kind === 'locked') return 'in use'
  if (opened.kind === 'unusable') throw new StartError('data', opened.message)
  const fleet = createFleets({
    folder,
    storage: opened.storage,
    log: createLog('info', folder.log),
    clock: { now: systemTime.wall, steady: systemTime.monotonic, after: systemTime.after },
    maxWorkers: () => 0,
    registryAuth: () => undefined,
    reach: () => ({ workerUrl: '', serviceUrl: '' }),
    openForWorkers: () => Promise.reject(new Error('no worker is started here')),
  })
  try {
    await fleet.sweep()
    rmSync(folder.serviceFile, { force: true })
  } finally {
    await fleet.close()
    await opened.close()
  }
  return 'swept'
}
