export type SampleCall = {
  readonly endpointId: string
  readonly url: string
} & (JobCall | RequestCall)

export type JobCall = { readonly operation: 'run' | 'runsync' | 'stream'; readonly body: string }

export type RequestCall = {
  readonly operation: 'request'
  readonly method: string
  readonly path: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string | undefined
  readonly bodyIs: 'json' | 'text' | 'file'
}

/** Samples read the key from it and never contain one. */
export const KEY_VARIABLE = 'SVC_API_KEY'

// Converts token by token, as parsing would lose number notation (1.0) and long digits.

type Literals = Readonly<Record<'true' | 'false' | 'null', string>>

const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g
const INDENT = 4
const JAVASCRIPT_INDENT = 2

export function pythonLiteral(text: string, depth = 0): string {
  return layOut(text, { true: 'True', false: 'False', null: 'None' }, INDENT, depth)
}

export function javascriptLiteral(text: string): { readonly code: string; readonly isText: boolean } {
  if (!isSameInJavascript(text)) return { code: JSON.stringify(text), isText: true }
  return { code: layOut(text, { true: 'true', false: 'false', null: 'null' }, JAVASCRIPT_INDENT, 0), isText: false }
}

// `__proto__` in a literal sets the prototype, and doubles round long numbers.
function isSameInJavascript(text: string): boolean {
  return (text.match(TOKENS) ?? []).every((token) => {
    if (token.startsWith('"')) return JSON.parse(token) !== '__proto__'
    return !/^-?\d/.test(token) || token.replace(/\D/g, '').length <= 15
  })
}

function layOut(text: string, literals: Literals, indent: number, depth: number): string {
  const tokens = text.match(TOKENS) ?? []
  let level = depth
  let code = ''
  const newLine = () => `\n${' '.repeat(level * indent)}`
  tokens.forEach((token, at) => {
    const next = tokens[at + 1]
    if (token === '{' || token === '[') {
      level += 1
      code += next === '}' || next === ']' ? token : token + newLine()
    } else if (token === '}' || token === ']') {
      level -= 1
      const before = tokens[at - 1]
      code += before === '{' || before === '[' ? token : newLine() + token
    } else if (token === ',') code += token + newLine()
    else if (token === ':') code += ': '
    else code += token.startsWith('"') ? quoted(token) : (literals[token as keyof Literals] ?? token)
  })
  return code
}

// Both languages accept these escapes, but not all of JSON's (`\/`).
const quoted = (token: string) => JSON.stringify(JSON.parse(token))
