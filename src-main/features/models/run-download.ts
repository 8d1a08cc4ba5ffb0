import type {
  ModelDownloadStore,
  ModelFiles,
  ModelPart,
  ModelTarget,
  ReadHead,
  StoredDownload,
} from '../../storage/storage.ts'
import { TargetError } from './rules/target-error.ts'
/** Everything that a host claims is bounded: size, disk, checksum, format. */

import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import type { ModelDownloadCreate, ModelFacts, ModelFolder } from '../../contract/models.ts'
import { errorCode } from '../../lib/error-code.ts'
import { sizeText } from '../../lib/text.ts'
import { MIB } from '../../lib/units.ts'
import type { FetchFile } from './ports.ts'
import {
  foldersOf,
  graphName,
  modelAtAddress,
  modelNameProblem,
  pathProblem,
  presentDirectory,
} from './rules/layout.ts'

export type TryEnd =
  | { readonly kind: 'done'; readonly sha256: string }
  | { readonly kind: 'fault'; readonly why: string; readonly isFinal: boolean; readonly isUseless?: boolean }

export type TryDeps = {
  readonly files: ModelFiles
  readonly readHead: ReadHead
  readonly fetchFile: FetchFile
  readonly authorization: (host: string) => string | undefined
  readonly allowPrivate: boolean
  readonly maxBytes: number
  readonly learn: (reported: Parameters<ModelDownloadStore['learn']>[1]) => Promise<void>
  readonly onBytes: (received: number) => void
  readonly signal: AbortSignal
}

// Interval of disk checks for large files or unknown sizes.
const CHECK_EVERY_BYTES = 256 * MIB

export async function runDownload(deps: TryDeps, download: StoredDownload, target: ModelTarget): Promise<TryEnd> {
  let part: ModelPart | undefined
  try {
    if (await deps.files.exists(target)) return final(`${target.name} is in ${target.directory} already`)
    part = await deps.files.openPart(target, download.id)
    const problem = await receive(deps, download, part)
    if (problem !== undefined) return problem
    return await finish(deps, part, download, target)
  } catch (error) {
    return endOf(error)
  } finally {
    await part?.close()
  }
}

const final = (why: string): TryEnd => ({ kind: 'fault', why, isFinal: true })
const passing = (why: string): TryEnd => ({ kind: 'fault', why, isFinal: false })
const useless = (why: string): TryEnd => ({ kind: 'fault', why, isFinal: true, isUseless: true })

function endOf(error: unknown): TryEnd {
  if (error instanceof TargetError) return final(error.message)
  const code = errorCode(error)
  if (code === 'ENOSPC' || code === 'EDQUOT') return final('the disk is full. Free some space and try again')
  const { message } = error as Error
  return passing(message === '' ? code : message)
}

async function receive(deps: TryDeps, download: StoredDownload, part: ModelPart): Promise<TryEnd | undefined> {
  const { fetchFile, authorization, allowPrivate, signal, onBytes, maxBytes } = deps
  onBytes(part.bytes())
  // All bytes arrived, but the service ended before they were verified.
  if (part.bytes() > 0 && part.bytes() === download.totalBytes) return undefined
  const { url, validator } = download
  const got = await fetchFile({ url, from: part.bytes(), validator, authorization, allowPrivate, signal })
  if (got.kind === 'fault') return got
  const hasChanged = got.kind === 'file' && got.from > 0 && got.totalBytes !== download.totalBytes
  if (got.kind === 'beyond' || hasChanged) {
    await part.empty()
    return passing('the host now has a different file')
  }
  const problem = await refusal(deps, download, part, got)
  if (problem !== undefined) return problem
  if (got.from !== part.bytes()) await part.empty()
  const { totalBytes } = got
  await deps.learn({ totalBytes, validator: got.validator, expected: got.sha256 })
  let checked = part.bytes()
  for await (const chunk of got.body) {
    const bytes = part.bytes() + chunk.length
    if (bytes > maxBytes) return useless(tooLarge(bytes, maxBytes))
    if (totalBytes !== undefined && bytes > totalBytes) return useless('the host sent more than announced')
    if (bytes - checked > CHECK_EVERY_BYTES) {
      checked = bytes
      const full = await diskProblem(part, 0)
      if (full !== undefined) return full
    }
    await part.write(chunk)
    onBytes(bytes)
  }
  if (totalBytes !== undefined && part.bytes() < totalBytes) return passing('the connection was lost')
  return undefined
}

