/**
 * Searches jobs that contain every typed word in input, output or error. The index finds plain words exactly; for words
 * with punctuation, like `"s":7`, the texts are checked too.
 */
import { shortJobId } from '../../endpoints/rules/ids.ts'
import { RUN, unescaped, wordsOf } from './search-words.ts'

// Naming more words would make the expression long and hardly faster.
const MOST_NAMED = 8
// Matched as whole words, because too many longer words contain them.
const SHORT = /^[a-z\d]{1,2}$/
const JOINS = /[_\\]/
const JOB_ID = /^(?:sync-)?[\da-f-]{6,}(?:-l1)?$/

/**
 * Builds an FTS5 expression that requires every word; three letters or more also match inside longer words. A job id or
 * its end, typed alone, matches its job. Typed text is never syntax.
 * @param termsOf index terms with this prefix; undefined if there are more than FTS5 scans fast
 * @returns undefined if nothing can match; `checked` is for `isFound`, null if the index suffices
 */
export function searchExpression(
  typed: string,
  endpointId: string | undefined,
  termsOf: (word: string) => readonly string[] | undefined = () => undefined,
): { readonly match: string; readonly checked: string | null } | undefined {
  const raw = spaced(typed).split(/\s+/)
  const pieces = raw.map(folded).filter(Boolean)
  const [alone = ''] = pieces.length === 1 ? pieces : []
  const id = JOB_ID.test(alone) ? alone : undefined
  const words = raw.flatMap(searchedWords)
  const terms = words.map(({ word, isWhole }) => {
    if (isWhole) return `"${word}"`
    const known = words.length > MOST_NAMED ? undefined : termsOf(word)
    if (known === undefined) return `"${word}" *`
    return known.length === 0 ? undefined : `(${known.map((term) => `"${term}"`).join(' OR ')})`
  })
  const any = [
    ...(terms.length === 0 || terms.includes(undefined) ? [] : [terms.map((term) => `text : ${term}`).join(' AND ')]),
    ...(id === undefined ? [] : [`endpoint : "${jobTerm(id)}"`]),
  ]
  if (any.length === 0) return undefined
  const found = any.map((one) => `(${one})`).join(' OR ')
  const isExact = raw.every(isWord) && (id === undefined || id === shortJobId(id))
  return {
    match: endpointId === undefined ? found : `endpoint : "${endpointTerm(endpointId)}" AND (${found})`,
    checked: isExact ? null : pieces.join(' '),
  }
}

/** Also requires the typed phrase in the error; its last word may be incomplete. */
export function phraseExpression(match: string, typed: string): string {
  const words = wordsOf(typed)
  return words.length === 0 ? match : `(${match}) AND error : "${words.join(' ')}" *`
}

/** Whether the texts contain every piece of `checked`, or it is the job's id or the end of it. */
export function isFound(checked: string, id: string, texts: readonly (string | null)[]): boolean {
  if (JOB_ID.test(checked) && plainJobId(id).endsWith(plainJobId(checked))) return true
  const [error, ...payloads] = texts
  const text = folded([error ?? '', ...payloads.map((payload) => unescaped(payload ?? ''))].join('\n'))
  return checked.split(' ').every((piece) => text.includes(piece))
}

/** The index term of an endpoint: its id in hexadecimal, so that no tokenizer splits it. */
export function endpointTerm(endpointId: string): string {
  return `e${hexadecimal(endpointId)}`
}

/** The index term of a job: the end of its id. */
export function jobTerm(id: string): string {
  return `j${hexadecimal(shortJobId(id.toLowerCase()))}`
}

const plainJobId = (id: string) => id.toLowerCase().replace(/-l1$/, '')

const hexadecimal = (id: string) => [...id].map((letter) => letter.charCodeAt(0).toString(16)).join('')

// ASCII only, as the index drops accents.
const isWord = (piece: string) => /^[a-z\d]*$/i.test(piece) && wordsOf(piece).join(' ') === piece.toLowerCase()

// Ignores spaces after JSON punctuation, and underscores, so that snake case finds camel case.
const spaced = (text: string) => normalized(text).replace(/([:,{[])\s+/g, '$1')
const folded = (text: string) => spaced(text).toLowerCase().replace(/[_\\]/g, '')

// Combining marks, and the vowels and final consonants of Korean syllables. Source: Unicode Standard, 3.11 and 3.12.
const CONTINUES = /[\p{M}\u1160-\u11ff]/uy
// Source: Unicode Standard Annex 15, Stream-Safe Text Format; no human text has more.
const MOST_MARKS = 30
const PART = 256
const LAST_OF_ONE_UNIT = 0xffff

/** Normalizes a text part by part, since sorting many combining marks takes quadratic time. */
function normalized(text: string): string {
  let done = ''
  for (let from = 0, to = PART; from < text.length; from = to, to += PART) {
    if ((text.codePointAt(to - 1) ?? 0) > LAST_OF_ONE_UNIT) to += 1
    const most = to + MOST_MARKS
    for (CONTINUES.lastIndex = to; to < most && CONTINUES.test(text); to = CONTINUES.lastIndex);
    done += text.slice(from, to).normalize()
  }
  return done
}

type Word = { readonly word: string; readonly isWhole: boolean }

/** Without a short word at the start, which may end a longer word. */
function searchedWords(piece: string): readonly Word[] {
  const runs = [...piece.matchAll(RUN)]
  return runs.flatMap(({ 0: run, index }): readonly Word[] => {
    const parts = wordsOf(run)
    const [before, after] = [piece[index - 1], piece[index + run.length]]
    const isInner = [before, after].every((letter) => letter !== undefined && !JOINS.test(letter))
    const long = parts.filter((part) => !SHORT.test(part))
    // A word of short parts, such as LoRA, is found as a whole.
    if (parts.length > 1) return (long[0] ? long : [run.toLowerCase()]).map((word) => ({ word, isWhole: false }))
    const [word = ''] = parts
    if (!SHORT.test(word)) return [{ word, isWhole: isInner }]
    if (runs.length === 1) return [{ word, isWhole: true }]
    return before === undefined || JOINS.test(`${before}${after ?? ''}`) ? [] : [{ word, isWhole: isInner }]
  })
}
