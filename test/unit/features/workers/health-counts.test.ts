import fc from 'fast-check'
import { expect, it } from 'vitest'
import { WORKER_STATES } from '../../../../src-main/contract/endpoint.ts'
import { healthRecord } from '../../../../src-main/contract/job.ts'
import { healthCounts } from '../../../../src-main/features/endpoints/rules/endpoint-state.ts'

it('health counts each worker by its state and leaves out the ones that go', () => {
  const states = [
    'idle',
    'idle',
    'running',
    'initializing',
    'initializing',
    'initializing',
    'unhealthy',
    'stopping',
    'ended',
  ] as const
  expect(
    healthCounts(
      states.map((state) => ({ state })),
      4,
    ),
  ).toEqual({
    idle: 2,
    running: 1,
    ready: 2,
    initializing: 3,
    throttled: 4,
    unhealthy: 1,
  })
})

it('health of an endpoint without workers is six zeros', () => {
  expect(healthCounts([], 0)).toEqual({ idle: 0, running: 0, ready: 0, initializing: 0, throttled: 0, unhealthy: 0 })
})

it('any fleet gives counters that the contract accepts', () => {
  const workers = fc.array(fc.record({ state: fc.constantFrom(...WORKER_STATES) }))
  fc.assert(
    fc.property(workers, fc.nat(100), (fleet, throttled) => {
      const counts = healthCounts(fleet, throttled)
      expect(healthRecord.shape.workers.parse(counts)).toEqual(counts)
    }),
  )
})
