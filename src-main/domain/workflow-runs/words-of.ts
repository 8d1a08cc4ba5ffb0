import type { JsonObject } from '../workflow/json/value.ts'
import { readPayloadNodes } from '../workflow/payload.ts'

// Enough for the prompts of a graph; a search looks through this much of each of 10,000 runs.
const LENGTH_MAX = 4000
// One prompt must not leave the others out.
const TEXT_MAX = 1500

/** What a run is found by, in small letters: its title, its label, and the texts that are set on its nodes. */
export function wordsOf(payload: JsonObject, title: string, label = ''): string {
  const texts = readPayloadNodes(payload).flatMap(({ inputs }) =>
    [...inputs.values()].flatMap((value) => (typeof value === 'string' ? [value.slice(0, TEXT_MAX)] : [])),
  )
  return [title, label, ...new Set(texts)].join('\n').slice(0, LENGTH_MAX).toLowerCase()
}
