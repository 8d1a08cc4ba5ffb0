/** Assets of Comfy API v2: records over uploaded files, and the results of jobs. Source: docs/spec/comfyui.md, 11. */
import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import type { ReceivedFile, Storage } from '../../storage/storage.ts'
import { type AssetDeps, nameAsset, storeReceived } from '../workflows/assets.ts'
import { plainName } from '../workflows/rules/runs/find-results.ts'
import type { RunDeps } from '../workflows/runs.ts'
import { runOfPrompt } from './prompts.ts'
import { possibleAssetIds } from './rules/asset-references.ts'
import { readResultId } from './rules/comfy-job.ts'
import { inputFolder } from './rules/user-paths.ts'
import { type ComfyPlace, outputView } from './view-comfy-job.ts'

type ComfyAsset = NonNullable<ReturnType<Storage['comfyAssets']['get']>>

export type ComfyAssetDeps = Pick<RunDeps, 'storage' | 'clock' | 'newId'> & { readonly assets: AssetDeps }

type ReceivedAsset = ReceivedFile & { readonly blake3: string }

/** @throws AppError DISK_FULL, DATABASE_BUSY; an error of the pieces */
export async function receiveComfyAsset(
  { storage, assets }: ComfyAssetDeps,
  pieces: AsyncIterable<Uint8Array>,
): Promise<ReceivedAsset> {
  const hash = await assets.tools.createBlake3()
  async function* hashed() {
    for await (const piece of pieces) {
      hash.update(piece)
      yield piece
    }
  }
  return { ...(await storage.assetFiles.receive(hashed())), blake3: hash.digest() }
}

export type SentAsset = {
  readonly file: ReceivedAsset
  readonly filePath: string
  readonly contentType: string
  /** Hex; undefined: not checked. */
  readonly expected: string | undefined
  readonly expiresInSeconds: number | undefined
}

/**
 * @returns undefined if its bytes are not those that its client expects
 * @throws AppError BAD_FIELD for a path that leaves the folder of inputs; as storeReceived
 */
export async function addComfyAsset(deps: ComfyAssetDeps, place: ComfyPlace, sent: SentAsset) {
  const { storage, clock, newId, assets } = deps
  const { endpointId } = place
  const { file, filePath, contentType, expiresInSeconds } = sent
  const wanted = inputPath(filePath)
  const { blake3 } = file
  if (sent.expected !== undefined && sent.expected !== blake3) return undefined
  const now = clock.now()
  const known = storage.comfyAssets.byHash({ endpointId, blake3, now })
  const asset = (await storeReceived(assets, file)).id
  const record: ComfyAsset = {
    ...{ id: newId.uuid(), endpointId, asset, blake3, filePath, contentType, createdAt: now },
    name: await nameAsset(assets, asset, { wanted, endpointId }),
    expiresAt: endOf(now, expiresInSeconds),
  }
  await storage.write(() => {
    storage.comfyAssets.removeExpired(now)
    storage.comfyAssets.insert(record)
  })
  return { isNew: known === undefined, asset: { ...assetView(deps, place, record), created_new: known === undefined } }
}

/** @throws AppError ASSET_NOT_FOUND if no client of the endpoint sent these bytes */
export async function assetFromHash(
  deps: ComfyAssetDeps,
  place: ComfyPlace,
  { hash, filePath, expiresInSeconds }: Asked,
) {
  const { storage, clock, newId, assets } = deps
  const { endpointId } = place
  const now = clock.now()
  const known = hash === undefined ? undefined : storage.comfyAssets.byHash({ endpointId, blake3: hash, now })
  if (known === undefined) return undefined
  const expiresAt = endOf(now, expiresInSeconds)
  const record: ComfyAsset = {
    ...{ ...known, id: newId.uuid(), createdAt: now, expiresAt, filePath: filePath ?? known.filePath },
    name:
      filePath === undefined
        ? known.name
        : await nameAsset(assets, known.asset, { wanted: inputPath(filePath), endpointId }),
  }
  await storage.write(() => {
    storage.comfyAssets.removeExpired(now)
    storage.comfyAssets.insert(record)
    storage.comfyAssets.trim({ endpointId, blake3: known.blake3, most: limit('comfyuiAssetsOfFile') })
  })
  return { ...assetView(deps, place, record), created_new: false }
}

