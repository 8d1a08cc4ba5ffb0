import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { SERVICE_URL, setup } from '../support/core.ts'
import { settle, TEST_EPOCH } from '../support/fake-clock.ts'
import { folderWith } from '../support/project-folder.ts'

/** A handler file that is there. */
const HANDLER = fileURLToPath(new URL('../../resources/examples/hello/handler.py', import.meta.url))

const DEFAULTS = {
  workersMin: 0,
  workersMax: 3,
  idleTimeoutMs: 5000,
  concurrency: 1,
  executionTimeoutMs: 600_000,
  initializingTimeoutMs: 420_000,
  stopGraceMs: 5000,
  redispatches: 1,
  scaler: { type: 'QUEUE_DELAY', value: 4 },
  env: {},
  callsOthers: false,
}

describe('endpoints', () => {
  it('are created with defaults, read, listed and deleted', async () => {
    const { ask, get } = await setup()
    const { status, body } = await ask('POST', '/api/endpoints', { body: { name: 'My Endpoint', handler: HANDLER } })
    const { key, ...view } = body
    expect({ status, view }).toEqual({
      status: 200,
      view: {
        state: 'asleep',
        ...DEFAULTS,
        id: 'my-endpoint',
        name: 'My Endpoint',
        handler: HANDLER,
        paused: false,
        createdAt: TEST_EPOCH,
        updatedAt: TEST_EPOCH,
        url: `${SERVICE_URL}/v2/my-endpoint`,
      },
    })
    expect(key).toMatch(/^dk_/)
    expect(await get('/api/endpoints/my-endpoint')).toEqual(view)
    expect(await get('/api/endpoints')).toEqual({ endpoints: [view] })
    expect((await ask('DELETE', '/api/endpoints/my-endpoint')).body).toEqual({ ok: true })
    expect((await ask('GET', '/api/endpoints/my-endpoint')).body.code).toBe('ENDPOINT_NOT_FOUND')
    expect((await ask('GET', '/v2/my-endpoint/health')).body.code).toBe('ENDPOINT_NOT_FOUND')
    expect((await ask('DELETE', '/api/endpoints/my-endpoint')).body.code).toBe('ENDPOINT_NOT_FOUND')
  })

  const cases: readonly [string, object, boolean][] = [
    ['neither handler nor command', { handler: undefined }, false],
    ['both handler and command', { command: 'x' }, false],
    ['a minimum above the maximum', { workersMin: 4 }, false],
    ['100 workers at most', { workersMax: 100 }, true],
    ['101 workers at most', { workersMax: 101 }, false],
    ['0 workers at most', { workersMax: 0 }, true],
    ['-1 workers at most', { workersMax: -1 }, false],
    ['1.5 workers at most', { workersMax: 1.5 }, false],
    ['an idle timeout of an hour', { idleTimeoutMs: 3_600_000 }, true],
    ['an idle timeout above an hour', { idleTimeoutMs: 3_600_001 }, false],
    ['a concurrency of 0', { concurrency: 0 }, false],
    ['a concurrency of 1000', { concurrency: 1000 }, true],
    ['a concurrency of 1001', { concurrency: 1001 }, false],
    ['an executionTimeout of 4999', { executionTimeoutMs: 4999 }, false],
    ['an executionTimeout of 5000', { executionTimeoutMs: 5000 }, true],
    ['an executionTimeout of 7 days', { executionTimeoutMs: 604_800_000 }, true],
    ['an executionTimeout above 7 days', { executionTimeoutMs: 604_800_001 }, false],
    ['10 re-dispatches', { redispatches: 10 }, true],
    ['11 re-dispatches', { redispatches: 11 }, false],
    ['a day of waiting for a lost machine', { waitForMachineMs: 86_400_000 }, true],
    ['more than a day of waiting for it', { waitForMachineMs: 86_400_001 }, false],
    ['an unknown scaler', { scaler: { type: 'X', value: 1 } }, false],
    ['a REQUEST_COUNT of 0', { scaler: { type: 'REQUEST_COUNT', value: 0 } }, false],
    ['a REQUEST_COUNT of 1', { scaler: { type: 'REQUEST_COUNT', value: 1 } }, true],
    ['a QUEUE_DELAY of 0', { scaler: { type: 'QUEUE_DELAY', value: 0 } }, true],
    ['a variable with a bad name', { env: { 'A-B': 'x' } }, false],
    ['a variable that is no text', { env: { A: 1 } }, false],
    ['an id of 40 characters', { id: 'x'.repeat(40) }, true],
    ['an id of 41 characters', { id: 'x'.repeat(41) }, false],
    ['an id with capitals', { id: 'Abc' }, false],
    ['an id that begins with a hyphen', { id: '-a' }, false],
    ['an id with a slash', { id: 'a/b' }, false],
    ['a name of 100 characters', { name: 'n'.repeat(100) }, true],
    ['a name of 101 characters', { name: 'n'.repeat(101) }, false],
    ['an empty name', { name: ' ' }, false],
  ]
  for (const [what, fields, accepted] of cases) {
    it(`are ${accepted ? 'made' : 'refused'} with ${what}`, async () => {
      const { ask, storage } = await setup()
      const body = { name: 'n', handler: HANDLER, ...fields }
      const answer = await ask('POST', '/api/endpoints', { body })
      expect([answer.status, answer.body.code]).toEqual(accepted ? [200, undefined] : [400, 'BAD_FIELD'])
      expect(storage().endpoints.all().length).toBe(accepted ? 1 : 0)
    })
  }

  it('have a handler file that is there, when they are made and when they are changed', async () => {
    const { ask, createEndpoint } = await setup()
    const folder = folderWith({ 'handler.py': '', 'models/a.txt': '' })
    symlinkSync(join(folder, 'handler.py'), join(folder, 'linked.py'))
    symlinkSync(join(folder, 'nowhere.py'), join(folder, 'broken.py'))
    const file = (name: string) => join(folder, name)
    await createEndpoint('e')
    const refusal = (path: string) =>
      `handler: there is no file ${path} on the machine of the service. Give the path of a file in Python or TypeScript.`
    for (const [handler, error] of [
      [file('none.py'), refusal(file('none.py'))],
      [file('models'), refusal(file('models'))],
      [file('broken.py'), refusal(file('broken.py'))],
      ['handler.py', 'handler: give the whole path of the file.'],
    ] as const) {
      const made = await ask('POST', '/api/endpoints', { body: { name: 'n', handler } })
      const changed = await ask('PATCH', '/api/endpoints/e', { body: { handler } })
      for (const { status, body } of [made, changed])
        expect([status, body.code, body.error]).toEqual([400, 'BAD_FIELD', error])
    }
    expect((await ask('PATCH', '/api/endpoints/e', { body: { handler: file('linked.py') } })).status).toBe(200)
  })

  it('get ids from their names, with another end where that is taken', async () => {
    const { post } = await setup()
    const idOf = async (name: string) => (await post('/api/endpoints', { name, command: 'x' })).id
    expect(await idOf('Flux Dev!')).toBe('flux-dev')
    expect(await idOf('flux dev')).toMatch(/^flux-dev-[a-z0-9]{6}$/)
    expect(await idOf('图像')).toBe('endpoint')
  })

  it('that are made at the same time with one id or name: one is made, the others are refused', async () => {
    for (const [first, second] of [
      [
        { id: 'a', name: 'a' },
        { id: 'a', name: 'b' },
      ],
      [
        { id: 'a', name: 'a' },
        { id: 'b', name: 'a' },
      ],
    ]) {
      const { ask, get } = await setup()
      const bodies = [first, second].map((body) => ({ command: 'x', ...body }))
      const answers = await Promise.all(bodies.map((body) => ask('POST', '/api/endpoints', { body })))
      expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
        [200, undefined],
        [409, 'ENDPOINT_EXISTS'],
      ])
      expect((await get('/api/endpoints')).endpoints).toMatchObject([first as object])
      expect((await ask('GET', '/v2/a/health', { key: answers[0]?.body.key })).status).toBe(200)
    }
  })

  it('are changed by the fields that are given', async () => {
    const { createEndpoint, ask, get, clock } = await setup()
    await createEndpoint('e', { workersMin: 0, env: { A: '1' } })
    await clock.advance(10)
    const before = await get('/api/endpoints/e')
    const { body } = await ask('PATCH', '/api/endpoints/e', { body: { workersMax: 5, name: 'new' } })
    expect(body).toEqual({ ...before, workersMax: 5, name: 'new', updatedAt: clock.wall() })
    expect(await get('/api/endpoints/e')).toEqual(body)
    const program = await ask('PATCH', '/api/endpoints/e', { body: { handler: HANDLER } })
    expect(program.body).toMatchObject({ handler: HANDLER })
    expect(program.body.command).toBe(undefined)
  })

  for (const [what, body, code] of [
    ['an unknown field', { workerMax: 1 }, 'BAD_FIELD'],
    ['a minimum above the maximum', { workersMin: 9 }, 'BAD_FIELD'],
    ['a taken name', { name: 'other' }, 'ENDPOINT_EXISTS'],
    ['a list', [], 'BAD_INPUT'],
  ] as const) {
    it(`are not changed by ${what}`, async () => {
      const { createEndpoint, ask, get } = await setup()
      await createEndpoint('e', { workersMin: 0 })
      await createEndpoint('other', { workersMin: 0 })
      const before = await get('/api/endpoints/e')
      expect((await ask('PATCH', '/api/endpoints/e', { body })).body.code).toBe(code)
      expect(await get('/api/endpoints/e')).toEqual(before)
    })
  }

  it('keep a pause and a new key when a slow change of settings ends after them', async () => {
    const { createEndpoint, ask, post, get } = await setup()
    await createEndpoint()
    let feed: ReadableStreamDefaultController<Uint8Array> | undefined
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        feed = controller
      },
    })
    const slow = ask('PATCH', '/api/endpoints/e', { stream })
    await settle()
    await post('/api/endpoints/e/pause')
    const { key } = await post('/api/endpoints/e/rotate-key')
    feed?.enqueue(new TextEncoder().encode('{"idleTimeoutMs":1}'))
    feed?.close()
    expect((await slow).body).toMatchObject({ paused: true, idleTimeoutMs: 1 })
    expect(await get('/api/endpoints/e')).toMatchObject({ paused: true, idleTimeoutMs: 1 })
    expect((await ask('GET', '/v2/e/health', { key })).status).toBe(200)
  })

  it('keep all changes that come at the same time', async () => {
    const { createEndpoint, ask, get } = await setup()
    await createEndpoint()
    const [, rotated] = await Promise.all([
      ask('POST', '/api/endpoints/e/pause'),
      ask('POST', '/api/endpoints/e/rotate-key'),
      ask('PATCH', '/api/endpoints/e', { body: { idleTimeoutMs: 1 } }),
      ask('PATCH', '/api/endpoints/e', { body: { redispatches: 3 } }),
    ])
    expect(await get('/api/endpoints/e')).toMatchObject({ paused: true, idleTimeoutMs: 1, redispatches: 3 })
    expect((await ask('GET', '/v2/e/health', { key: rotated.body.key })).status).toBe(200)
  })

  it('that were deleted are not brought back by a slow change, nor do they take a slow job', async () => {
    const { createEndpoint, ask, get, storage } = await setup()
    await createEndpoint()
    const feeds: ReadableStreamDefaultController<Uint8Array>[] = []
    const body = () => new ReadableStream<Uint8Array>({ start: (controller) => void feeds.push(controller) })
    const slow = [ask('PATCH', '/api/endpoints/e', { stream: body() }), ask('POST', '/v2/e/run', { stream: body() })]
    await settle()
    await ask('DELETE', '/api/endpoints/e')
    for (const [at, text] of ['{"idleTimeoutMs":1}', '{"input":{}}'].entries()) {
      feeds[at]?.enqueue(new TextEncoder().encode(text))
      feeds[at]?.close()
    }
    for (const answer of slow) expect((await answer).body).toMatchObject({ code: 'ENDPOINT_NOT_FOUND' })
    expect(await get('/api/endpoints')).toEqual({ endpoints: [] })
    expect(storage().jobs.newestSeq()).toBe(0)
  })

  it('that are deleted stop their workers, and whoever waits for their jobs hears of the end', async () => {
    const { createEndpoint, running, ask, clock, fleet, get } = await setup()
    await createEndpoint()
    const { jobId } = await running()
    const waits = [ask('POST', '/v2/e/runsync', { body: { input: {} } }), ask('GET', `/v2/e/status-sync/${jobId}`)]
    await settle()
    await ask('DELETE', '/api/endpoints/e')
    for (const wait of waits) expect((await wait).body).toMatchObject({ status: 'CANCELLED' })
    await clock.until(() => fleet().list().length === 0, 20_000)
    expect((await get('/api/info')).jobs).toEqual({ inQueue: 0, inProgress: 0 })
    expect((await get('/api/jobs')).requests).toEqual([])
    await createEndpoint()
    expect((await get('/v2/e/health')).jobs).toMatchObject({ completed: 0, inQueue: 0, inProgress: 0 })
  })

  it('that are paused accept jobs and hand none out, until they are resumed', async () => {
    const { createEndpoint, post, run, get, worker, clock } = await setup()
    await createEndpoint()
    const taker = await worker()
    expect(await post('/api/endpoints/e/pause')).toMatchObject({ paused: true })
    const id = await run()
    let taken: unknown
    const open = taker.take().then((job) => {
      taken = job
    })
    await clock.advance(15_000)
    expect(taken).toBe(undefined)
    expect((await get('/api/endpoints/e')).waitingReason).toBe('The endpoint is paused. Resume it to continue.')
    expect(await post('/api/endpoints/e/resume')).toMatchObject({ paused: false })
    await open
    expect(taken).toMatchObject({ id })
  })

  it('whose program changes get new workers; other settings leave them', async () => {
    const { createEndpoint, worker, ask, clock, fleet } = await setup()
    await createEndpoint()
    const first = await worker()
    await ask('PATCH', '/api/endpoints/e', { body: { idleTimeoutMs: 10_000 } })
    await clock.advance(1000)
    expect(fleet().list()).toMatchObject([{ workerId: first.id }])
    await ask('PATCH', '/api/endpoints/e', { body: { env: { A: '2' } } })
    const second = await worker('e', [first])
    expect(second.spec.env.A).toBe('2')
    await clock.until(() =>
      fleet()
        .list()
        .every(({ workerId }) => workerId !== first.id),
    )
  })
})

