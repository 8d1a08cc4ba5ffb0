/**
 * Compares outputs in a thread, which decodes pictures and walks megabytes of JSON; too much time or memory ends it and
 * yields a problem.
 */
import { isMainThread } from 'node:worker_threads'
import { inflateSync } from 'node:zlib'
import { convertIndexedToRgb, decode as decodePng } from 'fast-png'
import { decode as decodeJpeg } from 'jpeg-js'
import type { ComparisonRules } from '../../../contract/compare.ts'
import { limit } from '../../../contract/limits.ts'
import { isRecord, parseExact } from '../../../lib/json/plain.ts'
import { jsonText } from '../../../lib/json/text.ts'
import { mediaTypeOf, pictureSize } from '../../../lib/media.ts'
import { answerIn, createThread } from '../../../lib/node/thread.ts'
import { isBase64 } from '../../workflows/rules/runs/find-results.ts'
import type { Comparer, StoredOutput } from '../ports.ts'
import { type ComparedOutput, compareOutputs, type Pixels } from '../rules/outputs.ts'
import { readItems } from '../rules/plan.ts'

type Told =
  | { readonly items: string }
  | { readonly pair: readonly [StoredOutput, StoredOutput]; readonly rules: ComparisonRules }

// Thread memory without pictures, MiB: about ten times the JSON of two maximum outputs.
const MEMORY_MIB = 1024

export function createComparer(): Comparer {
  const { ask, release, stop } = createThread(new URL(import.meta.url), {
    timeMs: limit('comparisonMs'),
    memoryMib: MEMORY_MIB,
  })
  return {
    compare: (pair, rules) => ask({ pair, rules }) as ReturnType<Comparer['compare']>,
    readItems: (text) => ask({ items: text }) as ReturnType<Comparer['readItems']>,
    release,
    stop,
  }
}

function answer(told: Told) {
  if ('items' in told) return readItems(told.items)
  const [a, b] = told.pair
  try {
    return compareOutputs(parsed(a), parsed(b), told.rules, readPicture)
  } catch (error) {
    return { problem: `its output cannot be read: ${(error as Error).message}` }
  }
}

function parsed({ status, error, output, chunks }: StoredOutput): ComparedOutput {
  return {
    status,
    error,
    output: output === undefined ? undefined : parseExact(jsonText(output)),
    stream: chunks.map((chunk) => {
      const value = parseExact(chunk)
      return isRecord(value) ? value.output : value
    }),
  }
}

const LEAST_TEXT = 80

function readPicture(text: string): Pixels | 'unread' | undefined {
  if (text.length < LEAST_TEXT) return undefined
  const data = text.startsWith('data:') ? text.slice(text.indexOf(',') + 1) : text
  // The first bytes reveal the type, so a long text is not decoded for it.
  const type = mediaTypeOf(Buffer.from(data.slice(0, 64), 'base64'))
  if (!type.startsWith('image/') || type === 'image/svg+xml' || !isBase64(data)) return undefined
  try {
    return readPixels(Buffer.from(data, 'base64'), type) ?? 'unread'
  } catch {
    return 'unread'
  }
}

// Maximum megapixels. Source: ours; a small file may claim any size.
const MEGAPIXELS_MAX = 64

/**
 * Decodes a PNG or JPEG; undefined for other formats or if too large.
 * @param type media type
 * @throws Error if damaged
 */
export function readPixels(bytes: Uint8Array, type: string): Pixels | undefined {
  const { width = 0, height = 0 } = pictureSize(bytes, type) ?? {}
  if (width * height === 0 || width * height > MEGAPIXELS_MAX * 1e6) return undefined
  if (type === 'image/jpeg') return decodeJpeg(bytes, { useTArray: true, maxResolutionInMP: MEGAPIXELS_MAX })
  if (type !== 'image/png') return undefined
  requireBounded(bytes, width, height)
  const png = decodePng(bytes)
  const samples = png.palette === undefined ? png.data : convertIndexedToRgb(png)
  const channels = png.palette === undefined ? png.channels : (png.palette[0]?.length ?? 3)
  const most = png.palette === undefined ? 2 ** png.depth - 1 : 255
  const hasOpacity = channels === 2 || channels === 4
  const data = new Uint8Array(width * height * 4)
  for (let pixel = 0; pixel < width * height; pixel++)
    for (let channel = 0; channel < 4; channel++) {
      const from = channel === 3 ? channels - 1 : channels < 3 ? 0 : channel
      const sample = channel === 3 && !hasOpacity ? most : (samples[pixel * channels + from] ?? 0)
      data[pixel * 4 + channel] = (sample / most) * 255
    }
  return { width, height, data }
}

// Bounds the decompressed size: a megabyte of zeros becomes a gigabyte whatever the header says. A row has at most
// eight bytes per pixel plus one; interlaced images have seven passes.
function requireBounded(bytes: Uint8Array, width: number, height: number): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const parts: Uint8Array[] = []
  for (let at = 8; at + 12 <= bytes.length; ) {
    const length = view.getUint32(at)
    const name = String.fromCharCode(...bytes.subarray(at + 4, at + 8))
    if (name === 'IDAT' || name === 'fdAT') parts.push(bytes.subarray(at + 8, at + 8 + length))
    at += 12 + length
  }
  inflateSync(Buffer.concat(parts), { maxOutputLength: width * height * 8 + 7 * height + 64 })
}

if (!isMainThread) answerIn(answer)
