import { realpathSync, statSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import type { StateStore } from './state-store.ts'

type Place = { readonly file: string; readonly inode: number }

export const PLACE = 'database.place'

/** Notes the place of an open database. Called inside a Writer's work only. */
export function notePlace(state: StateStore, database: string): void {
  const place: Place = { file: realpathSync(database), inode: statSync(database).ino }
  if (!isDeepStrictEqual(state.get(PLACE), place)) state.set(PLACE, place)
}

/** Undefined if the open database was moved, or the original is gone. */
export function originalOf(state: StateStore, database: string): string | undefined {
  const noted = state.get(PLACE) as Place | undefined
  if (noted === undefined || noted.file === realpathSync(database)) return undefined
  const other = statSync(noted.file, { throwIfNoEntry: false })
  if (other?.ino !== noted.inode) return undefined
  // A mount or another spelling may lead to the same file.
  const own = statSync(database)
  return own.ino === other.ino && own.dev === other.dev ? undefined : noted.file
}
