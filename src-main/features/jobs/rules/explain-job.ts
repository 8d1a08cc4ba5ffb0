/** Explains a job in sentences, most important first, from its history and worker events. Source: ours. */
import type { FleetEvent } from '../../../contract/fleet-events.ts'
import type { JobListItem } from '../../../contract/job.ts'
import type { JobHistoryEntry, QueueStatus, WebhookDelivery } from '../../../contract/management.ts'
import { counted, durationText, keepEnds, withFullStop } from '../../../lib/text.ts'
import { aheadText } from './expected-start.ts'
import { isTimedOut } from './time-limit.ts'
import { isFinal } from './transitions.ts'

export type ExplainedJob = Pick<
  JobListItem,
  'status' | 'createdAt' | 'finishedAt' | 'delayTime' | 'executionTime' | 'workerId' | 'retries' | 'error'
> & {
  readonly waitingReason?: string | undefined
  readonly queue?: QueueStatus['queue']
  readonly warnings?: readonly string[] | undefined
  readonly history: readonly Pick<JobHistoryEntry, 'at' | 'event' | 'to' | 'reason' | 'workerId'>[]
  readonly deliveries: readonly Pick<WebhookDelivery, 'state' | 'attempts' | 'lastError'>[]
  readonly workerEvents: readonly Pick<FleetEvent, 'at' | 'event' | 'workerId'>[]
  readonly now: number
}

// ms of waiting that people notice. Source: ours.
const NOTICED_MS = 1000
const ERROR_LENGTH = 1000

export function explainJob(job: ExplainedJob): readonly string[] {
  return [outcome(job), ...(job.warnings ?? []), ...tries(job), ...coldStart(job), ...webhooks(job)]
}

function outcome(job: ExplainedJob): string {
  const { status, createdAt, now, executionTime = 0, delayTime = 0, error, waitingReason, queue, workerId } = job
  const why = waitingReason === undefined ? '' : ` ${withFullStop(waitingReason)}`
  switch (isTimedOut(job) ? 'TIMED_OUT' : status) {
    case 'IN_QUEUE':
      return `It has waited in the queue for ${durationText(now - createdAt)}${queue === undefined ? '' : `, with ${aheadText(queue)}`}.${why}`
    case 'IN_PROGRESS':
      return `It runs on worker ${workerId ?? 'unknown'}, after ${durationText(delayTime)} in the queue.${why}`
    case 'COMPLETED':
      return `It completed: ${durationText(delayTime)} in the queue, ${durationText(executionTime)} at the worker.`
    case 'FAILED':
      return `It failed: ${withFullStop(keepEnds(error ?? reasonOfEnd(job) ?? 'the worker gave no reason', ERROR_LENGTH))}`
    case 'TIMED_OUT':
      return `It timed out: ${withFullStop(reasonOfEnd(job) ?? error ?? 'its ttl passed')}${lastWait(job)}`
    case 'CANCELLED':
      return `It was cancelled: ${withFullStop(reasonOfEnd(job) ?? 'a client asked for it')}`
  }
}

const reasonOfEnd = ({ history }: ExplainedJob): string | undefined =>
  history.findLast(({ to, reason }) => isFinal(to) && reason !== undefined)?.reason

const lastWait = ({ history }: ExplainedJob): string =>
  history.some(({ event }) => event === 'claim')
    ? ''
    : ' It never started: no worker took it in time. Give it a longer policy.ttl, or find out why jobs of the endpoint wait.'

function tries({ history, retries = 0 }: ExplainedJob): readonly string[] {
  const lost = history.filter(({ event }) => event === 'rescue' || event === 'abandon')
  const reasons = [...new Set(lost.flatMap(({ reason }) => reason ?? []))]
  if (lost.length === 0) return []
  const why = reasons.length === 0 ? '' : `: ${reasons.join('; ')}`
  return [
    withFullStop(`Its worker was lost ${counted(lost.length, 'time')} (${counted(retries, 'retry', 'retries')})${why}`),
  ]
}

function coldStart({ createdAt, history, workerEvents }: ExplainedJob): readonly string[] {
  const claim = history.find(({ event }) => event === 'claim')
  if (claim === undefined || claim.at - createdAt < NOTICED_MS) return []
  const ofWorker = workerEvents.filter(({ workerId, at }) => workerId === claim.workerId && at <= claim.at)
  const started = Math.min(...ofWorker.map(({ at }) => at))
  const waited = durationText(claim.at - createdAt)
  const spent = claim.at - Math.max(started, createdAt)
  if (!Number.isFinite(started) || spent < NOTICED_MS) return []
  return [
    `Of the ${waited} in the queue, ${durationText(spent)} were the cold start of its worker: the time from its start to its first job. A worker that stays (workersMin) or imports and loads less avoids it.`,
  ]
}

function webhooks({ deliveries }: ExplainedJob): readonly string[] {
  return deliveries.flatMap(({ state, attempts, lastError }) => {
    if (lastError === undefined || state === 'delivered') return []
    const end = state === 'failed' ? 'no further try' : 'it is tried again'
    return [withFullStop(`Its webhook was not delivered in ${counted(attempts, 'try', 'tries')}, ${end}: ${lastError}`)]
  })
}
