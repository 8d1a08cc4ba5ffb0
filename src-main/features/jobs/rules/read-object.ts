import { limit } from '../../../contract/limits.ts'
import type { JsonText } from '../../../lib/json/bytes.ts'
import { isRecord } from '../../../lib/json/plain.ts'
import { findKeyProblem, type JsonScan, keyProblemText, scanJson } from '../../../lib/json/scan.ts'

export type BodyFault = { readonly code: 'NOT_JSON' | 'BAD_INPUT'; readonly why: string }

type ScannedObject = { readonly value: Record<string, unknown>; readonly scan: JsonScan }

/** Checks depth and key count first, and refuses repeated keys, because two readers would see two different bodies. */
export function readObject(
  { text, scanned }: Pick<JsonText, 'text' | 'scanned'>,
  maxValues = Number.POSITIVE_INFINITY,
): ScannedObject | BodyFault {
  const scan = scanJson(scanned, { maxKeys: limit('jsonKeys'), maxDepth: limit('jsonDepth') })
  if (scan === 'too-deep') return notJson(`it is nested deeper than ${limit('jsonDepth')} levels`)
  if (scan === 'too-many-keys') return notJson(`it holds more than ${limit('jsonKeys')} keys`)
  if (scan.fields.size > limit('jsonFields')) return notJson(`it holds more than ${limit('jsonFields')} fields`)
  if (scan.values > maxValues) return notJson(`it holds more than ${maxValues} values`)
  const value = parse(text)
  if (value instanceof SyntaxError) return notJson(value.message.slice(0, 200))
  if (!isRecord(value)) return { code: 'BAD_INPUT', why: 'The body is not a JSON object' }
  const problem = findKeyProblem(text, value, scan.keys)
  return problem === undefined ? { value, scan } : notJson(keyProblemText(problem))
}

const notJson = (why: string): BodyFault => ({ code: 'NOT_JSON', why })

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    return error
  }
}

// Characters; the same threshold as for strings that are not parsed.
const LARGE_LETTERS = 64 * 1024

/** With large fields empty, for readers that pass them on unchanged. */
export function withoutLargeFields({ value, scan }: ScannedObject): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => {
      const { start, end } = scan.fields.get(name) ?? { start: 0, end: 0 }
      return [name, end - start > LARGE_LETTERS ? emptied(field) : field]
    }),
  )
}

function emptied(value: unknown): unknown {
  if (typeof value === 'string') return ''
  return Array.isArray(value) ? [] : isRecord(value) ? {} : value
}
