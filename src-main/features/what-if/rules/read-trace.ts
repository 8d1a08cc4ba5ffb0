import { limit } from '../../../contract/limits.ts'
import { isRecord, plainJson } from '../../../lib/json/plain.ts'

/** `at` is ms since the epoch or any start. */
export type TracedJob = {
  readonly at: number
  readonly executionMs: number | undefined
  readonly lowPriority: boolean
  readonly priority: number
  readonly lostAfterMs: readonly number[]
}

export type TraceProblem = { readonly problem: string }

const MOST_MS = limit('executionTimeoutMaxMs')
const QUOTED = 60
// As often as an endpoint may requeue a job.
const MOST_LOSSES = 10

/**
 * Reads `at` (ms or ISO time), optional `executionMs`, `lowPriority`, `priority`, `lostAfterMs`, and an export's
 * `createdAt` and `executionTime`.
 * @returns jobs in time order
 */
export function readTrace(text: string): readonly TracedJob[] | TraceProblem {
  const jobs: TracedJob[] = []
  let number = 0
  for (const line of linesOf(text)) {
    number += 1
    if (line.trim() === '') continue
    if (jobs.length >= limit('whatIfJobs'))
      return { problem: `has more than ${limit('whatIfJobs')} jobs. Send a part of it` }
    const job = readLine(line)
    if ('problem' in job) return { problem: `line ${number} ${job.problem}` }
    jobs.push(job)
  }
  if (jobs.length === 0)
    return { problem: 'has no jobs. Each line is a JSON object like {"at": 0, "executionMs": 900}' }
  return jobs.sort((a, b) => a.at - b.at)
}

// A generator, because a file of newlines would split into millions of strings.
function* linesOf(text: string): Generator<string> {
  for (let start = 0; start <= text.length; ) {
    const found = text.indexOf('\n', start)
    const end = found < 0 ? text.length : found
    yield text.slice(start, end)
    start = end + 1
  }
}

function readLine(line: string): TracedJob | TraceProblem {
  const value = plainJson(line)
  if (value === undefined) return { problem: `is not JSON: ${line.slice(0, QUOTED)}` }
  if (!isRecord(value)) return { problem: `is not a JSON object: ${line.slice(0, QUOTED)}` }
  const at = timeIn(value.at ?? value.createdAt)
  if (at === undefined) return { problem: 'needs "at": ms, 0 or more, or an ISO time like 2026-01-31T09:00:00Z' }
  const span = value.executionMs ?? value.executionTime
  if (span !== undefined && !isSpan(span))
    return { problem: `has an "executionMs" that is not a number from 0 to ${MOST_MS}` }
  const lostAfterMs = value.lostAfterMs ?? []
  if (!Array.isArray(lostAfterMs) || lostAfterMs.length > MOST_LOSSES || !lostAfterMs.every(isSpan))
    return { problem: `has a "lostAfterMs" that is not a list of at most ${MOST_LOSSES} spans in ms` }
  const priority = value.priority ?? 0
  if (!isPriority(priority)) return { problem: `has a "priority" that is not ${PRIORITIES}` }
  return { at, executionMs: span, lowPriority: value.lowPriority === true, priority, lostAfterMs }
}

const PRIORITIES = `a whole number from ${limit('priorityMin')} to ${limit('priorityMax')}`
const isPriority = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) >= limit('priorityMin') && Number(value) <= limit('priorityMax')

const isSpan = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value <= MOST_MS

function timeIn(value: unknown): number | undefined {
  const at = typeof value === 'string' ? Date.parse(value) : value
  return typeof at === 'number' && at >= 0 && at <= Number.MAX_SAFE_INTEGER ? at : undefined
}
