import type { Storage } from '../services/ports.ts'
import { lockFolder } from './lock-folder.ts'
import { DatabaseUnusable } from './open-database.ts'
import { openStorage } from './open-storage.ts'

/** An open data folder: its lock is held until close. */
export type OpenedFolder = { readonly kind: 'open'; readonly storage: Storage; readonly close: () => Promise<void> }

/**
 * Locks a data folder and opens its database.
 * @param now ms since the epoch
 * @returns 'locked' when another service has it, 'unusable' with a sentence for a person when it cannot be opened
 */
export function openFolderStorage(
  files: { readonly lock: string; readonly database: string },
  now: number,
): OpenedFolder | { readonly kind: 'locked' } | { readonly kind: 'unusable'; readonly message: string } {
  const lock = lockFolder(files.lock)
  if (lock === undefined) return { kind: 'locked' }
  try {
    const storage = openStorage(files.database, now)
    const close = async () => {
      await storage.close()
      lock.release()
    }
    return { kind: 'open', storage, close }
  } catch (error) {
    lock.release()
    if (error instanceof DatabaseUnusable) return { kind: 'unusable', message: error.message }
    throw error
  }
}
