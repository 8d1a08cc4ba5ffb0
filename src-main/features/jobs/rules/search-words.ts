// Source: ours; more letters of a word find nothing else.
const LONGEST = 24
const SHORTEST_PART = 3
export const RUN = /[\p{L}\p{N}]+/gu
const CASES = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u
// Long base64 runs are media; paths have fewer such letters in one piece.
const BASE64 = /(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{64,}={0,2}/g
const HAS_DIGIT = /\p{N}/u
const IS_HEX = /^(?=.*\d)[\da-f]+$/i

export function wordsOf(text: string): readonly string[] {
  return (text.match(RUN) ?? [])
    .flatMap((run) => (IS_HEX.test(run) ? run : run.split(CASES)))
    .map((word) => word.toLowerCase().slice(0, LONGEST))
}

/**
 * Indexes words and their suffixes, so prefixes match word parts; numbers and ids only whole.
 * @param most terms and letters of all terms
 */
export function termsOf(text: string, most: { readonly terms: number; readonly letters: number }): readonly string[] {
  const terms = new Set<string>()
  for (const [run] of text.replace(BASE64, withoutBase64).matchAll(RUN)) {
    const word = run.toLowerCase()
    terms.add(word.slice(0, LONGEST))
    if (!IS_HEX.test(word)) {
      if (HAS_DIGIT.test(word)) for (const part of run.split(CASES)) terms.add(part.toLowerCase().slice(0, LONGEST))
      else addEnds(terms, word)
    }
    if (terms.size >= most.terms) break
  }
  const kept: string[] = []
  let letters = 0
  for (const term of terms) {
    letters += term.length
    if (kept.length === most.terms || letters > most.letters) break
    kept.push(term)
  }
  return kept
}

// Longer words are no words of a person, or of a language without spaces.
const MOST_ENDS = 100

function addEnds(terms: Set<string>, word: string): void {
  const last = Math.min(word.length - SHORTEST_PART, MOST_ENDS)
  for (let from = 1; from <= last; from++) terms.add(word.slice(from, from + LONGEST))
}

// Paths and words do not mix capitals and digits at that length.
const withoutBase64 = (run: string) => (/[A-Z]/.test(run) && /[a-z]/.test(run) && /\d/.test(run) ? ' ' : run)

// Control characters separate words, like spaces.
const CONTROL = 'nrtbf'
const CODE = /^[\da-f]{4}$/i

/** Decodes JSON escapes, so that payloads are searched by the text that people see. */
export function unescaped(json: string): string {
  // A regular expression with a callback takes four times as long.
  let text = ''
  let from = 0
  for (let at = json.indexOf('\\'); at >= 0; at = json.indexOf('\\', from)) {
    const code = json[at + 1] === 'u' ? json.slice(at + 2, at + 6) : ''
    const isCode = CODE.test(code)
    const letter = json[at + 1] ?? '\\'
    const meant = isCode ? String.fromCharCode(Number.parseInt(code, 16)) : CONTROL.includes(letter) ? ' ' : letter
    text += json.slice(from, at) + meant
    from = at + (isCode ? 6 : 2)
  }
  return text + json.slice(from)
}
