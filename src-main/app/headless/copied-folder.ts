import { existsSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { PORT_STATES } from '../../http/server/listeners.ts'
import { systemIds } from '../../http/server/system-ports.ts'
import { StartError } from '../../lib/start-error.ts'
import { leaveMachines, notePlace, originalOf, otherUserOf, type Storage } from '../core.ts'
import type { DataFolder } from './data-folder.ts'
import { SERVICE_ID } from './fleets.ts'

/**
 * Separates a copied data folder, so that the service on it ends no workers of the original.
 * @returns the original folder; undefined if it is no copy
 * @throws StartError 'data' if the original still runs
 */
export async function leaveOriginal(
  { folder, database, serviceFile, workers }: DataFolder,
  { state, machines, write }: Pick<Storage, 'state' | 'machines' | 'write'>,
): Promise<string | undefined> {
  const original = originalOf(state, database)
  if (original === undefined) {
    await write(() => notePlace(state, database))
    return undefined
  }
  // A service that stops in order removes the file, and a copy made after that is whole.
  const pid = existsSync(serviceFile) ? otherUserOf(original) : undefined
  if (pid !== undefined)
    throw new StartError(
      'data',
      `The data folder ${folder} is a copy of ${dirname(original)}, which pid ${pid} uses, so it may be incomplete. Stop that service and copy its folder again; then both can run.`,
    )
  rmSync(serviceFile, { force: true })
  rmSync(workers, { recursive: true, force: true })
  await write(() => {
    notePlace(state, database)
    state.set(SERVICE_ID, systemIds.worker())
    for (const ports of PORT_STATES) state.set(ports, {}) // workers and clients of the original call these
    leaveMachines({ state, machines }, systemIds)
  })
  return dirname(original)
}
