import { describe, expect, it } from 'vitest'
import { createTally, evaluateResponse } from '../../../../src-main/features/load-tests/rules.ts'

const answered = (status: number, value: unknown) => ({
  ms: 5,
  status,
  text: typeof value === 'string' ? value : JSON.stringify(value),
  error: undefined,
})

describe('an answer in a load test', () => {
  it('is well when the job has ended well, with its spans', () => {
    const record = { id: 'x', status: 'COMPLETED', delayTime: 3, executionTime: 40 }
    expect(evaluateResponse('runsync', answered(200, record))).toEqual({
      status: 200,
      latencyMs: 5,
      delayMs: 3,
      executionMs: 40,
      error: undefined,
    })
  })

  it.each<
    [what: string, operation: 'run' | 'runsync' | 'request', status: number, body: unknown, error: RegExp | undefined]
  >([
    ['a job that failed', 'runsync', 200, { status: 'FAILED', error: 'no face\nat line 1' }, /^Job FAILED: no face$/],
    [
      'a job that raised',
      'runsync',
      200,
      { status: 'FAILED', error: JSON.stringify({ error_type: "<class 'a.b.Odd'>", error_message: 'no\nface' }) },
      /^Job FAILED: Odd: no$/,
    ],
    ['a job that has not ended', 'runsync', 200, { status: 'IN_PROGRESS' }, /^The job had not ended/],
    ['a queued job', 'run', 200, { status: 'IN_QUEUE' }, undefined],
    ['an answer too long to be looked into', 'runsync', 200, '{"status":"COMPL', undefined],
    ['a refusal of the service', 'run', 429, { error: 'Too many.' }, /^429: Too many\.$/],
    ['a refusal of a worker', 'request', 502, 'bad\ngateway', /^502: bad$/],
    ['any answer of a worker that is well', 'request', 204, '', undefined],
    ['a text of a worker with the word FAILED', 'request', 200, { status: 'FAILED' }, undefined],
  ])('tells %s', (_what, operation, status, body, error) => {
    const outcome = evaluateResponse(operation, answered(status, body))
    if (error === undefined) expect(outcome.error).toBe(undefined)
    else expect(outcome.error).toMatch(error)
  })

  it('that never came says why', () => {
    const none = { ms: 1, status: undefined, text: '', error: 'No response arrived: refused.' }
    expect(evaluateResponse('run', none)).toMatchObject({ status: undefined, error: 'No response arrived: refused.' })
  })
})

describe('the count of a load test', () => {
  it('holds figures of what came, and none of what did not', () => {
    const tally = createTally()
    for (const latencyMs of [10, 10, 10, 10, 10, 10, 10, 10, 10, 100])
      tally.add({ status: 200, latencyMs, executionMs: latencyMs / 2, error: undefined })
    const { latency, execution, delay, ...rest } = tally.result(1234)
    expect(rest).toEqual({ elapsedMs: 1234, done: 10, failed: 0, statuses: { 200: 10 }, errors: [] })
    expect(latency).toMatchObject({ count: 10, mean: 19, max: 100 })
    expect(latency?.p50).toBeGreaterThanOrEqual(10)
    expect(latency?.p50).toBeLessThanOrEqual(11)
    expect(latency?.p99).toBe(100)
    expect(execution).toMatchObject({ count: 10, max: 50 })
    expect(delay).toBe(undefined)
  })

  it('groups errors that differ in ids alone, most frequent first', () => {
    const tally = createTally()
    const add = (error: string) => tally.add({ status: 502, latencyMs: 1, error })
    add('other')
    add('Worker abc123def456gh died of 01a1fe31-0b50-79e9-917f-77fd85894c9b-l1')
    add('Worker zyx987wvu654ts died of 02a1fe31-0b50-79e9-917f-77fd85894c9b-l1')
    expect(tally.result(1).errors).toEqual([
      { text: 'Worker # died of #', count: 2 },
      { text: 'other', count: 1 },
    ])
  })

  it('does not grow with the number of kinds of errors', () => {
    const tally = createTally()
    for (let kind = 0; kind < 500; kind++)
      tally.add({ status: undefined, latencyMs: 1, error: `error ${'x'.repeat(kind)}` })
    const { errors, statuses, failed } = tally.result(1)
    expect({ kinds: errors.length, statuses, failed }).toEqual({ kinds: 21, statuses: { none: 500 }, failed: 500 })
    expect(errors[0]).toEqual({ text: 'other errors', count: 480 })
  })
})
