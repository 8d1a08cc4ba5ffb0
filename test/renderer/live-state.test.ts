import { describe, expect, test } from 'vitest'
import type { WorkerState } from '../../src-main/contract/endpoint.ts'
import type { ServiceEvent } from '../../src-main/contract/live.ts'
import { createAppStore } from '../../src-renderer/store/app-store.ts'
import { anEndpoint, aWorker, jobMoved, NOW, testPlatform } from './support.tsx'

function setup(eventId = 10) {
  const store = createAppStore(testPlatform())
  const { beginWith, showSnapshot, receiveEvents } = store.getState()
  const snapshot = (id: number, inQueue: number) => ({
    eventId: id,
    command: 'drydock',
    at: NOW,
    endpoints: [anEndpoint('e', { inQueue }), anEndpoint('other')],
    workers: [aWorker('w', 'e')],
  })
  beginWith(snapshot(eventId, 0))
  const endpoint = (id = 'e') => store.getState().live.endpoints[id]
  const worker = (id = 'w') => store.getState().live.workers[id]
  const workerTo = (id: number, workerId: string, to: WorkerState) => {
    const event: ServiceEvent = { type: 'worker', at: NOW, endpointId: 'e', workerId, to, reason: 'why' }
    return receiveEvents([{ id, event }])
  }
  const endpointEvent = (
    id: number,
    event: 'created' | 'updated' | 'deleted' | 'paused' | 'resumed',
    endpointId = 'e',
  ) => receiveEvents([{ id, event: { type: 'endpoint', at: NOW, endpointId, event } }])
  return { store, beginWith, showSnapshot, receiveEvents, snapshot, endpoint, worker, workerTo, endpointEvent }
}

describe('live endpoints', () => {
  test('count their jobs as these move', () => {
    const { receiveEvents, endpoint } = setup()
    const counts = () => [endpoint()?.inQueue, endpoint()?.inProgress]
    receiveEvents([jobMoved(11, 'a', {}), jobMoved(12, 'b', {})])
    expect(counts()).toEqual([2, 0])
    receiveEvents([jobMoved(13, 'a', { from: 'IN_QUEUE', to: 'IN_PROGRESS', workerId: 'w' })])
    expect(counts()).toEqual([1, 1])
    receiveEvents([jobMoved(14, 'a', { from: 'IN_PROGRESS', to: 'IN_PROGRESS' })])
    expect(counts()).toEqual([1, 1])
    receiveEvents([
      jobMoved(15, 'a', { from: 'IN_PROGRESS', to: 'COMPLETED' }),
      jobMoved(16, 'b', { from: 'IN_QUEUE', to: 'CANCELLED' }),
    ])
    expect(counts()).toEqual([0, 0])
  })

  test('that no event is of stay the same object', () => {
    const { receiveEvents, endpoint } = setup()
    const before = endpoint('other')
    receiveEvents([jobMoved(11, 'a', {})])
    expect(endpoint('other')).toBe(before)
  })

  test('lose the reason why jobs wait with the last job that waits', () => {
    const { store, receiveEvents, endpoint } = setup()
    store.getState().patchEndpoint('e', { inQueue: 2, waitingReason: 'All workers are busy.' })
    const gone = { from: 'IN_QUEUE', to: 'CANCELLED' } as const
    receiveEvents([jobMoved(11, 'a', gone)])
    expect(endpoint()?.waitingReason).toBe('All workers are busy.')
    receiveEvents([jobMoved(12, 'b', gone)])
    expect(endpoint()).not.toHaveProperty('waitingReason')
  })

  test('are paused, resumed and deleted by events; other changes need a new snapshot', () => {
    const { endpointEvent, endpoint } = setup()
    expect(endpointEvent(11, 'paused')).toBe(false)
    expect(endpoint()?.paused).toBe(true)
    expect(endpointEvent(12, 'resumed')).toBe(false)
    expect(endpoint()?.paused).toBe(false)
    expect(endpointEvent(13, 'updated')).toBe(true)
    expect(endpointEvent(14, 'created', 'new')).toBe(true)
    expect(endpointEvent(15, 'deleted')).toBe(false)
    expect(endpoint()).toBe(undefined)
  })

  test('need a new snapshot when the endpoint behind a published graph is deleted', () => {
    const { store, endpointEvent } = setup()
    store.getState().patchEndpoint('other', { graph: { behind: 'e', version: 1 } })
    expect(endpointEvent(11, 'deleted')).toBe(true)
  })
})

