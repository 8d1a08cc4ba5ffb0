/**
 * The assets store: files by the SHA-256 of their bytes, with the names under which nodes ask for them. The file is on the
 * disk before its record is written.
 */
import { AppError } from '../../contract/errors.ts'
import type { AssetView } from '../../contract/workflows.ts'
import { mediaTypeOf } from '../../domain/media/media-type.ts'
import { pictureSize } from '../../domain/media/picture-size.ts'
import { sizeInWords } from '../../domain/size-in-words.ts'
import { plainName } from '../../domain/workflow-runs/find-results.ts'
import { nameVariants } from '../../domain/workflow-runs/name-variants.ts'
import type { Asset, FileTools } from '../ports/workflows.ts'
import { makeRoom, type RoomDeps } from './sweep-assets.ts'

/** What assets need. */
export type AssetDeps = RoomDeps & { readonly tools: FileTools }

/**
 * Keeps a file that a client names by its hash.
 * @throws AppError BAD_FIELD where the bytes are not those, or the name is none; NOT_DONE where the store is full; DISK_FULL
 */
export async function writeAsset(
  deps: AssetDeps,
  { id, name: given, bytes }: { readonly id: string; readonly name: string | undefined; readonly bytes: Uint8Array },
): Promise<AssetView> {
  if (bytes.length === 0) throw new AppError('BAD_FIELD', { field: 'body', why: 'the file is empty' })
  const is = deps.tools.sha256(bytes)
  if (is !== id) throw new AppError('BAD_FIELD', { field: 'asset', why: `the SHA-256 of the bytes is ${is}` })
  const name = given === undefined ? undefined : plainName(given)
  if (given !== undefined && name === undefined)
    throw new AppError('BAD_FIELD', { field: 'name', why: 'must be the name of a file' })
  const asset = await keepAsset(deps, bytes)
  return name === undefined ? asset : { ...asset, name: await giveName(deps, name, asset.id) }
}

/** Keeps bytes as an asset. @throws AppError NOT_DONE where the store is full, DISK_FULL, DATABASE_BUSY */
export async function keepAsset(deps: AssetDeps, bytes: Uint8Array): Promise<Asset> {
  const { storage, clock, tools } = deps
  const id = tools.sha256(bytes)
  const known = storage.assets.get(id)
  const mediaType = mediaTypeOf(bytes)
  const asset = { id, bytes: bytes.length, mediaType, ...pictureSize(bytes, mediaType), createdAt: clock.now() }
  do {
    if (storage.assets.get(id) === undefined && !(await makeRoom(deps, bytes.length)))
      throw new AppError('NOT_DONE', { why: fullWords(deps) })
    await storage.assetFiles.keep(id, bytes)
  } while (!(await isSaved(deps, asset)))
  // A sweep may have taken the file in between, of one that nobody had used; now that it has its record none does.
  await storage.assetFiles.keep(id, bytes)
  return { ...asset, createdAt: known?.createdAt ?? asset.createdAt }
}

// While the file was written another one may have taken the room that was made for it.
function isSaved({ storage, maxBytes }: AssetDeps, asset: Asset): Promise<boolean> {
  return storage.write(() => {
    const hasRoom = storage.assets.totalBytes() + asset.bytes <= maxBytes()
    if (!hasRoom && storage.assets.get(asset.id) === undefined) return false
    storage.assets.save(asset)
    return true
  })
}

/** The bytes of an asset with its record. @throws AppError ASSET_NOT_FOUND */
export async function readAsset(
  { storage }: Pick<AssetDeps, 'storage'>,
  id: string,
): Promise<{ readonly asset: Asset; readonly bytes: Uint8Array<ArrayBuffer> }> {
  const asset = storage.assets.get(id)
  const bytes = asset && (await storage.assetFiles.read(id))
  if (asset === undefined || bytes === undefined) throw new AppError('ASSET_NOT_FOUND', { asset: id.slice(0, 100) })
  return { asset, bytes }
}

// The same content keeps a name that it has; another gets the next that is free.
function giveName({ storage, clock }: AssetDeps, wanted: string, id: string): Promise<string> {
  return storage.write(() => {
    for (const name of nameVariants(wanted)) if (storage.assets.giveName(name, id, clock.now())) return name
    return wanted
  })
}

function fullWords({ maxBytes }: AssetDeps): string {
  return `the files of workflows take ${sizeInWords(maxBytes())}, which is the most. Delete runs, or raise assetsMaxMib in the settings`
}
