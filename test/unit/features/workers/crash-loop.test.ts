import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { evaluateCrashLoop, type WorkerExit } from '../../../../src-main/features/workers/rules/crash-loop.ts'

const crash = (at: number, fields: Partial<WorkerExit> = {}): WorkerExit => ({
  at,
  livedMs: 2000,
  becameReady: false,
  jobsDone: 0,
  ordered: false,
  reason: "ModuleNotFoundError: No module named 'torch'",
  ...fields,
})

describe('crash loop', () => {
  it('the first crash waits 1 s and tells how long the worker lived', () => {
    expect(evaluateCrashLoop([crash(10_000)], 10_000)).toEqual({
      backOffUntil: 11_000,
      reason: "worker failed 2 s after its start: ModuleNotFoundError: No module named 'torch'",
      count: 1,
      since: 8000,
      lastAt: 10_000,
      lastWords: "ModuleNotFoundError: No module named 'torch'",
      needsChange: false,
    })
  })

  it('three crashes wait 4 s and are summarized in one sentence', () => {
    expect(evaluateCrashLoop([crash(2000), crash(11_000), crash(20_000)], 20_000)).toEqual({
      backOffUntil: 24_000,
      reason: "worker failed 3 times within 20 s: ModuleNotFoundError: No module named 'torch'",
      count: 3,
      since: 0,
      lastAt: 20_000,
      lastWords: "ModuleNotFoundError: No module named 'torch'",
      needsChange: true,
    })
  })

  it('a worker that failed after it had done jobs counts with the crashes that follow, and delays nothing', () => {
    const served = { becameReady: true, jobsDone: 5, livedMs: 3_600_000, reason: 'exit code 3', code: 3 }
    const next = crash(4_003_000, { becameReady: true, reason: 'exit code 3', code: 3 })
    const after = (fields: Partial<WorkerExit>) =>
      evaluateCrashLoop([crash(4_000_000, { ...served, ...fields }), next], 4_003_000)
    expect(after({})).toMatchObject({
      count: 2,
      reason: 'worker failed 2 times within 3 s: exit code 3',
      since: 4_000_000,
      backOffUntil: 4_004_000,
    })
    expect(after({ code: 0 })).toMatchObject({ count: 1 })
    expect(after({ ordered: true })).toMatchObject({ count: 1 })
  })

  it('crashes over minutes are reported in minutes', () => {
    const reason = (at: number) => evaluateCrashLoop([crash(2000), crash(at)], at)?.reason
    expect(reason(119_999)).toContain('2 times within 120 s: ')
    expect(reason(120_000)).toContain('2 times within 2 min: ')
    expect(reason(524_000)).toContain('2 times within 9 min: ')
  })

  it('the delay doubles with each crash and ends at 60 s', () => {
    const delays = Array.from({ length: 10 }, (_, n) => {
      const exits = Array.from({ length: n + 1 }, (_unused, k) => crash(k * 1000, { livedMs: 500 }))
      return (evaluateCrashLoop(exits, n * 1000)?.backOffUntil ?? 0) - n * 1000
    })
    expect(delays).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000, 60_000])
  })

  const ready = { becameReady: true }
  it.each([
    ['was never ready, however long it lived', { livedMs: 300_000 }, true],
    ['was ready for 19,999 ms without a job done', { ...ready, livedMs: 19_999 }, true],
    ['was ready and lived 20,000 ms', { ...ready, livedMs: 20_000 }, false],
    ['was ready and lived 20,001 ms', { ...ready, livedMs: 20_001 }, false],
    ['did a job and ended soon', { ...ready, livedMs: 100, jobsDone: 1 }, false],
    ['was told to leave', { ordered: true }, false],
  ])('a worker that %s', (_what, fields, isCrash) => {
    expect(evaluateCrashLoop([crash(1000, fields)], 1000) !== undefined).toBe(isCrash)
  })

  it('a worker that did a job ends the story of the crashes before it', () => {
    const exits = [crash(1000), crash(3000), crash(9000, { becameReady: true, jobsDone: 1 }), crash(12_000)]
    expect(evaluateCrashLoop(exits, 12_000)?.backOffUntil).toBe(13_000)
  })

  it('a worker that did a job and was told to leave ends the story too, one without a job does not', () => {
    const left = { ordered: true, becameReady: true }
    expect(evaluateCrashLoop([crash(1000), crash(3000, { ...left, jobsDone: 1 })], 4000)).toBeUndefined()
    expect(evaluateCrashLoop([crash(1000), crash(3000, left)], 3000)?.backOffUntil).toBe(2000)
  })

  it('a ready worker that lived long and was told to leave ends the story, also without a job', () => {
    const left = { ordered: true, becameReady: true }
    expect(evaluateCrashLoop([crash(1000), crash(30_000, { ...left, livedMs: 19_999 })], 30_000)?.count).toBe(1)
    expect(evaluateCrashLoop([crash(1000), crash(30_000, { ...left, livedMs: 20_000 })], 30_000)).toBeUndefined()
  })

  it('crashes of workers that never got ready are remembered until something changes', () => {
    expect(evaluateCrashLoop([crash(0), crash(5000, { ordered: true })], 600_001)?.count).toBe(1)
  })

  it('a crash of long ago of a worker that had been ready is forgotten', () => {
    const wasReady = { becameReady: true, livedMs: 500 }
    expect(evaluateCrashLoop([crash(0, wasReady)], 600_000)?.backOffUntil).toBe(1000)
    expect(evaluateCrashLoop([crash(0, wasReady)], 600_001)).toBeUndefined()
    expect(evaluateCrashLoop([crash(0), crash(900_000)], 900_000)?.backOffUntil).toBe(901_000)
  })

  it.each<[string, readonly WorkerExit[], boolean]>([
    ['two crashes', [crash(1), crash(2)], false],
    ['three with the same last words', [crash(1), crash(2), crash(3)], true],
    [
      'three that differ in numbers alone',
      ['port 8123 is taken', 'port 45001 is taken', 'port 8 is taken'].map((reason, at) => crash(at, { reason })),
      true,
    ],
    ['other last words among the latest three', [crash(1), crash(2, { reason: 'OOM' }), crash(3)], false],
    ['other last words before those', [crash(1, { reason: 'OOM' }), crash(2), crash(3), crash(4)], true],
    ['one that was ready', [crash(1), crash(2), crash(3, { becameReady: true, livedMs: 1 })], false],
    ['a program that is not found', [crash(1, { code: 127 })], true],
    ['a program that may not be run', [crash(1, { code: 126 })], true],
    ['another exit code', [crash(1, { code: 1 })], false],
  ])('%s', (_what, exits, needsChange) => {
    expect(evaluateCrashLoop(exits, 5)?.needsChange).toBe(needsChange)
  })

  it('no exits, no crash loop', () => {
    expect(evaluateCrashLoop([], 5)).toBeUndefined()
  })

  it('one more crash never shortens the wait, and no wait is longer than 60 s', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2000 }), fc.integer({ min: 0, max: 19_999 }), (count, livedMs) => {
        const exits = Array.from({ length: count + 1 }, (_, n) => crash((n + 1) * 20_000, { livedMs }))
        const waits = [exits.slice(0, -1), exits].map((some) => {
          const at = some.at(-1)?.at ?? 0
          return (evaluateCrashLoop(some, at)?.backOffUntil ?? at) - at
        })
        expect(waits[1]).toBeGreaterThanOrEqual(waits[0] ?? 0)
        expect(waits[1]).toBeLessThanOrEqual(60_000)
      }),
    )
  })
})
