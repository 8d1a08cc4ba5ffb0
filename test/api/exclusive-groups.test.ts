/** Endpoints whose ComfyUI servers share one card: docs/spec/image-workflows.md, 6.2. */
import { expect, it } from 'vitest'
import { type FakeServer, fakeServer } from '../support/comfyui/fake-server.ts'
import { databaseFile, setup } from '../support/core.ts'

const GRAPH = { 9: { class_type: 'SaveImage', inputs: {} } }

async function sharing(servers: Readonly<Record<string, FakeServer>>, options: Parameters<typeof setup>[0] = {}) {
  const service = await setup(options)
  for (const [id, { url }] of Object.entries(servers))
    await service.createEndpoint(id, { exclusiveGroup: 'card', workflows: { server: url() } })
  return {
    ...service,
    send: (id: string) => service.run({ workflow: GRAPH }, {}, id),
    reasonOf: async (jobId: string): Promise<string> => (await service.get(`/api/jobs/${jobId}`)).waitingReason,
  }
}

const twoServers = () => Promise.all([fakeServer({ models: [] }), fakeServer({ models: [] })])

it('endpoints that share a card run jobs in turns, and unload their models in between', async () => {
  const [one, two] = await twoServers()
  const { worker, send, reasonOf } = await sharing({ one, two })
  const [first, second] = [await worker('one'), await worker('two')]
  const jobs = [await send('one'), await send('two')] as const
  expect((await first.take())?.id).toBe(jobs[0])
  const taken = second.take()
  expect(await reasonOf(jobs[1])).toContain('one runs 1 job and shares a GPU with this endpoint')
  const freesBefore = one.frees()
  await first.done(jobs[0], { output: {} })
  expect((await taken)?.id).toBe(jobs[1])
  expect(one.frees()).toBe(freesBefore + 1)
  const next = await send('two')
  await second.done(jobs[1], { output: {} })
  expect((await second.take())?.id).toBe(next)
  expect(one.frees()).toBe(freesBefore + 1)
})

it('a job waits while a server of its group does not unload its models, and says why', async () => {
  let isBroken = true
  const one = await fakeServer({
    models: [],
    answers(request, response) {
      if (request.url !== '/free' || !isBroken) return false
      response.writeHead(500).end()
      return true
    },
  })
  const two = await fakeServer({ models: [] })
  const { clock, worker, send, reasonOf } = await sharing({ one, two })
  const second = await worker('two')
  const job = await send('two')
  const taken = second.take()
  await clock.until(async () => (await reasonOf(job)).includes('answered free with HTTP 500'))
  isBroken = false
  await clock.until(async () => {
    await clock.advance(5000)
    await second.ping([])
    return one.frees() > 0
  })
  expect((await taken)?.id).toBe(job)
})

it('a server that has ended has no models loaded', async () => {
  const [one, two] = await twoServers()
  const { worker, send } = await sharing({ one, two })
  await one.kill()
  const second = await worker('two')
  const job = await send('two')
  expect((await second.take())?.id).toBe(job)
})

it('endpoints with the same server keep its models loaded', async () => {
  const one = await fakeServer({ models: [] })
  const { worker, send } = await sharing({ one, same: one })
  for (const id of ['one', 'same', 'one']) {
    const current = await worker(id)
    const job = await send(id)
    expect((await current.take())?.id).toBe(job)
    await current.done(job, { output: {} })
  }
  expect(one.frees()).toBe(0)
})

it('after a restart of the service the card may hold models of each endpoint', async () => {
  const [one, two] = await twoServers()
  const { worker, send, restart } = await sharing({ one, two }, { file: databaseFile() })
  await restart('in order')
  const second = await worker('two')
  const job = await send('two')
  expect((await second.take())?.id).toBe(job)
  expect(one.frees()).toBe(1)
})

it.each(['http://127.0.0.1:8790/comfy/e', 'http://e.localhost:8790', 'http://localhost:8299'])(
  'refuses %s, its own address, as a server',
  async (address) => {
    const { ask, createEndpoint } = await setup()
    const server = 'http://127.0.0.1:1'
    await createEndpoint('e', { workflows: { server }, comfyuiPort: 8299 })
    const refused = { status: 400, body: { error: expect.stringContaining('is an address of Drydock itself') } }
    const workflows = { server: address }
    expect(await ask('POST', '/api/endpoints', { body: { name: 'loop', command: 'true', workflows } })).toMatchObject(
      refused,
    )
    expect(await ask('PATCH', '/api/endpoints/e', { body: { workflows } })).toMatchObject(refused)
    const body = { kind: 'add', address }
    expect(await ask('POST', '/api/endpoints/e/servers', { body })).toMatchObject(refused)
  },
)

it('refuses a group for an endpoint without a server', async () => {
  const { ask } = await setup()
  const body = { id: 'e', name: 'e', command: 'true', exclusiveGroup: 'card', workflows: {} }
  expect(await ask('POST', '/api/endpoints', { body })).toMatchObject({
    status: 400,
    body: { error: 'exclusiveGroup: requires a ComfyUI server (workflows.server).' },
  })
})
