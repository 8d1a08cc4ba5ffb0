import type { LoadTestCreate } from '../../contract/load-tests.ts'
import { readJobError } from '../job/read-error.ts'
import type { Outcome } from './tally.ts'

/** An answer as it came; `text` may be cut. */
type Answer = {
  readonly ms: number
  readonly status: number | undefined
  readonly text: string
  readonly error: string | undefined
}

/** What is read of the JSON of an answer. */
type Fields = Readonly<Record<'status' | 'delayTime' | 'executionTime' | 'error' | 'code', unknown>>

/**
 * Tells what came of a request of a load test. Any 2xx is well, but a job must also have ended well where the request
 * waited for it.
 */
export function judgeAnswer(operation: LoadTestCreate['operation'], answer: Answer): Outcome {
  const { ms, status, text } = answer
  const isJob = operation !== 'request'
  const fields = isJob || (status !== undefined && status >= 400) ? fieldsOf(text) : undefined
  return {
    status,
    latencyMs: ms,
    delayMs: isJob ? numberOf(fields?.delayTime) : undefined,
    executionMs: isJob ? numberOf(fields?.executionTime) : undefined,
    error: faultOf(operation, answer, fields),
  }
}

function faultOf(
  operation: LoadTestCreate['operation'],
  { status, text, error }: Answer,
  fields: Fields | undefined,
): string | undefined {
  if (status === undefined) return error ?? 'No answer came.'
  if (status >= 400) return `${status}: ${textOf(fields?.error) ?? firstLine(text)}`
  if (operation !== 'runsync' || fields === undefined || fields.status === 'COMPLETED') return undefined
  if (fields.status === 'IN_QUEUE' || fields.status === 'IN_PROGRESS')
    return 'The job had not ended when the time to wait for it was over. More workers, or fewer requests at once, help.'
  const { type, message } = readJobError(textOf(fields.error) ?? '')
  return `Job ${String(fields.status)}: ${type === undefined ? '' : `${type}: `}${firstLine(message)}`
}

function fieldsOf(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Fields) : undefined
  } catch {
    return undefined // a large answer is cut, and its spans are not known then
  }
}

const numberOf = (value: unknown) => (typeof value === 'number' ? value : undefined)
const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined)
const firstLine = (text: string) => text.trim().split('\n', 1)[0] ?? ''