describe('settings', () => {
  const all = {
    appSchedules: false,
    strictLimits: false,
    strictLimitsFleetShare: 4,
    streamForm: 'array',
    webhooksToPrivateAddresses: false,
    workerSystemChecks: false,
    maxWorkers: 32,
    python: 'python3',
    logRetentionDays: 7,
    jobHistoryDays: 7,
    jobHistoryMaxMib: 5120,
    assetsMaxMib: 10_240,
    modelsMaxMib: 65_536,
    modelsFromPrivateAddresses: false,
    modelHub: 'https://huggingface.co',
    tracesTo: '',
  }

  it('keeps both of two settings that are changed at once', async () => {
    const { ask, get } = await setup()
    const before = await get('/api/settings')
    for (let n = 1; n <= 30; n++) {
      const [maxWorkers, jobHistoryDays] = [before.maxWorkers + n, before.jobHistoryDays + n]
      await Promise.all([
        ask('PATCH', '/api/settings', { body: { maxWorkers } }),
        ask('PATCH', '/api/settings', { body: { jobHistoryDays } }),
      ])
      expect(await get('/api/settings')).toMatchObject({ maxWorkers, jobHistoryDays })
    }
  })

  it('have defaults, are changed one by one, and stay', async () => {
    const { get, ask } = await setup()
    expect(await get('/api/settings')).toEqual(all)
    expect((await ask('PATCH', '/api/settings', { body: { maxWorkers: 2 } })).body).toEqual({ ...all, maxWorkers: 2 })
    expect((await ask('PATCH', '/api/settings', { body: {} })).body).toEqual({ ...all, maxWorkers: 2 })
    expect(await get('/api/settings')).toEqual({ ...all, maxWorkers: 2 })
  })

  for (const body of [{ maxWorkers: 0 }, { maxWorkers: 1001 }, { streamForm: 'x' }, { unknown: 1 }, { python: '' }]) {
    it(`are not changed by ${JSON.stringify(body)}`, async () => {
      const { get, ask } = await setup()
      expect((await ask('PATCH', '/api/settings', { body })).body).toMatchObject({ code: 'BAD_FIELD', status: 400 })
      expect(await get('/api/settings')).toEqual(all)
    })
  }

  it.each([
    [{ strictLimits: 'yes' }, 'strictLimits: must be true or false.'],
    [{ maxWorkers: 'abc' }, 'maxWorkers: must be a number.'],
    [{ maxWorkers: 0 }, 'maxWorkers: must be at least 1.'],
    [{ maxWorkers: 1001 }, 'maxWorkers: must be at most 1000.'],
  ])('say in plain words what is wrong with %j', async (body, error) => {
    const { ask } = await setup()
    expect((await ask('PATCH', '/api/settings', { body })).body).toMatchObject({ error })
  })

  it('info says where the service is and how it does', async () => {
    const { createEndpoint, running, run, get } = await setup()
    await createEndpoint()
    await running()
    await run({}, { policy: { lowPriority: true } })
    expect(await get('/api/info')).toEqual({
      version: '0.0.1',
      pid: 1,
      url: SERVICE_URL,
      data: '/data',
      startedAt: TEST_EPOCH,
      role: 'admin',
      endpoints: 1,
      jobs: { inQueue: 1, inProgress: 1 },
      lateResults: 0,
    })
  })
})

