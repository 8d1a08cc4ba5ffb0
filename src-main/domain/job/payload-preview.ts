import { keepStart } from '../text.ts'
import { maskSecrets } from './job-file.ts'

/**
 * The beginning of a payload for a row of a list: one line, with secrets masked.
 * @param head beginning of its JSON, longer than `length` by `longestSecret`
 * @param length most characters
 */
export function payloadPreview(head: string, secrets: readonly string[], length: number): string {
  const { text } = maskSecrets(withEnd(head), secrets)
  const beyond = longestSecret(secrets)
  // A secret at the end of a cut head may be cut too, and masks and spaces that go bring that end into the row.
  const whole = head.length < length + beyond ? text : text.slice(0, text.length - beyond)
  return keepStart(whole.replace(/\s+/g, ' ').trim(), length)
}

/** How much of a payload is read beyond what is shown: a secret that begins in it must be there whole. */
export function longestSecret(secrets: readonly string[]): number {
  // JSON may escape a character as six.
  return 6 * Math.max(0, ...secrets.map(({ length }) => length))
}

const STRINGS = /"(?:[^"\\]|\\.)*"/gs
const WELL_FORMED = /^"(?:[^"\\]|\\u[\da-f]{4}|\\[^u])*/is

// Ends a cut string after its last whole character, so that it can be parsed.
function withEnd(head: string): string {
  const at = [...head.matchAll(STRINGS)].reduce((_before, { index, 0: string }) => index + string.length, 0)
  const open = head.indexOf('"', at)
  if (open === -1) return head
  const [string = ''] = WELL_FORMED.exec(head.slice(open)) ?? []
  return `${head.slice(0, open)}${string}"`
}
