/** Where two values of JSON differ, by path. */

/** A place where they differ; a side without a value has none there. */
export type Difference = {
  /** Like `steps[2].seed`; empty: the values themselves. */
  readonly path: string
  readonly kind: 'changed' | 'only in a' | 'only in b'
  readonly a: unknown
  readonly b: unknown
}

/** Differences in the order of the first value; `more` where they were not all looked for. */
export type Differences = { readonly found: readonly Difference[]; readonly more: boolean }

// Nobody reads more, and two outputs of megabytes must not stop the window.
const MOST_FOUND = 500
const MOST_VISITED = 200_000

/** Compares two values. Lists are compared place by place. */
export function diffJson(a: unknown, b: unknown): Differences {
  const found: Difference[] = []
  let visited = 0
  const isFull = () => found.length >= MOST_FOUND || visited >= MOST_VISITED

  function visit(one: unknown, other: unknown, path: string): void {
    visited += 1
    if (isFull() || Object.is(one, other)) return
    if (!isBranch(one) || !isBranch(other) || Array.isArray(one) !== Array.isArray(other)) {
      found.push({ path, kind: kindOf(one, other), a: one, b: other })
      return
    }
    for (const name of namesOf(one, other)) {
      if (isFull()) return
      visit(valueAt(one, name), valueAt(other, name), pathTo(one, path, name))
    }
  }

  visit(a, b, '')
  return { found, more: isFull() }
}

// One by one: of a list of a million only the first are looked at.
function* namesOf(one: object, other: object): Generator<string> {
  if (Array.isArray(one) && Array.isArray(other)) {
    for (let at = 0; at < Math.max(one.length, other.length); at++) yield String(at)
    return
  }
  yield* Object.keys(one)
  for (const name of Object.keys(other)) if (!Object.hasOwn(one, name)) yield name
}

const isBranch = (value: unknown): value is object => typeof value === 'object' && value !== null

function valueAt(value: object, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name as keyof typeof value] : undefined
}

function kindOf(a: unknown, b: unknown): Difference['kind'] {
  if (a === undefined) return 'only in b'
  return b === undefined ? 'only in a' : 'changed'
}

function pathTo(parent: object, path: string, name: string): string {
  if (Array.isArray(parent)) return `${path}[${name}]`
  return path === '' ? name : `${path}.${name}`
}
