/** Files that nobody needs go when the store is full, those unused longest first; then the oldest runs with what they gave. */
import { limit } from '../../contract/limits.ts'
import type { Clock, Storage } from '../ports.ts'

/** What room for files needs. */
export type RoomDeps = {
  readonly storage: Pick<Storage, 'write' | 'assets' | 'assetFiles' | 'runs'>
  readonly clock: Pick<Clock, 'now'>
  /** Most bytes of all assets. */
  readonly maxBytes: () => number
}

const BATCH = 200
const RUNS = 20

/** Makes room for a file. @returns whether there is enough now */
export async function makeRoom(deps: RoomDeps, bytes: number): Promise<boolean> {
  const { storage, clock, maxBytes } = deps
  const missing = () => storage.assets.totalBytes() + bytes - maxBytes()
  if (bytes > maxBytes()) return false
  while (missing() > 0) {
    if ((await removeUnused(deps, missing())) > 0) continue
    // What a run gave was used last when it ended, so each of these leaves files that can go.
    const before = clock.now() - limit('assetUnusedMs')
    const kept = { before, count: limit('runsKept'), bytes: limit('runsKeptBytes') }
    if ((await storage.write(() => storage.runs.trim(kept, RUNS))) === 0) return false
  }
  return true
}

/** Removes files whose record was never written, or is gone: what a crash left. */
export async function sweepLostFiles({ storage, clock }: RoomDeps): Promise<void> {
  const old = await storage.assetFiles.olderThan(clock.now() - limit('assetUnusedMs'))
  await removeFiles(storage, old)
}

// The record goes first: a file without one is swept later, a record without its file would be a lie.
async function removeUnused({ storage, clock }: RoomDeps, wanted: number): Promise<number> {
  const unused = storage.assets.unused(clock.now() - limit('assetUnusedMs'), BATCH)
  const chosen: string[] = []
  let freed = 0
  for (const { id, bytes } of unused) {
    if (freed >= wanted) break
    chosen.push(id)
    freed += bytes
  }
  if (chosen.length === 0) return 0
  await storage.write(() => storage.assets.remove(chosen))
  await removeFiles(storage, chosen)
  return freed
}

// Each is looked at right before: somebody may have sent it again.
async function removeFiles(storage: RoomDeps['storage'], names: readonly string[]): Promise<void> {
  for (const name of names) if (storage.assets.get(name) === undefined) await storage.assetFiles.remove([name])
}
