/** Compares a run of `npm run test:platform` with the last one. */
import type { Calls } from './read-exchanges.ts'

/** A run: seen.json holds the last one. `versions`: of public clients by name. */
export type Seen = Calls & { readonly versions: Readonly<Record<string, string>> }

/** Lines about everything that is new since the last run. */
export function compare(last: Seen, now: Seen): readonly string[] {
  const newRoutes = Object.keys(now.routes).filter((route) => !(route in last.routes))
  const newFields = Object.entries(now.routes).flatMap(([route, sent]) => {
    const known = last.routes[route]
    return known === undefined ? [] : without(sent, known).map((field) => `${route}: ${field}`)
  })
  return [
    ...topic('Called and not answered', without(now.notAnswered, last.notAnswered)),
    ...topic(
      'Called for the first time',
      newRoutes.map((route) => `${route} with ${now.routes[route]?.join(', ') || 'nothing'}`),
    ),
    ...topic('Sent or asked for, for the first time', newFields),
  ]
}

/**
 * Lines about words of a client (see words.ts) that it has lost or gained.
 * @param answered names of all fields in the responses of the run
 */
export function compareWords(
  last: readonly string[],
  now: readonly string[],
  answered: ReadonlySet<string>,
): readonly string[] {
  const isMissing = (word: string) => word.startsWith(READS) && !answered.has(word.slice(READS.length))
  return [
    ...without(last, now).map((word) => `- ${word}`),
    ...without(now, last).map((word) => `+ ${word}${isMissing(word) ? ' (in no response of this run)' : ''}`),
  ]
}

/** Begins the word of a key that a client reads. */
const READS = 'reads '

const without = (all: readonly string[], known: readonly string[]) =>
  [...new Set(all).difference(new Set(known))].sort()

const topic = (title: string, lines: readonly string[]) =>
  lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => `  ${line}`)]
