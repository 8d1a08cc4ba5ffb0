/**
 * Responses for agents: JSON of limited length without secrets. An agent pays for each word, and another company's
 * model may read it.
 */
import { limit } from '../../contract/limits.ts'
import { isRecord, writeExact } from '../../lib/json/plain.ts'
import type { ToolAnswer } from './tool.ts'

export const HIDDEN = '(hidden)'

// Keys of this and public services, and header values. Patterns are bounded, or long texts without spaces would be
// rescanned from every character.
const KEYS = /\b(?:dk_[\w-]{16,}|rpa_\w{16,}|hf_\w{16,}|sk-[\w-]{16,}|gh[pousr]_\w{16,}|AKIA[0-9A-Z]{16})/g
const BEARER = /\b(Bearer|Basic)(\s{1,4})[\w.~+/=-]{8,}/gi
const IN_ADDRESS = /\b([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/@"']{1,300}@/gi
const PARAMETER = /([?&](?:[\w-]{0,40}(?:token|key|secret|signature|password|credential)|sig)=)[^&\s"'#]+/gi

const SECRET_FIELDS = new Set(['env', 'headers'])
const SECRET_NAME = /^(?:key|token|password|secret|apiKey|api_key|access_token|authorization)$/i

/**
 * Removes secrets from a text.
 * @param own key used for this service
 */
export function withoutSecrets(text: string, own?: string): string {
  const known = own === undefined || own === '' ? text : text.replaceAll(own, HIDDEN)
  return known
    .replace(KEYS, HIDDEN)
    .replace(BEARER, `$1$2${HIDDEN}`)
    .replace(IN_ADDRESS, `$1${HIDDEN}@`)
    .replace(PARAMETER, `$1${HIDDEN}`)
}

/**
 * @param rest how to get what was cut
 * @returns JSON, and a note if there is more
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
