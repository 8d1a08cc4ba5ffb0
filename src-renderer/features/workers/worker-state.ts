/** How workers are, in words: the state, why it is so, and what comes next. */
import type { WorkerState, WorkerView } from '../../../src-main/contract/endpoint.ts'
import type { LiveEndpoint } from '../../../src-main/contract/live.ts'
import { counted, duration } from '../../ui/format.ts'
import type { StateDotProps } from '../../ui/StateDot.tsx'

/** The states of workers, with their looks. `throttled` is none of a worker that exists. */
export const WORKER_LOOKS: Readonly<Record<WorkerState, StateDotProps>> = {
  initializing: { tone: 'running', word: 'Starting', pulses: true },
  idle: { tone: 'completed', word: 'Idle' },
  running: { tone: 'running', word: 'Running', pulses: true },
  throttled: { tone: 'queued', word: 'Waiting for a place' },
  unhealthy: { tone: 'failed', word: 'Unhealthy' },
  paused: { tone: 'queued', word: 'Paused' },
  stopping: { tone: 'timed-out', word: 'Stopping' },
  ended: { tone: 'queued', word: 'Ended' },
}

type Settings = Pick<
  LiveEndpoint,
  | 'workersMin'
  | 'workersMax'
  | 'idleTimeoutMs'
  | 'paused'
  | 'inQueue'
  | 'waitingReason'
  | 'throttledReason'
  | 'loadBalanced'
>

/** Why a worker is as it is, and what comes next; undefined where there is nothing to say. */
export function explainWorker(worker: WorkerView, endpoint: Settings | undefined): string | undefined {
  // One that leaves says itself that it was replaced.
  const replacement = worker.state === 'stopping' ? undefined : worker.replacement
  const why = [worker.reason, replacement].filter((text) => text !== undefined).map(asSentence)
  const next = nextStep(worker, endpoint)
  const text = [...new Set(why), ...(next === undefined ? [] : [next])].join(' ')
  return text === '' ? undefined : text
}

function nextStep({ state, jobs, reason }: WorkerView, endpoint: Settings | undefined): string | undefined {
  switch (state) {
    case 'initializing':
      return reason === undefined ? 'Its program gets ready; the log says how far it is.' : undefined
    case 'unhealthy':
      return 'It gets nothing more and is replaced; the log says what happened.'
    case 'paused':
      return 'It is frozen, uses no processor, and wakes when a job comes.'
    case 'stopping':
      return jobs.length === 0 ? 'It ends now.' : `It ends ${counted(jobs.length, 'job')} first.`
    case 'idle':
      return endpoint === undefined ? undefined : idleStep(endpoint)
    default:
      return undefined
  }
}

function idleStep(endpoint: Settings): string | undefined {
  const { workersMin, idleTimeoutMs } = endpoint
  return workersMin > 0
    ? `It waits for a ${workOf(endpoint)}; the endpoint always has ${counted(workersMin, 'worker')}.`
    : `It leaves after ${duration(idleTimeoutMs)} without a ${workOf(endpoint)}.`
}

const workOf = ({ loadBalanced }: Settings) => (loadBalanced === undefined ? 'job' : 'request')

/** Why an endpoint has no worker, and what would start one. */
export function whyNoWorker(endpoint: Settings): string {
  const { paused, workersMax, workersMin, inQueue, waitingReason, throttledReason, idleTimeoutMs } = endpoint
  if (paused) return 'The endpoint is paused: no worker starts until it is resumed.'
  if (workersMax === 0) return 'The endpoint may have no worker: its maximum is 0. Raise it in its settings.'
  if (throttledReason !== undefined) return `There is no place for a worker: ${throttledReason}.`
  if (inQueue > 0) return waitingReason ?? 'A worker is about to start.'
  if (workersMin > 0) return waitingReason ?? 'A worker is about to start: the endpoint always has one.'
  return `Nothing to do: a worker starts when a ${workOf(endpoint)} comes, and leaves after ${duration(idleTimeoutMs)} without one.`
}

/** What stopping a worker does to the jobs that it runs. */
export function whatStopDoes(jobs: number): string {
  const may = jobs === 1 ? 'That may end' : 'Those may end'
  return `It runs ${counted(jobs, 'job')}. ${may} within the grace time of its endpoint; what has not ended by then goes back to the queue, without counting as a new try.`
}

/** A reason as the service gives it, with a capital and a full stop. */
export function asSentence(reason: string): string {
  const [first = '', ...rest] = reason
  return `${first.toUpperCase()}${rest.join('')}${/[.!?…]$/.test(reason) ? '' : '.'}`
}
