import { describe, expect, it } from 'vitest'
import { decideScaling, startReason } from '../../../../src-main/features/workers/rules/scaling.ts'
import { type FactFields, facts, NOW, worker } from './scaling-support.ts'

const decide = (fields: FactFields = {}) => decideScaling(facts(fields))
const COLD_START = 420_000
const countScaler = (value: number) => ({ type: 'REQUEST_COUNT' as const, value })
const running = (...ids: string[]) => ids.map((id) => worker(id, 'running'))
const waiting = (normal: number, oldestNormalWaitMs = 0, inProgress = 0) => ({ normal, oldestNormalWaitMs, inProgress })

describe('an endpoint without work', () => {
  it('stays at nothing when its minimum is 0', () => {
    expect(decide()).toEqual({ start: 0, stop: [], throttled: 0, wanted: 0 })
  })

  it('gets its minimum, and a look when that should be ready', () => {
    const expected = { start: 2, stop: [], throttled: 0, nextCheckAt: NOW + COLD_START, wanted: 2 }
    expect(decide({ config: { workersMin: 2 } })).toEqual(expected)
    expect(decide({ config: { workersMin: 2 }, paused: true })).toEqual(expected)
  })

  it('gets no more than its maximum when the minimum is above it', () => {
    expect(decide({ config: { workersMin: 5, workersMax: 1 } }).start).toBe(1)
  })

  it('loses all workers when it goes away, the starting ones too', () => {
    const workers = [
      worker('a', 'initializing'),
      worker('b', 'idle'),
      ...running('c'),
      worker('d', 'unhealthy'),
      worker('e', 'stopping'),
    ]
    expect(decide({ stopping: true, workers, queue: waiting(9, 60_000, 1), config: { workersMin: 2 } })).toEqual({
      start: 0,
      stop: ['a', 'b', 'c', 'd'].map((workerId) => ({ workerId, reason: 'its endpoint is being deleted' })),
      throttled: 0,
      wanted: 0,
    })
  })
})

describe('QUEUE_DELAY', () => {
  it('the first worker starts at once, the second when the job has waited the delay after that', () => {
    expect(decide({ queue: waiting(5) })).toEqual({
      start: 1,
      stop: [],
      throttled: 0,
      nextCheckAt: NOW + 4000,
      wanted: 1,
    })
  })

  it.each([
    [3999, { start: 0, wanted: 1, nextCheckAt: NOW + 1 }],
    [4000, { start: 1, wanted: 2, nextCheckAt: NOW + 4000 }],
    [4001, { start: 1, wanted: 2, nextCheckAt: NOW + 4000 }],
  ])('with one busy worker and a wait of %d ms', (wait, expected) => {
    expect(decide({ workers: running('a'), queue: waiting(5, wait, 1) })).toEqual({
      stop: [],
      throttled: 0,
      ...expected,
    })
  })

  it.each([
    [3999, 0],
    [4000, 1],
  ])('a worker that has been starting for %d ms holds %d further one back', (age, start) => {
    const workers = [...running('a'), worker('b', 'initializing', { startedAt: NOW - age })]
    expect(decide({ workers, queue: waiting(5, 30_000, 1) }).start).toBe(start)
  })

  it('a starting worker is enough for one waiting job, however long it waits', () => {
    const workers = [worker('a', 'initializing', { startedAt: NOW - 60_000 })]
    expect(decide({ workers, queue: waiting(1, 60_000) })).toEqual({
      start: 0,
      stop: [],
      throttled: 0,
      nextCheckAt: NOW - 60_000 + COLD_START,
      wanted: 1,
    })
  })

  it('jobs that fit the concurrency need no further worker', () => {
    const busy = { workers: [worker('a', 'running', { jobs: 3 })], config: { concurrency: 4 } }
    expect(decide({ ...busy, queue: waiting(1, 9000, 3) }).start).toBe(0)
    expect(decide({ ...busy, queue: waiting(2, 9000, 3) }).start).toBe(1)
  })

  it('a delay of 0 s starts all that is needed at once', () => {
    const config = { workersMax: 10, scaler: { type: 'QUEUE_DELAY' as const, value: 0 } }
    expect(decide({ config, queue: waiting(7), workers: [worker('a', 'initializing')] }).start).toBe(6)
    expect(decide({ config, queue: waiting(12) }).start).toBe(10)
  })
})

describe('REQUEST_COUNT', () => {
  it.each([
    [1, 0, 1],
    [4, 0, 1],
    [5, 0, 2],
    [3, 2, 2],
    [400, 0, 3],
  ])('%d waiting and %d running jobs at 4 each want %d workers', (normal, inProgress, wanted) => {
    expect(decide({ config: { scaler: countScaler(4) }, queue: waiting(normal, 0, inProgress) })).toEqual({
      start: wanted,
      stop: [],
      throttled: 0,
      nextCheckAt: NOW + COLD_START,
      wanted,
    })
  })

  it('running jobs alone start no worker', () => {
    expect(
      decide({
        config: { scaler: countScaler(1) },
        workers: [worker('a', 'running', { jobs: 3 })],
        queue: waiting(0, 0, 3),
      }).start,
    ).toBe(0)
  })
})

