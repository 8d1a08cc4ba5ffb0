import { describe, expect, it } from 'vitest'
import { setup as setupService } from '../support/core.ts'

const PATH = '/api/published-graphs'
const BIG_SEED = '18446744073709551615'
const PAYLOAD = `{
  "3": {"class_type": "KSampler", "inputs": {"seed": ${BIG_SEED}, "cfg": 7.0, "positive": ["6", 0]}},
  "6": {"class_type": "CLIPTextEncode", "inputs": {"text": "a lamp"}},
  "9": {"class_type": "SaveImage", "inputs": {"images": ["3", 0]}},
  "10": {"class_type": "PreviewImage", "inputs": {"images": ["3", 0]}}
}`
const PROMPT = { name: 'prompt', node: '6', input: 'text', type: 'string' }
const SEED = { name: 'seed', node: '3', input: 'seed', type: 'integer', default: BIG_SEED, min: '0', max: BIG_SEED }

async function setup() {
  const service = await setupService()
  await service.createEndpoint('painter', { workflows: {} })
  const body = (more: object) => {
    return { id: 'lamps', name: 'Lamps', behind: 'painter', payload: PAYLOAD, parameters: [PROMPT, SEED], ...more }
  }
  return {
    ...service,
    publish: (more: object = {}) => service.post(PATH, body(more)),
    tryToPublish: (more: object) => service.ask('POST', PATH, { body: body(more) }),
    run: async (input: object, more: object = {}) => (await service.post('/v2/lamps/run', { input, ...more })).id,
    tryToRun: (input: unknown) => service.ask('POST', '/v2/lamps/run', { body: { input } }),
    /** The next job as it goes to a worker, as text. */
    async taken(): Promise<string> {
      const worker = await service.worker('painter')
      const address = (worker.spec.env.RUNPOD_WEBHOOK_GET_JOB ?? '').replace('$ID', worker.id)
      return (await worker.call(`${address}&job_in_progress=0`)).text()
    },
  }
}

