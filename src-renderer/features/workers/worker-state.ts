import type { WorkerState, WorkerView } from '../../../src-main/contract/endpoint.ts'
import type { LiveEndpoint } from '../../../src-main/contract/live.ts'
import { counted } from '../../../src-main/lib/text.ts'
import { asSentence, duration } from '../../ui/format.ts'
import type { StateDotProps } from '../../ui/StateDot.tsx'

export const WORKER_STYLES: Readonly<Record<WorkerState, StateDotProps>> = {
  initializing: { tone: 'running', text: 'Starting', pulses: true },
  idle: { tone: 'completed', text: 'Idle' },
  running: { tone: 'running', text: 'Running', pulses: true },
  throttled: { tone: 'queued', text: 'Waiting for capacity' },
  unhealthy: { tone: 'failed', text: 'Unhealthy' },
  paused: { tone: 'queued', text: 'Paused' },
  stopping: { tone: 'timed-out', text: 'Stopping' },
  ended: { tone: 'queued', text: 'Ended' },
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

export function explainWorker(worker: WorkerView, endpoint: Settings | undefined): string | undefined {
  // A stopping worker reports its replacement itself.
  const replacement = worker.state === 'stopping' ? undefined : worker.replacement
  const why = [worker.reason, replacement].filter((text) => text !== undefined).map(asSentence)
  const next = nextStep(worker, endpoint)
  const text = [...new Set(why), ...(next === undefined ? [] : [next])].join(' ')
  return text === '' ? undefined : text
}

function nextStep({ state, jobs, reason }: WorkerView, endpoint: Settings | undefined): string | undefined {
  switch (state) {
    case 'initializing':
      return reason === undefined ? 'Its program is starting; see its log for progress.' : undefined
    case 'unhealthy':
      return 'It gets no more work and will be replaced; see its log for the reason.'
    case 'paused':
      return 'It is frozen, uses no CPU, and wakes when a job arrives.'
    case 'stopping':
      return jobs.length === 0 ? 'It is stopping.' : `It finishes ${counted(jobs.length, 'job')} first.`
    case 'idle':
      return endpoint === undefined ? undefined : idleStep(endpoint)
    default:
      return undefined
  }
}

function idleStep(endpoint: Settings): string | undefined {
  const { workersMin, idleTimeoutMs } = endpoint
  return workersMin > 0
    ? `Idle. The endpoint keeps ${counted(workersMin, 'worker')} running.`
    : `It stops after ${duration(idleTimeoutMs)} without a ${workOf(endpoint)}.`
}

const workOf = ({ loadBalanced }: Settings) => (loadBalanced === undefined ? 'job' : 'request')

export function whyNoWorker(endpoint: Settings): string {
  const after = `stops after ${duration(endpoint.idleTimeoutMs)} without one`
  return whyNoWorkerStarts(endpoint) ?? `Idle: a worker starts when a ${workOf(endpoint)} arrives, and ${after}.`
}

export function whyNoWorkerStarts(endpoint: Settings): string | undefined {
  const { paused, workersMax, workersMin, inQueue, waitingReason, throttledReason } = endpoint
  if (paused) return 'The endpoint is paused: no worker starts until it is resumed.'
  if (workersMax === 0) return 'The endpoint has a maximum of 0 workers. Raise it in its settings.'
  if (throttledReason !== undefined) return `No worker can start: ${throttledReason}.`
  if (inQueue > 0) return waitingReason ?? 'A worker is about to start.'
  if (workersMin > 0) return waitingReason ?? 'A worker is about to start: the endpoint always keeps one.'
  return undefined
}

export function whatStopDoes(jobs: number): string {
  const may = jobs === 1 ? 'It may finish' : 'They may finish'
  return `It runs ${counted(jobs, 'job')}. ${may} within the grace time of its endpoint; what has not ended by then goes back to the queue, which does not count as a retry.`
}

/** Working directory of an endpoint's worker processes; undefined means the service's. */
export function processFolder({ cwd, handler }: Pick<LiveEndpoint, 'cwd' | 'handler'>): string | undefined {
  return cwd ?? handler?.replace(/[\\/][^\\/]*$/, '')
}
