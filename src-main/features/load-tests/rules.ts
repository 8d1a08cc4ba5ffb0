import type { LoadTestCreate, LoadTestResult, Spans } from '../../contract/requests.ts'
import { asText, isRecord, plainJson } from '../../lib/json/plain.ts'
import { keepEnds } from '../../lib/text.ts'
import { createFailureGroups } from '../jobs/rules/failure-groups.ts'
import { readJobError } from '../jobs/rules/read-error.ts'
import { bucketOf, percentilesOf } from '../monitoring/rules/metrics.ts'

export type Outcome = {
  readonly status: number | undefined
  readonly latencyMs: number
  readonly delayMs?: number | undefined
  readonly executionMs?: number | undefined
  readonly error: string | undefined
}

// Source: ours. The list of jobs shows further kinds.
const MAX_ERRORS = 20
const ERROR_LENGTH = 500

export function createTally() {
  const latency = createSpans()
  const delay = createSpans()
  const execution = createSpans()
  const statuses: Record<string, number> = {}
  const errors = createFailureGroups(MAX_ERRORS)
  let failed = 0

  return {
    add({ status, latencyMs, delayMs, executionMs, error }: Outcome) {
      const name = status === undefined ? 'none' : String(status)
      statuses[name] = (statuses[name] ?? 0) + 1
      latency.add(latencyMs)
      if (delayMs !== undefined) delay.add(delayMs)
      if (executionMs !== undefined) execution.add(executionMs)
      if (error === undefined) return
      failed += 1
      errors.add({ reason: keepEnds(error, ERROR_LENGTH), count: 1 })
    },
    result: (elapsedMs: number): LoadTestResult => ({
      elapsedMs,
      done: latency.count(),
      failed,
      statuses: { ...statuses },
      ...optional('latency', latency.read()),
      ...optional('delay', delay.read()),
      ...optional('execution', execution.read()),
      errors: errors.all().map(({ reason, count }) => ({ text: reason, count })),
    }),
  }
}

const optional = (name: string, value: Spans | undefined) => (value === undefined ? {} : { [name]: value })

function createSpans() {
  const histogram: Record<number, number> = {}
  let count = 0
  let sum = 0
  let max = 0
  return {
    count: () => count,
    add(ms: number) {
      const bucket = bucketOf(ms)
      histogram[bucket] = (histogram[bucket] ?? 0) + 1
      count += 1
      sum += ms
      max = Math.max(max, ms)
    },
    read(): Spans | undefined {
      const percentiles = percentilesOf(histogram, max)
      if (percentiles === undefined) return undefined
      const { p50, p90, p99 } = percentiles
      const round = (ms: number) => Math.round(ms * 10) / 10
      return {
        count,
        mean: round(sum / count),
        p50: round(p50),
        p90: round(p90),
        p99: round(p99),
        max: round(max),
        histogram: { ...histogram },
      }
    },
  }
}

type LoadTestResponse = {
  readonly ms: number
  readonly status: number | undefined
  readonly text: string
  readonly error: string | undefined
}

type Fields = Readonly<Record<string, unknown>>

export function evaluateResponse(operation: LoadTestCreate['operation'], response: LoadTestResponse): Outcome {
  const { ms, status, text } = response
  const isJob = operation !== 'request'
  const fields = isJob || (status !== undefined && status >= 400) ? fieldsOf(text) : undefined
  return {
    status,
    latencyMs: ms,
    delayMs: isJob ? numberOf(fields?.delayTime) : undefined,
    executionMs: isJob ? numberOf(fields?.executionTime) : undefined,
    error: problemOf(operation, response, fields),
  }
}

function problemOf(
  operation: LoadTestCreate['operation'],
  { status, text, error }: LoadTestResponse,
  fields: Fields | undefined,
): string | undefined {
  if (status === undefined) return error ?? 'No response arrived.'
  if (status >= 400) return `${status}: ${asText(fields?.error) ?? firstLine(text)}`
  if (operation !== 'runsync' || fields === undefined || fields.status === 'COMPLETED') return undefined
  if (fields.status === 'IN_QUEUE' || fields.status === 'IN_PROGRESS')
    return 'The job had not ended when the waiting time was over. Use more workers, or fewer concurrent requests.'
  const { type, message } = readJobError(asText(fields.error) ?? '')
  return `Job ${String(fields.status)}: ${type === undefined ? '' : `${type}: `}${firstLine(message)}`
}

function fieldsOf(text: string): Fields | undefined {
  const value = plainJson(text)
  return isRecord(value) ? value : undefined
}

const numberOf = (value: unknown) => (typeof value === 'number' ? value : undefined)
const firstLine = (text: string) => text.trim().split('\n', 1)[0] ?? ''