type Asked = {
  readonly hash: string | undefined
  readonly filePath: string | undefined
  readonly expiresInSeconds: number | undefined
}

const endOf = (now: number, seconds: number | undefined) => (seconds === undefined ? null : now + seconds * 1000)

function inputPath(filePath: string): string {
  const parts = filePath.replace(/^input\//, '').split('/')
  const name = plainName(parts.at(-1) ?? '')
  const folder = inputFolder(parts.slice(0, -1).join('/'))
  if (name === undefined || folder === undefined)
    throw new AppError('BAD_FIELD', { field: 'file_path', why: 'must be the path of a file below the input folder' })
  return `${folder}${name}`
}

export function readComfyAsset(deps: ComfyAssetDeps, place: ComfyPlace, id: string) {
  const record = recordOf(deps, place, id)
  if (record !== undefined) return assetView(deps, place, record)
  const { run, index } = requireResult(deps, place, id)
  const { name, content_type, size_bytes, url, url_expires_at, job_id } = outputView(deps, {
    base: place.base,
    run,
    index,
  })
  return {
    ...{ id, hash: null, size_bytes, content_type, file_path: name, url, url_expires_at, job_id },
    ...{ created_at: new Date(run.endedAt ?? run.createdAt).toISOString(), expires_at: url_expires_at },
  }
}

/** SHA-256 of its bytes. @throws AppError ASSET_NOT_FOUND */
export function fileOfComfyAsset(deps: ComfyAssetDeps, place: ComfyPlace, id: string): string {
  const record = recordOf(deps, place, id)
  if (record !== undefined) return record.asset
  const { run, index } = requireResult(deps, place, id)
  return run.results[index]?.asset ?? ''
}

function recordOf({ storage, clock }: ComfyAssetDeps, { endpointId }: ComfyPlace, id: string): ComfyAsset | undefined {
  return storage.comfyAssets.get({ endpointId, id, now: clock.now() })
}

function requireResult(deps: ComfyAssetDeps, place: ComfyPlace, id: string) {
  const found = resultOf(deps, place, id)
  if (found === undefined) throw new AppError('ASSET_NOT_FOUND', { asset: id.slice(0, 100) })
  return found
}

function resultOf({ storage }: ComfyAssetDeps, { endpointId }: ComfyPlace, id: string) {
  const { promptId = '', index = 0 } = readResultId(id) ?? {}
  const run = runOfPrompt({ storage }, endpointId, promptId)
  const result = run?.results[index]
  return run === undefined || result === undefined ? undefined : { run, index, result }
}

function assetView({ storage, clock }: ComfyAssetDeps, { base }: ComfyPlace, record: ComfyAsset) {
  const { id, blake3, asset, filePath, contentType, createdAt, expiresAt } = record
  return {
    ...{ id, hash: `blake3:${blake3}`, size_bytes: storage.assets.get(asset)?.bytes ?? 0 },
    ...{ content_type: contentType, file_path: filePath, created_at: new Date(createdAt).toISOString() },
    url: `${base}/assets/${id}/content`,
    url_expires_at: new Date(expiresAt ?? clock.now() + limit('runsKeptMs')).toISOString(),
    expires_at: expiresAt === null ? null : new Date(expiresAt).toISOString(),
  }
}

// Each id costs a look-up. Source: ours, more than any graph loads.
const MOST_IDS = 1000

/** Names of the files that a graph refers to, by id. Results become input files. */
export async function namesInGraph(
  deps: ComfyAssetDeps,
  place: ComfyPlace,
  graph: string,
): Promise<Readonly<Record<string, string>>> {
  const names: Record<string, string> = {}
  for (const id of possibleAssetIds(graph, MOST_IDS)) {
    const record = recordOf(deps, place, id)
    const result = record === undefined ? resultOf(deps, place, id)?.result : undefined
    if (record !== undefined) names[id] = record.name
    else if (result !== undefined)
      names[id] = await nameAsset(deps.assets, result.asset, { wanted: result.filename, endpointId: place.endpointId })
  }
  return names
}

export const removeComfyAsset = ({ storage }: ComfyAssetDeps, { endpointId }: ComfyPlace, id: string) =>
  storage.write(() => storage.comfyAssets.remove(endpointId, id))
