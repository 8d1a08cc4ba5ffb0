/** An endpoint with several ComfyUI servers: docs/spec/image-workflows.md, 6.2. */
import { describe, expect, it } from 'vitest'
import type { EndpointServer } from '../../src-main/contract/workflows.ts'
import { LOST_SERVER_CODES } from '../../src-main/features/workflows/rules/lost-server.ts'
import { MIB } from '../../src-main/lib/units.ts'
import { type FakeServer, fakeServer } from '../support/comfyui/fake-server.ts'
import { databaseFile, setup } from '../support/core.ts'
import type { TestWorker } from '../support/worker-client.ts'

const graph = (model: string, more: readonly string[] = []) => ({
  1: { class_type: 'CheckpointLoaderSimple', inputs: { ckpt_name: model } },
  9: { class_type: 'SaveImage', inputs: { images: ['1', 0] } },
  ...Object.fromEntries(more.map((class_type, at) => [100 + at, { class_type, inputs: {} }])),
})

/** @param ready how many of them send node classes */
async function servedBy(
  servers: readonly FakeServer[],
  { ready = servers.length, ...options }: NonNullable<Parameters<typeof setup>[0]> & { readonly ready?: number } = {},
) {
  const service = await setup(options)
  const [server, ...moreServers] = servers.map(({ url }) => url())
  await service.createEndpoint('e', { workflows: { server, moreServers, checkModels: false } })
  const list = async (): Promise<readonly EndpointServer[]> => (await service.get('/api/endpoints/e/servers')).servers
  await service.clock.until(async () => (await list()).filter(({ state }) => state === 'ready').length === ready)
  const live = () => [...service.fleet().place.workers.values()].map(({ spec }) => spec)
  const workerOf = async (of: FakeServer): Promise<TestWorker> => {
    const id = await service.clock.until(
      () => live().find(({ env }) => env.SVC_WORKFLOW_SERVER === of.url())?.workerId ?? false,
    )
    const others = live().flatMap(({ workerId }) => (workerId === id ? [] : [{ id: workerId } as TestWorker]))
    return await service.worker('e', others)
  }
  return {
    ...service,
    list,
    live,
    workerOf,
    send: (model: string, more?: readonly string[]) => service.run({ workflow: graph(model, more) }),
    /** Servers of the endpoint that have a worker, by number. */
    served: () =>
      live()
        .map(({ env }) => servers.findIndex(({ url }) => url() === env.SVC_WORKFLOW_SERVER) + 1)
        .toSorted(),
    update: (workflows: object) => service.ask('PATCH', '/api/endpoints/e', { body: { workflows } }),
    reasonOf: async (jobId: string): Promise<string> => (await service.get(`/api/jobs/${jobId}`)).waitingReason,
  }
}

const withModels = (...models: readonly string[]) => fakeServer({ models })

