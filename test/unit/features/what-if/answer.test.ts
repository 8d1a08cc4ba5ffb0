import { describe, expect, it } from 'vitest'
import { endpointConfig } from '../../../../src-main/contract/endpoint.ts'
import { limit } from '../../../../src-main/contract/limits.ts'
import { WHAT_IF_ROUTES, type WhatIfAnswer } from '../../../../src-main/contract/what-if.ts'
import { answerWhatIf } from '../../../../src-main/features/what-if/rules/answer.ts'
import {
  measure,
  type RecordedJob,
  type RecordedWorkerEvent,
} from '../../../../src-main/features/what-if/rules/measure.ts'

const CONFIG = endpointConfig.parse({ name: 'x', handler: '/x.py', workersMax: 2 })
const STEADY = { type: 'steady', perSecond: 1, durationMs: 600_000 }
const KNOWN = { coldStartMs: 3000, executionMs: 500 }

/** A job that came at `at`, waited, ran, and ended. */
function recorded(at: number, { delayMs = 0, executionMs = 100, workerId = 'w', lostAfterMs = [] as number[] } = {}) {
  const finishedAt = at + delayMs + executionMs
  return {
    createdAt: at,
    finishedAt,
    delayMs,
    executionMs,
    workerId,
    lowPriority: 0,
    priority: 0,
    lostAfterMs,
  } as const
}

function ask(
  request: object,
  { jobs = [], workers = [] }: { jobs?: readonly RecordedJob[]; workers?: readonly RecordedWorkerEvent[] } = {},
) {
  const parsed = WHAT_IF_ROUTES.whatIf.body.parse({ load: STEADY, ...request })
  const history = { jobs, workers }
  return answerWhatIf({ config: CONFIG, request: parsed, history, recorded: jobs, slots: 100 })
}

function answered(...asked: Parameters<typeof ask>): WhatIfAnswer {
  const result = ask(...asked)
  if ('problem' in result) throw new Error(result.problem.why)
  return WHAT_IF_ROUTES.whatIf.response.parse(result.answer)
}

