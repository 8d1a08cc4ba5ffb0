import { wordsOf } from './search-words.ts'

// Above it the expression would be long, and a few words that are named are enough to be quick.
const MOST_NAMED = 8

/**
 * Turns what a person typed into an FTS5 expression: every word must occur; of those with three letters or more a part
 * is enough. Nothing that was typed is read as syntax.
 * @param termsOf which words of the index begin so, where they are few: each is then named, as FTS5 goes through named
 *   words from the newest job on, and first collects all jobs with a word that begins so; undefined: they are many
 * @returns undefined when nothing can match: there is no word in it, or one with which no word of the index begins
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

/** The same for what was typed as a phrase in errors, the last letters of which may be missing. */
export function phraseExpression(typed: string, endpointId: string | undefined): string | undefined {
  const words = wordsOf(typed)
  if (words.length === 0) return undefined
  const phrase = `error : "${words.join(' ')}" *`
  return endpointId === undefined ? phrase : `endpoint : "${endpointTerm(endpointId)}" AND ${phrase}`
}

/** The one word under which an endpoint is indexed: its id in hexadecimal, so that no tokenizer cuts it. */
export function endpointTerm(endpointId: string): string {
  return `e${[...endpointId].map((letter) => letter.charCodeAt(0).toString(16)).join('')}`
}
