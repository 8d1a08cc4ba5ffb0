import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { setup, type TestService } from '../support/core.ts'

const LOW = { policy: { lowPriority: true } }

/** An endpoint whose one worker takes nothing by itself, with jobs that wait. */
async function waiting(count: number, options: Parameters<typeof setup>[0] = {}) {
  const service = await setup(options)
  await service.createEndpoint('e', { concurrency: 20 })
  const ids: string[] = []
  for (let at = 0; at < count; at++) ids.push(await service.run({ at }))
  const front = (id: string | undefined) => service.post(`/api/jobs/${id}/place`, { to: 'front' })
  const swap = (id: string | undefined, swapWith: string | undefined) =>
    service.post(`/api/jobs/${id}/place`, { swapWith })
  return { ...service, ids, front, swap, ...queueOf(service, ids) }
}

/** The order as the service tells it, and as a worker gets it: by the numbers of the jobs. */
function queueOf({ get, worker }: TestService, ids: readonly string[]) {
  const numbers = (jobs: readonly { readonly id: string }[]) => jobs.map(({ id }) => ids.indexOf(id))
  return {
    told: async () => numbers((await get('/api/endpoints/e/queue')).jobs),
    taken: async (most = 20) => numbers(await (await worker()).takeBatch(most)),
  }
}

it('a job moved to the front is claimed first, and the one moved there last before it', async () => {
  const { ids, front, told, taken, run } = await waiting(4)
  expect(await front(ids[2])).toEqual({ id: ids[2], status: 'IN_QUEUE' })
  await front(ids[3])
  ids.push(await run())
  expect(await told()).toEqual([3, 2, 0, 1, 4])
  expect(await taken()).toEqual([3, 2, 0, 1, 4])
})

it('two jobs change places, and those between them keep theirs', async () => {
  const { ids, front, swap, told, taken } = await waiting(5)
  await swap(ids[3], ids[1])
  expect(await told()).toEqual([0, 3, 2, 1, 4])
  await front(ids[2])
  await swap(ids[2], ids[4])
  await swap(ids[4], ids[0])
  expect(await told()).toEqual([0, 4, 3, 1, 2])
  expect(await taken()).toEqual([0, 4, 3, 1, 2])
})

it('low priority stays behind, in an order of its own', async () => {
  const { ids, front, told, run, ask } = await waiting(2)
  ids.push(await run({}, LOW), await run({}, LOW))
  await front(ids[3])
  expect(await told()).toEqual([0, 1, 3, 2])
  const mixed = await ask('POST', `/api/jobs/${ids[3]}/place`, { body: { swapWith: ids[0] } })
  expect([mixed.status, mixed.body.error]).toEqual([
    400,
    'swapWith: is not a job of the same endpoint with the same priority.',
  ])
})

it('the order outlives a restart, also a kill, and a job that is released keeps its place', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const { ids, front, swap, told, taken, restart, fleet, worker } = await waiting(4, {
    file: join(folder, 'drydock.db'),
  })
  await front(ids[3])
  await swap(ids[0], ids[1])
  await restart('in order')
  expect(await told()).toEqual([3, 1, 0, 2])
  const { id } = await worker()
  expect(await taken(1)).toEqual([3])
  fleet().abandon()
  fleet().place.workers.delete(id)
  await restart('killed')
  expect(await told()).toEqual([3, 1, 0, 2])
})

it('says why a job waits by what is before it, and tells both jobs in their history', async () => {
  const { ids, front, swap, get, storage } = await waiting(3)
  const before = (at: number) => {
    const job = storage().jobs.find(ids[at] ?? '')
    return job && storage().jobs.waitingBefore(job, 100)
  }
  expect([0, 1, 2].map(before)).toEqual([0, 1, 2])
  await front(ids[2])
  await swap(ids[0], ids[1])
  expect([0, 1, 2].map(before)).toEqual([2, 1, 0])
  const events = async (at: number) => {
    const { history } = await get(`/api/jobs/${ids[at]}`)
    return history.map(({ event, reason }: { event: string; reason?: string }) => [event, reason])
  }
  expect(await events(2)).toEqual([
    ['submit', undefined],
    ['reorder', 'moved to the front'],
  ])
  expect(await events(1)).toEqual([
    ['submit', undefined],
    ['reorder', `placed like ${ids[0]}`],
  ])
  expect((await get('/v2/e/health')).jobs).toMatchObject({ inQueue: 3, inProgress: 0, retried: 0 })
})

it('a job that was claimed meanwhile keeps its place, and so does the other', async () => {
  const { ids, ask, taken, told } = await waiting(3)
  expect(await taken(1)).toEqual([0])
  const place = (id: string | undefined, body: object) => ask('POST', `/api/jobs/${id}/place`, { body })
  const late = [
    await place(ids[0], { to: 'front' }),
    await place(ids[0], { swapWith: ids[1] }),
    await place(ids[1], { swapWith: ids[0] }),
  ]
  const why = `Job ${ids[0]} is IN_PROGRESS; reorder needs one of IN_QUEUE.`
  expect(late.map(({ status, body }) => [status, body.error])).toEqual(late.map(() => [400, why]))
  expect(await told()).toEqual([1, 2])
  expect((await place('nobody', { to: 'front' })).status).toBe(404)
  expect((await place(ids[1], { swapWith: 'nobody' })).status).toBe(404)
  expect((await place(ids[1], { to: 'middle' })).status).toBe(400)
})

