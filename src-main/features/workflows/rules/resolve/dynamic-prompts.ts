/**
 * Prompts with choices: of `{red|blue|{dark|light} green}` one is taken each time a graph is queued. `\{` is a plain
 * brace; `//` to the end of the line and what is between slash and star is left out. Source: docs/spec/comfyui.md, 2.4;
 * the public editor's page itself, for blocks that nobody closed.
 */

import type { InputType } from '../input-type.ts'

export type Random = (least: bigint, most: bigint) => bigint

const END_OF_LINE = /[\n\r\u2028\u2029]/g
const ESCAPED = /\\([{}|])/g
const OPENING = /(?<!\\)\{/g

export const isPrompt = (input: InputType | undefined): boolean =>
  input?.type === 'STRING' && input.options.get('dynamicPrompts') === true

export const firstChoice: Random = (least) => least

/** Escapes a text so that a prompt resolves to it, with its braces unchanged. */
export const plainPrompt = (text: string): string => text.replace(OPENING, '\\{')

export function resolvePrompt(prompt: string, random: Random): string {
  const text = withoutComments(prompt)
  return (text.includes('{') ? chosen(text, random) : text).replace(ESCAPED, '$1')
}

// Parsed by hand, because a regular expression rescans the whole text for each unclosed comment.
function withoutComments(prompt: string): string {
  const parts: string[] = []
  let from = 0
  let mayClose = true
  for (let at = prompt.indexOf('/'); at >= 0; at = prompt.indexOf('/', at)) {
    const sign = prompt[at + 1]
    const end = sign === '/' ? endOfLine(prompt, at) : sign === '*' && mayClose ? prompt.indexOf('*/', at + 2) : -1
    if (sign === '*' && end < 0) mayClose = false
    if (end < 0) at += 1
    else {
      parts.push(prompt.slice(from, at))
      from = sign === '*' ? end + 2 : end
      at = from
    }
  }
  return parts.join('') + prompt.slice(from)
}

function endOfLine(text: string, from: number): number {
  END_OF_LINE.lastIndex = from
  return END_OF_LINE.exec(text)?.index ?? text.length
}

type Block = { readonly options: string[]; choice: string }

// Inner blocks are resolved first, so that nothing is read twice; a stack, because blocks may be deep.
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
      close(stack, random)
    } else {
      top.choice += sign
    }
  }
  while (stack.length > 1) close(stack, random)
  return stack[0]?.choice ?? ''
}

function close(stack: Block[], random: Random): void {
  const [block, outer] = [stack.pop(), stack[stack.length - 1]]
  if (block !== undefined && outer !== undefined) outer.choice += oneOf([...block.options, block.choice], random)
}

function oneOf(options: readonly string[], random: Random): string {
  const at = options.length === 1 ? 0 : Number(random(0n, BigInt(options.length - 1)))
  return options[at] ?? ''
}
