import { networkReason } from '../../../../src-main/lib/network-error.ts'
import { addressOf, ask, type ComfyServer } from '../server/comfy-server.ts'
import { readBounded } from '../server/read-bounded.ts'
import type { ListedFile, ListedResult } from './list-results.ts'

// Limit for one file, in ms; source: worker-comfyui, handler.py.
const FETCH_MS = 60_000
const MIB = 1024 * 1024

export type Result = {
  readonly filename: string
  readonly type: 'base64' | 's3_url'
  readonly data: string
  readonly node: string
}

export type Collected = {
  readonly images: readonly Result[]
  readonly faults: readonly string[]
  readonly leftBytes: number
}

export type CollectOptions = {
  /** Total limit; a file that does not fit stays on the server, and its address is the result. */
  readonly maxBytes: number
  readonly signal: AbortSignal
  readonly log: (line: string) => void
}

type Fetched =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'too large' }
  | { readonly kind: 'fault'; readonly why: string }

export async function collectResults(
  server: ComfyServer,
  results: readonly ListedResult[],
  { maxBytes, signal, log }: CollectOptions,
): Promise<Collected> {
  const images: Result[] = []
  const faults: string[] = []
  let left = maxBytes
  for (const result of results) {
    const { filename, node } = result
    const found =
      result.kind === 'text' ? fitted(Buffer.from(result.text), left) : await fetchFile(server, result, left, signal)
    signal.throwIfAborted()
    if (found.kind === 'bytes') {
      left -= found.bytes.length
      images.push({ filename, type: 'base64', data: base64(found.bytes), node })
    } else if (found.kind === 'too large' && result.kind === 'file') {
      log(`${filename} stays on the server: only ${inMib(left)} MiB were left in the result of the job.`)
      images.push({ filename, type: 's3_url', data: addressOf(server, viewOf(result)).href, node })
    } else {
      faults.push(
        found.kind === 'fault'
          ? found.why
          : `${filename} does not fit into the result: only ${inMib(left)} MiB were left.`,
      )
    }
  }
  return { images, faults, leftBytes: left }
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
    const found = await fetchFile(server, preview, left, signal)
    signal.throwIfAborted()
    const { filename, node } = preview
    if (found.kind === 'bytes') {
      left -= found.bytes.length
      fetched.push({ filename, type: 'base64', data: base64(found.bytes), node })
    } else log(found.kind === 'fault' ? found.why : `The preview ${filename} does not fit into the result of the job.`)
  }
  return fetched
}

async function fetchFile(
  server: ComfyServer,
  file: ListedFile,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Fetched> {
  const failed = `Failed to fetch image data for ${file.filename} from /view endpoint.`
  try {
    const answer = await ask(server, { ...viewOf(file), timeoutMs: FETCH_MS, signal })
    if (answer.status !== 200) {
      await answer.body?.cancel()
      return { kind: 'fault', why: `${failed} The server answered HTTP ${answer.status}.` }
    }
    const bytes = await readBounded(answer, maxBytes)
    if (bytes === undefined) return { kind: 'too large' }
    return bytes.length === 0 ? { kind: 'fault', why: failed } : { kind: 'bytes', bytes }
  } catch (error) {
    return { kind: 'fault', why: `${failed} ${networkReason(error)}.` }
  }
}

const fitted = (bytes: Uint8Array, maxBytes: number): Fetched =>
  bytes.length > maxBytes ? { kind: 'too large' } : { kind: 'bytes', bytes }

const viewOf = ({ filename, subfolder, type }: ListedFile) => ({ path: 'view', query: { filename, subfolder, type } })

const base64 = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')

const inMib = (bytes: number) => (bytes / MIB).toFixed(1)
