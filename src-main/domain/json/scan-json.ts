/**
 * One pass over JSON text before it is parsed: counts keys and depth, so that a hostile body is refused before the
 * parser spends time on it, and notes where each top-level value stands, so that a payload of 20 MB is stored and
 * passed on as the text that came. The text need not be valid: JSON.parse decides that afterwards.
 */
import { assertNever } from '../assert-never.ts'

/** What a scan found. `fields` maps each top-level key to the range of its value, end exclusive. */
export type JsonScan = {
  readonly keys: number
  /** Commas, and objects and lists that begin: about as many as there are values. */
  readonly values: number
  readonly depth: number
  readonly fields: ReadonlyMap<string, { readonly start: number; readonly end: number }>
}

/** Bounds of a scan; it stops at the first one that is passed. */
export type JsonBounds = { readonly maxKeys: number; readonly maxDepth: number }

const QUOTE = 34
const BACKSLASH = 92
const COLON = 58
const COMMA = 44
const OPEN_BRACE = 123
const CLOSE_BRACE = 125
const OPEN_BRACKET = 91
const CLOSE_BRACKET = 93

/**
 * Scans JSON text.
 * @returns what was found, or which bound was passed
 */
export function scanJson(text: string, bounds: JsonBounds): JsonScan | 'too-deep' | 'too-many-keys' {
  const fields = new Map<string, { start: number; end: number }>()
  let keys = 0
  let values = 0
  let depth = 0
  let deepest = 0
  let stringStart = -1
  let stringEnd = -1
  let field: string | undefined
  let fieldStart = 0
  const endField = (at: number) => {
    if (field !== undefined) fields.set(field, trimmed(text, fieldStart, at))
    field = undefined
  }
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        stringStart = at
        stringEnd = endOfString(text, at)
        at = stringEnd
        break
      case COLON:
        keys += 1
        if (keys > bounds.maxKeys) return 'too-many-keys'
        if (depth === 1) {
          field = keyText(text.slice(stringStart, stringEnd + 1))
          fieldStart = at + 1
        }
        break
      case COMMA:
        values += 1
        if (depth === 1) endField(at)
        break
      case OPEN_BRACE:
      case OPEN_BRACKET:
        values += 1
        depth += 1
        if (depth > bounds.maxDepth) return 'too-deep'
        if (depth > deepest) deepest = depth
        break
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        if (depth === 1) endField(at)
        depth -= 1
        break
      default:
    }
  }
  return { keys, values, depth: deepest, fields }
}

/** Takes a part out of a JSON text, end exclusive. */
export type Cut<T> = (start: number, end: number) => T

/** Takes parts out as text. */
export function cutText(text: string): Cut<string> {
  return (start, end) => text.slice(start, end)
}

/**
 * The top-level fields of JSON text that is known to be valid; without bounds, as a worker of ours sent it.
 * @returns a function from a field's name to its JSON, undefined where it is missing
 */
export function rawFields<T>(text: string, cut: Cut<T>): (field: string) => T | undefined {
  const scan = scanJson(text, { maxKeys: Number.POSITIVE_INFINITY, maxDepth: Number.POSITIVE_INFINITY })
  return typeof scan === 'string' ? () => undefined : fieldsOf(scan, cut)
}

/** The same for a scan at hand. */
export function fieldsOf<T>({ fields }: JsonScan, cut: Cut<T>): (field: string) => T | undefined {
  return (field) => {
    const range = fields.get(field)
    return range === undefined ? undefined : cut(range.start, range.end)
  }
}

/** Why parsed JSON is refused although it is valid. */
export type JsonKeyProblem = { readonly kind: 'duplicate-key' | 'forbidden-key'; readonly key: string }

/**
 * Looks for a repeated key or a `__proto__` key in JSON text that is valid.
 * @param parsed what JSON.parse made of the text
 * @param keys how many keys the text holds, from the scan
 */
export function findKeyProblem(text: string, parsed: unknown, keys: number): JsonKeyProblem | undefined {
  const found = countKeys(parsed)
  if (found.proto) return { kind: 'forbidden-key', key: '__proto__' }
  if (found.count === keys) return undefined
  return { kind: 'duplicate-key', key: firstDuplicate(text) }
}

/**
 * Changes strings within JSON text, keys too; all else stays letter by letter.
 * @param json valid @param change gives the same string where it is to stay
 */
export function mapStrings(json: string, change: (string: string) => string): string {
  let text = ''
  let at = 0
  for (let start = json.indexOf('"'); start >= 0; start = json.indexOf('"', at)) {
    const end = endOfString(json, start) + 1
    const quoted = json.slice(start, end)
    const string: string = quoted.includes('\\') ? JSON.parse(quoted) : quoted.slice(1, -1)
    const changed = change(string)
    text += json.slice(at, start) + (changed === string ? quoted : JSON.stringify(changed))
    at = end
  }
  return text + json.slice(at)
}

function endOfString(text: string, start: number): number {
  let from = start + 1
  for (;;) {
    const end = text.indexOf('"', from)
    if (end === -1) return text.length
    let slashes = 0
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes += 1
    if (slashes % 2 === 0) return end
    from = end + 1
  }
}

function keyText(quoted: string): string {
  if (!quoted.includes('\\')) return quoted.slice(1, -1)
  try {
    return JSON.parse(quoted) as string
  } catch {
    return quoted // not valid JSON: the parse that follows refuses the body
  }
}

function trimmed(text: string, start: number, end: number): { start: number; end: number } {
  let from = start
  let to = end
  while (from < to && text.charCodeAt(from) <= 32) from += 1
  while (to > from && text.charCodeAt(to - 1) <= 32) to -= 1
  return { start: from, end: to }
}

// A stack of its own, because a body may be deeper than the call stack.
function walk(root: unknown, visit: (value: object) => void): void {
  const stack: unknown[] = [root]
  while (stack.length > 0) {
    const value = stack.pop()
    if (typeof value !== 'object' || value === null) continue
    visit(value)
    if (Array.isArray(value)) for (const item of value) stack.push(item)
    else for (const key in value) stack.push((value as Record<string, unknown>)[key])
  }
}

// Keys are compared as they were read: in the text one may be written with escapes.
function countKeys(root: unknown): { readonly count: number; readonly proto: boolean } {
  let count = 0
  let proto = false
  walk(root, (value) => {
    if (Array.isArray(value)) return
    for (const key in value) {
      count += 1
      if (key === '__proto__') proto = true
    }
  })
  return { count, proto }
}

// Only for the message of a refusal, so it may take its time.
function firstDuplicate(text: string): string {
  const scopes: Set<string>[] = []
  let last = ''
  for (let at = 0; at < text.length; at++) {
    const letter = text[at]
    if (letter === '"') {
      const end = endOfString(text, at)
      last = keyText(text.slice(at, end + 1))
      at = end
    } else if (letter === '{' || letter === '[') scopes.push(new Set())
    else if (letter === '}' || letter === ']') scopes.pop()
    else if (letter === ':') {
      const scope = scopes.at(-1)
      if (scope?.has(last)) return last
      scope?.add(last)
    }
  }
  return last
}

/** Kind of problem as text for a person. */
export function keyProblemText(problem: JsonKeyProblem): string {
  switch (problem.kind) {
    case 'duplicate-key':
      return `the key ${JSON.stringify(problem.key).slice(0, 100)} occurs twice in one object`
    case 'forbidden-key':
      return `the key "${problem.key}" is not allowed`
    default:
      return assertNever(problem.kind)
  }
}
