import { describe, expect, it } from 'vitest'
import { initializingLimitMs } from '../../../../src-main/contract/endpoint.ts'
import { limit } from '../../../../src-main/contract/limits.ts'
import { decideFreezing } from '../../../../src-main/features/workers/rules/freeze-idle.ts'
import { readUnsentResult } from '../../../../src-main/features/workers/rules/log-lines.ts'

const REST = limit('freezeIdleMs')
const NOW = 100_000
const idle = (id: string, sinceMs: number, more: object = {}) => ({
  id,
  idleSince: NOW - sinceMs,
  thawedAt: undefined,
  frozen: false,
  ...more,
})
const facts = { enabled: true, waiting: 0, concurrency: 1, now: NOW }

describe('who is frozen', () => {
  it('are those that had no job for the rest time, and it is said when the next one is due', () => {
    const workers = [idle('a', REST), idle('b', REST - 1), idle('c', 5 * REST, { thawedAt: NOW - 10 })]
    expect(decideFreezing({ ...facts, workers })).toEqual({ freeze: ['a'], thaw: [], nextCheckAt: NOW + 1 })
  })

  it('is nobody while a job waits, and as many go on as it takes, those frozen last first', () => {
    const workers = [idle('a', 9 * REST, { frozen: true }), idle('b', 5 * REST, { frozen: true }), idle('c', REST)]
    const decision = { freeze: [], nextCheckAt: undefined }
    expect(decideFreezing({ ...facts, waiting: 1, workers })).toEqual({ ...decision, thaw: ['b'] })
    expect(decideFreezing({ ...facts, waiting: 3, concurrency: 2, workers })).toEqual({ ...decision, thaw: ['b', 'a'] })
    expect(decideFreezing({ ...facts, enabled: false, workers })).toEqual({ ...decision, thaw: ['b', 'a'] })
  })
})

describe('how long a start may take', () => {
  const settings = (value?: string) => ({
    env: value === undefined ? {} : { RUNPOD_INIT_TIMEOUT: value },
    initializingTimeoutMs: 420_000,
  })
  const most = limit('initTimeoutMaxMs')

  it.each([
    [undefined, 420_000],
    ['800', 800_000],
    ['1.5', 1500],
    [' 30 ', 30_000],
    [String(most / 1000 - 1), most - 1000],
    [String(most / 1000), most],
    [String(most / 1000 + 1), most],
    ['', 420_000],
    ['0', 420_000],
    ['-5', 420_000],
    ['soon', 420_000],
  ])('is %j s of RUNPOD_INIT_TIMEOUT: %d ms', (value, ms) => {
    expect(initializingLimitMs(settings(value))).toBe(ms)
  })
})

describe('a line of the public SDK about the result of a job', () => {
  it.each([
    ['Error while returning job result. | Object of type set is not JSON serializable', 'unsent'],
    ['Error handling job: Circular reference detected', 'done'],
    ['Finished.', 'done'],
    ['Generator output: 1', 'yielded'],
    ['Async Generator output: 1', 'yielded'],
    ['Failed to return job results. | 503', undefined],
    ['Finished running generator.', undefined],
  ])('%j is read as %s', (line, kind) => {
    expect(readUnsentResult(line)?.kind).toBe(kind)
  })
})
