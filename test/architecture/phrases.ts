import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

// Sentences and table cells begin at the edge of a text (\0), after an empty line, or after punctuation.
const START = String.raw`(?<=(?:^|\0|\n\s*\n|[.!?:]\s)\s*)`
const TO_A_QUESTION_MARK = String.raw`(?:[^.!?\0]|[.!?](?=\w))*\?`

interface Phrase {
  readonly pattern: RegExp
  readonly instead: string
}

/** Phrases that a native speaker in this field would not use, with what to write instead. */
export const PHRASES = {
  'a sentence starting with "What"': {
    pattern: new RegExp(`${START}What\\b(?![ -]if\\b|${TO_A_QUESTION_MARK})`, 'g'),
    instead: 'the name of the thing',
  },
  'a sentence starting with "Whoever"': {
    pattern: new RegExp(`${START}Whoever\\b`, 'g'),
    instead: 'the name of who does it',
  },
  'is none, are none': {
    pattern: /(?<!\bthere\s+)\b(?:is|are)\s+none\b/gi,
    instead: '"is not one", "no ..."',
  },
  'be it': { pattern: /\bbe\s+it\b/gi, instead: '"whether"' },
  'as do all': { pattern: /\bas\s+do\s+all\b/gi, instead: '"like all"' },
  'where there is one': { pattern: /\bwhere\s+there\s+is\s+one(?=\s*[.,;:])/gi, instead: '"if any"' },
  'of its own accord': { pattern: /\bof\s+(?:its|their)\s+own\s+accord\b/gi, instead: '"by itself"' },
  'way back, door': { pattern: /\b(?:ways?\s+back|doors?)\b/gi, instead: '"reverse tunnel"' },
  'hand-out, handed out': { pattern: /\bhand(?:s|ed|ing)?[\s-]+outs?\b/gi, instead: '"dispatch"' },
  seat: { pattern: /\bseats?\b/gi, instead: '"slot"' },
  'ordered end': { pattern: /\bordered\s+ends?\b/gi, instead: '"requested stop"' },
  beside: { pattern: /\bbeside\b/gi, instead: '"next to"' },
} satisfies Record<string, Phrase>

/** Name of a banned phrase. */
export type PhraseName = keyof typeof PHRASES

/** Reads all documents, and all code, for its comments and its texts for users. */
export function readProse(root: string): Record<string, string> {
  const patterns = [
    '{*,{docs,src-main,src-renderer,resources,test}/**/*}.md',
    '{src-main,src-renderer,resources,test}/**/*.{ts,tsx,mjs,css,py,sh}',
  ]
  // The check itself contains the phrases.
  const isLeftOut = (path: string) =>
    /(^|[/\\])(node_modules|out|__pycache__|fixtures|python[/\\]build|[^/\\]*\.egg-info)$|phrases(\.test)?\.ts$/.test(
      path,
    )
  const paths = patterns.flatMap((pattern) => globSync(pattern, { cwd: root, exclude: isLeftOut }))
  return Object.fromEntries(
    paths.map((path) => [path.replaceAll('\\', '/'), readFileSync(join(root, path), 'utf8')]).sort(),
  )
}

/** Finds banned phrases. @returns places by phrase, like `src-main/http/run.ts:12` */
export function findPhrases(files: Readonly<Record<string, string>>): Record<PhraseName, readonly string[]> {
  const prose = Object.entries(files).map(([path, text]) => [path, proseOf(path, text)] as const)
  const places = (pattern: RegExp) =>
    prose.flatMap(([path, text]) =>
      [...text.matchAll(pattern)].map(({ index }) => `${path}:${text.slice(0, index).split('\n').length}`),
    )
  const found = Object.entries<Phrase>(PHRASES).map(([name, { pattern }]) => [name, places(pattern)])
  return Object.fromEntries(found)
}

// Comments begin a line or follow whitespace, unlike a glob such as 'a/**/*.ts' in a string.
const BLOCK_COMMENT = /(?<=^|\s)\/\*.*?\*\//gs
const LINE_COMMENTS = /(?<=^|\s)\/\/ .*(?:\n[ \t]*\/\/.*)*/g
const HASH_COMMENTS = /(?<=^|\s)# .*(?:\n[ \t]*#.*)*/g
const DOCSTRING = /""".*?"""/gs
// Texts for users: several words, the first with a capital letter, in quotes or between tags.
const SENTENCE =
  /'[A-Z](?:\\.|[^'\\\n])* (?:\\.|[^'\\\n])*'|`[A-Z](?:\\.|[^`\\])*? (?:\\.|[^`\\])*`|>\s*[A-Z][^<>{}`]* [^<>{}`]*</g

/** The text of a file with everything but prose replaced by \0, so that positions stay the same. */
function proseOf(path: string, text: string): string {
  if (path.endsWith('.md')) {
    const withoutCode = text.replace(/^ *```.*?^ *```/gms, blank).replace(/`[^`\n]+`/g, code)
    return withoutCode.replace(/^\s*(?:[-*#>]+|\d+\.) |\|/gm, blank)
  }
  const comments = /\.(py|sh)$/.test(path) ? [HASH_COMMENTS, DOCSTRING] : [BLOCK_COMMENT, LINE_COMMENTS]
  const isForUsers = /^src-(main|renderer)\/.*\.tsx?$/.test(path)
  let rest = text
  let prose = blank(text)
  for (const pattern of isForUsers ? [...comments, SENTENCE] : comments) {
    rest = rest.replace(pattern, (found: string, ...[index]: readonly unknown[]) => {
      const at = Number(index)
      prose = prose.slice(0, at) + withoutMarks(found) + prose.slice(at + found.length)
      return blank(found)
    })
  }
  return prose
}

const blank = (text: string) => text.replace(/[^\n]/g, '\0')
const code = (text: string) => 'x'.repeat(text.length)

/** The words of a comment or a text in quotes. */
function withoutMarks(text: string): string {
  return text
    .replace(/`[^`\n]+`/g, code)
    .replace(/^(?:\/\*+|\/\/+|#+|"""|['`>])|(?:\*+\/|"""|['`<])$/g, blank)
    .replace(/(?<=\n[ \t]*)(?:\*|\/\/|#)(?= |\n)/g, (mark) => ' '.repeat(mark.length))
}