describe('a published graph', () => {
  it('says which inputs it takes, with values to begin with', async () => {
    const { publish, get } = await setup()
    const size = { name: 'size', node: '3', input: 'cfg', type: 'choice', choices: ['512', '1024'] }
    await publish({ parameters: [PROMPT, { ...SEED, default: undefined }, size] })
    expect(await get('/api/endpoints/lamps/input-hints')).toEqual({
      fields: [
        { path: 'prompt', values: [] },
        { path: 'seed', values: [] },
        { path: 'size', values: ['"512"', '"1024"'] },
      ],
      example: '{"prompt":"","seed":0,"size":"512"}',
    })
    await publish()
    const { fields, example } = await get('/api/endpoints/lamps/input-hints')
    expect([fields[1].values, example]).toEqual([[BIG_SEED], `{"prompt":"","seed":${BIG_SEED}}`])
  })

  it('depends on the endpoint behind it, whose deletion says so', async () => {
    const { publish, get, ask } = await setup()
    await publish()
    const dependents = await get('/api/endpoints/painter/dependents')
    expect(dependents).toEqual({ jobs: 0, graphs: ['lamps'], callers: [], schedules: [], batches: [], comparisons: [] })
    expect((await ask('DELETE', '/api/endpoints/painter')).body).toEqual({ ok: true, broke: dependents })
  })

  it('is an endpoint whose jobs run on the one behind it, with its parameters filled in exactly', async () => {
    const { publish, run, taken, get, ask } = await setup()
    expect(await publish()).toMatchObject({ id: 'lamps', behind: 'painter', version: 1, versions: [1] })
    const id = await run({ prompt: 'a harbour' })
    const text = await taken()
    for (const part of [`"seed":${BIG_SEED}`, '"text":"a harbour"', '"cfg":7.0', `"id":"${id}"`])
      expect(text).toContain(part)
    expect(await get(`/v2/lamps/status/${id}`)).toMatchObject({ id, status: 'IN_PROGRESS' })
    expect((await get(`/api/jobs/${id}`)).graph).toEqual({ endpointId: 'lamps', version: 1 })
    expect(await get('/v2/lamps/requests')).toMatchObject({ requests: [{ id }] })
    expect(await get('/v2/lamps/requests?status=COMPLETED')).toEqual({ requests: [] })
    expect(await get('/v2/lamps/health')).toMatchObject({ jobs: { inProgress: 1 } })
    expect((await ask('POST', `/v2/lamps/cancel/${id}`)).body).toEqual({ id, status: 'CANCELLED' })
  })

  it('lists whole pages of jobs of one state', async () => {
    const { publish, run, get, post } = await setup()
    await publish()
    const id = await run({ prompt: 'a harbour' })
    await run({ prompt: 'another harbour' })
    await post(`/v2/lamps/cancel/${id}`)
    expect(await get('/v2/lamps/requests?status=CANCELLED&limit=1')).toMatchObject({ requests: [{ id }] })
  })

  it.each([
    [{}, 'input.prompt: is missing, and has no default; give a string.'],
    [{ prompt: 'x', seed: -1 }, 'input.seed: is -1, but the minimum is 0.'],
    [{ prompt: 'x', steps: 3 }, 'input.steps: is not a parameter of this graph; it has prompt, seed.'],
    [{ prompt: 7 }, 'input.prompt: is 7, but must be a string.'],
  ])('refuses the input %j by the name of the field', async (input, error) => {
    const { publish, tryToRun } = await setup()
    await publish()
    expect(await tryToRun(input)).toMatchObject({ status: 400, body: { code: 'BAD_FIELD', error } })
  })

  it('keeps its versions, and runs the one that is chosen', async () => {
    const { publish, run, taken, ask, get } = await setup()
    await publish()
    await publish({ payload: PAYLOAD.replace('7.0', '3.5'), name: 'Bright lamps' })
    expect(await get(PATH)).toMatchObject({
      graphs: [{ id: 'lamps', name: 'Bright lamps', version: 2, versions: [2, 1] }],
    })
    await run({ prompt: 'x' })
    expect(await taken()).toContain('"cfg":3.5')
    expect(await ask('PATCH', `${PATH}/lamps`, { body: { version: 1 } })).toMatchObject({ body: { version: 1 } })
    expect((await get(`${PATH}/lamps`)).payload).toBe(PAYLOAD)
    const refused = await ask('PATCH', `${PATH}/lamps`, { body: { version: 9 } })
    expect(refused.body.error).toBe('version: there is no version 9 of lamps.')
  })

  it('answers the results that were marked, and runs nothing else', async () => {
    const { publish, run, taken } = await setup()
    await publish({ results: ['9'] })
    await run({ prompt: 'x' })
    const text = await taken()
    expect(text).toContain('SaveImage')
    expect(text).not.toContain('PreviewImage')
  })

  it('takes a picture as a parameter, and sends it with the graph', async () => {
    const { publish, run, taken } = await setup()
    const payload = '{"1": {"class_type": "LoadImage", "inputs": {"image": "old.png"}}}'
    await publish({ payload, parameters: [{ name: 'photo', node: '1', input: 'image', type: 'image' }] })
    await run({ photo: 'AAAA' })
    const text = await taken()
    expect(text).toContain('"image":"photo.png"')
    expect(text).toContain('"images":[{"name":"photo.png","image":"AAAA"}]')
  })

  it('shows nobody else the jobs of the endpoint behind it, and purges its own alone', async () => {
    const { publish, run: runGraph, post, get, ask } = await setup()
    await publish()
    await publish({ id: 'other', name: 'Other' })
    const own = await runGraph({ prompt: 'x' })
    const { id: direct } = await post('/v2/painter/run', { input: {} })
    expect(await ask('GET', `/v2/lamps/status/${direct}`)).toMatchObject({ status: 404 })
    expect(await ask('GET', `/v2/other/status/${own}`)).toMatchObject({ status: 404 })
    expect(await get('/v2/other/requests')).toEqual({ requests: [] })
    expect(await post('/v2/lamps/purge-queue')).toEqual({ removed: 1, status: 'completed' })
    expect(await get(`/v2/painter/status/${direct}`)).toMatchObject({ status: 'IN_QUEUE' })
  })

  it('has a key of its own, which opens nothing of the endpoint behind it', async () => {
    const { publish, post, ask } = await setup()
    await publish()
    const { key } = await post('/api/endpoints/lamps/rotate-key')
    const { id } = await post('/v2/painter/run', { input: { secret: 'word' } })
    const own = await ask('POST', '/v2/lamps/run', { key, body: { input: { prompt: 'x' } } })
    for (const at of ['status', 'stream', 'cancel', 'retry', 'status-sync']) {
      const method = at === 'cancel' || at === 'retry' ? 'POST' : 'GET'
      expect((await ask(method, `/v2/lamps/${at}/${id}`, { key })).status).toBe(404)
      expect((await ask(method, `/v2/painter/${at}/${id}`, { key })).status).toBe(401)
      expect((await ask(method, `/v2/painter/${at}/${own.body.id}`, { key })).status).toBe(401)
    }
    expect((await ask('GET', '/v2/lamps/requests', { key })).body.requests).toEqual([
      expect.objectContaining({ id: own.body.id }),
    ])
    for (const path of ['/v2/painter/requests', '/v2/painter/health'])
      expect((await ask('GET', path, { key })).status).toBe(401)
    for (const path of ['/api/published-graphs/lamps', '/api/node-types', '/api/workflow-runs'])
      expect((await ask('GET', path, { key })).status).toBe(403)
    const chat = await ask('POST', '/v2/lamps/openai/v1/chat', { key, body: { a: 1 } })
    expect(chat).toMatchObject({ status: 404, body: { error: { type: 'invalid_request_error' } } })
    const models = await ask('GET', '/v2/lamps/openai/v1/models', { key })
    expect(models.body).toMatchObject({ object: 'list', data: [{ id: 'lamps', object: 'model' }] })
  })

  it('is refused where a node has an id that workers read as something else', async () => {
    const { tryToPublish } = await setup()
    const payload = '{"__proto__": {"class_type": "A", "inputs": {}}}'
    const { body } = await tryToPublish({ payload, parameters: [] })
    expect(body).toMatchObject({ code: 'BAD_FIELD', error: expect.stringContaining('__proto__') })
  })

  it('refuses what is too large with its parameters in it', async () => {
    const { publish, tryToRun } = await setup()
    const note = { 1: { class_type: 'Note', inputs: { text: 'x'.repeat(15 * 1024 * 1024) } } }
    const payload = `{${JSON.stringify(note).slice(1, -1)},${PAYLOAD.trim().slice(1)}`
    await publish({ payload })
    expect((await tryToRun({ prompt: 'x' })).status).toBe(200)
    const { body } = await tryToRun({ prompt: 'x'.repeat(6 * 1024 * 1024) })
    expect(body.code).toBe('BODY_TOO_LARGE')
  })

  it('tells repeated requests of two graphs on one endpoint apart', async () => {
    const { publish, run, post } = await setup()
    await publish()
    await publish({ id: 'other', name: 'Other' })
    const again = { idempotencyKey: 'same' }
    const first = await run({ prompt: 'x' }, again)
    expect(await run({ prompt: 'x' }, again)).toBe(first)
    expect((await post('/v2/other/run', { input: { prompt: 'x' }, ...again })).id).not.toBe(first)
  })

  it('has an OpenAPI document with its parameters', async () => {
    const { publish, request } = await setup()
    await publish()
    const text = await (await request('GET', `${PATH}/lamps/openapi.json`)).text()
    expect(text).toContain(`"maximum": ${BIG_SEED}`)
    expect(JSON.parse(text).paths['/runsync'].post.requestBody.required).toBe(true)
  })

  it.each([
    [{ behind: 'nobody' }, 'There is no endpoint nobody'],
    [{ id: 'painter' }, 'painter'],
    [{ payload: '{"nodes": [], "links": []}' }, 'This is not a workflow but a document of an editor.'],
    [{ payload: '{' }, 'This is not a workflow but a text that is not JSON'],
    [{ parameters: [{ ...PROMPT, node: '99' }] }, 'parameters.0.node: there is no node 99.'],
    [{ parameters: [{ ...PROMPT, node: '3', input: 'positive' }] }, 'parameters.0.input: positive of node 3 is linked'],
    [{ parameters: [{ ...SEED, default: '-4' }] }, 'parameters.0.default: is -4, but the minimum is 0.'],
    [{ parameters: [{ ...SEED, default: '{' }] }, 'parameters.0.default: is not valid JSON.'],
    [{ parameters: [PROMPT, PROMPT] }, 'parameters.1.name: is the name of two parameters.'],
    [{ parameters: [{ ...PROMPT, type: 'choice' }] }, 'parameters.0.choices: a choice needs its choices.'],
    [{ results: ['42'] }, 'results.0: there is no node 42.'],
  ])('is not made of %j', async (more, error) => {
    const { tryToPublish, get } = await setup()
    const refused = await tryToPublish(more)
    expect(refused.status).toBeGreaterThanOrEqual(400)
    expect(refused.body.error).toContain(error)
    expect(await get(PATH)).toEqual({ graphs: [] })
  })

  it('has no workers of its own, and no other graph behind it', async () => {
    const { publish, tryToPublish, ask } = await setup()
    await publish()
    expect((await tryToPublish({ id: 'more', name: 'More', behind: 'lamps' })).body.error).toBe(
      'Endpoint lamps cannot run this graph: it is a published graph itself. Run the graph on painter.',
    )
    expect((await tryToPublish({ id: 'more', name: 'More', behind: 'other' })).body.code).toBe('ENDPOINT_NOT_FOUND')
    const changed = await ask('PATCH', '/api/endpoints/lamps', { body: { workersMax: 3 } })
    expect(changed.body.error).toBe('workersMax: a published graph has no workers of its own.')
    expect((await ask('POST', '/api/endpoints/lamps/pause')).status).toBe(409)
  })

  it('says what is missing when the endpoint behind it is gone, and runs on another one', async () => {
    const { publish, tryToRun, ask, createEndpoint, run, get } = await setup()
    await publish()
    await createEndpoint('second', { container: { image: 'me/worker-comfyui:5' } })
    expect(await get('/api/endpoints/lamps')).toMatchObject({ state: 'published' })
    await ask('DELETE', '/api/endpoints/painter')
    const brokenReason = 'endpoint painter was deleted. Publish the graph again with another endpoint.'
    expect(await get('/api/endpoints/lamps')).toMatchObject({ state: 'broken', brokenReason })
    expect(await tryToRun({ prompt: 'x' })).toMatchObject({ status: 409, body: { code: 'GRAPH_WITHOUT_ENDPOINT' } })
    await ask('PATCH', `${PATH}/lamps`, { body: { behind: 'second' } })
    expect(await get('/api/endpoints/lamps')).toMatchObject({ state: 'published' })
    const id = await run({ prompt: 'x' })
    expect(await get(`/v2/second/status/${id}`)).toMatchObject({ status: 'IN_QUEUE' })
    await ask('DELETE', '/api/endpoints/lamps')
    expect(await get(PATH)).toEqual({ graphs: [] })
  })
})