describe('low priority', () => {
  it('starts no worker', () => {
    expect(decide({ queue: { lowPriority: 50 } }).start).toBe(0)
    expect(decide({ queue: { lowPriority: 50 }, config: { scaler: countScaler(1) } }).start).toBe(0)
  })

  it('keeps an idle worker up to run it', () => {
    expect(decide({ queue: { lowPriority: 1 }, workers: [worker('a', 'idle')] })).toEqual({
      start: 0,
      stop: [],
      throttled: 0,
      wanted: 1,
    })
  })
})

describe('a paused endpoint', () => {
  it('does not grow, and lets idle workers go although jobs wait', () => {
    expect(
      decide({ paused: true, queue: waiting(9, 60_000), workers: [worker('a', 'idle')], config: { workersMin: 0 } }),
    ).toEqual({
      start: 0,
      stop: [{ workerId: 'a', reason: 'idle for 100 s' }],
      throttled: 0,
      wanted: 0,
    })
  })
})

describe('idle timeout', () => {
  const idle = (id: string, ms: number) => worker(id, 'idle', { neededLast: NOW - ms })

  it.each([
    [4999, { stop: [], wanted: 1, nextCheckAt: NOW + 1 }],
    [5000, { stop: [{ workerId: 'a', reason: 'idle for 5 s' }], wanted: 0 }],
    [5001, { stop: [{ workerId: 'a', reason: 'idle for 5 s' }], wanted: 0 }],
  ])('a worker idle for %d ms', (ms, expected) => {
    expect(decide({ workers: [idle('a', ms)] })).toEqual({ start: 0, throttled: 0, ...expected })
  })

  it('the longest idle leave first, and the minimum stays', () => {
    expect(decide({ workers: [idle('a', 6000), idle('b', 9000), idle('c', 7000)], config: { workersMin: 1 } })).toEqual(
      {
        start: 0,
        stop: [
          { workerId: 'b', reason: 'idle for 9 s' },
          { workerId: 'c', reason: 'idle for 7 s' },
        ],
        throttled: 0,
        wanted: 1,
      },
    )
  })

  it('the last ready worker does not leave for one that still starts', () => {
    const workers = [idle('a', 6000), worker('b', 'initializing')]
    expect(decide({ workers, config: { workersMin: 1 } }).stop).toEqual([])
  })

  it('a worker stays while something waits', () => {
    expect(decide({ workers: [idle('a', 6000)], queue: waiting(1) }).stop).toEqual([])
  })
})

describe('workers that cannot stay', () => {
  it.each([
    [419_999, { start: 0, stop: [], nextCheckAt: NOW + 1 }],
    [
      420_000,
      {
        start: 1,
        stop: [{ workerId: 'a', reason: 'not ready within 420 s', force: true, failed: true }],
        nextCheckAt: NOW + COLD_START,
      },
    ],
    [
      420_001,
      {
        start: 1,
        stop: [{ workerId: 'a', reason: 'not ready within 420 s', force: true, failed: true }],
        nextCheckAt: NOW + COLD_START,
      },
    ],
  ])('one that starts for %d ms', (age, expected) => {
    const workers = [worker('a', 'initializing', { startedAt: NOW - age })]
    expect(decide({ workers, config: { workersMin: 1 } })).toEqual({ throttled: 0, wanted: 1, ...expected })
  })

  it('an unhealthy one leaves when it has no job, and is no capacity before', () => {
    const workers = [worker('a', 'unhealthy'), worker('b', 'unhealthy', { jobs: 1 })]
    expect(decide({ workers, queue: waiting(1, 0, 1) })).toEqual({
      start: 1,
      stop: [{ workerId: 'a', reason: 'unhealthy' }],
      throttled: 0,
      nextCheckAt: NOW + COLD_START,
      wanted: 1,
    })
  })

  it('above a lowered maximum the ones that serve nobody leave first', () => {
    const workers = [
      ...running('a'),
      worker('b', 'running', { jobs: 3 }),
      worker('c', 'idle', { neededLast: NOW }),
      worker('d', 'initializing'),
    ]
    const leaving = (workersMax: number) =>
      decide({ workers, queue: waiting(2, 0, 4), config: { workersMax } }).stop.map(({ workerId }) => workerId)
    expect([4, 3, 2, 1, 0].map(leaving)).toEqual([[], ['d'], ['d', 'c'], ['d', 'c', 'a'], ['d', 'c', 'a', 'b']])
    expect(decide({ workers: running('a'), config: { workersMax: 0 } })).toEqual({
      start: 0,
      stop: [{ workerId: 'a', reason: 'above the maximum of 0 workers' }],
      throttled: 0,
      wanted: 0,
    })
  })
})

