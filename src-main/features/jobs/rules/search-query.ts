import { wordsOf } from './search-words.ts'

// Naming more words would make the expression long and hardly faster.
const MOST_NAMED = 8

/**
 * Builds an FTS5 expression requiring every word; three letters or more match as a part. Input is never syntax.
 * @param termsOf index words with this start, if few, which FTS5 scans fast; undefined: many
 * @returns undefined if nothing can match
 */
export function matchExpression(
  typed: string,
  endpointId: string | undefined,
  termsOf: (word: string) => readonly string[] | undefined = () => undefined,
): string | undefined {
  const words = wordsOf(typed)
  if (words.length === 0) return undefined
  const named = words.map((word) => (words.length > MOST_NAMED ? undefined : termsOf(word)))
  if (named.some((terms) => terms?.length === 0)) return undefined
  const text = words.map((word, at) => {
    const terms = named[at]?.map((term) => `"${term}"`)
    return terms === undefined ? `text : "${word}" *` : `text : (${terms.join(' OR ')})`
  })
  const terms = endpointId === undefined ? text : [`endpoint : "${endpointTerm(endpointId)}"`, ...text]
  return terms.join(' AND ')
}

/** The same for a phrase in errors, whose last word may be incomplete. */
export function phraseExpression(typed: string, endpointId: string | undefined): string | undefined {
  const words = wordsOf(typed)
  if (words.length === 0) return undefined
  const phrase = `error : "${words.join(' ')}" *`
  return endpointId === undefined ? phrase : `endpoint : "${endpointTerm(endpointId)}" AND ${phrase}`
}

/** The index term of an endpoint: its id in hexadecimal, so that no tokenizer splits it. */
export function endpointTerm(endpointId: string): string {
  return `e${[...endpointId].map((letter) => letter.charCodeAt(0).toString(16)).join('')}`
}
