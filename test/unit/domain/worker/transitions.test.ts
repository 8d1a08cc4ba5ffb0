import { describe, expect, it } from 'vitest'
import { WORKER_STATES } from '../../../../src-main/contract/endpoint.ts'
import {
  isLive,
  nextWorkerState,
  WORKER_EVENTS,
  WORKER_TRANSITIONS,
} from '../../../../src-main/domain/worker/transitions.ts'

const LEGAL: Record<string, Record<string, string>> = {
  initializing: { ready: 'idle', markUnhealthy: 'unhealthy', drain: 'stopping', exit: 'ended' },
  idle: { takeJob: 'running', pause: 'paused', markUnhealthy: 'unhealthy', drain: 'stopping', exit: 'ended' },
  running: { takeJob: 'running', becomeIdle: 'idle', markUnhealthy: 'unhealthy', drain: 'stopping', exit: 'ended' },
  throttled: {},
  unhealthy: { recover: 'idle', drain: 'stopping', exit: 'ended' },
  paused: { resume: 'idle', drain: 'stopping', exit: 'ended' },
  stopping: { exit: 'ended' },
  ended: {},
}

describe('worker transitions', () => {
  for (const state of WORKER_STATES) {
    for (const event of WORKER_EVENTS) {
      const to = LEGAL[state]?.[event]
      it(`${event} of a worker that is ${state} ${to === undefined ? 'is refused' : `makes it ${to}`}`, () => {
        expect(nextWorkerState(state, event)).toBe(to)
      })
    }
  }

  it('a started worker is initializing', () => {
    expect(WORKER_TRANSITIONS.start).toEqual({ from: [], to: 'initializing', source: expect.any(String) })
  })

  it('exactly the workers that can be told to leave are live', () => {
    expect(WORKER_STATES.filter(isLive)).toEqual(['initializing', 'idle', 'running', 'unhealthy', 'paused'])
  })
})
