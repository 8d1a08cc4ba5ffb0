import { describe, expect, it } from 'vitest'
import {
  evaluatePing,
  type PingFacts,
  type PingResult,
} from '../../../../src-main/features/load-balancing/rules/evaluate-ping.ts'

const facts = (more: Partial<PingFacts> = {}): PingFacts => ({
  state: 'idle',
  openRequests: 0,
  path: '/ping',
  port: 8000,
  inContainer: false,
  failures: 0,
  ...more,
})
const status = (code: number): PingResult => ({ kind: 'status', status: code })
const SILENT: PingResult = { kind: 'silent' }

describe('a ping', () => {
  it('with 200 makes a starting worker ready and an ill one well, and leaves the others as they are', () => {
    expect(evaluatePing(status(200), facts({ state: 'initializing', failures: 7 }))).toEqual({
      event: 'ready',
      reason: undefined,
      failures: 0,
      nothingListens: false,
    })
    expect(evaluatePing(status(200), facts({ state: 'unhealthy' })).event).toBe('recover')
    for (const state of ['idle', 'running'] as const)
      expect(evaluatePing(status(200), facts({ state })).event).toBe(undefined)
  })

  for (const [result, words] of [
    [status(204), /reports that it is starting/],
    [status(404), /needs a route \/ping that answers 200/],
    [status(503), /answers 503/],
    [{ kind: 'refused' }, /nothing listens on its port 8000/],
    [SILENT, /gets no response$/],
    [{ kind: 'broken', why: 'reset' }, /gets no response: reset/],
  ] as const) {
    it(`that brings ${JSON.stringify(result)} leaves a starting worker starting, with the reason`, () => {
      const verdict = evaluatePing(result, facts({ state: 'initializing', failures: 999 }))
      expect(verdict).toEqual({
        event: undefined,
        reason: expect.stringMatching(words),
        failures: 1000,
        nothingListens: result.kind === 'refused',
      })
    })
  }

  it('with any other status, or without a listener, makes a ready worker ill at once', () => {
    for (const result of [status(204), status(500), status(302), { kind: 'refused' } as const])
      expect(evaluatePing(result, facts({ state: 'running', openRequests: 3 })).event).toBe('markUnhealthy')
  })

  it('without an answer makes an idle worker ill at the third time in a row', () => {
    expect([0, 1, 2].map((failures) => evaluatePing(SILENT, facts({ failures })).event)).toEqual([
      undefined,
      undefined,
      'markUnhealthy',
    ])
  })

  it('without an answer says nothing of a worker at work', () => {
    expect(evaluatePing(SILENT, facts({ state: 'running', openRequests: 1, failures: 9 }))).toEqual({
      event: undefined,
      reason: undefined,
      failures: 0,
      nothingListens: false,
    })
  })

  it('does not make an ill worker ill again', () => {
    expect(evaluatePing(status(500), facts({ state: 'unhealthy' })).event).toBe(undefined)
  })
})

it.each([0, 199])('a server that does not listen yet is starting, and no fault, at ping %i', (failures) => {
  expect(evaluatePing({ kind: 'refused' }, facts({ state: 'initializing', inContainer: true, failures }))).toEqual({
    event: undefined,
    reason: 'its server is starting, on port 8000',
    failures: failures + 1,
    nothingListens: false,
  })
})

it('a container on whose port nothing listens is told of its own loopback', () => {
  const { reason } = evaluatePing(
    { kind: 'refused' },
    facts({ state: 'initializing', inContainer: true, failures: 200 }),
  )
  expect(reason).toBe(
    'nothing listens on its port 8000 yet; in a container it must listen on 0.0.0.0, as its 127.0.0.1 is its own',
  )
})

it('names the path that was asked', () => {
  const { reason } = evaluatePing(status(404), facts({ path: '/health' }))
  expect(reason).toBe('GET /health answers 404: a load-balanced worker needs a route /health that answers 200')
})
