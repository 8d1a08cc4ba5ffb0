import { parseJson } from '../../../../lib/json/parse.ts'
import { asText } from '../../../../lib/json/plain.ts'
import { isObject, type JsonObject, type JsonValue, writeJson } from '../../../../lib/json/value.ts'
import { type ByteTools, latin1, type PictureText, TEXT_MAX_BYTES, viewOf } from './bytes.ts'

/** The keywords of graphs; the first found wins, because a document has the user's layout. */
export const GRAPH_KEYWORDS = ['workflow', 'prompt']

/** The texts of a tensor file: the length of its header, then the header as JSON. */
export function readTensorTexts(bytes: Uint8Array, { utf8 }: ByteTools): readonly PictureText[] {
  if (bytes.length < 10 || bytes[8] !== OPENING_BRACE) return []
  const length = Number(viewOf(bytes).getBigUint64(0, true))
  if (length > Math.min(TEXT_MAX_BYTES, bytes.length - 8)) return []
  const head = objectIn(utf8(bytes.subarray(8, 8 + length)))
  const metadata = head?.get('__metadata__')
  return isObject(metadata) ? textsIn(metadata) : []
}

const OPENING_BRACE = '{'.charCodeAt(0)
const [METADATA, CDATA, CDATA_END] = ['<metadata', '<![CDATA[', ']]>']

export function readDrawingTexts(bytes: Uint8Array, { utf8 }: ByteTools): readonly PictureText[] {
  if (!isDrawing(bytes) || bytes.length > TEXT_MAX_BYTES) return []
  const json = metadataIn(utf8(bytes))
  const held = json === undefined ? undefined : objectIn(json)
  return held === undefined ? [] : textsIn(held)
}

// Parsed by hand, because a regular expression rescans the whole text for each start.
function metadataIn(text: string): string | undefined {
  for (let at = text.indexOf(METADATA); at >= 0; at = text.indexOf(METADATA, at + 1)) {
    const open = text.indexOf('>', at)
    if (open < 0) return undefined
    let start = open + 1
    while (/\s/.test(text[start] ?? '')) start += 1
    if (text.startsWith(CDATA, start)) {
      const end = text.indexOf(CDATA_END, start)
      return end < 0 ? undefined : text.slice(start + CDATA.length, end)
    }
    at = start - 1
  }
  return undefined
}

// A declaration, a comment or a byte order mark may come before the drawing.
function isDrawing(bytes: Uint8Array): boolean {
  const start = latin1(bytes.subarray(0, 1024)).trimStart()
  return /^(?:\u00ef\u00bb\u00bf)?\s*</.test(start) && start.includes('<svg')
}

const JSON_CHUNK = 0x4e4f534a

export function readShapeTexts(bytes: Uint8Array, { utf8 }: ByteTools): readonly PictureText[] {
  if (bytes.length < 20 || latin1(bytes.subarray(0, 4)) !== 'glTF') return []
  const view = viewOf(bytes)
  const length = view.getUint32(12, true)
  if (view.getUint32(16, true) !== JSON_CHUNK || length > TEXT_MAX_BYTES) return []
  const asset = objectIn(utf8(bytes.subarray(20, 20 + length)))?.get('asset')
  const extras = isObject(asset) ? asset.get('extras') : undefined
  return isObject(extras) ? textsIn(extras) : []
}

function objectIn(text: string): JsonObject | undefined {
  const parsed = parseJson(text)
  return isObject(parsed) ? parsed : undefined
}

// Some tools store the graph as a string, others as an object.
function textsIn(object: JsonObject): readonly PictureText[] {
  return GRAPH_KEYWORDS.flatMap((keyword) => {
    const value = object.get(keyword)
    const text = value === undefined ? undefined : textOf(value)
    return text === undefined ? [] : [{ keyword, text }]
  })
}

const textOf = (value: JsonValue): string | undefined => (isObject(value) ? writeJson(value) : asText(value))

/** The texts in a comment; one writer of films puts both graphs into one. */
export function textsInComment({ keyword, text }: PictureText): readonly PictureText[] {
  const isComment = ['comment', 'description'].includes(keyword.toLowerCase())
  const held = isComment && text.startsWith('{') ? objectIn(text) : undefined
  return held === undefined ? [] : textsIn(held)
}
