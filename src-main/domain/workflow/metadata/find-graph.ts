/** The graph that a picture or file holds. Source: image-workflows, rule 6; editor research, 4. */
import { parseJson } from '../json/parse.ts'
import type { JsonObject } from '../json/value.ts'
import { recognise } from '../recognise.ts'
import type { ByteTools, PictureText } from './bytes.ts'
import { readWebpTexts } from './exif.ts'
import { readPngTexts } from './png.ts'

/** What was found in a file. `parameters`: the words by which another tool describes a picture; it has no graph. */
export type FoundGraph =
  | { readonly kind: 'document' | 'payload'; readonly raw: JsonObject }
  | { readonly kind: 'none'; readonly why: string; readonly parameters?: string }

// The first wins: a document is what a person arranged.
const KEYWORDS = ['workflow', 'prompt']

/** Looks for a graph in a PNG, WebP or JSON file. */
export function findGraph(bytes: Uint8Array, tools: ByteTools): FoundGraph {
  const texts = [...readPngTexts(bytes, tools), ...readWebpTexts(bytes, tools)]
  if (texts.length > 0) return inTexts(texts)
  if (!beginsAsJson(bytes))
    return { kind: 'none', why: 'The file holds no workflow: it is no JSON, and no picture with a graph in it.' }
  return inText(tools.utf8(bytes))
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
  const why = faults[0] ?? 'The picture holds no workflow: it was made without one, or it was removed.'
  return { kind: 'none', why, ...(parameters === undefined ? {} : { parameters }) }
}

function inText(text: string): FoundGraph {
  const parsed = parseJson(text)
  if (parsed.kind === 'fault') {
    const { why, line, column } = parsed.fault
    return { kind: 'none', why: `The workflow is no valid JSON: ${why} in line ${line}, column ${column}.` }
  }
  const found = recognise(parsed.value)
  if (found.form === 'other') return { kind: 'none', why: `The file holds no workflow but ${found.found}.` }
  return { kind: found.form, raw: found.raw }
}

const SPACE = new Set([0x20, 0x09, 0x0a, 0x0d])
const BYTE_ORDER_MARK = 0xef
const OPENING = new Set([...'{["'].map((sign) => sign.charCodeAt(0)))

function beginsAsJson(bytes: Uint8Array): boolean {
  const start = bytes[0] === BYTE_ORDER_MARK ? 3 : 0
  for (let at = start; at < bytes.length; at++) if (!SPACE.has(bytes[at] ?? 0)) return OPENING.has(bytes[at] ?? 0)
  return false
}
