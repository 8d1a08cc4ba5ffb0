/**
 * Finds an embedded graph. Film tags and EXR texts are read here, other formats in separate readers. Source:
 * docs/spec/image-workflows.md, 2.6; docs/spec/comfyui.md, 4.
 */
import { limit } from '../../../../contract/limits.ts'
import { faultText, readJson } from '../../../../lib/json/parse.ts'
import type { JsonObject } from '../../../../lib/json/value.ts'
import { sizeText } from '../../../../lib/text.ts'
import { recognise } from '../recognise.ts'
import { type ByteTools, cutAtZero, latin1, type PictureText, TEXT_MAX_BYTES, TEXTS_MAX, viewOf } from './bytes.ts'
import { boxesOf, boxIn, brandOf, FULL_BOX, readAvifTexts, readWebpTexts } from './exif.ts'
import { GRAPH_KEYWORDS, readDrawingTexts, readShapeTexts, readTensorTexts, textsInComment } from './json-holders.ts'
import { readPngTexts } from './png.ts'
import { readSoundTexts } from './sounds.ts'

/** Result of a search. `parameters`: a text in which another tool describes a picture, without a graph. */
export type FoundGraph =
  | { readonly kind: 'document' | 'payload'; readonly raw: JsonObject }
  | { readonly kind: 'none'; readonly why: string; readonly parameters?: string }

const NOTHING_IN_IT = 'The file holds no workflow: it was made without one, or it was removed.'

// Each recognises its files by their first bytes, and returns nothing for others.
const READERS: readonly ((bytes: Uint8Array, tools: ByteTools) => readonly PictureText[])[] = [
  readPngTexts,
  readWebpTexts,
  readAvifTexts,
  readExrTexts,
  readFilmTexts,
  readMatroskaTexts,
  readSoundTexts,
  readTensorTexts,
  readDrawingTexts,
  readShapeTexts,
]

export function findGraph(bytes: Uint8Array, tools: ByteTools): FoundGraph {
  for (const read of READERS) {
    const texts = read(bytes, tools)
    if (texts.length > 0) return inTexts([...texts, ...texts.flatMap(textsInComment)])
  }
  if (!beginsAsJson(bytes))
    return { kind: 'none', why: 'The file holds no workflow: it is neither JSON nor a picture with a graph in it.' }
  // UTF-8 text has at least a third of its bytes as characters; a file that is too large is not decoded.
  return bytes.length > 3 * limit('workflowBytes') ? tooLarge(bytes.length) : inText(tools.utf8(bytes))
}

function inTexts(texts: readonly PictureText[]): FoundGraph {
  const problems: string[] = []
  for (const keyword of GRAPH_KEYWORDS) {
    const text = texts.find((one) => one.keyword.toLowerCase() === keyword)?.text
    if (text === undefined) continue
    const found = inText(text)
    if (found.kind !== 'none') return found
    problems.push(found.why)
  }
  const parameters = texts.find(({ keyword }) => keyword === 'parameters')?.text
  const why = problems[0] ?? NOTHING_IN_IT
  return { kind: 'none', why, ...(parameters === undefined ? {} : { parameters }) }
}

function inText(text: string): FoundGraph {
  if (text.length > limit('workflowBytes')) return tooLarge(text.length)
  const read = readJson(text)
  if ('fault' in read) return { kind: 'none', why: `The workflow is not valid JSON: ${faultText(read.fault)}.` }
  const found = recognise(read.value)
  if (found.form === 'other') return { kind: 'none', why: `The file holds no workflow but ${found.found}.` }
  return { kind: found.form, raw: found.raw }
}

function tooLarge(bytes: number): FoundGraph {
  const most = sizeText(limit('workflowBytes'))
  return { kind: 'none', why: `The workflow has ${sizeText(bytes)}, and the limit is ${most}.` }
}

const SPACE = new Set([0x20, 0x09, 0x0a, 0x0d])
const BYTE_ORDER_MARK = 0xef
const OPENING = new Set([...'{["'].map((sign) => sign.charCodeAt(0)))

function beginsAsJson(bytes: Uint8Array): boolean {
  const start = bytes[0] === BYTE_ORDER_MARK ? 3 : 0
  for (let at = start; at < bytes.length; at++) if (!SPACE.has(bytes[at] ?? 0)) return OPENING.has(bytes[at] ?? 0)
  return false
}

// EXR string attributes under PNG's keywords. Source: the OpenEXR file layout; ComfyUI 0.33.0, Save Image (Advanced).
const MAGIC = 0x01312f76
const HEAD = 8
const LENGTH = 4
// Bytes, from the format; most names are shorter than 32.
const NAME_MAX = 255
const ATTRIBUTES_MAX = 1000

function readExrTexts(bytes: Uint8Array, { utf8 }: ByteTools): readonly PictureText[] {
  if (bytes.length < HEAD || viewOf(bytes).getUint32(0, true) !== MAGIC) return []
  const texts: PictureText[] = []
  let at = HEAD
  // An empty name ends the header.
  for (let count = 0; count < ATTRIBUTES_MAX && at < bytes.length && bytes[at] !== 0; count += 1) {
    const keyword = nameAt(bytes, at)
    const type = nameAt(bytes, at + keyword.length + 1)
    const start = at + keyword.length + type.length + 2 + LENGTH
    if (start > bytes.length) break
    const length = viewOf(bytes).getUint32(start - LENGTH, true)
    at = start + length
    if (at > bytes.length) break
    if (type === 'string' && length <= TEXT_MAX_BYTES) texts.push({ keyword, text: utf8(bytes.subarray(start, at)) })
  }
  return texts
}

