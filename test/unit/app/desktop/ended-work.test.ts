import { describe, expect, test } from 'vitest'
import {
  decidedBetween,
  type Ended,
  type EndedNote,
  joinEnded,
  notifyEnded,
} from '../../../../src-main/app/desktop/ended-work.ts'
import { countAfter, endedBy } from '../../../../src-main/app/desktop/follow-service.ts'
import type { ReleaseView } from '../../../../src-main/contract/app.ts'
import type { ServiceEvent } from '../../../../src-main/contract/live.ts'

const job = (
  jobId: string,
  state: 'COMPLETED' | 'FAILED' | 'TIMED_OUT' | 'CANCELLED',
  endpointId = 'hello',
): Ended => ({
  kind: 'job',
  endpointId,
  jobId,
  state,
})
const deploy = (number: number, failed = false, why?: string): Ended => ({
  kind: 'release',
  app: 'demo',
  environment: 'production',
  number,
  failed,
  why,
})

describe('one notification for finished work', () => {
  test.each<readonly [string, readonly Ended[], EndedNote | undefined]>([
    ['nothing', [], undefined],
    ['a job', [job('a', 'COMPLETED')], { title: 'Job completed', body: 'hello, a', page: '/jobs/a' }],
    ['a failed job', [job('a', 'FAILED')], { title: 'Job failed', body: 'hello, a', page: '/jobs/a' }],
    [
      'jobs of one endpoint',
      [job('a', 'COMPLETED'), job('b', 'COMPLETED'), job('c', 'TIMED_OUT')],
      { title: '2 jobs completed, 1 job timed out', body: 'hello', page: '/endpoints/hello/jobs' },
    ],
    [
      'jobs of many endpoints',
      ['one', 'two', 'three', 'four', 'five'].map((endpoint) => job('a', 'FAILED', endpoint)),
      { title: '5 jobs failed', body: 'one, two, three and 2 more', page: '/jobs' },
    ],
    [
      'a deploy',
      [deploy(3)],
      { title: 'Deploy succeeded', body: 'Release 3 of demo/production', page: '/apps/deployed/demo/production' },
    ],
    [
      'a deploy that failed',
      [deploy(3, true, 'no card is free')],
      {
        title: 'Deploy failed',
        body: 'Release 3 of demo/production: no card is free',
        page: '/apps/deployed/demo/production',
      },
    ],
    [
      'a job and a deploy',
      [job('a', 'COMPLETED'), deploy(3)],
      { title: '1 job completed, 1 deploy succeeded', body: 'hello, demo/production', page: '/jobs' },
    ],
  ])('describes %s', (_what, ended, note) => {
    expect(joinEnded(ended)).toEqual(note)
  })
})

describe('the notifier', () => {
  function setup() {
    let now = 0
    let watched = false
    const timers: { at: number; run: () => void }[] = []
    const shown: string[] = []
    const notifier = notifyEnded({
      time: {
        monotonic: () => now,
        after(ms, run) {
          const timer = { at: now + ms, run }
          timers.push(timer)
          return () => void timers.splice(timers.indexOf(timer), 1)
        },
      },
      wanted: () => !watched,
      show: ({ title }) => shown.push(title),
    })
    const pass = (ms: number) => {
      now += ms
      for (const timer of timers.filter(({ at }) => at <= now)) {
        timers.splice(timers.indexOf(timer), 1)
        timer.run()
      }
    }
    const watch = (seen: boolean) => {
      watched = seen
    }
    return { notifier, pass, shown, watch }
  }

  test('combines jobs that finish together, and limits notifications for a long queue', () => {
    const { notifier, pass, shown } = setup()
    notifier.add(job('a', 'COMPLETED'))
    notifier.add(job('b', 'FAILED'))
    pass(2000)
    expect(shown).toEqual(['1 job completed, 1 job failed'])
    for (let at = 0; at < 28_000; at += 100) {
      notifier.add(job('c', 'COMPLETED'))
      pass(100)
    }
    expect(shown).toHaveLength(1)
    pass(2000)
    expect(shown).toEqual(['1 job completed, 1 job failed', '280 jobs completed'])
  })

  test('shows nothing while the window is focused, for cancelled jobs, or after it stops', () => {
    const { notifier, pass, shown, watch } = setup()
    watch(true)
    notifier.add(job('a', 'COMPLETED'))
    watch(false)
    notifier.add(job('b', 'CANCELLED'))
    pass(60_000)
    notifier.add(job('c', 'COMPLETED'))
    watch(true)
    pass(60_000)
    watch(false)
    notifier.add(job('d', 'COMPLETED'))
    notifier.stop()
    pass(60_000)
    expect(shown).toEqual([])
  })
})

describe('job events', () => {
  const event = (from: string | undefined, to: string) =>
    ({ type: 'job', at: 1, endpointId: 'hello', jobId: 'a', event: 'x', from, to, attempt: 1 }) as ServiceEvent

  test('update the counts', () => {
    const counts = { running: 1, waiting: 1 }
    expect(countAfter(counts, event(undefined, 'IN_QUEUE'))).toEqual({ running: 1, waiting: 2 })
    expect(countAfter(counts, event('IN_QUEUE', 'IN_PROGRESS'))).toEqual({ running: 2, waiting: 0 })
    expect(countAfter(counts, event('IN_PROGRESS', 'COMPLETED'))).toEqual({ running: 0, waiting: 1 })
    expect(countAfter(counts, event('IN_PROGRESS', 'IN_PROGRESS'))).toBe(counts)
    expect(countAfter({ running: 0, waiting: 0 }, event('IN_QUEUE', 'CANCELLED'))).toEqual({ running: 0, waiting: 0 })
  })

  test('report a finished job only in a final state', () => {
    expect(endedBy(event('IN_PROGRESS', 'FAILED'))).toEqual(job('a', 'FAILED'))
    expect(endedBy(event('IN_PROGRESS', 'IN_QUEUE'))).toBeUndefined()
  })
})

test('each deploy is reported once, when it finishes', () => {
  const release = (number: number, state: ReleaseView['state']) =>
    ({ app: 'demo', environment: 'production', number, state, reason: 'why' }) as ReleaseView
  const newest = (number: number, state: ReleaseView['state']) => ({ 'demo/production': release(number, state) })
  expect(decidedBetween({}, newest(1, 'preparing'))).toEqual([])
  expect(decidedBetween(newest(1, 'preparing'), newest(1, 'active'))).toEqual([deploy(1)])
  expect(decidedBetween(newest(1, 'active'), newest(1, 'active'))).toEqual([])
  expect(decidedBetween(newest(1, 'active'), newest(2, 'failed'))).toEqual([deploy(2, true, 'why')])
  expect(decidedBetween({}, newest(1, 'active'))).toEqual([deploy(1)])
})
