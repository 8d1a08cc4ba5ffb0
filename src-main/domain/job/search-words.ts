/** The words of texts, as the search index has them and searches ask for them. */

// Source: ours; whoever types more letters of a word has found it.
const LONGEST = 24
const SHORTEST_PART = 3
const RUN = /[\p{L}\p{N}]+/gu
// Between `execution` and `Timeout`, `HTTP` and `Server`.
const CASES = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u
// Runs of base64 are pictures and the like; a path has few of these letters in one piece. Shorter ones are words.
const BASE64 = /[A-Za-z0-9+/]{64,}={0,2}/g
const HAS_DIGIT = /\p{N}/u
const IS_HEX = /^(?=.*\d)[\da-f]+$/i

/** The words of a text in their order, in lower case: `executionTimeout` and `execution_timeout` are two each. */
export function wordsOf(text: string): readonly string[] {
  return (text.match(RUN) ?? [])
    .flatMap((run) => (IS_HEX.test(run) ? run : run.split(CASES)))
    .map((word) => word.toLowerCase().slice(0, LONGEST))
}

/**
 * The terms under which a text is found: its words and each end of a word, so that whatever begins a term is part of a
 * word. Of numbers and ids, only the whole.
 * @param most terms
 */
export function termsOf(text: string, most: number): readonly string[] {
  const terms = new Set<string>()
  for (const [run] of text.replace(BASE64, withoutBase64).matchAll(RUN)) {
    const word = run.toLowerCase()
    terms.add(word.slice(0, LONGEST))
    if (IS_HEX.test(word)) continue
    if (HAS_DIGIT.test(word)) for (const part of run.split(CASES)) terms.add(part.toLowerCase().slice(0, LONGEST))
    else addEnds(terms, word)
    if (terms.size >= most) break
  }
  return [...terms].slice(0, most)
}

// Ends of the first letters alone: a longer one is no word of a person, or of a language without spaces.
const MOST_ENDS = 100

function addEnds(terms: Set<string>, word: string): void {
  const last = Math.min(word.length - SHORTEST_PART, MOST_ENDS)
  for (let from = 1; from <= last; from++) terms.add(word.slice(from, from + LONGEST))
}

// A path or a word of that length has no capitals and digits strewn over it.
const withoutBase64 = (run: string) => (/[A-Z]/.test(run) && /[a-z]/.test(run) && /\d/.test(run) ? ' ' : run)
