/**
 * What an agent reads: JSON of bounded length without secrets. An agent pays for each word, and what it has read may go
 * to a model of somebody else.
 */
import { limit } from '../contract/limits.ts'
import { isRecord, writeExact } from '../domain/json/json.ts'
import type { ToolAnswer } from './tool.ts'

/** What stands for a secret. */
export const HIDDEN = '(hidden)'

// Keys of this service and of the field's public services, and what follows the word in a header. All are bounded, as a
// long text without spaces would else be gone through again from each of its letters.
const KEYS = /\b(?:dk_[\w-]{16,}|rpa_\w{16,}|hf_\w{16,}|sk-[\w-]{16,}|gh[pousr]_\w{16,}|AKIA[0-9A-Z]{16})/g
const BEARER = /\b(Bearer|Basic)(\s{1,4})[\w.~+/=-]{8,}/gi
const IN_ADDRESS = /\b([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/@"']{1,300}@/gi
const PARAMETER = /([?&](?:[\w-]{0,40}(?:token|key|secret|signature|password|credential)|sig)=)[^&\s"'#]+/gi

// Fields whose values people set and often are secrets.
const SECRET_FIELDS = new Set(['env', 'headers'])
const SECRET_NAME = /^(?:key|token|password|secret|apiKey|api_key|access_token|authorization)$/i

/** A text without the secrets in it. @param own the key that this service is called with */
export function withoutSecrets(text: string, own?: string): string {
  const known = own === undefined || own === '' ? text : text.replaceAll(own, HIDDEN)
  return known
    .replace(KEYS, HIDDEN)
    .replace(BEARER, `$1$2${HIDDEN}`)
    .replace(IN_ADDRESS, `$1${HIDDEN}@`)
    .replace(PARAMETER, `$1${HIDDEN}`)
}

/**
 * Writes an answer.
 * @param rest how to get what was cut
 * @returns JSON, and a note where there is more
 */
export function answerTexts(
  { data, more }: Pick<ToolAnswer, 'data' | 'more'>,
  { rest, own }: { readonly rest: string; readonly own?: string },
): readonly string[] {
  const text = withoutSecrets(writeExact(shown(data), 1), own)
  const most = limit('mcpOutputCharacters')
  const notes = more === undefined ? [] : [more]
  if (text.length <= most) return [text, ...notes]
  return [text.slice(0, most), `The answer was cut: ${most} of ${text.length} characters are above. ${rest}`, ...notes]
}

/** A text of bounded length, which says how much is missing. */
export function cutText(text: string, most: number = limit('mcpTextCharacters')): string {
  return text.length <= most ? text : `${text.slice(0, most)}… (${text.length - most} more characters)`
}

function shown(value: unknown): unknown {
  if (typeof value === 'string') return cutText(value)
  if (Array.isArray(value)) return value.map(shown)
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, one]) => {
      if (one === undefined) return []
      if (SECRET_NAME.test(name) && typeof one === 'string') return [[name, HIDDEN]]
      return [[name, SECRET_FIELDS.has(name) && isRecord(one) ? withoutValues(one) : shown(one)]]
    }),
  )
}

const withoutValues = (record: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.keys(record).map((name) => [name, HIDDEN]))
