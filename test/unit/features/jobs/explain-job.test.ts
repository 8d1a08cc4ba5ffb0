import { expect, test } from 'vitest'
import { type ExplainedJob, explainJob } from '../../../../src-main/features/jobs/rules/explain-job.ts'

const NOW = 100_000

/** Explains a job that was queued a minute ago. */
function explain(job: Partial<ExplainedJob> & Pick<ExplainedJob, 'status'>): readonly string[] {
  return explainJob({ createdAt: 40_000, history: [], deliveries: [], workerEvents: [], now: NOW, ...job })
}

const move = (at: number, event: string, to: ExplainedJob['status'], reason?: string) => ({
  ...{ at, event, to, workerId: 'w1' },
  ...(reason === undefined ? {} : { reason }),
})

test('a job that waits says for how long and why', () => {
  expect(explain({ status: 'IN_QUEUE', waitingReason: 'The only worker is busy' })).toEqual([
    'It has waited in the queue for 1 min. The only worker is busy.',
  ])
})

test('a job that failed says the error, else the reason of its end', () => {
  expect(explain({ status: 'FAILED', error: 'ValueError: no' })).toEqual(['It failed: ValueError: no.'])
  const history = [move(50_000, 'exceedExecution', 'FAILED', 'it ran longer than its executionTimeout')]
  expect(explain({ status: 'FAILED', history })).toEqual(['It failed: it ran longer than its executionTimeout.'])
  const begun = [move(45_000, 'claim', 'IN_PROGRESS'), ...history]
  expect(explain({ status: 'FAILED', history: begun, error: 'executionTimeout exceeded' })).toEqual([
    'It timed out: it ran longer than its executionTimeout.',
  ])
})

test('a job that timed out before it began says so, another one does not', () => {
  const end = move(50_000, 'expire', 'TIMED_OUT', 'its ttl of 10000 ms passed while it waited')
  expect(explain({ status: 'TIMED_OUT', history: [end] })[0]).toMatch(
    /^It timed out: its ttl of 10000 ms passed while it waited\. It never started:/,
  )
  const begun = [move(45_000, 'claim', 'IN_PROGRESS'), end]
  expect(explain({ status: 'TIMED_OUT', history: begun })).toEqual([
    'It timed out: its ttl of 10000 ms passed while it waited.',
  ])
})

test('lost workers are counted with their reasons', () => {
  const history = [
    move(41_000, 'claim', 'IN_PROGRESS'),
    move(42_000, 'rescue', 'IN_QUEUE', 'worker exited: out of memory'),
    move(43_000, 'claim', 'IN_PROGRESS'),
    move(44_000, 'abandon', 'FAILED', 'worker exited: out of memory'),
  ]
  expect(explain({ status: 'FAILED', error: 'out of memory', retries: 1, history })[1]).toBe(
    'Its worker was lost 2 times (1 retry): worker exited: out of memory.',
  )
})

test.each([
  [999, []],
  [1000, [expect.stringMatching(/^Of the 1\.0 s in the queue, 1\.0 s were the cold start of its worker/)]],
])('of a wait of %i ms the cold start is named from a second on', (waited, sentences) => {
  const history = [move(40_000 + waited, 'claim', 'IN_PROGRESS')]
  const workerEvents = [{ at: 40_000, event: 'initializing', workerId: 'w1' }]
  expect(explain({ status: 'COMPLETED', history, workerEvents }).slice(1)).toEqual(sentences)
})

test('a worker that was there before is no cold start', () => {
  const history = [move(60_000, 'claim', 'IN_PROGRESS')]
  const workerEvents = [{ at: 60_000, event: 'idle', workerId: 'other' }]
  expect(explain({ status: 'COMPLETED', history, workerEvents })).toHaveLength(1)
  expect(explain({ status: 'COMPLETED', warnings: ['1 of 2 chunks could not be sent: bytes.'] }).slice(1)).toEqual([
    '1 of 2 chunks could not be sent: bytes.',
  ])
})

test('a webhook that was not delivered says why, and whether it is tried again', () => {
  const failed = { state: 'failed', attempts: 3, lastError: 'connect ECONNREFUSED' } as const
  const pending = { state: 'pending', attempts: 1, lastError: 'the target answered 403, not 200' } as const
  const fine = { state: 'delivered', attempts: 1 } as const
  expect(explain({ status: 'COMPLETED', deliveries: [failed, pending, fine] }).slice(1)).toEqual([
    'Its webhook was not delivered in 3 tries, no further try: connect ECONNREFUSED.',
    'Its webhook was not delivered in 1 try, it is tried again: the target answered 403, not 200.',
  ])
})
