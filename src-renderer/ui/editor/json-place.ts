/** Where in a JSON text, which need not be whole yet, somebody is writing: a name or a value, and below which names. */
export type JsonPlace = {
  readonly kind: 'name' | 'value'
  /** Names of the objects around it, from the outside; lists add none. For a value the last one is its own name. */
  readonly path: readonly string[]
  /** What has been written of it begins here, with its quote. */
  readonly from: number
  /** What has been written of it, without the quote. */
  readonly written: string
}

type Level = { readonly isObject: boolean; name: string | undefined; expects: 'name' | 'colon' | 'value' | 'comma' }

const TOKENS = /"(?:[^"\\]|\\.)*"?|[{}[\],:]|[^\s{}[\],:"]+/g

/** Finds the place. @returns undefined where neither a name nor a value can stand */
export function jsonPlace(text: string, at: number): JsonPlace | undefined {
  const levels: Level[] = []
  let last: { readonly from: number; readonly token: string } | undefined
  for (const match of text.slice(0, at).matchAll(TOKENS)) {
    const [token] = match
    last = undefined
    if (match.index + token.length === at && !isWhole(token)) {
      last = { from: match.index, token }
      break
    }
    step(levels, token)
  }
  const level = levels.at(-1)
  if (level === undefined || (level.expects !== 'name' && level.expects !== 'value')) return undefined
  return {
    kind: level.expects,
    path: levels.flatMap(({ isObject, name }, index) =>
      isObject && name !== undefined && (index < levels.length - 1 || level.expects === 'value') ? name : [],
    ),
    from: last?.from ?? at,
    written: last?.token.replace(/^"/, '') ?? '',
  }
}

// A string with its end, and a sign of structure, are whole; a word may still grow.
const isWhole = (token: string) => /^[{}[\],:]$/.test(token) || /^"(?:[^"\\]|\\.)*"$/.test(token)

function step(levels: Level[], token: string): void {
  const level = levels.at(-1)
  if (token === '{') levels.push({ isObject: true, name: undefined, expects: 'name' })
  else if (token === '[') levels.push({ isObject: false, name: undefined, expects: 'value' })
  else if (token === '}' || token === ']') {
    levels.pop()
    ended(levels.at(-1))
  } else if (level === undefined) return
  else if (token === ',') level.expects = level.isObject ? 'name' : 'value'
  else if (token === ':') level.expects = 'value'
  else if (level.expects === 'name') {
    level.name = token.replace(/^"|"$/g, '')
    level.expects = 'colon'
  } else ended(level)
}

function ended(level: Level | undefined): void {
  if (level !== undefined) level.expects = 'comma'
}
