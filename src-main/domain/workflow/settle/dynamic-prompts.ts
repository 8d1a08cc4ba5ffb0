/**
 * Prompts with choices: of `{red|blue|{dark|light} green}` one is taken each time a graph is queued. `\{` is a plain
 * brace; `//` to the end of the line and what is between slash and star is left out. Source: editor research, 2.
 */

/** A number of a range, both ends included. */
export type Random = (least: bigint, most: bigint) => bigint

const END_OF_LINE = /[\n\r\u2028\u2029]/g
const ESCAPED = /\\([{}|])/g

/** The prompt with its choices made. */
export function settlePrompt(prompt: string, random: Random): string {
  const text = withoutComments(prompt)
  return (text.includes('{') ? chosen(text, random) : text).replace(ESCAPED, '$1')
}

// By hand, as a pattern would look for the end of each comment that has none through all of the text again.
function withoutComments(prompt: string): string {
  const kept: string[] = []
  let from = 0
  let mayClose = true
  for (let at = prompt.indexOf('/'); at >= 0; at = prompt.indexOf('/', at)) {
    const sign = prompt[at + 1]
    const end = sign === '/' ? endOfLine(prompt, at) : sign === '*' && mayClose ? prompt.indexOf('*/', at + 2) : -1
    if (sign === '*' && end < 0) mayClose = false
    if (end < 0) at += 1
    else {
      kept.push(prompt.slice(from, at))
      from = sign === '*' ? end + 2 : end
      at = from
    }
  }
  return kept.join('') + prompt.slice(from)
}

function endOfLine(text: string, from: number): number {
  END_OF_LINE.lastIndex = from
  return END_OF_LINE.exec(text)?.index ?? text.length
}

/** A block that is open: the text of its options so far. */
type Block = { readonly options: string[]; choice: string }

// Inner blocks are settled first, so that nothing is read twice; a stack, for blocks may be deep.
function chosen(text: string, random: Random): string {
  const stack: Block[] = [{ options: [], choice: '' }]
  for (let at = 0; at < text.length; at += 1) {
    const top = stack[stack.length - 1]
    if (top === undefined) break
    const sign = text.charAt(at)
    if (sign === '\\') {
      top.choice += text.slice(at, at + 2)
      at += 1
    } else if (sign === '{') {
      stack.push({ options: [], choice: '' })
    } else if (sign === '|' && stack.length > 1) {
      top.options.push(top.choice)
      top.choice = ''
    } else if (sign === '}' && stack.length > 1) {
      stack.pop()
      const outer = stack[stack.length - 1]
      if (outer !== undefined) outer.choice += oneOf([...top.options, top.choice], random)
    } else {
      top.choice += sign
    }
  }
  // A block that nobody closed is plain text.
  return stack.map(({ options, choice }, depth) => (depth === 0 ? '' : '{') + [...options, choice].join('|')).join('')
}

function oneOf(options: readonly string[], random: Random): string {
  const at = options.length === 1 ? 0 : Number(random(0n, BigInt(options.length - 1)))
  return options[at] ?? ''
}
