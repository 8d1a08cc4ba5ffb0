import { mediaTypeOf, mediaTypeOfName, UNKNOWN_MEDIA } from '../../../../src-main/lib/media.ts'
import { networkReason } from '../../../../src-main/lib/network-error.ts'
import {
  addressOf,
  addressText,
  ask,
  type ComfyServer,
  firstWords,
  isGatewayError,
  isPage,
  readBounded,
} from '../server/comfy-server.ts'
import type { CachedPicture, ListedFile, ListedResult } from './list-results.ts'

// Limit for one file, in ms; source: worker-comfyui, handler.py.
const FETCH_MS = 60_000
const MIB = 1024 * 1024

export type Result = {
  readonly filename: string
  readonly type: 'base64' | 's3_url'
  readonly data: string
  readonly node: string
  /** The public worker returns files of every kind as pictures, without it. */
  readonly mediaType: string
}

type CollectOptions = {
  /** Total limit; a file that does not fit stays on the server, and its address is the result. */
  readonly maxBytes: number
  readonly signal: AbortSignal
  readonly log: (line: string) => void
}

type Fetched =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'too large' }
  | { readonly kind: 'fault'; readonly why: string; readonly isLost?: boolean }

export async function collectResults(
  server: ComfyServer,
  results: readonly ListedResult[],
  { maxBytes, signal, log }: CollectOptions,
) {
  const images: Result[] = []
  const faults: string[] = []
  let isLost = false
  let left = maxBytes
  for (const result of results) {
    const { filename, node } = result
    const found = await contentOf(server, result, left, signal)
    signal.throwIfAborted()
    const room = `only ${(left / MIB).toFixed(1)} MiB were left`
    if (found.kind === 'bytes') {
      left -= found.bytes.length
      images.push(entryOf(result, found.bytes))
    } else if (found.kind === 'fault') {
      faults.push(found.why)
      isLost ||= found.isLost === true
    } else if (result.kind === 'text' || result.kind === 'sent')
      faults.push(`${filename} does not fit into the result: ${room}.`)
    else {
      log(`${filename} stays on the server: ${room} in the result of the job.`)
      const data = addressOf(server, placeOf(result)).href
      images.push({ filename, type: 's3_url', data, node, mediaType: mediaTypeOfName(filename) })
    }
  }
  return { images, faults, isLost, leftBytes: left }
}

/**
 * Fetches previews that fit; failures do not fail the prompt and are only logged.
 * @throws the signal's reason
 */
export async function collectPreviews(
  server: ComfyServer,
  previews: readonly ListedFile[],
  { maxBytes, signal, log }: CollectOptions,
): Promise<readonly Result[]> {
  const fetched: Result[] = []
  let left = maxBytes
  for (const preview of previews) {
    const found = await contentOf(server, preview, left, signal)
    signal.throwIfAborted()
    if (found.kind === 'bytes') {
      left -= found.bytes.length
      fetched.push(entryOf(preview, found.bytes))
    } else
      log(
        found.kind === 'fault' ? found.why : `The preview ${preview.filename} does not fit into the result of the job.`,
      )
  }
  return fetched
}

async function contentOf(
  server: ComfyServer,
  file: ListedResult,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Fetched> {
  if (file.kind === 'text' || file.kind === 'sent') {
    const bytes = file.kind === 'sent' ? file.bytes : Buffer.from(file.text)
    return bytes.length > maxBytes ? { kind: 'too large' } : { kind: 'bytes', bytes }
  }
  const failed = `Failed to fetch image data for ${file.filename} from /view endpoint.`
  try {
    const answer = await ask(server, { ...placeOf(file), timeoutMs: FETCH_MS, signal })
    if (answer.status !== 200) {
      await answer.body?.cancel()
      const isLost = isGatewayError(answer.status)
      return { kind: 'fault', why: `${failed} The server answered HTTP ${answer.status}.`, isLost }
    }
    const bytes = await readBounded(answer, maxBytes)
    if (bytes === undefined) return { kind: 'too large' }
    if (bytes.length === 0) return { kind: 'fault', why: failed }
    const foreign = foreignContent(file.filename, bytes, answer.headers.get('content-type'))
    if (foreign === undefined) return { kind: 'bytes', bytes }
    const why = `${failed} The server at ${addressText(server)} sent ${foreign.sent}.`
    return { kind: 'fault', why, isLost: foreign.isPage }
  } catch (error) {
    return { kind: 'fault', why: `${failed} ${networkReason(error)}.`, isLost: true }
  }
}

const MEDIA = ['image', 'audio', 'video', 'model']
const HEAD_BYTES = 4096

/**
 * The content that came instead of the named file; undefined: that file, or one of a format that nobody knows. ComfyUI
 * sends `text/html` only for files with that ending.
 */
function foreignContent(filename: string, bytes: Uint8Array, contentType: string | null) {
  const found = mediaTypeOf(bytes)
  const [wanted = '', kind = ''] = [mediaTypeOfName(filename), found].map((type) => type.split('/')[0])
  // Films are stored as pictures and as sounds.
  const isOther = kind === 'text' || (MEDIA.includes(kind) && kind !== wanted && ![kind, wanted].includes('video'))
  const isHtml = contentType?.startsWith('text/html') === true && !/\.x?html?$/i.test(filename)
  if (!(MEDIA.includes(wanted) && isOther) && !(isHtml && !MEDIA.includes(kind))) return undefined
  const text = kind === 'text' ? new TextDecoder().decode(bytes.subarray(0, HEAD_BYTES)) : ''
  const what = kind === 'text' ? 'a text' : `a file of the type ${found}`
  const sentPage = isHtml || isPage(text)
  return { sent: `${sentPage ? 'an HTML page' : what} (HTTP 200)${firstWords(text)}`, isPage: sentPage }
}

function placeOf(file: ListedFile | CachedPicture) {
  if (file.kind === 'cached') return { path: `api/etn/image/${file.id}` }
  const { filename, subfolder, type } = file
  return { path: 'view', query: { filename, subfolder, type } }
}

function entryOf({ filename, node }: Pick<ListedResult, 'filename' | 'node'>, bytes: Uint8Array): Result {
  const found = mediaTypeOf(bytes)
  return {
    filename,
    type: 'base64',
    data: base64(bytes),
    node,
    mediaType: found === UNKNOWN_MEDIA ? mediaTypeOfName(filename) : found,
  }
}

const base64 = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
