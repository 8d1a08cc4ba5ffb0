import { expect, it } from 'vitest'
import { createWorkerRegistry, newLiveWorker } from '../../../../src-main/features/workers/registry/worker-registry.ts'

/** A registry with one worker, what it recorded, and its clock. */
function setup({ begins = 'serve' }: { readonly begins?: 'serve' | 'stage' } = {}) {
  let now = 100
  const recorded: unknown[] = []
  const clock = { now: () => now, steady: () => now, after: () => () => undefined }
  const silent = () => undefined
  const registry = createWorkerRegistry(
    {
      write: async (work: () => void) => work(),
      workers: {
        recordState: ({ from, state, reason }: { from: unknown; state: unknown; reason: unknown }) =>
          void recorded.push([from, state, reason]),
      },
    } as unknown as Parameters<typeof createWorkerRegistry>[0],
    clock,
    { info: silent, warn: silent, error: silent },
  )
  const facts = {
    id: 'w',
    endpointId: 'e',
    revision: 1,
    pool: 'main' as const,
    tokenHash: new Uint8Array(),
    startedWallAt: now,
  }
  const worker = newLiveWorker(facts, { config: undefined, begins, clock })
  registry.add(worker, 'a test')
  const later = (ms: number) => {
    now += ms
  }
  return { registry, worker, recorded, later }
}

it('an illegal event changes nothing and is not reported', () => {
  const { registry, worker, recorded } = setup()
  const before = { ...worker }
  let heard = 0
  registry.onMove(() => {
    heard += 1
  })
  expect(registry.move(worker, 'takeJob', { reason: 'x' })).toBe(false)
  expect({ ...worker }).toEqual(before)
  expect(heard).toBe(0)
  expect(recorded).toEqual([[undefined, 'initializing', 'a test']])
})

it('an event records what its row of the table names, and nothing else', () => {
  const { registry, worker, later } = setup()
  const before = { ...worker }
  later(50)
  registry.move(worker, 'ready', { reason: 'at last', failure: 'not of this event' })
  const after = { phase: 'idle', state: 'idle', reason: 'at last', becameReady: true, idleSince: 150, neededAt: 150 }
  expect({ ...worker }).toEqual({ ...before, ...after })
})

it('a move that people do not see is no event of the fleet, and neither is one from job to job', () => {
  const { registry, worker, recorded } = setup()
  for (const event of ['ready', 'freeze', 'thaw', 'takeJob', 'becomeIdle', 'retire'] as const)
    expect(registry.move(worker, event)).toBe(true)
  expect(recorded).toEqual([
    [undefined, 'initializing', 'a test'],
    ['initializing', 'idle', undefined],
  ])
})

it('a worker that is told twice to leave keeps the first reason, and people see one step', () => {
  const { registry, worker, recorded } = setup()
  registry.move(worker, 'drain', { reason: 'its endpoint is being deleted' })
  expect(registry.move(worker, 'drain', { reason: 'the service stops' })).toBe(false)
  expect(registry.move(worker, 'stop')).toBe(true)
  expect(registry.move(worker, 'stop')).toBe(false)
  expect(worker).toMatchObject({ phase: 'stopping', state: 'stopping', reason: 'its endpoint is being deleted' })
  expect(recorded.slice(1)).toEqual([['initializing', 'stopping', 'its endpoint is being deleted']])
})

it('a worker that stands in serves for the settings it is told, until it is told that it need not', () => {
  const { registry, worker } = setup()
  registry.move(worker, 'standIn', { standsInFor: 2 })
  registry.move(worker, 'standIn', { standsInFor: 3 })
  expect(worker).toMatchObject({ duty: 'standingIn', standsInFor: 3 })
  registry.move(worker, 'standDown')
  expect(worker).toMatchObject({ duty: 'serving', standsInFor: undefined })
})

it('a staged worker serves once it is promoted', () => {
  const { registry, worker } = setup({ begins: 'stage' })
  expect(worker.duty).toBe('staged')
  expect(registry.move(worker, 'retire')).toBe(false)
  expect(registry.move(worker, 'promote')).toBe(true)
  expect(worker.duty).toBe('serving')
})

it('nobody else can change one', () => {
  const { worker } = setup()
  const change = () => {
    // @ts-expect-error: that the type checker refuses this is the test
    worker.phase = 'ended'
    // @ts-expect-error: as above
    worker.openRequests = 1
  }
  expect(change).toBeTypeOf('function')
})
