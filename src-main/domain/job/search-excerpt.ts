import { wordsOf } from './search-words.ts'

/** Where a search has found a job: the words around, on one line. */
export type Excerpt = {
  readonly in: 'error' | 'output' | 'input'
  readonly before: string
  readonly match: string
  readonly after: string
}

// Letters around the match; source: ours, a row shows a line of them.
const BEFORE = 20
const AFTER = 120
// A longer phrase is looked for by its beginning.
const MOST_WORDS = 8

/** The first place of a searched phrase, or else of its first word, in the texts of a job in their order. */
export function findExcerpt(
  typed: string,
  texts: readonly (readonly [Excerpt['in'], string | undefined])[],
): Excerpt | undefined {
  const words = wordsOf(typed).slice(0, MOST_WORDS)
  const [first] = words
  if (first === undefined) return undefined
  for (const wanted of words.length > 1 ? [words, [first]] : [words]) {
    const pattern = new RegExp(wanted.join('[^\\p{L}\\p{N}]*'), 'iu')
    for (const [name, text] of texts) {
      const found = text === undefined ? null : pattern.exec(text)
      if (found !== null && text !== undefined) return excerptOf(name, text, found.index, found[0].length)
    }
  }
  return undefined
}

function excerptOf(name: Excerpt['in'], text: string, at: number, length: number): Excerpt {
  const line = (part: string) => part.replace(/\s+/g, ' ')
  const near = Math.max(0, at - BEFORE)
  // From the beginning of a word on.
  const from = near === 0 ? 0 : near + Math.max(0, text.slice(near, at).indexOf(' ') + 1)
  const end = at + length
  return {
    in: name,
    before: `${from > 0 ? '…' : ''}${line(text.slice(from, at))}`,
    match: line(text.slice(at, end)),
    after: `${line(text.slice(end, end + AFTER))}${end + AFTER < text.length ? '…' : ''}`,
  }
}