describe('a setting that may be missing', () => {
  it('is taken away by null, of the endpoint and of its containers', async () => {
    const { createEndpoint, ask, get } = await setup()
    await createEndpoint('e', { cwd: '/tmp', container: { memoryBytes: 2 ** 30, gpu: 'ANY', prepared: 0 } })
    const change = (body: object) => ask('PATCH', '/api/endpoints/e', { body })
    expect((await change({ cwd: null, container: { gpu: null } })).status).toBe(200)
    const { cwd, container } = await get('/api/endpoints/e')
    expect({ cwd, container }).toEqual({ cwd: undefined, container: expect.not.objectContaining({ gpu: 'ANY' }) })
    expect(container).toMatchObject({ memoryBytes: 2 ** 30, prepared: 0 })
    expect((await change({ container: null })).status).toBe(200)
    expect(await get('/api/endpoints/e')).not.toHaveProperty('container')
  })

  it('of containers is not there for processes, which stay processes without it', async () => {
    const { createEndpoint, ask, get } = await setup()
    await createEndpoint('e')
    const body = { container: { gpu: null, cpu: null } }
    expect((await ask('PATCH', '/api/endpoints/e', { body })).status).toBe(200)
    expect(await get('/api/endpoints/e')).not.toHaveProperty('container')
  })

  it('is not taken away where there has to be one', async () => {
    const { createEndpoint, ask } = await setup()
    await createEndpoint('e', { container: {} })
    for (const body of [{ workersMax: null }, { container: { prepared: null } }, { name: null }])
      expect((await ask('PATCH', '/api/endpoints/e', { body })).body).toMatchObject({ code: 'BAD_FIELD' })
  })
})

