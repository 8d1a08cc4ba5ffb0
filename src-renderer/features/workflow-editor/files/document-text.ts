/** Serialises documents: original text while unchanged, then with its indentation, reusing written parts. */
import {
  readDocument,
  type WorkflowDocument,
  writeDocument,
} from '../../../../src-main/features/workflows/rules/document/document.ts'
import { recognise } from '../../../../src-main/features/workflows/rules/recognise.ts'
import { faultText, readJson } from '../../../../src-main/lib/json/parse.ts'
import {
  isArray,
  isObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  writeJson,
} from '../../../../src-main/lib/json/value.ts'

export type DocumentWriter = (document: WorkflowDocument) => string

const fault = (why: string) => ({ kind: 'fault', why }) as const

export function openText(text: string) {
  const read = readJson(text)
  if ('fault' in read) return fault(`The workflow is not valid JSON: ${faultText(read.fault)}.`)
  const found = recognise(read.value)
  if (found.form !== 'document') {
    const what = found.form === 'payload' ? 'a workflow in the API form' : found.found
    return fault(`This is not a document of the editor but ${what}.`)
  }
  const document = readDocument(found.raw)
  const write = writerOf(document, found.raw === read.value ? text : undefined, text)
  return { kind: 'document', document, write } as const
}

function writerOf(opened: WorkflowDocument, text: string | undefined, like: string): DocumentWriter {
  const indent = indentOf(like)
  const written: WrittenTexts = new WeakMap()
  const end = /\n?$/.exec(like)?.[0] ?? ''
  return (document) =>
    document === opened && text !== undefined ? text : writeText(writeDocument(document), indent, written) + end
}

const INDENT_MAX = 8

const indentOf = (text: string) => Math.min(INDENT_MAX, /^\s*\{\r?\n( *)/.exec(text)?.[1]?.length ?? 0)

type WrittenTexts = WeakMap<JsonObject, string>

/** Like `writeJson`, reusing unchanged nodes, because 5,000 take a tenth of a second. */
export function writeText(document: JsonObject, indent: number, written: WrittenTexts): string {
  const [newLine, space] = indent === 0 ? ['', ''] : [`\n${' '.repeat(indent)}`, ' ']
  const entries = [...document].map(([key, value]) => {
    const text = isListOfObjects(value) ? writeItems(value, indent, written) : nested(writeJson(value, indent), newLine)
    return `${newLine}${JSON.stringify(key)}:${space}${text}`
  })
  return entries.length === 0 ? '{}' : `{${entries.join(',')}${indent === 0 ? '' : '\n'}}`
}

function writeItems(items: readonly JsonObject[], indent: number, written: WrittenTexts): string {
  const [newLine, inner] = indent === 0 ? ['', ''] : [`\n${' '.repeat(indent)}`, `\n${' '.repeat(2 * indent)}`]
  const texts = items.map((item) => {
    const known = written.get(item)
    if (known !== undefined) return known
    const text = inner + nested(writeJson(item, indent), inner)
    written.set(item, text)
    return text
  })
  return `[${texts.join(',')}${newLine}]`
}

// JSON strings contain no raw line breaks.
const nested = (text: string, newLine: string) => (newLine === '' ? text : text.replaceAll('\n', newLine))

function isListOfObjects(value: JsonValue): value is JsonArray & readonly JsonObject[] {
  return isArray(value) && value.length > 0 && value.every(isObject)
}
