/** Queries that follow the events of the service, against a cache that a test fills. */
import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { ServiceEvent } from '../../src-main/contract/live.ts'
import { followEvents } from '../../src-renderer/live/follow-events.ts'
import { liveQueries } from '../../src-renderer/live/live-queries.ts'
import { createAppStore } from '../../src-renderer/store/app-store.ts'
import { jobMoved, NOW, testPlatform } from './support.tsx'

// Fits each kind of query.
const NOTHING = { history: [], requests: [], runs: [], touched: new Set(), schedules: [{ runs: [{ jobId: 'a' }] }] }

function setup() {
  const platform = testPlatform()
  const store = createAppStore(platform)
  const queries = new QueryClient()
  onTestFinished(followEvents(store, liveQueries(queries, platform)))
  const { receiveEvents, beginWith } = store.getState()
  const begin = (eventId: number) => beginWith({ eventId, command: 'drydock', at: NOW, endpoints: [], workers: [] })
  begin(10)
  /** Shows a query. @returns how often it was read */
  function show(queryKey: readonly string[], answer: () => unknown = () => NOTHING) {
    let reads = 0
    const observer = new QueryObserver(queries, {
      queryKey,
      retry: false,
      queryFn() {
        reads += 1
        return answer()
      },
    })
    onTestFinished(observer.subscribe(() => undefined))
    return () => reads
  }
  const runEvent = (id: number, runId: string, event: 'created' | 'results' = 'results') =>
    receiveEvents([{ id, event: { type: 'run', at: NOW, endpointId: 'e', runId, event } satisfies ServiceEvent }])
  return { platform, store, queries, receiveEvents, begin, show, runEvent }
}

describe('an event', () => {
  const progress = { event: 'progress', from: 'IN_PROGRESS', to: 'IN_PROGRESS' } as const

  test.each([
    { key: ['job', 'a'], afterMs: 300, ofJob: 1, ofProgress: 1, ofRun: 0 },
    { key: ['job', 'other'], afterMs: 300, ofJob: 0, ofProgress: 0, ofRun: 0 },
    { key: ['run', 'a'], afterMs: 0, ofJob: 1, ofProgress: 0, ofRun: 1 },
    { key: ['queue', 'e'], afterMs: 100, ofJob: 1, ofProgress: 0, ofRun: 0 },
    { key: ['schedules', 'e'], afterMs: 300, ofJob: 1, ofProgress: 0, ofRun: 0 },
    { key: ['sweeps'], afterMs: 100, ofJob: 0, ofProgress: 0, ofRun: 1 },
    { key: ['workflows'], afterMs: 100, ofJob: 0, ofProgress: 0, ofRun: 1 },
    { key: ['figures'], afterMs: 5000, ofJob: 0, ofProgress: 0, ofRun: 0 },
  ])('reads $key again where it says something of it', async ({ key, afterMs, ofJob, ofProgress, ofRun }) => {
    const { platform, show, receiveEvents, runEvent } = setup()
    const reads = show(key)
    await platform.advance(0)
    const moreAfter = async (send: () => void) => {
      const before = reads()
      send()
      await platform.advance(afterMs)
      return reads() - before
    }
    expect(await moreAfter(() => receiveEvents([jobMoved(11, 'a', {})]))).toBe(ofJob)
    expect(await moreAfter(() => receiveEvents([jobMoved(12, 'a', progress)]))).toBe(ofProgress)
    expect(await moreAfter(() => runEvent(13, 'a'))).toBe(ofRun)
  })

  test('of a worker that ended reads those that ended lately again, and of any worker the machines', async () => {
    const { platform, show, receiveEvents } = setup()
    const [ended, machines] = [show(['ended-workers', 'e']), show(['machines'])]
    await platform.advance(0)
    const worker = (id: number, to: 'idle' | 'ended') =>
      receiveEvents([{ id, event: { type: 'worker', at: NOW, endpointId: 'e', workerId: 'w', to } }])
    worker(11, 'idle')
    await platform.advance(300)
    expect([ended(), machines()]).toEqual([1, 2])
    worker(12, 'ended')
    await platform.advance(300)
    expect([ended(), machines()]).toEqual([2, 3])
  })

  test('that comes while a query is read has it read once more, and does not break that off', async () => {
    const { platform, show, receiveEvents } = setup()
    const arrives = Promise.withResolvers<null>()
    const reads = show(['job', 'a'], () => arrives.promise)
    await platform.advance(0)
    receiveEvents([jobMoved(11, 'a', {})])
    await platform.advance(1000)
    expect(reads()).toBe(1)
    arrives.resolve(null)
    await platform.advance(50)
    expect(reads()).toBe(2)
    await platform.advance(1000)
    expect(reads()).toBe(2)
  })
})

describe('what may have been missed', () => {
  test.each([
    ['when the stream is opened anew', ({ begin }: ReturnType<typeof setup>) => begin(90)],
    ['when a number is left out', ({ runEvent }: ReturnType<typeof setup>) => runEvent(12, 'nobody')],
  ])('is read again %s, and nothing else is', async (_when, miss) => {
    const parts = setup()
    const { platform, show } = parts
    const all = [
      ['jobs', 'x'],
      ['job', 'a'],
      ['run', 'a'],
      ['run-list', 'x'],
      ['queue', 'e'],
      ['sweeps'],
      ['workflows'],
      ['ended-workers', 'e'],
      ['fleet-events', 'x'],
      ['machines'],
    ]
    const reads = all.map((key) => show(key))
    const others = show(['figures'])
    await platform.advance(0)
    miss(parts)
    await platform.advance(0)
    expect(reads.map((count) => count())).toEqual(all.map(() => 2))
    expect(others()).toBe(1)
  })

  test('includes a read that failed meanwhile', async () => {
    const { platform, show, begin } = setup()
    const reads = show(['figures'], () => Promise.reject(new Error('not reachable')))
    await platform.advance(0)
    begin(90)
    await platform.advance(0)
    expect(reads()).toBe(2)
  })

  test('makes an answer that is on its way stale', async () => {
    const { platform, show, begin, queries } = setup()
    const answers = [Promise.withResolvers<string>(), Promise.withResolvers<string>(), Promise.withResolvers<string>()]
    let asked = 0
    show(['job', 'a'], () => answers[asked++]?.promise)
    answers[0]?.resolve('first')
    await platform.advance(0)
    void queries.refetchQueries({ queryKey: ['job', 'a'] })
    begin(90)
    answers[2]?.resolve('new')
    await platform.advance(0)
    answers[1]?.resolve('old')
    await platform.advance(0)
    expect(queries.getQueryData(['job', 'a'])).toBe('new')
  })

  test('does not follow from the first beginning, from events that come again, or from the next number', async () => {
    const platform = testPlatform()
    const store = createAppStore(platform)
    let missed = 0
    onTestFinished(followEvents(store, { onEvents: () => undefined, onMissed: () => void missed++ }))
    const { beginWith, receiveEvents } = store.getState()
    beginWith({ eventId: 10, command: 'drydock', at: NOW, endpoints: [], workers: [] })
    receiveEvents([jobMoved(9, 'a', {}), jobMoved(10, 'a', {}), jobMoved(11, 'a', {})])
    receiveEvents([jobMoved(12, 'a', {})])
    expect(missed).toBe(0)
    expect(receiveEvents([jobMoved(14, 'a', {})])).toBe(true)
    expect(missed).toBe(1)
  })
})
