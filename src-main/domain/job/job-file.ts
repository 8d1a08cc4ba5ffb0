/** A job as a file: written, and read where nothing in it is believed. */
import type { JobFileHead } from '../../contract/job-file.ts'
import { jobFileHead } from '../../contract/job-file.ts'
import { limit } from '../../contract/limits.ts'
import { cutText, fieldsOf, scanJson } from '../json/scan-json.ts'
import { createMask } from '../worker/log-lines.ts'

/** What is in a file. `input` is JSON text as it was. */
export type OpenedJobFile = {
  readonly head: JobFileHead
  readonly input: string
  readonly status: string
  readonly error: string | undefined
}

const HIDDEN = '(hidden)'

/**
 * Writes it. Values of variables do not leave this machine: they are hidden in the settings, and taken out of
 * everything else wherever they stand.
 * @param line of an export of jobs
 */
export function writeJobFile(head: JobFileHead, line: string): string {
  const env = (head.endpoint as { readonly env?: Readonly<Record<string, string>> } | undefined)?.env ?? {}
  const values = Object.values(env).filter((value) => value !== HIDDEN)
  // As they stand in JSON.
  const mask = createMask([...values, ...values.map((value) => JSON.stringify(value).slice(1, -1))])
  const endpoint = head.endpoint && {
    ...head.endpoint,
    env: Object.fromEntries(Object.keys(env).map((name) => [name, HIDDEN])),
  }
  const deliveries = head.deliveries.map((delivery) => ({ ...delivery, url: withoutQuery(delivery.url) }))
  const told: JobFileHead = { ...head, deliveries, ...(endpoint === undefined ? {} : { endpoint }) }
  return `${mask(JSON.stringify(told))}\n${mask(line.trimEnd())}\n`
}

// Receivers are often known by a secret in the query.
const withoutQuery = (url: string) => url.replace(/\?.*$/s, '?...')

/** Reads the text of a file. @returns why it is none, the end of a sentence */
export function readJobFile(text: string): OpenedJobFile | { readonly why: string } {
  const [first = '', second = '', ...more] = text.split('\n')
  if (!first.startsWith('{"drydock":"job"')) return { why: 'it is no job that `drydock job export` wrote' }
  if (second === '') return { why: 'it is cut off: the line with the job is missing' }
  if (more.some((line) => line.trim() !== '')) return { why: 'it has more lines than one job' }
  const head = jobFileHead.safeParse(parsed(first))
  if (!head.success) {
    const [issue] = head.error.issues
    return { why: `its first line is damaged or newer than this Drydock (${issue?.path.join('.')}: ${issue?.message})` }
  }
  const scan = scanJson(second, { maxKeys: limit('jsonKeys') * 2, maxDepth: limit('jsonDepth') })
  if (typeof scan === 'string') return { why: `its job is ${scan === 'too-deep' ? 'nested too deep' : 'too complex'}` }
  const job = parsed(second)
  if (typeof job !== 'object' || job === null) return { why: 'its second line is damaged' }
  const input = fieldsOf(scan, cutText(second))('input')
  if (input === undefined) return { why: 'the input of the job is missing' }
  const { status, error } = job as { readonly status?: unknown; readonly error?: unknown }
  return { head: head.data, input, status: String(status), error: typeof error === 'string' ? error : undefined }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
