/** Files by SHA-256, with the names that nodes use. Files are on disk before their records. */
import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import type { AssetView } from '../../contract/workflows.ts'
import type { Clock } from '../../lib/clock.ts'
import type { StoredBytes } from '../../lib/json/bytes.ts'
import { mediaTypeOf, pictureSize } from '../../lib/media.ts'
import { sizeText } from '../../lib/text.ts'
import type { Asset, ReceivedFile, Storage } from '../../storage/storage.ts'
import type { FileTools } from './ports.ts'
import { nameVariants, plainName } from './rules/runs/find-results.ts'

export type AssetDeps = RoomDeps & { readonly tools: FileTools }

/**
 * Stores a file that a client identifies by hash.
 * @throws AppError BAD_FIELD for other bytes or an invalid name, NOT_DONE if the store is full, DISK_FULL
 */
export async function writeAsset(
  deps: AssetDeps,
  { id, name: given, bytes }: { readonly id: string; readonly name: string | undefined; readonly bytes: Uint8Array },
): Promise<AssetView> {
  if (bytes.length === 0) throw new AppError('BAD_FIELD', { field: 'body', why: 'the file is empty' })
  const is = await deps.tools.sha256(bytes)
  if (is !== id) throw new AppError('BAD_FIELD', { field: 'asset', why: `the SHA-256 of the bytes is ${is}` })
  const name = given === undefined ? undefined : plainName(given)
  if (given !== undefined && name === undefined)
    throw new AppError('BAD_FIELD', { field: 'name', why: 'must be the name of a file' })
  const asset = await storeAsset(deps, bytes)
  return name === undefined
    ? asset
    : { ...asset, name: await nameAsset(deps, asset.id, { wanted: name, endpointId: '' }) }
}

/** @throws AppError NOT_DONE if the store is full, DISK_FULL, DATABASE_BUSY */
export async function storeAsset(deps: AssetDeps, bytes: Uint8Array): Promise<Asset> {
  const id = await deps.tools.sha256(bytes)
  const store = () => deps.storage.assetFiles.store(id, bytes)
  return storeReceived(deps, { id, bytes: bytes.length, head: bytes, store })
}

export async function storeReceived(
  deps: RoomDeps,
  { id, bytes, head, store }: Pick<ReceivedFile, 'id' | 'bytes' | 'head' | 'store'>,
): Promise<Asset> {
  const { storage, clock } = deps
  const known = storage.assets.get(id)
  const mediaType = mediaTypeOf(head)
  const asset = { id, bytes, mediaType, ...pictureSize(head, mediaType), createdAt: clock.now() }
  do {
    if (storage.assets.get(id) === undefined && !(await makeRoom(deps, bytes)))
      throw new AppError('NOT_DONE', { why: fullMessage(deps) })
    await store()
  } while (!(await isSaved(deps, asset)))
  // A sweep may have taken an unused file; with its record it stays.
  await store()
  return { ...asset, createdAt: known?.createdAt ?? asset.createdAt }
}

// While the file was written, another one may have taken the space freed for it.
function isSaved({ storage, maxBytes }: RoomDeps, asset: Asset): Promise<boolean> {
  return storage.write(() => {
    const hasRoom = storage.assets.totalBytes() + asset.bytes <= maxBytes()
    if (!hasRoom && storage.assets.get(asset.id) === undefined) return false
    storage.assets.save(asset)
    return true
  })
}

export async function openAsset(
  { storage }: Pick<AssetDeps, 'storage'>,
  id: string,
): Promise<{ readonly asset: Asset; readonly file: StoredBytes }> {
  const asset = storage.assets.get(id)
  const file = asset && (await storage.assetFiles.open(id))
  if (asset === undefined || file === undefined) throw new AppError('ASSET_NOT_FOUND', { asset: id.slice(0, 100) })
  return { asset, file }
}

/**
 * @param name.endpointId whose ComfyUI clients see it; empty: those of all
 * @returns the wanted name, or one like it if another file has it
 */
export function nameAsset(
  { storage, clock }: AssetDeps,
  id: string,
  { wanted, endpointId }: { readonly wanted: string; readonly endpointId: string },
): Promise<string> {
  return storage.write(() => {
    const given = { now: clock.now(), endpointId }
    for (const name of nameVariants(wanted)) if (storage.assets.giveName(name, id, given)) return name
    return wanted
  })
}

function fullMessage({ maxBytes }: RoomDeps): string {
  return `the files of workflows take ${sizeText(maxBytes())}, which is the limit. Delete runs, or raise assetsMaxMib in the settings`
}

// When the store is full, unneeded files go first, longest unused first, then the oldest runs with their results.

type RoomDeps = {
  readonly storage: Pick<Storage, 'write' | 'durable' | 'assets' | 'assetFiles' | 'runs'>
  readonly clock: Pick<Clock, 'now'>
  readonly maxBytes: () => number
}

const BATCH = 200
const RUNS = 20

/**
 * Makes room for a file.
 * @returns whether there is enough now
 */
export async function makeRoom(deps: RoomDeps, bytes: number): Promise<boolean> {
  const { storage, clock, maxBytes } = deps
  const missing = () => storage.assets.totalBytes() + bytes - maxBytes()
  if (bytes > maxBytes()) return false
  while (missing() > 0) {
    if ((await removeUnused(deps, missing())) > 0) continue
    const before = clock.now() - limit('assetUnusedMs')
    const retention = { before, count: limit('runsKept'), bytes: limit('runsKeptBytes') }
    if ((await storage.write(() => storage.runs.trim(retention, RUNS))) === 0) return false
  }
  return true
}

/** Files without a record are left over from a crash. */
export async function sweepLostFiles({ storage, clock }: RoomDeps): Promise<void> {
  const old = await storage.assetFiles.olderThan(clock.now() - limit('assetUnusedMs'))
  await removeFiles(storage, old)
}

// The record goes first: files without one are swept later, but records need their file.
async function removeUnused({ storage, clock }: RoomDeps, wanted: number): Promise<number> {
  const unused = storage.assets.unused({ before: clock.now() - limit('assetUnusedMs'), limit: BATCH })
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

// Checked right before, as somebody may have sent it again. A deleted record must be on disk, or a power cut would
// restore it without its file.
async function removeFiles(storage: RoomDeps['storage'], names: readonly string[]): Promise<void> {
  const isLost = (name: string) => storage.assets.get(name) === undefined
  const lost = names.filter(isLost)
  await storage.durable()
  for (const name of lost) if (isLost(name)) await storage.assetFiles.remove([name])
}