it('a card that this machine does not have is warned of at once, when an endpoint is made and when it is changed', async () => {
  const { fleet, ask } = await setup()
  fleet().lacks = ({ container }) => (container?.gpu === undefined ? undefined : 'this machine has no NVIDIA GPU')
  const container = { image: 'i', gpu: 'ANY' }
  const made = await ask('POST', '/api/endpoints', { body: { name: 'a', id: 'a', container } })
  const warning = 'This machine cannot run its workers at the moment: this machine has no NVIDIA GPU.'
  expect(made.body).toMatchObject({ warning })
  const changed = (body: object) => ask('PATCH', '/api/endpoints/a', { body })
  expect((await changed({ container: { gpuCount: 2 } })).body).toMatchObject({ warning })
  const unknown = (await changed({ container: { gpu: 'RTX 4O90' } })).body.warning
  expect(unknown).toMatch(/no NVIDIA GPU\. GPU type RTX 4O90 is unknown\. Did you mean RTX 4090 or/)
  expect((await changed({ workersMax: 1 })).body).not.toHaveProperty('warning')
  expect((await changed({ container: { gpu: null } })).body).not.toHaveProperty('warning')
})

it('a container is warned of at once where no engine runs it, and a process is not', async () => {
  const { fleet, ask } = await setup()
  fleet().noEngine = 'no Docker engine answers'
  const made = (name: string, body: object) => ask('POST', '/api/endpoints', { body: { name, ...body } })
  const warning = 'This machine cannot run its workers at the moment: no Docker engine answers.'
  expect((await made('small', { container: { image: 'alpine:3' } })).body).toMatchObject({ warning })
  expect((await made('large', { container: { image: 'alpine:3', memoryBytes: 2 ** 31 } })).body).toMatchObject({
    warning,
  })
  expect((await made('process', { command: 'python3 worker.py' })).body).not.toHaveProperty('warning')
})