const nameAt = (bytes: Uint8Array, at: number): string => latin1(cutAtZero(bytes.subarray(at, at + NAME_MAX + 1))[0])

// Tags of MP4 and MOV. Source: docs/spec/comfyui.md, 4; QuickTime keys.
const KEY_HEAD = 8
const DATA_HEAD = 8
const KEYS_MAX = 1000
// Files have one or two; a crafted item could have thousands.
const ITEM_BOXES_MAX = 16

function readFilmTexts(bytes: Uint8Array, tools: ByteTools): readonly PictureText[] {
  const brand = brandOf(bytes)
  if (brand === undefined || brand === 'avif' || brand === 'avis') return []
  const moov = boxIn(bytes, 'moov')
  const metas = [boxIn(moov, 'meta'), boxIn(boxIn(moov, 'udta'), 'meta')]
  return metas.flatMap((meta) => (meta === undefined ? [] : tagsOf(meta, tools)))
}

// QuickTime omits version and flags in this box.
function tagsOf(meta: Uint8Array, tools: ByteTools): readonly PictureText[] {
  const boxes = [boxesOf(meta), boxesOf(meta.subarray(FULL_BOX))].find((list) => list.some(isItems)) ?? []
  const items = boxes.find(isItems)?.data
  const keys = boxes.find(({ type }) => type === 'keys')?.data
  const names = keys === undefined ? [] : namesOf(keys, tools)
  if (items === undefined) return []
  return boxesOf(items, TEXTS_MAX).flatMap(({ type, data }) => {
    const text = boxesOf(data, ITEM_BOXES_MAX).find((box) => box.type === 'data')?.data
    const keyword = names[viewOf(Uint8Array.from(type, (sign) => sign.charCodeAt(0))).getUint32(0) - 1] ?? ITEMS[type]
    return text === undefined || keyword === undefined ? [] : [{ keyword, text: tools.utf8(text.subarray(DATA_HEAD)) }]
  })
}

const isItems = ({ type }: { readonly type: string }): boolean => type === 'ilst'

const ITEMS: Readonly<Record<string, string>> = { '\u00a9cmt': 'comment', '\u00a9des': 'description' }

function namesOf(keys: Uint8Array, { utf8 }: ByteTools): readonly string[] {
  if (keys.length < KEY_HEAD) return []
  const view = viewOf(keys)
  const count = Math.min(KEYS_MAX, view.getUint32(FULL_BOX))
  const names: string[] = []
  for (let at = KEY_HEAD; names.length < count && at + KEY_HEAD <= keys.length; ) {
    const length = view.getUint32(at)
    if (length < KEY_HEAD || latin1(keys.subarray(at + 4, at + KEY_HEAD)) !== 'mdta') break
    names.push(utf8(keys.subarray(at + KEY_HEAD, at + length)))
    at += length
  }
  return names
}

// WebM tags. Source: docs/spec/comfyui.md, 4; RFC 8794 (EBML), RFC 9559 (Matroska).
const EBML = 0x1a45dfa3
const SEGMENT = 0x18538067
const TAGS = 0x1254c367
const TAG = 0x7373
const SIMPLE_TAG = 0x67c8
const TAG_NAME = 0x45a3
const TAG_STRING = 0x4487
const CLUSTER = 0x1f43b675
const INSIDE = new Set([SEGMENT, TAGS, TAG, SIMPLE_TAG])
// Films written as a stream have clusters without a length.
const MAYBE_ENDLESS = new Set([...INSIDE, CLUSTER])

// A film of hours has about ten thousand clusters; a crafted one could have millions of empty elements.
const ELEMENTS_MAX = 200_000

function readMatroskaTexts(bytes: Uint8Array, { utf8 }: ByteTools): readonly PictureText[] {
  if (bytes.length < 4 || viewOf(bytes).getUint32(0) !== EBML) return []
  const texts: PictureText[] = []
  let keyword: string | undefined
  // Nested elements follow directly after their headers, so one flat walk sees them all.
  for (let at = 0, count = 0; at < bytes.length && count < ELEMENTS_MAX && texts.length < TEXTS_MAX; count += 1) {
    const id = numberAt(bytes, at, false)
    const size = id && numberAt(bytes, at + id.length, true)
    if (id === undefined || size === undefined) break
    // Only containers may have an unknown size.
    if (size.isUnknown && !MAYBE_ENDLESS.has(id.value)) break
    const start = at + id.length + size.length
    const data = bytes.subarray(start, start + size.value)
    if (id.value === TAG_NAME) keyword = utf8(data)
    if (id.value === TAG_STRING && keyword !== undefined) texts.push({ keyword, text: utf8(data) })
    at = INSIDE.has(id.value) || size.isUnknown ? start : start + size.value
  }
  return texts
}

type Varying = { readonly value: number; readonly length: number; readonly isUnknown: boolean }

/**
 * A variable-length integer of 1 to 8 bytes.
 * @param isSize clears the length marker bit
 */
function numberAt(bytes: Uint8Array, at: number, isSize: boolean): Varying | undefined {
  const first = bytes[at] ?? 0
  const length = first === 0 ? 9 : Math.clz32(first) - 23
  if (length > 8 || at + length > bytes.length) return undefined
  const bits = isSize ? first & (0xff >> length) : first
  let value = bits
  let isUnknown = isSize && bits === 0xff >> length
  for (let index = 1; index < length; index += 1) {
    const byte = bytes[at + index] ?? 0
    value = value * 256 + byte
    isUnknown &&= byte === 0xff
  }
  return { value, length, isUnknown }
}
