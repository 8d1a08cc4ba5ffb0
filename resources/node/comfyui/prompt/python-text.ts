import { isArray, isNumber, isObject, type JsonValue } from '../../../../src-main/lib/json/value.ts'

/** A value as Python's `str()` writes it, like the public image worker: texts have quotes only in lists and objects. */
export function pythonText(value: JsonValue): string {
  return typeof value === 'string' ? value : pythonLiteral(value)
}

function pythonLiteral(value: JsonValue): string {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (isNumber(value)) return value.number
  if (isArray(value)) return `[${value.map(pythonLiteral).join(', ')}]`
  if (isObject(value))
    return `{${[...value].map(([key, inner]) => `${quoted(key)}: ${pythonLiteral(inner)}`).join(', ')}}`
  return quoted(value)
}

const NAMED: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

function quoted(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'"
  const escaped = text.replace(/[\\\n\r\t\p{Cc}]/gu, (letter) => NAMED[letter] ?? byNumber(letter))
  return quote + (quote === "'" ? escaped.replaceAll("'", "\\'") : escaped) + quote
}

const byNumber = (letter: string) => `\\x${letter.charCodeAt(0).toString(16).padStart(2, '0')}`
