import { describe, expect, it } from 'vitest'
import { endpointConfig } from '../../../../src-main/contract/endpoint.ts'
import { expectStart, type StartFacts, startWords } from '../../../../src-main/features/jobs/rules/expected-start.ts'
import type { ScalingFacts, ScalingWorker } from '../../../../src-main/features/workers/rules/scaling-facts.ts'

const NOW = 100_000

const worker = (id: string, state: ScalingWorker['state'], more: Partial<ScalingWorker> = {}): ScalingWorker => ({
  ...{ id, state, startedAt: 0, jobs: state === 'running' ? 1 : 0, outdated: false, ...more },
})

function ask({
  workers = [],
  config = {},
  scaling = {},
  ...facts
}: Partial<Omit<StartFacts, 'scaling'>> & {
  readonly workers?: readonly ScalingWorker[]
  readonly config?: object
  readonly scaling?: Partial<ScalingFacts>
}) {
  const whole = endpointConfig.parse({ name: 'x', handler: '/x.py', workersMax: 1, ...config })
  const queue = { normal: 10, lowPriority: 0, inProgress: 0, oldestNormalWaitMs: 0 }
  return expectStart({
    scaling: { config: whole, paused: false, stopping: false, queue, workers, freeSlots: 0, now: NOW, ...scaling },
    ...{ lowPriority: false, before: 0, more: false, runningSince: new Map(), turnaroundMs: 0 },
    ...{ executionMs: [1000], coldStartMs: [5000] },
    ...facts,
  })
}

const from = (facts: Parameters<typeof ask>[0]) => {
  const { expected } = ask(facts)
  return expected && Math.round(expected.at - NOW)
}

describe('a job is expected to start', () => {
  it('now at a worker that is free', () => {
    expect(from({ workers: [worker('a', 'idle')] })).toBe(0)
  })

  it('when the jobs ahead of it are done, one after the other', () => {
    expect(from({ workers: [worker('a', 'idle')], before: 12 })).toBe(12_000)
    expect(from({ workers: [worker('a', 'idle'), worker('b', 'idle')], before: 12 })).toBe(6000)
    expect(from({ workers: [worker('a', 'idle')], config: { concurrency: 4 }, before: 12 })).toBe(3000)
  })

  it('after what is left of the job that runs', () => {
    const runningSince = new Map([['a', [NOW - 400]]])
    expect(from({ workers: [worker('a', 'running')], runningSince })).toBe(600)
    expect(from({ workers: [worker('a', 'running')], runningSince, before: 2 })).toBe(2600)
  })

  it('after what is left of a start, and after a whole one where a worker comes', () => {
    expect(from({ workers: [worker('a', 'initializing', { startedAt: NOW - 2000 })] })).toBe(3000)
    expect(from({ scaling: { freeSlots: 1 } })).toBe(5000)
  })

  it('sooner where the rules of scaling add workers while it waits', () => {
    const config = { workersMax: 2, scaler: { type: 'QUEUE_DELAY', value: 4 } }
    const alone = from({ workers: [worker('a', 'idle')], before: 40 })
    const grown = from({ workers: [worker('a', 'idle')], before: 40, config, scaling: { freeSlots: 1 } })
    expect(alone).toBe(40_000)
    expect(grown).toBeGreaterThan(20_000)
    expect(grown).toBeLessThan(27_000)
  })

  it('within a range that grows with how much jobs differ', () => {
    const { expected } = ask({ workers: [worker('a', 'idle')], before: 9, executionMs: [500, 1500] })
    expect(expected && [expected.from, expected.at, expected.to].map((at) => Math.round(at - NOW))).toEqual([
      7080, 9000, 10_920,
    ])
  })
})

describe('how it was computed', () => {
  it('is described in a sentence', () => {
    expect(
      ask({ workers: [worker('a', 'idle'), worker('b', 'idle')], before: 12, executionMs: [3000, 3200] }).how,
    ).toBe('2 workers, 3.1 s each (average of the last 2 jobs).')
    expect(ask({ scaling: { freeSlots: 1 } }).how).toBe(
      '1 worker, 1 of them not ready yet (a start takes 5.0 s), 1.0 s each (average of the last 1 job).',
    )
  })

  for (const [what, facts, why] of [
    [
      'no job has ended',
      { workers: [worker('a', 'running')], executionMs: [], runningSince: new Map([['a', [NOW]]]) },
      /no job of this endpoint has ended/,
    ],
    [
      'no start was seen',
      { scaling: { freeSlots: 1 }, coldStartMs: [] },
      /no cold start of this endpoint was measured/,
    ],
    ['it is paused', { blocked: 'The endpoint is paused.' }, /: The endpoint is paused\.$/],
    ['nothing runs for low priority', { lowPriority: true }, /low priority starts no worker/],
    ['there is no room', { scaling: { noCapacityReason: 'all GPUs are in use' } }, /all GPUs are in use/],
    ['too many are ahead of it', { before: 50_000, more: true }, /too many jobs are ahead of it/],
  ] as const) {
    it(`is why it cannot be said: ${what}`, () => {
      const { expected, how } = ask(facts)
      expect(expected).toBe(undefined)
      expect(how).toMatch(why)
    })
  }
})

it.each([
  ['in 5.0 s, between 3.0 s and 9.0 s', [5000, 3000, 9000]],
  ['in 5.0 s', [5000, 5000, 5000]],
  ['in 200 ms, between 0 ms and 900 ms', [200, -400, 900]],
  ['now', [0, 0, 0]],
  ['now', [-5000, -9000, -1000]],
] as const)('is written as "%s"', (words, [at, from, to]) => {
  expect(startWords({ at: NOW + at, from: NOW + from, to: NOW + to }, NOW)).toBe(words)
})
