import { wordsOf } from './search-words.ts'

export type Excerpt = {
  readonly in: 'error' | 'output' | 'input'
  readonly parts: readonly { readonly text: string; readonly isMatch: boolean }[]
}

// Letters shown before a match, between two, and after the last one; source: ours, so that a narrow cell shows a match.
const BEFORE = 10
const BETWEEN = 20
const AFTER = 120
const MOST_WORDS = 8

/**
 * The searched phrase, or else its words in as few of the texts as possible.
 * @param texts in order of preference, if they have equally many words
 */
export function findExcerpts(
  typed: string,
  texts: readonly (readonly [Excerpt['in'], string | undefined])[],
): { readonly excerpts: readonly Excerpt[]; readonly hasAllWords: boolean } {
  const inOrder = wordsOf(typed).slice(0, MOST_WORDS)
  if (inOrder.length === 0) return { excerpts: [], hasAllWords: true }
  const phrase = inOrder.join('[^\\p{L}\\p{N}]*')
  // Longer words first: a word that begins like a shorter one is marked whole.
  const words = [...new Set(inOrder)].sort((one, other) => other.length - one.length)
  const marked = new RegExp([phrase, ...words].join('|'), 'giu')
  const excerptOf = (hit: Hit): Excerpt => ({ in: hit.name, parts: partsOf(hit.text, windowsOf(hit), marked) })
  const asPhrase = bestHit([phrase], texts)
  if (asPhrase !== undefined) return { excerpts: [excerptOf(asPhrase)], hasAllWords: true }
  const hits: Hit[] = []
  let left: readonly string[] = words
  // Two texts of one name are the same at different lengths.
  let others = texts
  for (let hit = bestHit(left, others); hit !== undefined; hit = bestHit(left, others)) {
    const { name, places } = hit
    hits.push(hit)
    left = left.filter((word) => !places.some(({ pattern }) => pattern === word))
    others = others.filter(([of]) => of !== name)
  }
  return { excerpts: hits.map(excerptOf), hasAllWords: left.length === 0 }
}

type Span = { readonly from: number; readonly to: number }
type Hit = {
  readonly name: Excerpt['in']
  readonly text: string
  readonly places: readonly (Span & { readonly pattern: string })[]
}

/** The text with places of most of these patterns, and the first place of each. */
function bestHit(patterns: readonly string[], texts: Parameters<typeof findExcerpts>[1]): Hit | undefined {
  const hits = texts.map(([name, text = '']) => ({
    name,
    text,
    places: patterns.flatMap((pattern) => {
      const found = new RegExp(pattern, 'iu').exec(text)
      return found === null ? [] : [{ pattern, from: found.index, to: found.index + found[0].length }]
    }),
  }))
  const [best] = hits.sort((one, other) => other.places.length - one.places.length)
  return best === undefined || best.places.length === 0 ? undefined : best
}

function windowsOf({ text, places }: Hit): readonly Span[] {
  const last = Math.max(...places.map(({ to }) => to))
  const windows: Span[] = []
  for (const { from: at, to } of places.toSorted((one, other) => one.from - other.from)) {
    const near = Math.max(0, at - BEFORE)
    const from = near === 0 ? 0 : near + Math.max(0, text.slice(near, at).indexOf(' ') + 1)
    const end = to === last ? to + AFTER : to + BETWEEN
    const before = windows.at(-1)
    if (before === undefined || before.to < from) windows.push({ from, to: end })
    else windows[windows.length - 1] = { from: before.from, to: Math.max(before.to, end) }
  }
  return windows
}

function partsOf(text: string, windows: readonly Span[], pattern: RegExp): Excerpt['parts'] {
  const parts: { text: string; isMatch: boolean }[] = []
  const add = (part: string, isMatch: boolean) => {
    const line = part.replace(/\s+/g, ' ')
    const last = parts.at(-1)
    if (last?.isMatch === isMatch) last.text += line
    else if (line !== '') parts.push({ text: line, isMatch })
  }
  for (const [at, { from, to }] of windows.entries()) {
    const shown = text.slice(from, to)
    let end = 0
    if (from > 0) add(at === 0 ? '…' : ' … ', false)
    for (const { index, 0: match } of shown.matchAll(pattern)) {
      add(shown.slice(end, index), false)
      add(match, true)
      end = index + match.length
    }
    add(shown.slice(end), false)
  }
  if ((windows.at(-1)?.to ?? text.length) < text.length) add('…', false)
  return parts
}