// Before the first byte, because a file that does not fit is not worth starting.
async function refusal(
  { maxBytes }: TryDeps,
  { expected }: StoredDownload,
  part: ModelPart,
  {
    totalBytes = 0,
    from,
    sha256,
  }: { readonly totalBytes: number | undefined; readonly from: number; readonly sha256: string | undefined },
): Promise<TryEnd | undefined> {
  if (totalBytes > maxBytes) return useless(tooLarge(totalBytes, maxBytes))
  if (expected !== undefined && sha256 !== undefined && expected !== sha256) return useless(otherFile(sha256, expected))
  // Existing bytes are discarded when the whole file is sent again.
  return diskProblem(part, totalBytes - Math.max(from, part.bytes()))
}

const tooLarge = (bytes: number, most: number) =>
  `the file has ${sizeText(bytes)} or more, and the limit is ${sizeText(most)}. Raise it with \`drydock settings set modelsMaxMib\``

const otherFile = (found: string, expected: string) =>
  `the file has the SHA-256 ${found}, and ${expected} was expected: it is a different file, or it is damaged. It was deleted`

async function diskProblem(part: ModelPart, missing: number): Promise<TryEnd | undefined> {
  const [free, spare] = [await part.freeBytes(), limit('modelsSpareBytes')]
  if (free - missing >= spare) return undefined
  const needs = missing > 0 ? `${sizeText(missing)} more are needed, and ` : ''
  return final(
    `${needs}the disk has ${sizeText(free)} left, of which ${sizeText(spare)} stay free. Free some space and try again`,
  )
}

async function finish(
  { readHead }: TryDeps,
  part: ModelPart,
  { expected }: StoredDownload,
  target: ModelTarget,
): Promise<TryEnd> {
  if (part.bytes() === 0) return useless('the file is empty')
  const sha256 = part.sha256()
  if (expected !== undefined && sha256 !== expected) return useless(otherFile(sha256, expected))
  const problem = formatProblem(await part.inspect(readHead), target.name)
  if (problem !== undefined) return useless(problem)
  await part.finish()
  return { kind: 'done', sha256 }
}

function formatProblem({ format, fault }: ModelFacts, name: string): string | undefined {
  const wanted = /\.gguf$/i.test(name) ? 'gguf' : /\.(?:safetensors|sft)$/i.test(name) ? 'safetensors' : format
  if (format !== wanted) return `the download is not a ${wanted} file, as the name ${name} says`
  return fault === undefined ? undefined : `the download is not a complete ${format} file: ${fault}. It was deleted`
}

export type DownloadRequest = {
  readonly url: string
  readonly target: ModelTarget
  readonly expected: string | undefined
}

const bad = (field: string, why: string) => new AppError('BAD_FIELD', { field, why })

/**
 * Parses a download request and target.
 * @param folders model folders, the download one first
 * @throws AppError BAD_FIELD for missing fields or a path outside the folder
 */
export function readRequest(asked: ModelDownloadCreate, folders: readonly ModelFolder[]): DownloadRequest {
  const url = readAddress(asked.url)
  const reported = modelAtAddress(url)
  const name = graphName(asked.name ?? reported.name ?? '')
  if (name === '') throw bad('name', 'the address does not name a model file. Give the file a name')
  const nameProblem = modelNameProblem(name)
  if (nameProblem !== undefined) throw bad('name', nameProblem)
  const directory = presentDirectory(asked.directory ?? reported.directory ?? '')
  if (directory === '')
    throw bad('directory', 'the address does not tell the kind of model. Choose one, like checkpoints or loras')
  const directoryProblem = pathProblem(directory)
  if (directoryProblem !== undefined) throw bad('directory', directoryProblem)
  const folder = asked.folder === undefined ? folders[0] : folders.find(({ path }) => path === asked.folder)
  if (folder === undefined) throw bad('folder', `${asked.folder} is not a model folder`)
  if (foldersOf(folder, directory).length === 0)
    throw bad('directory', `${folder.path} has no mapping for ${directory} in its settings`)
  return { url, target: { folder, directory, name }, expected: asked.sha256 }
}

function readAddress(text: string): string {
  if (!URL.canParse(text)) throw bad('url', 'must be an address like https://example.com/model.safetensors')
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw bad('url', 'must begin with http:// or https://')
  if (url.username !== '' || url.password !== '') {
    const why = `must not contain a user and password. Store them with \`drydock models credentials add ${url.host}\``
    throw bad('url', why)
  }
  url.hash = ''
  // The browser address of a file's page becomes that of the file.
  if (url.hostname === 'huggingface.co') url.pathname = url.pathname.replace(/^(\/[^/]+\/[^/]+)\/blob\//, '$1/resolve/')
  return url.href
}
