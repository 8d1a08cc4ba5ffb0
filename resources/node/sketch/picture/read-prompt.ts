/** The words of a prompt with their strengths, as people write them: `(word:1.2)`, `((word))`, `[word]`. */
import type { Word } from '../values.ts'

// Source: the field's editors; one pair of round brackets is 1.1, one of square brackets its inverse.
const STRONGER = 1.1
const WORDS_MAX = 400
const STRENGTH_MAX = 5
// Brackets within each other; more say nothing new, and each goes over the words in it.
const DEPTH_MAX = 50

// Words that say nothing about a picture.
const EMPTY = new Set(
  'a an the of in on at with and or to by from its is are for as into over under near very'.split(' '),
)

/** Reads a prompt. */
export function readPrompt(text: string): readonly Word[] {
  const words: Word[] = []
  const open: { factor: number; from: number }[] = []
  for (const [token] of text.toLowerCase().matchAll(/\\[()[\]]|[()[\]]|:\s*[\d.]+\s*(?=\))|[\p{L}\p{N}'-]+/gu)) {
    if (words.length >= WORDS_MAX) break
    if (token === '(' || token === '[') {
      if (open.length < DEPTH_MAX) open.push({ factor: token === '(' ? STRONGER : 1 / STRONGER, from: words.length })
    } else if (token.startsWith(':')) replaceFactor(open, Number(token.slice(1)))
    else if (token === ')' || token === ']') close(words, open.pop())
    else if (!token.startsWith('\\') && !EMPTY.has(token)) words.push({ text: token, strength: 1 })
  }
  while (open.length > 0) close(words, open.pop())
  return words
}

function replaceFactor(open: { factor: number }[], given: number): void {
  const last = open.at(-1)
  if (last !== undefined && Number.isFinite(given)) last.factor = given
}

function close(words: Word[], group: { readonly factor: number; readonly from: number } | undefined): void {
  if (group === undefined) return
  for (let at = group.from; at < words.length; at += 1) {
    const { text = '', strength = 1 } = words[at] ?? {}
    words[at] = { text, strength: Math.min(STRENGTH_MAX, Math.max(0, strength * group.factor)) }
  }
}
