import { existsSync, rmSync } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createLog, systemTime } from '../../http/server/system-ports.ts'
import { errorCode } from '../../lib/error-code.ts'
import { isAlive } from '../../lib/node/is-alive.ts'
import { StartError } from '../../lib/start-error.ts'
import { openFolderStorage, type Storage } from '../core.ts'
import { leaveOriginal } from './copied-folder.ts'
import { type DataFolder, openDataFolder, previewFolders, readServiceFile } from './data-folder.ts'
import { createFleets, openContainerState } from './fleets.ts'

/**
 * Removes a killed service's processes, containers and networks, without starting workers or deleting the folder.
 * @returns 'in use' while a service runs, 'empty' if none ever did: nothing is touched
 * @throws StartError if its data is unusable
 */
export async function sweepData(path: string): Promise<'swept' | 'in use' | 'empty'> {
  if (!existsSync(path)) return 'empty'
  const folder = openDataFolder(path)
  if (!existsSync(folder.database)) return 'empty'
  const opened = openFolderStorage(folder)
  if (opened.kind === 'locked') return 'in use'
  if (opened.kind === 'unusable') throw new StartError('data', opened.message)
  try {
    await leaveOriginal(folder, opened.storage)
    await sweepFleet(folder, opened.storage)
    rmSync(folder.serviceFile, { force: true })
  } finally {
    await opened.close()
  }
  return 'swept'
}

async function sweepFleet(folder: DataFolder, storage: Storage): Promise<void> {
  const fleet = createFleets({
    folder,
    containers: openContainerState(storage),
    log: createLog('info', folder.log),
    clock: { now: systemTime.wall, steady: systemTime.monotonic, after: systemTime.after },
    maxWorkers: () => 0,
    registryAuth: () => undefined,
    reach: () => ({ workerUrl: '', serviceUrl: '' }),
    openForWorkers: noWorkers,
    tunnel: { open: noWorkers, answerTo: () => undefined },
  })
  try {
    await fleet.sweep()
  } finally {
    await fleet.close()
  }
}

const noWorkers = () => Promise.reject(new Error('no worker is started here'))

export type SweepData = (folder: string) => Promise<'swept' | 'in use' | 'empty'>

// A folder without a started service belongs to a starting preview; if older than this, in ms, to a killed one.
const STARTING_MS = 60_000

/**
 * Sweeps killed previews, leaving running ones alone.
 * @param data the user's data folder
 * @returns folders that failed, with reasons; the next preview retries them
 */
export async function sweepPreviews(
  data: string,
  sweepData: SweepData,
  now: number,
): Promise<readonly { readonly folder: string; readonly why: string }[]> {
  const failed: { folder: string; why: string }[] = []
  for (const folder of await previewFolders(data)) {
    try {
      const age = now - (await stat(folder)).mtimeMs
      const left = await sweepData(folder)
      if (left === 'swept' || (left === 'empty' && age > STARTING_MS))
        await rm(folder, { recursive: true, force: true, maxRetries: 3 })
    } catch (error) {
      // Another preview that is starting at the same time was faster.
      if (errorCode(error) === 'ENOENT') continue
      failed.push({ folder, why: (error as Error).message })
    }
  }
  return failed
}

export async function leftPreviews(data: string, now: number): Promise<readonly string[]> {
  const folders = await previewFolders(data)
  const left = await Promise.all(
    folders.map(async (folder) => {
      const service = readServiceFile(join(folder, 'service.json'))
      if (service !== undefined) return !isAlive(service.pid)
      const age = await stat(folder).then(
        ({ mtimeMs }) => now - mtimeMs,
        () => 0,
      )
      return age > STARTING_MS
    }),
  )
  return folders.filter((_folder, at) => left[at])
}
