/** The graph that a picture or file holds. Source: image-workflows, rule 6; editor research, 4. */
import { limit } from '../../../contract/limits.ts'
import { sizeInWords } from '../../size-in-words.ts'
import { parseJson } from '../json/parse.ts'
import type { JsonObject } from '../json/value.ts'
import { recognise } from '../recognise.ts'
import { readAvifTexts } from './avif.ts'
import type { ByteTools, PictureText } from './bytes.ts'
import { readWebpTexts } from './exif.ts'
import { readFilmTexts } from './films.ts'
import { readDrawingTexts, readShapeTexts, readTensorTexts, textsInComment } from './json-holders.ts'
import { readMatroskaTexts } from './matroska.ts'
import { readPngTexts } from './png.ts'
import { readSoundTexts } from './sounds.ts'

/** What was found in a file. `parameters`: the words by which another tool describes a picture; it has no graph. */
export type FoundGraph =
  | { readonly kind: 'document' | 'payload'; readonly raw: JsonObject }
  | { readonly kind: 'none'; readonly why: string; readonly parameters?: string }

const NOTHING_IN_IT = 'The file holds no workflow: it was made without one, or it was removed.'

// The first wins: a document is what a person arranged.
const KEYWORDS = ['workflow', 'prompt']

// Each knows its files by their first bytes, and finds nothing in others.
const READERS: readonly ((bytes: Uint8Array, tools: ByteTools) => readonly PictureText[])[] = [
  readPngTexts,
  readWebpTexts,
  readAvifTexts,
  readFilmTexts,
  readMatroskaTexts,
  readSoundTexts,
  readTensorTexts,
  readDrawingTexts,
  readShapeTexts,
]

/** Looks for a graph in a file: a picture, film, sound, tensor, drawing or shape, or JSON. */
export function findGraph(bytes: Uint8Array, tools: ByteTools): FoundGraph {
  for (const read of READERS) {
    const texts = read(bytes, tools)
    if (texts.length > 0) return inTexts([...texts, ...texts.flatMap(textsInComment)])
  }
  if (!beginsAsJson(bytes))
    return { kind: 'none', why: 'The file holds no workflow: it is no JSON, and no picture with a graph in it.' }
  // Text of UTF-8 has a third of its bytes at least: what cannot fit is not made into one.
  return bytes.length > 3 * limit('workflowBytes') ? tooLarge(bytes.length) : inText(tools.utf8(bytes))
}

function inTexts(texts: readonly PictureText[]): FoundGraph {
  const faults: string[] = []
  for (const keyword of KEYWORDS) {
    const text = texts.find((one) => one.keyword.toLowerCase() === keyword)?.text
    if (text === undefined) continue
    const found = inText(text)
    if (found.kind !== 'none') return found
    faults.push(found.why)
  }
  const parameters = texts.find(({ keyword }) => keyword === 'parameters')?.text
  const why = faults[0] ?? NOTHING_IN_IT
  return { kind: 'none', why, ...(parameters === undefined ? {} : { parameters }) }
}

function inText(text: string): FoundGraph {
  if (text.length > limit('workflowBytes')) return tooLarge(text.length)
  const parsed = parseJson(text)
  if (parsed.kind === 'fault') {
    const { why, line, column } = parsed.fault
    return { kind: 'none', why: `The workflow is no valid JSON: ${why} in line ${line}, column ${column}.` }
  }
  const found = recognise(parsed.value)
  if (found.form === 'other') return { kind: 'none', why: `The file holds no workflow but ${found.found}.` }
  return { kind: found.form, raw: found.raw }
}

function tooLarge(bytes: number): FoundGraph {
  const most = sizeInWords(limit('workflowBytes'))
  return { kind: 'none', why: `The workflow has ${sizeInWords(bytes)}, and up to ${most} can be read.` }
}

const SPACE = new Set([0x20, 0x09, 0x0a, 0x0d])
const BYTE_ORDER_MARK = 0xef
const OPENING = new Set([...'{["'].map((sign) => sign.charCodeAt(0)))

function beginsAsJson(bytes: Uint8Array): boolean {
  const start = bytes[0] === BYTE_ORDER_MARK ? 3 : 0
  for (let at = start; at < bytes.length; at++) if (!SPACE.has(bytes[at] ?? 0)) return OPENING.has(bytes[at] ?? 0)
  return false
}