describe('an endpoint with several ComfyUI servers', () => {
  it('has one worker for each that answers', async () => {
    const [one, two, gone] = await Promise.all([withModels('a.safetensors'), withModels('a.safetensors'), withModels()])
    await gone.kill()
    const { clock, served, workerOf } = await servedBy([one, two, gone], { ready: 2 })
    for (const server of [one, two]) void (await workerOf(server)).take()
    await clock.until(() => String(served()) === '1,2')
    await gone.start()
    await clock.until(async () => {
      await clock.advance(2000)
      return String(served()) === '1,2,3'
    })
  })

  it('sends a graph only to a server that has its classes and models, and says which one lacks what', async () => {
    const [one, two] = await Promise.all([
      withModels('a.safetensors', 'b.safetensors'),
      fakeServer({ classes: ['Special'], models: ['a.safetensors'] }),
    ])
    const { workerOf, send, reasonOf } = await servedBy([one, two])
    const [first, second] = [await workerOf(one), await workerOf(two)]
    const jobs = [await send('a.safetensors', ['Special']), await send('b.safetensors')]
    const asked = await first.take()
    expect(asked?.id).toBe(jobs[1])
    expect(await reasonOf(jobs[0] ?? '')).toContain('lacks node class Special.')
    expect((await second.take())?.id).toBe(jobs[0])
    expect(await reasonOf(await send('b.safetensors'))).toContain('lacks model b.safetensors.')
  })

  it('uses those that send their node classes while another one hangs, and says which one has not been read', async () => {
    let hangs = true
    const one = await withModels('a.safetensors')
    const two = await fakeServer({
      classes: ['Special'],
      models: ['a.safetensors'],
      answers: ({ url }) => url === '/object_info' && hangs,
    })
    const { clock, list, get, workerOf, send, reasonOf, fleet } = await servedBy([one, two], { ready: 1 })
    const job = await send('a.safetensors')
    const first = await workerOf(one)
    expect((await first.take())?.id).toBe(job)
    expect(await reasonOf(await send('a.safetensors', ['Special']))).toMatch(/server 2 .* have not been read yet/i)
    const stateOf = (number: number) => async (state: string) => (await list())[number - 1]?.state === state
    await one.kill()
    fleet().end(first.id, { code: LOST_SERVER_CODES['before the prompt'] })
    await clock.until(() => stateOf(1)('lost'), 10_000)
    await one.start()
    await clock.until(() => stateOf(1)('ready'), 10_000)
    expect(await stateOf(2)('unread')).toBe(true)
    hangs = false
    await two.kill()
    await two.start()
    await clock.until(() => stateOf(2)('ready'), 10_000)
    expect(JSON.parse((await get('/api/node-types?endpoint=e')).text)).toHaveProperty('Special')
  })

  it('does not fetch node classes that are too large again and again, and says how large they are', async () => {
    let reads = 0
    const one = await withModels('a.safetensors')
    const two = await fakeServer({
      models: [],
      answers({ url, method }, response) {
        if (url !== '/object_info' || method !== 'GET') return false
        reads += 1
        response.writeHead(200, { 'content-length': 100 * MIB }).flushHeaders()
        return true
      },
    })
    const { clock, list } = await servedBy([one, two], { ready: 1 })
    const lostBecause = 'is not used, because its list of node classes has 100 MiB; the limit is 32 MiB'
    await clock.until(async () => (await list())[1]?.state === 'lost')
    expect(await list()).toMatchObject([{ state: 'ready' }, { state: 'lost', lostBecause }])
    for (let check = 0; check < 25; check++) {
      await clock.advance(2000)
      await list()
    }
    expect(reads).toBe(1)
    await two.kill()
    for (let check = 0; check < 4; check++) {
      await clock.advance(2000)
      await list()
    }
    await two.start()
    await clock.until(() => reads === 2, 10_000)
  })

  it('says of the endpoint why its first graph waits, and expects no start while no server that has its classes answers', async () => {
    const [one, two] = await Promise.all([
      fakeServer({ classes: ['Special'], models: ['a.safetensors'] }),
      withModels('a.safetensors'),
    ])
    const { clock, workerOf, send, get, reasonOf } = await servedBy([one, two])
    for (const server of [one, two]) await workerOf(server)
    await one.kill()
    const job = await send('a.safetensors', ['Special'])
    await clock.until(async () => {
      await clock.advance(2000)
      return (await reasonOf(job)).includes('does not answer.')
    })
    const { waitingReason, queue } = await get(`/api/jobs/${job}`)
    expect(waitingReason).toContain('lacks node class Special.')
    expect(queue.how).toBe(`Start time unknown: ${waitingReason}`)
    expect((await get('/api/endpoints/e')).waitingReason).toBe(waitingReason)
  })

  it('continues with the models that a server has loaded', async () => {
    const [one, two] = await Promise.all([1, 2].map(() => withModels('a.safetensors', 'b.safetensors')))
    if (one === undefined || two === undefined) throw new Error('there are no servers')
    const { workerOf, send } = await servedBy([one, two])
    const workers = [await workerOf(one), await workerOf(two)]
    const models = ['a', 'b', 'b', 'a', 'b', 'a'].map((name) => `${name}.safetensors`)
    for (const model of models) await send(model)
    const ran = await Promise.all(
      workers.map(async (worker) => {
        const seen: string[] = []
        for (let job = await worker.take(); seen.length < 3 && job !== undefined; ) {
          const { input } = job as { input: { workflow: ReturnType<typeof graph> } }
          seen.push(input.workflow[1].inputs.ckpt_name ?? '')
          job = (await worker.doneAndTake(job.id, { output: {} }))[0] as typeof job
        }
        return seen
      }),
    )
    expect(ran.map((seen) => new Set(seen).size)).toEqual([1, 1])
  })

  it('runs a graph once more elsewhere when its server is lost, and gives that server none until it answers', async () => {
    const [one, two] = await Promise.all([withModels('a.safetensors'), withModels('a.safetensors')])
    const { clock, workerOf, send, fleet, status, served, reasonOf } = await servedBy([one, two])
    const first = await workerOf(one)
    const second = await workerOf(two)
    const job = await send('a.safetensors')
    expect((await first.take())?.id).toBe(job)
    await one.kill()
    fleet().print(first.id, 'ComfyUI is gone')
    fleet().end(first.id, { code: LOST_SERVER_CODES['with the prompt'] })
    expect((await second.take())?.id).toBe(job)
    const next = await send('a.safetensors')
    await clock.advance(4000)
    await second.ping([job])
    expect(served()).toEqual([2])
    expect(await reasonOf(next)).toContain('was lost: ComfyUI is gone.')
    await second.done(job, { output: {} })
    expect(await status(job)).toMatchObject({ status: 'COMPLETED', retries: 1 })
    await one.start()
    await clock.until(async () => {
      await clock.advance(2000)
      return served().length === 2
    })
  })

  it('gives a graph to no server that was lost with it while another one has a worker and reports it', async () => {
    const [one, two] = await Promise.all([withModels('a.safetensors'), withModels('a.safetensors')])
    const { clock, workerOf, send, fleet, served, reasonOf } = await servedBy([one, two])
    const [first, second] = [await workerOf(one), await workerOf(two)]
    const busy = await send('a.safetensors')
    expect((await second.take())?.id).toBe(busy)
    const job = await send('a.safetensors')
    expect((await first.take())?.id).toBe(job)
    fleet().print(first.id, 'ComfyUI is gone')
    fleet().end(first.id, { code: LOST_SERVER_CODES['with the prompt'] })
    await clock.until(() => String(served()) === '1,2')
    const next = await send('a.safetensors')
    expect((await (await workerOf(one)).take())?.id).toBe(next)
    expect(await reasonOf(job)).toContain('was lost with it before.')
    await second.done(busy, { output: {} })
    expect((await second.take())?.id).toBe(job)
  })

  it('drains, adds and removes servers while it runs', async () => {
    const [one, two, three] = await Promise.all([1, 2, 3].map(() => withModels('a.safetensors')))
    if (one === undefined || two === undefined || three === undefined) throw new Error('there are no servers')
    const { clock, workerOf, send, served, update, status, reasonOf, live } = await servedBy([one, two])
    const first = await workerOf(one)
    await workerOf(two)
    const job = await send('a.safetensors')
    expect((await first.take())?.id).toBe(job)
    const settings = { server: one.url(), checkModels: false }
    await update({ ...settings, moreServers: [two.url(), three.url()], drainedServers: [one.url(), two.url()] })
    const third = await workerOf(three)
    await clock.until(() => live().length === 2)
    await first.done(job, { output: {} })
    expect(await status(job)).toMatchObject({ status: 'COMPLETED' })
    const next = await send('a.safetensors')
    expect(await reasonOf(next)).toContain('is drained.')
    expect((await third.take())?.id).toBe(next)
    await third.done(next, { output: {} })
    await update({ ...settings, moreServers: [two.url()] })
    await clock.until(() => live().length === 2 && !live().some(({ env }) => env.SVC_WORKFLOW_SERVER === three.url()))
    expect(served().length).toBe(2)
  })

  it('lists its servers with what each lacks, runs and has loaded, and changes them one by one', async () => {
    const [one, two, three] = await Promise.all([
      withModels('a.safetensors', 'b.safetensors'),
      fakeServer({ classes: ['Special'], models: ['a.safetensors'] }),
      withModels('a.safetensors'),
    ])
    const { clock, workerOf, send, list, ask, fleet } = await servedBy([one, two])
    const change = (kind: string, { url }: FakeServer) =>
      ask('POST', '/api/endpoints/e/servers', { body: { kind, address: url() } })
    const states = async () => (await list()).map(({ state }) => state).join(' ')
    const [first, other] = [await workerOf(one), await workerOf(two)]
    const job = await send('b.safetensors')
    await first.take()
    const none = { classes: [], models: [] }
    expect(await list()).toEqual([
      {
        ...{ number: 1, address: one.url(), state: 'ready', jobs: [job], loaded: ['b.safetensors'] },
        lacks: { ...none, classes: ['Special'] },
      },
      {
        ...{ number: 2, address: two.url(), state: 'ready', jobs: [], loaded: [] },
        lacks: { ...none, models: ['b.safetensors'] },
      },
    ])
    await Promise.all([change('drain', one), change('add', three)])
    await clock.until(async () => (await states()) === 'draining ready ready')
    await first.done(job, { output: {} })
    await two.kill()
    fleet().end(other.id, { code: LOST_SERVER_CODES['before the prompt'] })
    await clock.until(async () => (await states()) === 'drained lost ready')
    expect((await list())[1]).toMatchObject({ lostBecause: expect.any(String), lostSince: expect.any(Number) })
    expect((await change('remove', one)).body.servers).toHaveLength(2)
    expect(await change('resume', one)).toMatchObject({ status: 400, body: { code: 'BAD_FIELD' } })
    expect(await change('add', two)).toMatchObject({ status: 400, body: { code: 'BAD_FIELD' } })
    expect((await change('add', one)).body.warning).toBeUndefined()
    await change('remove', one)
    await change('remove', two)
    expect((await change('add', two)).body.warning).toMatch(/^No ComfyUI server answers at .*: nothing listens there\./)
    await change('remove', two)
    const kept = await change('remove', three)
    expect(kept).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(/is the only ComfyUI server of e/) },
    })
  })

  it('knows after a restart of the service what idle servers ran last', async () => {
    const [one, two] = await Promise.all([1, 2].map(() => withModels('a.safetensors', 'b.safetensors')))
    if (one === undefined || two === undefined) throw new Error('there are no servers')
    const { clock, list, restart } = await servedBy([one, two], { file: databaseFile() })
    const prompt = JSON.stringify({ prompt: graph('b.safetensors'), client_id: 'another client' })
    await fetch(`${two.url()}/prompt`, { method: 'POST', body: prompt })
    await clock.until(() => two.ran.length === 1)
    await restart('in order')
    const loaded = async () => (await list()).map((server) => server.loaded)
    await clock.until(async () => (await loaded()).flat().length > 0)
    expect(await loaded()).toEqual([[], ['b.safetensors']])
  })

  it('knows after a kill of the service what servers have loaded for graphs that still run', async () => {
    const [one, two] = await Promise.all([1, 2].map(() => withModels('a.safetensors')))
    if (one === undefined || two === undefined) throw new Error('there are no servers')
    const { workerOf, send, get, restart } = await servedBy([one, two], { file: databaseFile() })
    const [first] = [await workerOf(one), await workerOf(two)]
    const job = await send('a.safetensors')
    expect((await first.take())?.id).toBe(job)
    await restart('killed')
    const { servers } = await get('/api/endpoints/e/servers')
    expect(servers).toMatchObject([
      { jobs: [job], loaded: ['a.safetensors'] },
      { jobs: [], loaded: [] },
    ])
  })
})
