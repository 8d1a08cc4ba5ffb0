import { describe, expect, it } from 'vitest'
import { JOB_STATES, type JobState } from '../../../../src-main/contract/job.ts'
import {
  canMove,
  isFinal,
  JOB_EVENTS,
  type JobEvent,
  TRANSITIONS,
} from '../../../../src-main/features/jobs/rules/transitions.ts'
import { openStorage } from '../../../../src-main/storage/open-storage.ts'

// The table once more, by hand, from docs/spec/job-api.md, 4: what is not here is refused.
const LEGAL: Record<JobState, Partial<Record<JobEvent, JobState>>> = {
  IN_QUEUE: { claim: 'IN_PROGRESS', expire: 'TIMED_OUT', cancel: 'CANCELLED', purge: 'CANCELLED' },
  IN_PROGRESS: {
    progress: 'IN_PROGRESS',
    complete: 'COMPLETED',
    fail: 'FAILED',
    exceedExecution: 'FAILED',
    rescue: 'IN_QUEUE',
    abandon: 'FAILED',
    release: 'IN_QUEUE',
    expire: 'TIMED_OUT',
    cancel: 'CANCELLED',
  },
  COMPLETED: {},
  FAILED: { retry: 'IN_QUEUE' },
  CANCELLED: {},
  TIMED_OUT: { retry: 'IN_QUEUE' },
}

const PATH: Record<JobState, readonly JobEvent[]> = {
  IN_QUEUE: [],
  IN_PROGRESS: ['claim'],
  COMPLETED: ['claim', 'complete'],
  FAILED: ['claim', 'fail'],
  CANCELLED: ['claim', 'cancel'],
  TIMED_OUT: ['claim', 'expire'],
}

const AT = { now: 5000, steady: 700 }
const NEW_JOB = {
  id: 'j',
  endpointId: 'e',
  input: '{}',
  s3Config: undefined,
  webhook: undefined,
  lowPriority: false,
  executionTimeoutMs: 1000,
  ttlMs: 10_000,
  retentionMs: 60_000,
  idempotencyKey: undefined,
}

describe('the table of job moves', () => {
  const storage = () => openStorage(':memory:')
  for (const state of JOB_STATES) {
    for (const event of JOB_EVENTS) {
      const to = LEGAL[state][event]
      it(`${event} of a job that is ${state} ${to === undefined ? 'is refused' : `makes it ${to}`}`, async () => {
        expect(canMove(state, event)).toBe(to !== undefined)
        if (to !== undefined) expect(TRANSITIONS[event].to).toBe(to)
        const { jobs, write, close } = storage()
        const fields = { workerId: 'w', error: 'x' }
        const { before, moved, after, history } = await write(() => {
          const { seq } = jobs.insert(NEW_JOB, AT)
          for (const step of PATH[state]) jobs.move(seq, step, fields, AT)
          const before = jobs.read(seq)
          // The holder of the job asks, if any.
          const moved = jobs.move(seq, event, before?.workerId == null && event !== 'claim' ? {} : fields, AT)
          return { before, moved, after: jobs.read(seq), history: jobs.history(seq) }
        })
        expect(before?.status).toBe(state)
        if (to === undefined) {
          expect([moved, after]).toEqual([undefined, before])
          expect(history.length).toBe(PATH[state].length + 1)
        } else {
          expect(moved).toEqual(after)
          expect(after).toMatchObject({ status: to, finishedAt: isFinal(to) ? AT.now : null })
          expect(history.at(-1)).toMatchObject({ event, from: state, to })
        }
        await close()
      })
    }
  }

  for (const event of JOB_EVENTS.filter((name) => name !== 'claim' && canMove('IN_PROGRESS', name))) {
    it(`${event} with the lease of another worker or attempt changes nothing`, async () => {
      const { jobs, write, close } = storage()
      await write(() => {
        const { seq } = jobs.insert(NEW_JOB, AT)
        const held = jobs.move(seq, 'claim', { workerId: 'w' }, AT)
        expect(jobs.move(seq, event, { workerId: 'other', attempt: 1 }, AT)).toBe(undefined)
        expect(jobs.move(seq, event, { workerId: 'w', attempt: 2 }, AT)).toBe(undefined)
        expect(jobs.read(seq)).toEqual(held)
        expect(jobs.move(seq, event, { workerId: 'w', attempt: 1, error: 'x' }, AT)).toMatchObject({
          status: TRANSITIONS[event].to,
        })
      })
      await close()
    })
  }

  it('every move says who asks for it', () => {
    for (const { source } of Object.values(TRANSITIONS)) expect(source).toMatch(/^(docs\/spec\/[\w-]+\.md, \d|ours, )/)
  })

  it('spans never go below 0, also where a restart set the clock back a little', async () => {
    const { jobs, write, close } = storage()
    await write(() => {
      const { seq } = jobs.insert(NEW_JOB, { now: 0, steady: 1000 })
      jobs.move(seq, 'claim', { workerId: 'w' }, { now: 0, steady: 900 })
      expect(jobs.move(seq, 'complete', {}, { now: 0, steady: 800 })).toMatchObject({ delayMs: 0, executionMs: 0 })
    })
    await close()
  })

  it('a claim skips what it is told to skip', async () => {
    const { jobs, write, close } = storage()
    await write(() => {
      const seqs = ['a', 'b', 'c'].map((id) => jobs.insert({ ...NEW_JOB, id }, AT).seq)
      expect(jobs.claim({ endpointId: 'e', pool: 'main' }, 'w', seqs.slice(0, 1), AT)?.id).toBe('b')
      expect(jobs.claim({ endpointId: 'e', pool: 'main' }, 'w', seqs, AT)).toBe(undefined)
      expect(jobs.claim({ endpointId: 'e', pool: 'main' }, 'w', [], AT)?.id).toBe('a')
      expect(jobs.claim({ endpointId: 'other', pool: 'main' }, 'w', [], AT)).toBe(undefined)
    })
    await close()
  })
})