it('to the back is behind all that wait, and before those that come', async () => {
  const { ids, post, told, taken, run } = await waiting(3)
  await post(`/api/jobs/${ids[0]}/place`, { to: 'back' })
  await post(`/api/jobs/${ids[1]}/place`, { to: 'back' })
  ids.push(await run())
  expect(await told()).toEqual([2, 0, 1, 3])
  expect(await taken()).toEqual([2, 0, 1, 3])
})

it('a higher priority goes first, low priority last, and it changes while a job waits', async () => {
  const { ids, post, get, told, taken, run } = await waiting(2)
  for (const policy of [{ priority: 5 }, { priority: -1 }, { priority: 100, lowPriority: true }])
    ids.push(await run({}, { policy }))
  expect(await told()).toEqual([2, 0, 1, 3, 4])
  await post(`/api/jobs/${ids[1]}/place`, { priority: 6 })
  await post(`/api/jobs/${ids[2]}/place`, { priority: 0 })
  expect(await told()).toEqual([1, 0, 2, 3, 4])
  expect(await get(`/api/jobs/${ids[3]}`)).toMatchObject({ priority: -1, queue: { before: 3, more: false } })
  expect(await taken()).toEqual([1, 0, 2, 3, 4])
})

it('a priority is from -100 to 100, when a job comes and afterwards', async () => {
  const { ids, ask, storage } = await waiting(1)
  for (const [priority, status] of [
    [-101, 400],
    [-100, 200],
    [-99, 200],
    [99, 200],
    [100, 200],
    [101, 400],
    [1.5, 400],
  ] as const) {
    const body = { input: {}, policy: { priority } }
    expect((await ask('POST', '/v2/e/run', { body })).status).toBe(status)
    expect((await ask('POST', `/api/jobs/${ids[0]}/place`, { body: { priority } })).status).toBe(status)
  }
  expect(storage().jobs.find(ids[0] ?? '')?.priority).toBe(100)
})

it('is placed only next to other jobs of the same priority', async () => {
  const { ids, ask, run } = await waiting(2)
  ids.push(await run({}, { policy: { priority: 1 } }))
  const why = 'is not a job of the same endpoint with the same priority.'
  const refused = await ask('POST', `/api/jobs/${ids[0]}/place`, { body: { after: ids[2] } })
  expect([refused.status, refused.body.error]).toEqual([400, `after: ${why}`])
  const itself = await ask('POST', `/api/jobs/${ids[0]}/place`, { body: { before: ids[0] } })
  expect([itself.status, itself.body.error]).toEqual([400, 'before: is the job itself.'])
})

it('after any moves the order, the positions and the claims are those of a plain list', async () => {
  const { ids, post, told, taken, storage } = await waiting(6)
  const model = ids.map((_, at) => at)
  // Numbers that look like chance and are the same each time; often into one gap, until there is no room in it.
  for (let n = 0; n < 120; n++) {
    const [from, to] = [(n * 7 + 3) % 6, n % 3 === 0 ? (n * 5) % 6 : 2]
    const [job, other] = [model[from] ?? 0, model[to] ?? 0]
    if (job === other) continue
    const side = n % 2 === 0 ? 'before' : 'after'
    await post(`/api/jobs/${ids[job]}/place`, { [side]: ids[other] })
    model.splice(from, 1)
    model.splice(model.indexOf(other) + (side === 'after' ? 1 : 0), 0, job)
    expect(await told()).toEqual(model)
  }
  const before = model.map((at) => {
    const job = storage().jobs.find(ids[at] ?? '')
    return job && storage().jobs.waitingBefore(job, 100)
  })
  expect(before).toEqual([0, 1, 2, 3, 4, 5])
  expect(await taken()).toEqual(model)
})

it('counts what is before a job no further than it is asked to', async () => {
  const { ids, storage } = await waiting(4)
  const job = storage().jobs.find(ids[3] ?? '')
  expect([2, 3, 4].map((most) => job && storage().jobs.waitingBefore(job, most))).toEqual([2, 3, 3])
})

it('says when a job is expected to start, and jobs start then', async () => {
  const { ids, get, run, worker, clock } = await waiting(0)
  const one = await worker()
  const start = async () => {
    const job = await one.take()
    if (job === undefined) throw new Error('no job')
    return job.id
  }
  const finish = async (id: string) => {
    await clock.advance(2000)
    await one.done(id, { output: 1 })
  }
  for (let n = 0; n < 3; n++) {
    await run()
    await finish(await start())
  }
  for (let n = 0; n < 22; n++) ids.push(await run())
  const first = await one.takeBatch(20)
  const { queue } = await get(`/api/jobs/${ids[21]}`)
  expect(queue).toMatchObject({ before: 1, more: false, how: expect.stringMatching(/2.0 s each/) })
  // All twenty places get free two seconds from now.
  const off = queue.start.at - clock.wall()
  expect(off).toBeGreaterThan(1500)
  expect(off).toBeLessThan(2500)
  await clock.advance(2000)
  for (const { id } of first.slice(0, 2)) await one.done(id, { output: 1 })
  expect((await one.takeBatch(2)).map(({ id }) => id)).toEqual([ids[20], ids[21]])
})
