import { describe, expect, test } from 'vitest'
import type { MetricsPoint } from '../../../../src-main/contract/management.ts'
import {
  endpointHealth,
  failureRate,
  type HealthFacts,
} from '../../../../src-main/features/endpoints/rules/endpoint-health.ts'

const execution = { p50: 120, p90: 800, p99: 1400, count: 1 }
const counts = { submitted: 0, retried: 0, coldStarts: 0, execution }
const point = (completed: number, failed: number): MetricsPoint => ({
  ...counts,
  ...{ at: 0, inQueue: 0, inProgress: 0, workers: {} },
  most: { inQueue: 0, inProgress: 0, ready: 0, starting: 0, unhealthy: 0 },
  completed,
  failed,
})

/** Figures of points with completed and failed jobs, oldest first. */
function stats(...ended: readonly (readonly [completed: number, failed: number])[]): HealthFacts['stats'] {
  const sum = (at: 0 | 1) => ended.reduce((all, one) => all + one[at], 0)
  const totals = { ...counts, completed: sum(0), failed: sum(1) }
  return { totals, points: ended.map(([completed, failed]) => point(completed, failed)), range: 'hour' }
}

const FACTS: HealthFacts = {
  ...{ state: 'ready', inQueue: 0, inProgress: 0, loadBalanced: false },
  ...{ waitingReason: undefined, throttledReason: undefined, brokenReason: undefined, lastError: undefined },
  stats: stats([40, 0]),
}

const COMPLETED = '40 jobs completed in the last hour, half of them within 120 ms, 99 % within 1.4 s.'
const NOTHING_ENDED = 'No job ended in the last hour.'
const BUSY = { state: 'running', inQueue: 2, waitingReason: 'All workers are busy' } as const
const NO_GPU = { state: 'waiting', inQueue: 1, waitingReason: 'It needs 1 GPU, 0 are free' } as const

describe('whether an endpoint is healthy', () => {
  test.each<[string, Partial<HealthFacts>, string]>([
    ['all completed', {}, `good Healthy: ${COMPLETED}`],
    ['one completed', { stats: stats([1, 0]) }, 'good Healthy: 1 job completed in the last hour.'],
    [
      'most failed',
      { stats: stats([6, 36], [0, 1]), lastError: 'RuntimeError: out of memory' },
      'bad Failing: 37 jobs failed and 6 completed in the last hour. Latest error: RuntimeError: out of memory.',
    ],
    [
      'few failed',
      { stats: stats([40, 2], [1, 1]) },
      'warning Some failures: 3 jobs failed and 41 completed in the last hour.',
    ],
    [
      'it failed and completes again',
      { stats: stats([0, 37], [0, 0], [2, 0]) },
      'good Recovered: The newest jobs completed. 37 jobs failed and 2 completed in the last hour.',
    ],
    ['nothing ended', { stats: stats() }, `resting Idle: ${NOTHING_ENDED} A worker is ready for the next one.`],
    [
      'nothing ended and no worker is ready',
      { stats: stats(), state: 'asleep', loadBalanced: true },
      'resting Idle: No request ended in the last hour. A worker starts with the next one.',
    ],
    [
      'the first one runs',
      { stats: stats(), state: 'running', inProgress: 1 },
      `busy Running: ${NOTHING_ENDED} 1 job in progress.`,
    ],
    [
      'it is paused',
      { state: 'paused', inQueue: 2 },
      'warning Paused: 2 jobs wait. The endpoint is paused. Resume it to continue.',
    ],
    [
      'it is closed',
      { state: 'closed' },
      'warning Closed: Its maximum number of workers is 0: raise it in its settings.',
    ],
    ['workers crash', { state: 'crashing' }, 'bad Crashing: Its workers keep crashing.'],
    [
      'no worker answers',
      { state: 'unhealthy', inQueue: 1, waitingReason: 'Its worker does not answer.' },
      'bad Unhealthy: 1 job waits. Its worker does not answer.',
    ],
    ['a job waits for a place', NO_GPU, 'warning Waiting: 1 job waits. It needs 1 GPU, 0 are free.'],
    ['workers are busy', BUSY, `good Healthy: ${COMPLETED} 2 jobs wait. All workers are busy.`],
    [
      'workers are busy with what fails',
      { ...BUSY, stats: stats([0, 9]) },
      'bad Failing: 9 jobs failed and none completed in the last hour. 2 jobs wait. All workers are busy.',
    ],
    [
      'a worker finds no place',
      { state: 'throttled', throttledReason: 'no Docker' },
      'warning Throttled: No worker can start: no Docker.',
    ],
    [
      'the endpoint behind a graph is gone',
      { state: 'broken', brokenReason: 'endpoint sketch was deleted.' },
      'bad Broken: It cannot run: endpoint sketch was deleted.',
    ],
  ])('where %s', (_what, facts, said) => {
    const health = endpointHealth({ ...FACTS, ...facts })
    expect(`${health?.level} ${health?.text}: ${health?.reason}`).toBe(said)
  })

  test('is not said before its figures have come, unless it shows without them', () => {
    const early = { ...FACTS, stats: undefined }
    expect(endpointHealth(early)).toBeUndefined()
    expect(endpointHealth({ ...early, state: 'paused' })?.text).toBe('Paused')
    expect(endpointHealth({ ...early, ...BUSY })).toMatchObject({
      level: 'busy',
      reason: '2 jobs wait. All workers are busy.',
    })
  })
})

test('the failure rate is of what ended', () => {
  expect(failureRate({ completed: 6, failed: 37 })).toBeCloseTo(0.86, 2)
  expect(failureRate({ completed: 0, failed: 0 })).toBeUndefined()
})
