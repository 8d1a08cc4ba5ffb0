/**
 * One pass over JSON before parsing: counts keys and depth against hostile bodies, and finds top-level values so that
 * large payloads stay unchanged. JSON.parse validates later.
 */
import { assertNever } from '../assert-never.ts'

/** `fields` maps each top-level key to its value's range, end exclusive. */
export type JsonScan = {
  readonly keys: number
  readonly values: number
  readonly depth: number
  readonly fields: ReadonlyMap<string, { readonly start: number; readonly end: number }>
}

export type JsonBounds = { readonly maxKeys: number; readonly maxDepth: number }

const QUOTE = 34
const BACKSLASH = 92
const COLON = 58
const COMMA = 44
const OPEN_BRACE = 123
const CLOSE_BRACE = 125
const OPEN_BRACKET = 91
const CLOSE_BRACKET = 93

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

export type Cut<T> = (start: number, end: number) => T

export function cutText(text: string): Cut<string> {
  return (start, end) => text.slice(start, end)
}

/**
 * Finds top-level fields of valid JSON, without bounds.
 * @returns a function from field name to JSON, undefined if missing
 */
export function rawFields<T>(text: string, cut: Cut<T>): (field: string) => T | undefined {
  const scan = scanJson(text, { maxKeys: Number.POSITIVE_INFINITY, maxDepth: Number.POSITIVE_INFINITY })
  return typeof scan === 'string' ? () => undefined : fieldsOf(scan, cut)
}

export function fieldsOf<T>({ fields }: Pick<JsonScan, 'fields'>, cut: Cut<T>): (field: string) => T | undefined {
  return (field) => {
    const range = fields.get(field)
    return range === undefined ? undefined : cut(range.start, range.end)
  }
}

/**
 * Cuts a list into the texts of its items, which the caller parses.
 * @returns undefined if it is not a list, or too deep
 */
export function rawItems(text: string, maxDepth: number): readonly string[] | undefined {
  const items: string[] = []
  let depth = 0
  let start = 0
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at)
        break
      case OPEN_BRACE:
      case OPEN_BRACKET:
        depth += 1
        if (depth > maxDepth) return undefined
        if (depth === 1) {
          if (text.charCodeAt(at) !== OPEN_BRACKET || text.slice(0, at).trim() !== '') return undefined
          start = at + 1
        }
        break
      case COMMA:
        if (depth === 1) {
          items.push(text.slice(start, at))
          start = at + 1
        }
        break
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        depth -= 1
        if (depth > 0) break
        if (text.charCodeAt(at) !== CLOSE_BRACKET || text.slice(at + 1).trim() !== '') return undefined
        if (items.length > 0 || text.slice(start, at).trim() !== '') items.push(text.slice(start, at))
        return items
      default:
    }
  }
  return undefined
}

export type JsonKeyProblem = { readonly kind: 'duplicate-key' | 'forbidden-key'; readonly key: string }

/**
 * Finds a repeated or `__proto__` key in valid JSON.
 * @param keys number of keys, from the scan
 */
export function findKeyProblem(text: string, parsed: unknown, keys: number): JsonKeyProblem | undefined {
  const found = countKeys(parsed)
  if (found.proto) return { kind: 'forbidden-key', key: '__proto__' }
  if (found.count === keys) return undefined
  return { kind: 'duplicate-key', key: firstDuplicate(text) }
}

/**
 * Rewrites strings and keys, and keeps everything else exact.
 * @param json valid
 */
export function mapStrings(json: string, change: (string: string) => string): string {
  return mapParts(json, {
    inside(quoted) {
      const string: string = quoted.includes('\\') ? JSON.parse(quoted) : quoted.slice(1, -1)
      const changed = change(string)
      return changed === string ? quoted : JSON.stringify(changed)
    },
    outside: (part) => part,
  })
}

export function mapOutsideStrings(json: string, outside: (part: string) => string): string {
  return mapParts(json, { inside: (quoted) => quoted, outside })
}

function mapParts(json: string, { inside, outside }: Record<'inside' | 'outside', (part: string) => string>): string {
  let text = ''
  let at = 0
  for (let start = json.indexOf('"'); start >= 0; start = json.indexOf('"', at)) {
    const end = endOfString(json, start) + 1
    text += outside(json.slice(at, start)) + inside(json.slice(start, end))
    at = end
  }
  return text + outside(json.slice(at))
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
    return quoted
  }
}

function trimmed(text: string, start: number, end: number): { start: number; end: number } {
  let from = start
  let to = end
  while (from < to && text.charCodeAt(from) <= 32) from += 1
  while (to > from && text.charCodeAt(to - 1) <= 32) to -= 1
  return { start: from, end: to }
}

// Explicit stack, because bodies may be deeper than the call stack.
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

// Compares parsed keys, because the text may contain escapes.
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

// Only for the refusal, so it may be slow.
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
