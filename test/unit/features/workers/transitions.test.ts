import { describe, expect, it } from 'vitest'
import { WORKER_STATES } from '../../../../src-main/contract/endpoint.ts'
import {
  isLive,
  nextStatus,
  shownState,
  takesJobs,
  WORKER_DUTIES,
  WORKER_EVENTS,
  WORKER_PHASES,
  WORKER_TRANSITIONS,
  type WorkerDuty,
  type WorkerEvent,
  type WorkerPhase,
} from '../../../../src-main/features/workers/rules/transitions.ts'

const PHASES = Object.keys(WORKER_PHASES) as WorkerPhase[]
const DUTIES = Object.keys(WORKER_DUTIES) as WorkerDuty[]

const LEAVES = { drain: 'draining', exit: 'ended' } as const
const FALLS_ILL = { markUnhealthy: 'recovering', reportUnhealthy: 'unhealthy', lose: 'unhealthy' } as const

/** The phase after each event that is legal; an event that is not named is refused. */
const PHASE_AFTER: Record<WorkerPhase, Partial<Record<WorkerEvent, WorkerPhase>>> = {
  initializing: {
    progress: 'initializing',
    launch: 'initializing',
    failStart: 'initializing',
    explain: 'initializing',
    ready: 'idle',
    ...FALLS_ILL,
    ...LEAVES,
  },
  idle: { takeJob: 'running', freeze: 'frozen', pause: 'paused', ...FALLS_ILL, ...LEAVES },
  frozen: { thaw: 'idle', pause: 'paused', ...FALLS_ILL, ...LEAVES },
  running: { takeJob: 'running', becomeIdle: 'idle', ...FALLS_ILL, ...LEAVES },
  paused: { resume: 'idle', ...LEAVES },
  recovering: { recover: 'idle', endRecovery: 'unhealthy', explain: 'recovering', ...LEAVES },
  unhealthy: { recover: 'idle', explain: 'unhealthy', ...LEAVES },
  draining: { stop: 'stopping', exit: 'ended' },
  stopping: { exit: 'ended' },
  ended: {},
}

const DUTY_AFTER: Record<WorkerDuty, Partial<Record<WorkerEvent, WorkerDuty>>> = {
  staged: { promote: 'serving' },
  serving: { standIn: 'standingIn', retire: 'retired', kill: 'killed' },
  standingIn: { standIn: 'standingIn', standDown: 'serving', retire: 'retired', kill: 'killed' },
  retired: { kill: 'killed' },
  killed: {},
}

/** The displayed state after each event, of a worker that is displayed in this state and in the phase of that name. */
const SEEN_AFTER: Record<string, Record<string, string>> = {
  initializing: { ready: 'idle', markUnhealthy: 'unhealthy', drain: 'stopping', exit: 'ended' },
  idle: { takeJob: 'running', pause: 'paused', markUnhealthy: 'unhealthy', drain: 'stopping', exit: 'ended' },
  running: { takeJob: 'running', becomeIdle: 'idle', markUnhealthy: 'unhealthy', drain: 'stopping', exit: 'ended' },
  throttled: {},
  unhealthy: { recover: 'idle', drain: 'stopping', exit: 'ended' },
  paused: { resume: 'idle', drain: 'stopping', exit: 'ended' },
  stopping: { exit: 'ended' },
  ended: {},
}
const SEEN_EVENTS = ['start', 'ready', 'takeJob', 'pause', 'resume', 'becomeIdle', 'markUnhealthy', 'recover', 'drain']

describe('worker transitions', () => {
  for (const phase of PHASES) {
    for (const event of WORKER_EVENTS) {
      const to = PHASE_AFTER[phase][event]
      const isOfDuty = DUTIES.some((duty) => DUTY_AFTER[duty][event] !== undefined)
      if (isOfDuty) continue
      it(`${event} of a worker that is ${phase} ${to === undefined ? 'is refused' : `makes it ${to}`}`, () => {
        for (const duty of DUTIES) expect(nextStatus({ phase, duty }, event)).toEqual(to && { phase: to, duty })
      })
    }
  }

  for (const duty of DUTIES) {
    for (const event of WORKER_EVENTS) {
      const to = DUTY_AFTER[duty][event]
      const isOfPhase = PHASES.some((phase) => PHASE_AFTER[phase][event] !== undefined)
      if (isOfPhase) continue
      it(`${event} of a worker with the duty ${duty} ${to === undefined ? 'is refused' : `makes it ${to}`}`, () => {
        for (const phase of PHASES) expect(nextStatus({ phase, duty }, event)).toEqual(to && { phase, duty: to })
      })
    }
  }

  for (const state of WORKER_STATES) {
    for (const event of [...SEEN_EVENTS, 'exit'] as WorkerEvent[]) {
      const to = SEEN_AFTER[state]?.[event]
      it(`${event} of a worker that people see ${state} ${to === undefined ? 'is refused' : `shows it ${to}`}`, () => {
        const next = state === 'throttled' ? undefined : nextStatus({ phase: state, duty: 'serving' }, event)
        expect(next && shownState(next.phase)).toBe(to)
      })
    }
  }

  it('a started worker is initializing, and serves or is staged', () => {
    const { start, serve, stage } = WORKER_TRANSITIONS
    const begins = { from: [], records: [], source: expect.any(String) }
    expect(start).toEqual({ ...begins, to: 'initializing' })
    expect(serve).toEqual({ ...begins, to: 'serving' })
    expect(stage).toEqual({ ...begins, to: 'staged' })
  })

  it('exactly the workers that can be told to leave are live', () => {
    expect(WORKER_STATES.filter(isLive)).toEqual(['initializing', 'idle', 'running', 'unhealthy', 'paused'])
    for (const phase of PHASES)
      expect(nextStatus({ phase, duty: 'serving' }, 'drain') !== undefined).toBe(isLive(shownState(phase)))
  })

  it('takes jobs only where it runs and serves its endpoint', () => {
    const takers = PHASES.flatMap((phase) =>
      DUTIES.filter((duty) => takesJobs({ phase, duty })).map((duty) => `${phase} ${duty}`),
    )
    expect(takers).toEqual([
      'idle serving',
      'idle standingIn',
      'frozen serving',
      'frozen standingIn',
      'running serving',
      'running standingIn',
    ])
  })
})
