import { createScanner, printParseErrorCode, visit } from 'jsonc-parser'
import type { JsonValue } from './value.ts'

export type JsonFault = { readonly why: string; readonly line: number; readonly column: number }

/** Parsed JSON. `bare`: number of NaN and Infinity tokens, which Python writes but JSON does not allow. */
export type ParsedJson =
  | { readonly kind: 'value'; readonly value: JsonValue; readonly bare: number }
  | { readonly kind: 'fault'; readonly fault: JsonFault }

/** Greatest nesting. Source: ours, deeper than any graph; the parser below recurses. */
export const DEPTH_MAX = 500
const STRICT = { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false }

/**
 * Parses losslessly, with bare NaN and Infinity as numbers.
 * @param text up to about 100 MB
 * @param asNull reads these as null, for receivers of plain JSON
 */
export function parseJson(text: string, { asNull = false }: { readonly asNull?: boolean } = {}): ParsedJson {
  const first = parseStrictly(text, text)
  if (first.kind === 'value') return { ...first, bare: 0 }
  const { changed, bare } = withoutBareNumbers(text, asNull ? () => 'null' : numberAsLong)
  if (bare === 0) return first
  const second = parseStrictly(changed, asNull ? changed : text)
  return second.kind === 'value' ? { ...second, bare } : second
}

/** Replaces bare NaN and Infinity by null, for plain JSON readers. */
export function strictJson(text: string): string {
  return /NaN|Infinity/.test(text) ? withoutBareNumbers(text, () => 'null').changed : text
}

// Keeps all offsets, and the number is read from the original text.
const numberAsLong = (word: string): string => word.replace(/\w/g, '1')

type Open = { readonly into: JsonValue[] | Map<string, JsonValue>; key: string }

function parseStrictly(
  text: string,
  numbersIn: string,
): { kind: 'value'; value: JsonValue } | { kind: 'fault'; fault: JsonFault } {
  const root: JsonValue[] = []
  const stack: Open[] = [{ into: root, key: '' }]
  let fault: JsonFault | undefined

  const add = (value: JsonValue) => {
    const top = stack[stack.length - 1]
    if (top === undefined) return
    if (Array.isArray(top.into)) top.into.push(value)
    else top.into.set(top.key, value)
  }
  const open = (into: JsonValue[] | Map<string, JsonValue>, line: number, column: number) => {
    add(into)
    stack.push({ into, key: '' })
    if (stack.length > DEPTH_MAX)
      throw new TooDeep({ why: 'it is nested too deeply', line: line + 1, column: column + 1 })
  }
  const literal = (value: unknown, offset: number, length: number) =>
    typeof value === 'number'
      ? { number: numbersIn.slice(offset, offset + length) }
      : (value as string | boolean | null)

  try {
    visit(
      text,
      {
        onObjectBegin: (_offset, _length, line, column) => open(new Map(), line, column),
        onObjectEnd: () => void stack.pop(),
        onObjectProperty(name) {
          const top = stack[stack.length - 1]
          if (top !== undefined) top.key = name
        },
        onArrayBegin: (_offset, _length, line, column) => open([], line, column),
        onArrayEnd: () => void stack.pop(),
        onLiteralValue: (value, offset, length) => add(literal(value, offset, length)),
        onError(code, _offset, _length, line, column) {
          fault ??= { why: problemText(printParseErrorCode(code)), line: line + 1, column: column + 1 }
        },
      },
      STRICT,
    )
  } catch (error) {
    if (!(error instanceof TooDeep)) throw error
    fault = error.fault
  }
  const [value] = root
  if (fault !== undefined || value === undefined)
    return { kind: 'fault', fault: fault ?? { why: 'it is empty', line: 1, column: 1 } }
  return { kind: 'value', value }
}

class TooDeep extends Error {
  readonly fault: JsonFault

  constructor(fault: JsonFault) {
    super(fault.why)
    this.fault = fault
  }
}

function problemText(code: string): string {
  return code.replace(/[A-Z]/g, (letter, at: number) => (at === 0 ? '' : ' ') + letter.toLowerCase())
}

// Of the library's SyntaxKind, which does not exist at run time if only types are stripped.
const UNKNOWN_TOKEN = 16
const END_OF_TEXT = 17

// Works on tokens, so that the content of strings stays unchanged.
function withoutBareNumbers(
  text: string,
  instead: (word: string) => string,
): { readonly changed: string; readonly bare: number } {
  const scanner = createScanner(text, true)
  const parts: string[] = []
  let bare = 0
  let from = 0
  for (let token = scanner.scan() as number; token !== END_OF_TEXT; token = scanner.scan()) {
    if (token !== UNKNOWN_TOKEN) continue
    const at = scanner.getTokenOffset()
    const length = bareNumberAt(text, at)
    if (length === 0) continue
    parts.push(text.slice(from, at), instead(text.slice(at, at + length)))
    from = at + length
    bare += 1
    scanner.setPosition(from)
  }
  return { changed: parts.join('') + text.slice(from), bare }
}

function bareNumberAt(text: string, at: number): number {
  return /^(?:NaN|-?Infinity)\b/.exec(text.slice(at, at + 10))?.[0].length ?? 0
}
