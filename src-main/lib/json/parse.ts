import { printParseErrorCode, visit } from 'jsonc-parser'
import { mapOutsideStrings } from './scan.ts'
import type { JsonValue } from './value.ts'

export type JsonFault = { readonly why: string; readonly line: number; readonly column: number }

/** `bare`: NaN and Infinity, which Python writes but JSON does not allow. */
type ReadOptions = { readonly bare?: 'kept' | 'null' | 'refused' }

/** Maximum nesting depth. Source: ours, deeper than any graph; the parser below recurses. */
export const DEPTH_MAX = 500

export function parseJson(text: string, options?: ReadOptions): JsonValue | undefined {
  const read = readJson(text, options)
  return 'value' in read ? read.value : undefined
}

type Open = { readonly into: JsonValue[] | Map<string, JsonValue>; key: string }

/**
 * Parses losslessly.
 * @param text up to about 100 MB
 */
export function readJson(
  text: string,
  { bare = 'kept' }: ReadOptions = {},
): { readonly value: JsonValue } | { readonly fault: JsonFault } {
  // Digits of equal length preserve offsets; each number is read from the original text.
  const strict = bare === 'refused' ? text : withoutBareNumbers(text, (word) => word.replace(/\w/g, '1'))
  const hasNulls = bare === 'null' && strict !== text
  const root: JsonValue[] = []
  let top: Open = { into: root, key: '' }
  const below: Open[] = []
  let fault: JsonFault | undefined

  const failAt = (why: string, line: number, column: number) => {
    fault ??= { why, line: line + 1, column: column + 1 }
  }
  const add = (value: JsonValue) => {
    if (Array.isArray(top.into)) top.into.push(value)
    else top.into.set(top.key, value)
  }
  const open = (into: Open['into'], line: number, column: number) => {
    add(into)
    below.push(top)
    top = { into, key: '' }
    if (below.length < DEPTH_MAX) return
    failAt('it is nested too deeply', line, column)
    throw TOO_DEEP
  }
  const close = () => {
    top = below.pop() ?? top
  }
  const numberAt = (start: number, end: number): JsonValue => {
    const number = text.slice(start, end)
    return hasNulls && /[NI]/.test(number) ? null : { number }
  }

  try {
    visit(
      strict,
      {
        onObjectBegin: (_offset, _length, line, column) => open(new Map(), line, column),
        onObjectEnd: close,
        onObjectProperty(name) {
          top.key = name
        },
        onArrayBegin: (_offset, _length, line, column) => open([], line, column),
        onArrayEnd: close,
        onLiteralValue: (value, offset, length) =>
          add(typeof value === 'number' ? numberAt(offset, offset + length) : value),
        onError: (code, _offset, _length, line, column) => failAt(wordsOf(printParseErrorCode(code)), line, column),
      },
      { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false },
    )
  } catch (error) {
    if (error !== TOO_DEEP) throw error
  }
  const [value = null] = root
  return fault === undefined ? { value } : { fault }
}

const TOO_DEEP = new Error('nested too deeply')

const wordsOf = (code: string) =>
  code.replace(/[A-Z]/g, (letter, at: number) => (at === 0 ? '' : ' ') + letter.toLowerCase())

export const faultText = ({ why, line, column }: JsonFault) => `${why} in line ${line}, column ${column}`

/** Replaces bare NaN and Infinity by null, for plain JSON readers. */
export const strictJson = (text: string) => withoutBareNumbers(text, () => 'null')

const BARE_NUMBER = /(?<![\w.+-])(?:NaN|-?Infinity)(?![\w.])/g

function withoutBareNumbers(text: string, instead: (word: string) => string): string {
  if (!text.includes('NaN') && !text.includes('Infinity')) return text
  return mapOutsideStrings(text, (part) => part.replace(BARE_NUMBER, instead))
}