describe('changed settings', () => {
  const outdated = { outdated: true }
  const reason = 'the settings of its endpoint changed'

  it('replace the minimum and every worker at work', () => {
    const workers = [worker('a', 'idle', outdated), worker('b', 'running', outdated), worker('c', 'running', outdated)]
    expect(decide({ workers, queue: waiting(0, 0, 2), config: { workersMin: 1 } })).toEqual({
      start: 2,
      stop: ['a', 'b', 'c'].map((workerId) => ({ workerId, reason })),
      throttled: 0,
      nextCheckAt: NOW + COLD_START,
      wanted: 2,
    })
  })

  it('replace as many as waiting jobs can use, without the delay', () => {
    const workers = ['a', 'b', 'c'].map((id) => worker(id, 'idle', outdated))
    expect(decide({ workers, queue: waiting(2) })).toEqual({
      start: 2,
      stop: ['a', 'b', 'c'].map((workerId) => ({ workerId, reason })),
      throttled: 0,
      nextCheckAt: NOW + COLD_START,
      wanted: 2,
    })
  })

  it('an unneeded idle worker is not replaced', () => {
    expect(decide({ workers: [worker('a', 'idle', outdated)] })).toEqual({
      start: 0,
      stop: [{ workerId: 'a', reason }],
      throttled: 0,
      wanted: 0,
    })
  })

  it('the job of a worker that leaves asks for no further worker', () => {
    const workers = [worker('a', 'stopping', { jobs: 1, ...outdated }), worker('b', 'idle')]
    expect(decide({ workers, queue: waiting(1, 9000, 1), config: { scaler: countScaler(1) } }).start).toBe(0)
  })
})

describe('limits of starts', () => {
  const scaler = countScaler(1)

  it('too few places: the rest is throttled, with the reason of the fleet', () => {
    expect(decide({ config: { scaler }, queue: waiting(3), freeSlots: 1, noCapacityReason: '8 of 8 in use' })).toEqual({
      start: 1,
      stop: [],
      throttled: 2,
      throttledReason: '8 of 8 in use',
      nextCheckAt: NOW + COLD_START,
      wanted: 3,
    })
  })

  it('no place: nothing but a change of the facts helps', () => {
    expect(decide({ queue: waiting(3, 9000), freeSlots: 0 })).toEqual({ start: 0, stop: [], throttled: 1, wanted: 1 })
  })

  it('a reason without need is not passed on', () => {
    expect(decide({ freeSlots: 0, noCapacityReason: 'full' })).toEqual({ start: 0, stop: [], throttled: 0, wanted: 0 })
  })

  it.each([
    [1, { start: 0, wanted: 2, nextCheckAt: NOW + 1 }],
    [0, { start: 2, wanted: 2, nextCheckAt: NOW + COLD_START }],
    [-1, { start: 2, wanted: 2, nextCheckAt: NOW + COLD_START }],
  ])('a back-off that ends in %d ms, for the minimum too', (ms, expected) => {
    const fields = { config: { scaler, workersMin: 1 }, queue: waiting(2), backOffUntil: NOW + ms }
    expect(decide(fields)).toEqual({ stop: [], throttled: 0, ...expected })
  })
})

it('a worker is not frozen where its room is needed for the replacement of an outdated one', () => {
  const decision = decideScaling(
    facts({
      config: { workersMax: 1 },
      keepPausedMs: 600_000,
      queue: { inProgress: 1 },
      workers: [worker('old', 'running', { outdated: true }), worker('idle', 'idle')],
    }),
  )
  expect(decision).toMatchObject({
    start: 1,
    stop: [{ workerId: 'old' }, { workerId: 'idle', reason: 'above the maximum of 1 workers' }],
  })
  expect(decision.pause).toBeUndefined()
})

describe('a start says why', () => {
  it.each([
    ['minimum of 2 workers', { config: { workersMin: 2 } }],
    ['1 job waits', { queue: waiting(1) }],
    ['5 jobs wait', { config: { workersMin: 1 }, queue: waiting(5) }],
    ['replaces a worker: the settings of its endpoint changed', { workers: [worker('a', 'idle', { outdated: true })] }],
    [
      'replaces a worker: a.py changed',
      { workers: [worker('a', 'running', { outdated: true, outdatedBecause: 'a.py changed' })], queue: waiting(1) },
    ],
  ] as const)('%s', (why, fields) => {
    expect(startReason(facts(fields), 'job')).toBe(why)
  })

  it('of requests, where these wait', () => {
    expect(startReason(facts({ queue: waiting(2) }), 'request')).toBe('2 requests wait')
  })
})
