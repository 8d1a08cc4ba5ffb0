/** The call that samples are made of, and its texts as literals of Python, JavaScript and a shell. */

/** A call as it stands in the editor, of which samples are made. */
export type SampleCall = {
  readonly endpointId: string
  /** Base address of the endpoint for clients, like `http://127.0.0.1:8790/v2/hello`. */
  readonly url: string
} & (JobCall | RequestCall)

/** A job in one of three ways. `body` is valid JSON, as it is sent. */
export type JobCall = { readonly operation: 'run' | 'runsync' | 'stream'; readonly body: string }

/** A request to a load-balanced endpoint. `path` begins with / and holds the query. */
export type RequestCall = {
  readonly operation: 'request'
  readonly method: string
  readonly path: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string | undefined
  /** What the body is: valid JSON, any text, or the content of a file with this name. */
  readonly bodyIs: 'json' | 'text' | 'file'
}

/** The variable that holds the key in every sample; the key itself is in none. */
export const KEY_VARIABLE = 'SVC_API_KEY'

// Literals are written token by token and not through a value: the value would lose what a number looks like (1.0) and
// digits of large ones.

/** Words of a language for the constants of JSON. */
type Literals = Readonly<Record<'true' | 'false' | 'null', string>>

const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g
const INDENT = 4
const JAVASCRIPT_INDENT = 2

/** A literal of Python. @param text valid JSON @param depth levels that it stands within */
export function pythonLiteral(text: string, depth = 0): string {
  return layOut(text, { true: 'True', false: 'False', null: 'None' }, INDENT, depth)
}

/**
 * A literal of JavaScript; a string of the JSON where a literal would be another value.
 * @param text valid JSON
 */
export function javascriptLiteral(text: string): { readonly code: string; readonly isText: boolean } {
  if (!isSameInJavascript(text)) return { code: JSON.stringify(text), isText: true }
  return { code: layOut(text, { true: 'true', false: 'false', null: 'null' }, JAVASCRIPT_INDENT, 0), isText: false }
}

// `__proto__` in a literal is no field, and a number of more digits than a double has would be rounded.
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

// Both languages read the escapes that this writes as JSON does; of those that JSON allows that is not so (`\/`).
const quoted = (token: string) => JSON.stringify(JSON.parse(token))
