/**
 * One try of a download: what is there already is read, the rest is asked for and written behind it, the whole is
 * checked, and then it gets its name. Everything that a host claims is bounded: size, disk, checksum, form.
 */
import { limit } from '../../contract/limits.ts'
import type { ModelFacts } from '../../contract/models.ts'
import { sizeInWords } from '../../domain/size-in-words.ts'
import {
  type FetchFile,
  type ModelDownloadStore,
  type ModelFiles,
  type ModelPart,
  type ModelTarget,
  type StoredDownload,
  TargetFault,
} from '../ports/models.ts'

/** How a try ended. A fault that is not final may be gone at the next one. */
export type TryEnd =
  | { readonly kind: 'done'; readonly sha256: string }
  | { readonly kind: 'fault'; readonly why: string; readonly isFinal: boolean; readonly isUseless?: boolean }

/** What a try works with. */
export type TryDeps = {
  readonly files: ModelFiles
  readonly fetchFile: FetchFile
  readonly authorization: (host: string) => string | undefined
  readonly allowPrivate: boolean
  /** The largest file that is taken. */
  readonly maxBytes: number
  /** Notes what a host has told. */
  readonly learn: (told: Parameters<ModelDownloadStore['learn']>[1]) => Promise<void>
  readonly onBytes: (received: number) => void
  readonly signal: AbortSignal
}

// How often the disk is looked at while a file of unknown or large size comes in.
const LOOK_EVERY_BYTES = 256 * 1024 * 1024

/** Tries. Never rejects. */
export async function runDownload(deps: TryDeps, download: StoredDownload, target: ModelTarget): Promise<TryEnd> {
  let part: ModelPart | undefined
  try {
    if (await deps.files.exists(target)) return final(`${target.name} is in ${target.directory} already`)
    part = await deps.files.openPart(target, download.id)
    const fault = await receive(deps, download, part)
    if (fault !== undefined) return fault
    return await finish(part, download, target)
  } catch (error) {
    return faultOf(error)
  } finally {
    await part?.close()
  }
}

const final = (why: string): TryEnd => ({ kind: 'fault', why, isFinal: true })
const passing = (why: string): TryEnd => ({ kind: 'fault', why, isFinal: false })
const useless = (why: string): TryEnd => ({ kind: 'fault', why, isFinal: true, isUseless: true })

function faultOf(error: unknown): TryEnd {
  if (error instanceof TargetFault) return final(error.message)
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ENOSPC' || code === 'EDQUOT') return final('the disk is full. Free some space and try again')
  return passing(message === '' ? String(code) : message)
}

/** Brings the rest. @returns why it did not; undefined: all is here */
async function receive(deps: TryDeps, download: StoredDownload, part: ModelPart): Promise<TryEnd | undefined> {
  const { fetchFile, authorization, allowPrivate, signal, onBytes, maxBytes } = deps
  onBytes(part.bytes())
  // All came, and the service ended before it was checked.
  if (part.bytes() > 0 && part.bytes() === download.totalBytes) return undefined
  const { url, validator } = download
  const got = await fetchFile({ url, from: part.bytes(), validator, authorization, allowPrivate, signal })
  if (got.kind === 'fault') return got
  const hasChanged = got.kind === 'file' && got.from > 0 && got.totalBytes !== download.totalBytes
  if (got.kind === 'beyond' || hasChanged) {
    await part.empty()
    return passing('the host has another file now')
  }
  const fault = await refusal(deps, download, part, got)
  if (fault !== undefined) return fault
  if (got.from !== part.bytes()) await part.empty()
  const { totalBytes } = got
  await deps.learn({ totalBytes, validator: got.validator, expected: got.sha256 })
  let looked = part.bytes()
  for await (const chunk of got.body) {
    const bytes = part.bytes() + chunk.length
    if (bytes > maxBytes) return useless(tooLarge(bytes, maxBytes))
    if (totalBytes !== undefined && bytes > totalBytes) return useless('the host sent more than it had said')
    if (bytes - looked > LOOK_EVERY_BYTES) {
      looked = bytes
      const full = await diskFault(part, 0)
      if (full !== undefined) return full
    }
    await part.write(chunk)
    onBytes(bytes)
  }
  if (totalBytes !== undefined && part.bytes() < totalBytes) return passing('the connection broke off')
  return undefined
}

// Before the first byte is written: a file of 20 GB that does not fit is not worth half of it.
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
  // What is there is given up where the whole comes anew.
  return diskFault(part, totalBytes - Math.max(from, part.bytes()))
}

const tooLarge = (bytes: number, most: number) =>
  `the file has ${sizeInWords(bytes)} or more, and the limit is ${sizeInWords(most)}. Raise it with \`drydock settings set modelsMaxMib\``

const otherFile = (found: string, expected: string) =>
  `the file has the SHA-256 ${found}, and ${expected} was expected: it is another file, or was damaged. Nothing of it was kept`

async function diskFault(part: ModelPart, missing: number): Promise<TryEnd | undefined> {
  const [free, spare] = [await part.freeBytes(), limit('modelsSpareBytes')]
  if (free - missing >= spare) return undefined
  const needs = missing > 0 ? `${sizeInWords(missing)} more are needed, and ` : ''
  return final(
    `${needs}the disk has ${sizeInWords(free)} left, of which ${sizeInWords(spare)} stay free. Free some space and try again`,
  )
}

/** Checks the whole, and gives it its name. */
async function finish(part: ModelPart, { expected }: StoredDownload, target: ModelTarget): Promise<TryEnd> {
  if (part.bytes() === 0) return useless('the file is empty')
  const sha256 = part.sha256()
  if (expected !== undefined && sha256 !== expected) return useless(otherFile(sha256, expected))
  const fault = formFault(await part.inspect(), target.name)
  if (fault !== undefined) return useless(fault)
  await part.place()
  return { kind: 'done', sha256 }
}

function formFault({ format, fault }: ModelFacts, name: string): string | undefined {
  const wanted = /\.gguf$/i.test(name) ? 'gguf' : /\.(?:safetensors|sft)$/i.test(name) ? 'safetensors' : format
  if (format !== wanted) return `what came is no ${wanted} file, as ${name} says`
  return fault === undefined ? undefined : `what came is no whole ${format} file: ${fault}. Nothing of it was kept`
}