describe('live workers', () => {
  test('run and end jobs as these move', () => {
    const { receiveEvents, worker } = setup()
    receiveEvents([jobMoved(11, 'a', { from: 'IN_QUEUE', to: 'IN_PROGRESS', workerId: 'w' })])
    expect(worker()).toMatchObject({ state: 'running', jobs: ['a'], jobsDone: 0 })
    receiveEvents([jobMoved(12, 'a', { from: 'IN_PROGRESS', to: 'COMPLETED', workerId: 'w' })])
    expect(worker()).toMatchObject({ state: 'idle', jobs: [], jobsDone: 1 })
  })

  test('lose a job that goes back to the queue without having answered it', () => {
    const { receiveEvents, worker } = setup()
    receiveEvents([
      jobMoved(11, 'a', { from: 'IN_QUEUE', to: 'IN_PROGRESS', workerId: 'w' }),
      jobMoved(12, 'a', { from: 'IN_PROGRESS', to: 'IN_QUEUE' }),
    ])
    expect(worker()).toMatchObject({ state: 'idle', jobs: [], jobsDone: 0 })
  })

  test('come, change and go by events; of a new one more has to be read', () => {
    const { workerTo, worker } = setup()
    expect(workerTo(11, 'fresh', 'initializing')).toBe(true)
    expect(worker('fresh')).toMatchObject({ endpointId: 'e', state: 'initializing', reason: 'why' })
    expect(workerTo(12, 'w', 'unhealthy')).toBe(false)
    expect(worker()).toMatchObject({ state: 'unhealthy', reason: 'why' })
    expect(workerTo(13, 'w', 'stopping')).toBe(false)
    expect(workerTo(14, 'w', 'ended')).toBe(false)
    expect(worker()).toBe(undefined)
  })

  test('that end without an order have crashed, of which the service tells more', () => {
    const { workerTo } = setup()
    expect(workerTo(11, 'w', 'ended')).toBe(true)
  })
})

describe('snapshots and events', () => {
  test('an event that the snapshot holds is not counted again', () => {
    const { beginWith, snapshot, receiveEvents, endpoint } = setup()
    beginWith(snapshot(20, 3))
    receiveEvents([jobMoved(19, 'a', {}), jobMoved(20, 'b', {}), jobMoved(21, 'c', {})])
    expect(endpoint()?.inQueue).toBe(4)
  })

  test('a snapshot that is behind gets the events that came since', () => {
    const { showSnapshot, snapshot, receiveEvents, endpoint } = setup()
    receiveEvents([jobMoved(11, 'a', {}), jobMoved(12, 'b', {})])
    showSnapshot(snapshot(11, 1))
    expect(endpoint()?.inQueue).toBe(2)
  })

  test('a snapshot that is ahead makes the events on their way old', () => {
    const { showSnapshot, snapshot, receiveEvents, endpoint } = setup()
    showSnapshot(snapshot(12, 2))
    receiveEvents([jobMoved(11, 'a', {}), jobMoved(12, 'b', {})])
    expect(endpoint()?.inQueue).toBe(2)
  })

  test.each([1000, 999])('one that is behind by more than what is kept is dropped: %d events', (count) => {
    const { showSnapshot, snapshot, receiveEvents, endpoint } = setup()
    receiveEvents(Array.from({ length: count }, (_event, at) => jobMoved(11 + at, `j${at}`, {})))
    showSnapshot(snapshot(10, 7))
    expect(endpoint()?.inQueue).toBe(count === 1000 ? 1000 : 999 + 7)
  })

  test('a new beginning forgets what was, also where its numbers are smaller', () => {
    const { beginWith, snapshot, receiveEvents, endpoint } = setup(500)
    receiveEvents([jobMoved(501, 'a', {})])
    beginWith(snapshot(3, 1))
    receiveEvents([jobMoved(4, 'b', {})])
    expect(endpoint()?.inQueue).toBe(2)
  })
})
