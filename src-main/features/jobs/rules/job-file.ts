import { type JobFileHead, jobFileHead } from '../../../contract/job-file.ts'
import { limit } from '../../../contract/limits.ts'
import { asText, isRecord, plainJson } from '../../../lib/json/plain.ts'
import { cutText, fieldsOf, mapStrings, scanJson } from '../../../lib/json/scan.ts'
import { createMask } from '../../workers/rules/log-lines.ts'

export type OpenedJobFile = {
  readonly head: JobFileHead
  readonly input: string
  readonly status: string
  readonly error: string | undefined
}

const HIDDEN = '(hidden)'
const MASK = '***'

export type HiddenValues = {
  readonly secrets: readonly string[]
  /** Variables, which may be secrets: they are removed from logs, errors and settings. */
  readonly variables: readonly string[]
}

/**
 * Masks variable values outside payloads. Payloads must stay runnable, so only known secrets are masked there, and the
 * head counts them.
 */
export function writeJobFile(head: Omit<JobFileHead, 'masked'>, line: string, hidden: HiddenValues): string {
  const mask = createMask([...hidden.secrets, ...hidden.variables].filter((value) => value !== HIDDEN))
  const job = maskLine(line.trimEnd(), hidden.secrets, mask)
  const { endpoint, ...rest } = head
  const told: JobFileHead = {
    ...rest,
    ...(endpoint === undefined ? {} : { endpoint: { ...maskTexts(withoutValues(endpoint), mask), id: endpoint.id } }),
    history: head.history.map((one) => (one.reason === undefined ? one : { ...one, reason: mask(one.reason) })),
    deliveries: head.deliveries.map(({ lastError, ...one }) => ({
      ...{ ...one, url: mask(withoutQuery(one.url)) },
      ...(lastError === undefined ? {} : { lastError: mask(lastError) }),
    })),
    logs: head.logs.map((one) => ({ ...one, line: mask(one.line) })),
    masked: job.places,
  }
  return `${JSON.stringify(told)}\n${job.text}\n`
}

type Settings = NonNullable<JobFileHead['endpoint']>

function withoutValues(endpoint: Settings): Settings {
  const env = Object.keys((endpoint as { readonly env?: object }).env ?? {})
  return { ...endpoint, env: Object.fromEntries(env.map((name) => [name, HIDDEN])) }
}

function maskTexts<Value>(value: Value, mask: (text: string) => string): Value {
  return JSON.parse(JSON.stringify(value), (_key, one: unknown) => (typeof one === 'string' ? mask(one) : one)) as Value
}

type Masked = { readonly text: string; readonly places: number }

// Parts made by clients and handlers; the service writes the rest.
const PAYLOADS = ['input', 'output', 'stream']

function maskLine(line: string, secrets: readonly string[], mask: (text: string) => string): Masked {
  const scan = scanJson(line, { maxKeys: Number.POSITIVE_INFINITY, maxDepth: Number.POSITIVE_INFINITY })
  if (typeof scan === 'string') return { text: line, places: 0 }
  let text = ''
  let places = 0
  let at = 0
  for (const [name, { start, end }] of [...scan.fields].sort(([, a], [, b]) => a.start - b.start)) {
    const value = line.slice(start, end)
    text += line.slice(at, start)
    at = end
    if (PAYLOADS.includes(name)) {
      const payload = maskSecrets(value, secrets)
      text += payload.text
      places += payload.places
    } else text += name === 'error' && value.startsWith('"') ? JSON.stringify(mask(JSON.parse(value))) : value
  }
  return { text: text + line.slice(at), places }
}

/**
 * Masks secrets in JSON strings and keeps numbers exact. Short ones stay, as they occur by chance.
 * @param json valid
 */
export function maskSecrets(json: string, secrets: readonly string[]): Masked {
  const shortest = limit('payloadSecretCharacters')
  // Longest first, so that a secret within another leaves no rest.
  const wanted = [...new Set(secrets)].filter((value) => value.length >= shortest).sort((a, b) => b.length - a.length)
  if (wanted.length === 0) return { text: json, places: 0 }
  let places = 0
  const text = mapStrings(json, (string) =>
    wanted.reduce((masked, value) => {
      const parts = masked.split(value)
      places += parts.length - 1
      return parts.join(MASK)
    }, string),
  )
  return { text, places }
}

// The query of a webhook often holds a secret.
const withoutQuery = (url: string) => url.replace(/\?.*$/s, '?...')

export function readJobFile(text: string): OpenedJobFile | { readonly why: string } {
  const [first = '', second = '', ...more] = text.split('\n')
  if (!first.startsWith('{"drydock":"job"')) return { why: 'it was not written by `drydock job export`' }
  if (second === '') return { why: 'it is cut off: the line with the job is missing' }
  if (more.some((line) => line.trim() !== '')) return { why: 'it has more lines than one job' }
  const head = jobFileHead.safeParse(plainJson(first))
  if (!head.success) {
    const [issue] = head.error.issues
    return { why: `its first line is damaged or newer than this Drydock (${issue?.path.join('.')}: ${issue?.message})` }
  }
  const scan = scanJson(second, { maxKeys: limit('jsonKeys') * 2, maxDepth: limit('jsonDepth') })
  if (typeof scan === 'string') return { why: `its job is ${scan === 'too-deep' ? 'nested too deep' : 'too complex'}` }
  const job = plainJson(second)
  if (!isRecord(job)) return { why: 'its second line is damaged' }
  const input = fieldsOf(scan, cutText(second))('input')
  if (input === undefined) return { why: 'the input of the job is missing' }
  return { head: head.data, input, status: String(job.status), error: asText(job.error) }
}
