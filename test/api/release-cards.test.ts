import { expect, test } from 'vitest'
import type { ManifestResource } from '../../src-main/contract/manifest.ts'
import { PLACE, setupReleases } from '../support/release-service.ts'
import type { TestWorker } from '../support/worker-client.ts'

const CARD = { gpuIds: 'ADA_24', instanceIds: undefined } as unknown as Partial<ManifestResource>

/** A service on a machine with so many cards, and what looks at a release. */
async function setup(cards: number) {
  const { service, ...more } = await setupReleases()
  service.fleet().cards = cards
  const living = () =>
    service
      .fleet()
      .list()
      .map(({ workerId }) => workerId)
  /** Waits until a step of a release says this. */
  const note = (number: number, resource: string, text: string) =>
    service.clock.until(async () => {
      const { steps } = await service.get(`${PLACE}/releases/${number}`)
      return steps.find((step: { resource: string }) => step.resource === resource)?.note === text || undefined
    })
  const makeReady = async (resource: string, others: readonly TestWorker[] = []) => {
    const worker = await service.worker(resource, others)
    void worker.take().catch(() => undefined)
    return worker
  }
  return { service, living, note, makeReady, ...more }
}

test('two endpoints that want the only card are tried out one after the other, and both become active', async () => {
  const { begin, ended, note, makeReady, living } = await setup(1)
  await begin({ big: CARD, small: CARD })
  await note(1, 'small', 'waits for a GPU on which another endpoint of this release starts')
  const big = await makeReady('big')
  const small = await makeReady('small')
  const { release, steps } = await ended(1)
  expect(release).toMatchObject({ state: 'active' })
  expect(steps).toMatchObject([
    { resource: 'big', state: 'done' },
    { resource: 'small', state: 'done' },
  ])
  expect(living()).not.toContain(big.id)
  expect(living()).toContain(small.id)
})

test('with a card for each of them they start at the same time, or nearly so, and all stay', async () => {
  const { begin, ended, makeReady, living } = await setup(2)
  await begin({ big: CARD, small: CARD })
  const [big, small] = [await makeReady('big'), await makeReady('small')]
  expect(await ended(1)).toMatchObject({ release: { state: 'active' } })
  expect(living().toSorted()).toEqual([big.id, small.id].toSorted())
})

test('the only card goes from the old worker to the new one and then to an endpoint that is new', async () => {
  const { service, begin, deploy, ended, makeReady } = await setup(1)
  const { workers } = await deploy({ big: CARD })
  const old = workers.big as TestWorker
  const jobId = await service.run({}, {}, 'big')
  await begin({ big: CARD, small: CARD }, 'b')
  const waiting = await service.run({}, {}, 'big')
  await old.done(jobId, { output: 1 })
  await makeReady('big', [old])
  await makeReady('small')
  expect(await ended(2)).toMatchObject({ release: { state: 'active' } })
  expect(await service.status(jobId, 'big')).toMatchObject({ status: 'COMPLETED' })
  expect(await service.status(waiting, 'big')).toMatchObject({ status: 'IN_QUEUE' })
})

test('when one of two on the only card is broken the release fails with its reason', async () => {
  const { service, begin, ended, makeReady, living } = await setup(1)
  await begin({ big: CARD, small: CARD })
  await makeReady('big')
  const small = await service.worker('small')
  service.fleet().print(small.id, 'ValueError: no weights')
  service.fleet().end(small.id, { code: 1 })
  expect(await ended(1)).toMatchObject({
    release: { state: 'failed', reason: 'endpoint small: ValueError: no weights' },
  })
  expect(living()).toEqual([])
})

test('a card that an endpoint of another app holds is said to be missing', async () => {
  const { service, begin, ended } = await setup(1)
  await service.createEndpoint('other', { container: { gpu: 'any' } })
  await service.worker('other')
  await begin({ big: CARD })
  expect(await ended(1)).toMatchObject({ release: { state: 'failed', reason: 'endpoint big: 0 cards are free' } })
})

test('a deploy whose old worker does not end its job says what it waits for, and can be given up', async () => {
  const { service, begin, deploy, ended, note } = await setup(1)
  const { workers } = await deploy({ big: CARD })
  const jobId = await service.run({}, {}, 'big')
  await begin({ big: CARD }, 'b')
  await note(2, 'big', 'waits for the last jobs of a worker that it replaces')
  await service.post(`${PLACE}/releases/2/cancel`)
  expect(await ended(2)).toMatchObject({ release: { state: 'failed', reason: 'it was cancelled' } })
  expect(await service.status(jobId, 'big')).toMatchObject({ status: 'IN_PROGRESS', workerId: workers.big?.id })
})