describe('an answer', () => {
  it('has the current setting first and others around it, with a frontier that falls', () => {
    const { rows } = answered(KNOWN)
    expect(rows[0]).toMatchObject({ isPresent: true, setting: { workersMax: 2, idleTimeoutMs: 5000 } })
    expect(rows.filter(({ isPresent }) => isPresent)).toHaveLength(1)
    const frontier = rows.filter(({ onFrontier }) => onFrontier).toSorted((a, b) => a.workerSeconds - b.workerSeconds)
    expect(frontier.length).toBeGreaterThan(1)
    const waits = frontier.map(({ waiting }) => waiting?.p95 ?? 0)
    expect(waits).toEqual(waits.toSorted((a, b) => b - a))
    expect(
      rows.every(({ course, onFrontier, isPresent }) => (course !== undefined) === (onFrontier || isPresent)),
    ).toBe(true)
  })

  it('combines the values to try, without a minimum above the maximum', () => {
    const { rows } = answered({ ...KNOWN, vary: { workersMin: [0, 3], workersMax: [2, 4] } })
    expect(rows.map(({ setting: { workersMin, workersMax } }) => `${workersMin} to ${workersMax}`).sort()).toEqual([
      '0 to 2',
      '0 to 4',
      '3 to 4',
    ])
  })

  it('prices workers of the minimum apart, and names the missing price', () => {
    const prices = [{ card: 'A', perSecond: 1, alwaysOnPerSecond: 0.5 }]
    const { rows } = answered({ ...KNOWN, prices, card: 'A', vary: { workersMin: [0, 1], workersMax: [1] } })
    const always = rows.find(({ setting }) => setting.workersMin === 1)
    expect(always?.cost).toBeCloseTo((always?.workerSeconds ?? 0) / 2)
    const flex = rows.find(({ setting }) => setting.workersMin === 0)
    expect(flex?.cost).toBeCloseTo(flex?.workerSeconds ?? 0)
    expect(answered(KNOWN).notes.join()).toMatch(/No GPU price is set/)
    expect(ask({ ...KNOWN, prices, card: 'B' })).toMatchObject({ problem: { field: 'card' } })
    expect(ask({ ...KNOWN, prices, card: 'A', vary: { card: ['B'] } })).toMatchObject({
      problem: { field: 'vary.card' },
    })
  })

  it('lets a quicker card run jobs quicker', () => {
    const prices = [
      { card: 'A', perSecond: 1 },
      { card: 'B', perSecond: 3, speed: 4 },
    ]
    const { rows } = answered({ ...KNOWN, prices, card: 'A', vary: { card: ['A', 'B'] } })
    const [a, b] = ['A', 'B'].map((card) => rows.find(({ setting }) => setting.card === card))
    expect(b?.workerSeconds).toBeLessThan(a?.workerSeconds ?? 0)
  })

  it('says what is missing where nothing was measured', () => {
    expect(ask({ executionMs: 500 })).toMatchObject({ problem: { field: 'coldStartMs' } })
    expect(ask({ coldStartMs: 500 })).toMatchObject({ problem: { field: 'executionMs' } })
    expect(ask({ ...KNOWN, load: { type: 'recorded', from: 0, to: 1 } })).toMatchObject({ problem: { field: 'load' } })
    const trace = { type: 'trace', text: '{"at": 1}\n{"at"' }
    expect(ask({ ...KNOWN, load: trace })).toMatchObject({
      problem: { field: 'load.text', why: expect.stringContaining('line 2') },
    })
  })

  it('simulates at most so many jobs, and so many jobs times settings', () => {
    const perSecond = limit('whatIfJobs') / 1000
    const load = (rate: number) => ({ type: 'steady', perSecond: rate, durationMs: 1_000_000 })
    expect(ask({ ...KNOWN, load: load(perSecond + 1) })).toMatchObject({ problem: { field: 'load' } })
    const twenty = Array.from({ length: limit('whatIfValues') }, (_, n) => n + 1)
    const vary = { workersMax: twenty, idleTimeoutMs: twenty, concurrency: twenty }
    expect(ask({ ...KNOWN, vary })).toMatchObject({ problem: { field: 'vary' } })
    expect(() => ask({ ...KNOWN, vary: { workersMax: [...twenty, 21] } })).toThrow()
  })

  it('replays what was recorded with what was measured', () => {
    const jobs = Array.from({ length: 10 }, (_, n) => recorded(1000 + n * 10_000))
    const workers = [
      { at: 500, workerId: 'w', state: 'initializing' },
      { at: 1500, workerId: 'w', state: 'idle' },
      { at: 9000, workerId: 'w', state: 'stopping' },
      { at: 9200, workerId: 'w', state: 'ended' },
    ] as const
    const {
      jobs: count,
      measured,
      rows,
    } = answered({ load: { type: 'recorded', from: 0, to: 120_000 }, vary: {} }, { jobs, workers })
    expect(count).toBe(10)
    expect(measured).toMatchObject({ coldStartMs: { p50: 1000, from: 'history' }, stopMs: { p50: 200 } })
    // Each job comes after the worker of the one before has left.
    expect(rows[0]).toMatchObject({ coldStarts: 10, coldShare: 1, waiting: { p50: 1000, p95: 1000 } })
  })
})

describe('what is measured', () => {
  it('is how much jobs slow each other, and how long one runs alone', () => {
    const alone = Array.from({ length: 5 }, (_, n) => recorded(n * 1000, { executionMs: 100 }))
    const pairs = Array.from({ length: 6 }, (_, n) => [
      recorded(100_000 + n * 1000, { executionMs: 100 }),
      recorded(100_010 + n * 1000, { executionMs: 150 }),
    ]).flat()
    const { slowdown, aloneMs } = measure([...alone, ...pairs], [])
    expect(slowdown).toEqual([1, 1.5])
    expect(aloneMs.at(-1)).toBe(100)
  })

  it('is how long a worker takes from one job to the next that waits', () => {
    const jobs = Array.from({ length: 8 }, (_, n) => recorded(n, { delayMs: n * 102, executionMs: 99 }))
    expect(measure(jobs, []).turnaroundMs).toBe(4)
  })

  it('is how often and after how long workers were lost', () => {
    const jobs = [recorded(0, { lostAfterMs: [40] }), recorded(1000), recorded(2000)]
    expect(measure(jobs, [])).toMatchObject({ lostShare: 0.25, lostAfterMs: [40] })
  })
})
