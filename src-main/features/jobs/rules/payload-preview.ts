import { keepStart } from '../../../lib/text.ts'
import { maskSecrets } from './job-file.ts'

export function payloadPreview(head: string, secrets: readonly string[], length: number): string {
  const { text } = maskSecrets(withEnd(head), secrets)
  const beyond = longestSecret(secrets)
  // A secret at the end of a cut head may be cut too; masking and trimming can bring it into the row.
  const whole = head.length < length + beyond ? text : text.slice(0, text.length - beyond)
  return keepStart(whole.replace(/\s+/g, ' ').trim(), length)
}

/** How much more of a payload is read, so that a secret at the edge is complete. */
export function longestSecret(secrets: readonly string[]): number {
  return 6 * Math.max(0, ...secrets.map(({ length }) => length))
}

const STRINGS = /"(?:[^"\\]|\\.)*"/gs
const WELL_FORMED = /^"(?:[^"\\]|\\u[\da-f]{4}|\\[^u])*/is

// Cuts after the last whole character, so that it parses.
function withEnd(head: string): string {
  const at = [...head.matchAll(STRINGS)].reduce((_before, { index, 0: string }) => index + string.length, 0)
  const open = head.indexOf('"', at)
  if (open === -1) return head
  const [string = ''] = WELL_FORMED.exec(head.slice(open)) ?? []
  return `${head.slice(0, open)}${string}"`
}
