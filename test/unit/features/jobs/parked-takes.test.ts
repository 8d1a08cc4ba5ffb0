import { expect, it } from 'vitest'
import { createParkedTakes } from '../../../../src-main/features/jobs/queue/parked-takes.ts'

const NO_STATUS = { decision: undefined, crashLoop: undefined }

type Deps = Parameters<typeof createParkedTakes>[0]
type Hook = Parameters<Deps['storage']['beforeCommit']>[0]

/** Workers that wait, each with this many jobs, the first one since longest. */
function setup({ loads, waiting = [] }: { readonly loads: readonly number[]; readonly waiting?: readonly string[] }) {
  let hook: Hook | undefined
  let left = 0
  const claims: string[] = []
  const looks: string[] = []
  const takes = createParkedTakes({
    storage: {
      beforeCommit: (given: Hook) => {
        hook = given
      },
      onRollback: () => undefined,
      poke: () => undefined,
      endpoints: { get: () => ({ paused: false, config: { workersMax: 3 } }) },
      jobs: {
        claim({ endpointId }: { readonly endpointId: string }, workerId: string) {
          claims.push(`${endpointId} ${workerId}`)
          left -= 1
          return left < 0 ? undefined : { seq: left }
        },
      },
    } as unknown as Deps['storage'],
    clock: { now: () => 0, steady: () => 0, after: () => () => undefined },
    counts: {
      of: () => ({ normal: 0, lowPriority: 0, batch: 0, inProgress: 0 }),
      total: () => never(),
      waitingEndpoints: () => waiting,
    },
    groups: { mayTake: () => true, took: () => undefined },
    registry: {
      get: (id: string) => ({
        id,
        endpointId: 'e',
        stopOrders: new Map(),
        openRequests: 0,
        phase: 'idle',
        duty: 'serving',
      }),
    } as unknown as Deps['registry'],
    leases: {
      ofWorker(workerId: string) {
        looks.push(workerId)
        return Array.from({ length: loads[Number(workerId)] ?? 0 })
      },
    } as unknown as Deps['leases'],
    status: { of: () => ({ main: NO_STATUS, batch: NO_STATUS }) },
    servers: {} as Deps['servers'],
  })
  const park = (workerId: string, endpointId = 'e') =>
    void takes.take({ endpointId, workerId, pool: 'main', max: 1, holdMs: 1, signal: undefined })
  for (const number of loads.keys()) park(String(number))
  return {
    looks,
    park,
    /** Queues jobs at an endpoint; gives who asked for one, in this order. */
    queue(jobs: number, endpointId = 'e') {
      left = jobs
      claims.length = 0
      const change = { type: 'job', to: 'IN_QUEUE', endpointId }
      hook?.([change] as unknown as Parameters<Hook>[0])
      return [...claims]
    },
  }
}

function never(): never {
  throw new Error('not asked for')
}

it('the worker with the fewest jobs is first, among equals the one that came last', () => {
  const loads = [2, 0, 11, 1, 0, 2, 1, 11]
  const { queue } = setup({ loads })
  expect(queue(loads.length)).toEqual(['4', '1', '6', '3', '5', '0', '7', '2'].map((id) => `e ${id}`))
})

it('of a thousand that wait without a job, no more are looked at than jobs came', () => {
  const { queue, looks } = setup({ loads: Array.from({ length: 1000 }, () => 0) })
  expect(queue(2)).toEqual(['e 999', 'e 998', 'e 997'])
  expect(looks).toEqual(['999', '998', '997'])
})

it('endpoints at which nothing was queued and nothing waits are not looked at', () => {
  const { queue, park } = setup({ loads: [], waiting: ['behind', 'without workers'] })
  for (const endpointId of ['e', 'quiet', 'behind']) park('0', endpointId)
  expect(queue(9)).toEqual(['e 0', 'behind 0'])
  expect(queue(9, 'other')).toEqual(['behind 0'])
})
