import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import type { RunResult } from '../../contract/workflows.ts'
import { extensionOf, isShown, isShownName } from '../../domain/media/media-type.ts'
import { sizeInWords } from '../../domain/size-in-words.ts'
import { readPngTexts } from '../../domain/workflow/metadata/png.ts'
import { writeGraphIntoPng } from '../../domain/workflow/metadata/write-graph.ts'
import {
  type FoundResult,
  findPreviews,
  findResults,
  isBase64,
  plainName,
} from '../../domain/workflow-runs/find-results.ts'
import type { FileTools } from '../ports/workflows.ts'
import { type AssetDeps, keepAsset } from './assets.ts'

/** What a run was made of, for the pictures that it gave. */
type Made = { readonly payload: string; readonly document: string | undefined }

/** What is kept of the output of a job. */
export type KeptResults = {
  readonly results: readonly RunResult[]
  /** What nodes show and nobody saved. */
  readonly previews: readonly RunResult[]
  readonly errors: readonly string[]
}

/** Keeps what a job gave as assets. What cannot be kept is an error among the others, not the end of them. */
export async function keepResults(deps: AssetDeps, output: unknown, made: Made): Promise<KeptResults> {
  const found = findResults(output)
  const results = await keepAll(deps, found.results, made)
  const previews = await keepAll(deps, findPreviews(output), made)
  return {
    results: results.kept,
    previews: previews.kept,
    errors: [...found.errors, ...results.errors, ...previews.errors],
  }
}

async function keepAll(deps: AssetDeps, found: readonly FoundResult[], made: Made) {
  const [kept, errors]: [RunResult[], string[]] = [[], []]
  for (const [at, one] of found.entries()) {
    const result = await keepOne(deps, { one, at, made })
    if (typeof result === 'string') errors.push(result)
    else {
      kept.push(result)
      const doubt = whyNotShown(result)
      if (doubt !== undefined) errors.push(doubt)
    }
  }
  return { kept, errors }
}

async function keepOne(
  deps: AssetDeps,
  { one, at, made }: { readonly one: FoundResult; readonly at: number; readonly made: Made },
): Promise<RunResult | string> {
  const name = one.filename ?? `result ${at + 1}`
  const { content } = one
  if (content.kind === 'address') return `${name} is not kept here: its worker left it at ${content.url}`
  if (content.kind === 'base64' && !isBase64(content.data))
    return `${name} cannot be read: its data is no base64, or was cut off.`
  const bytes = content.kind === 'text' ? Buffer.from(content.text) : Buffer.from(content.data, 'base64')
  if (bytes.length === 0) return `${name} is empty.`
  if (bytes.length > limit('assetBytes'))
    return `${name} has ${sizeInWords(bytes.length)}, and files up to ${sizeInWords(limit('assetBytes'))} are kept.`
  try {
    const { id, mediaType, width, height } = await keepAsset(deps, withGraph(bytes, made, deps.tools))
    const filename = plainName(one.filename ?? '') ?? `result_${at + 1}.${extensionOf(mediaType)}`
    const size = width === undefined || height === undefined ? {} : { width, height }
    return { asset: id, filename, mediaType, ...(one.node === undefined ? {} : { node: one.node }), ...size }
  } catch (error) {
    if (error instanceof AppError) return `${name} was not kept: ${error.message}`
    throw error
  }
}

// A file that is called a picture and is none would be a broken picture without a word.
function whyNotShown({ filename, mediaType }: RunResult): string | undefined {
  if (isShown(mediaType) || !isShownName(filename)) return undefined
  return `${filename} is no picture, film or sound: what its worker sent is ${mediaType}.`
}

// Source: ours, twice the largest graph seen. A larger one in each of 500 pictures would be gigabytes; the run has it.
const GRAPH_LENGTH_MAX = 4 * 1024 * 1024

/** A PNG with the graph that made it, as the field's tools write it. What it says already stays. */
function withGraph(bytes: Uint8Array, { payload, document }: Made, tools: FileTools): Uint8Array {
  if (payload.length + (document?.length ?? 0) > GRAPH_LENGTH_MAX) return bytes
  // The words alone: what is packed may unpack to anything.
  const packed = { ...tools, inflate: () => new Uint8Array() }
  const has = new Set(readPngTexts(bytes, packed).map(({ keyword }) => keyword.toLowerCase()))
  const texts = {
    ...(has.has('prompt') ? {} : { prompt: payload }),
    ...(has.has('workflow') || document === undefined ? {} : { workflow: document }),
  }
  return Object.keys(texts).length === 0 ? bytes : (writeGraphIntoPng(bytes, texts, Buffer.from) ?? bytes)
}