describe('a batch of a published graph', () => {
  it('fills its graph for each request, and notes what it refuses', async () => {
    const { clock, get, post, publish, storage, taken } = await setup()
    await publish()
    const { id } = await post('/v2/lamps/batch', [{ input: { prompt: 'a red lamp' } }, { input: { prompt: 7 } }])
    const path = `/v2/lamps/batch/${id}`
    await post(`${path}/finalize`)
    await clock.until(() => storage().batches.get(id)?.settled === 1 || undefined)
    const { requests } = await get(`${path}/requests`)
    expect(requests).toMatchObject([
      { status: 'IN_QUEUE' },
      { status: 'FAILED', error: expect.stringContaining('prompt') },
    ])
    expect(await get(path)).toMatchObject({ endpointId: 'lamps', requestTotal: 2, requestFailed: 1 })
    const job = await taken()
    expect(job).toContain('"text":"a red lamp"')
    expect(job).toContain(`"batchId":"${id}"`)
    expect((await get('/api/workflow-runs')).runs).toMatchObject([{ id: requests[0].id }])
  })

  it('of an endpoint for workflows makes a run of each graph', async () => {
    const { clock, get, post, storage } = await setup()
    const { id } = await post('/v2/painter/batch', [{ input: { workflow: JSON.parse(PAYLOAD) } }, { input: { n: 1 } }])
    await post(`/v2/painter/batch/${id}/finalize`)
    await clock.until(() => storage().batches.get(id)?.settled === 1 || undefined)
    const { requests } = await get(`/v2/painter/batch/${id}/requests`)
    expect(requests).toMatchObject([{ status: 'IN_QUEUE' }, { status: 'IN_QUEUE' }])
    expect((await get('/api/workflow-runs')).runs).toMatchObject([{ id: requests[0].id }])
  })
})
