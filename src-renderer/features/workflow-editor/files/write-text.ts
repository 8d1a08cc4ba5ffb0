import {
  isArray,
  isObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
} from '../../../../src-main/domain/workflow/json/value.ts'
import { writeJson } from '../../../../src-main/domain/workflow/json/write.ts'

/** Texts of nodes that were written before. They are let go with the nodes. */
export type WrittenTexts = WeakMap<JsonObject, string>

/**
 * Writes the JSON of a document as `writeJson` does. Nodes that are the same objects as the last time are not written
 * again: with 5,000 of them an edit of one would hold the hands up for a tenth of a second at each pause.
 */
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

// Texts within JSON hold no line ends of their own.
const nested = (text: string, newLine: string) => (newLine === '' ? text : text.replaceAll('\n', newLine))

function isListOfObjects(value: JsonValue): value is JsonArray & readonly JsonObject[] {
  return isArray(value) && value.length > 0 && value.every(isObject)
}
