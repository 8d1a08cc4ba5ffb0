import { expect, it } from 'vitest'
import { WORKER_STATES } from '../../../../src-main/contract/endpoint.ts'
import { fleetEventKind } from '../../../../src-main/features/workers/rules/fleet-event-kind.ts'

it('a worker that comes or is told to leave is a step of scale', () => {
  expect(fleetEventKind({ type: 'worker', event: 'initializing', from: undefined })).toBe('scale')
  expect(fleetEventKind({ type: 'worker', event: 'stopping', from: 'idle' })).toBe('scale')
})

it('a worker that ends is a crash, unless it was told to leave before', () => {
  const kinds = WORKER_STATES.map((from) => [from, fleetEventKind({ type: 'worker', event: 'ended', from })])
  const others = WORKER_STATES.filter((state) => state !== 'stopping').map((state) => [state, 'crash'])
  expect(Object.fromEntries(kinds)).toEqual({ ...Object.fromEntries(others), stopping: 'worker' })
})

it('a worker that says that it is ill counts as crashed, and any other move as a move', () => {
  expect(fleetEventKind({ type: 'worker', event: 'unhealthy', from: 'running' })).toBe('crash')
  expect(fleetEventKind({ type: 'worker', event: 'idle', from: 'initializing' })).toBe('worker')
  expect(fleetEventKind({ type: 'worker', event: 'paused', from: 'idle' })).toBe('worker')
})

it('an endpoint of a release that became active is told apart from one that a person changed', () => {
  expect(fleetEventKind({ type: 'endpoint', event: 'activated' })).toBe('release')
  expect(fleetEventKind({ type: 'endpoint', event: 'updated' })).toBe('endpoint')
})
