/** Large bodies do not hold the event loop, whatever is in them. */
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import { limit } from '../../src-main/contract/limits.ts'
import { manifestResource } from '../../src-main/contract/manifest.ts'
import { parseManifest } from '../../src-main/features/apps/release-source.ts'
import { checkPrompt } from '../../src-main/features/comfyui-api/rules/check-prompt.ts'
import { readObject } from '../../src-main/features/jobs/rules/read-object.ts'
import { readReport } from '../../src-main/features/jobs/rules/report.ts'
import { readChunk } from '../../src-main/features/jobs/rules/stream.ts'
import { typesIn } from '../../src-main/features/workflows/rules/classes-file.ts'
import { publishProblem } from '../../src-main/features/workflows/rules/runs/publish-problem.ts'
import { runGraph } from '../../src-main/features/workflows/rules/runs/run-graph.ts'
import { foldedText } from '../../src-main/http/body-text.ts'
import { scanJson } from '../../src-main/lib/json/scan.ts'
import { keepEnds } from '../../src-main/lib/text.ts'
import { setup } from '../support/core.ts'
import { DOCUMENT, ended, finish, start, withEndpoint } from '../support/graph-runs.ts'
import { cpuOf, cpuWhile, expectShortHold, HOLD_TRIES, longestHold } from '../support/main-thread.ts'
import { openProxy } from '../support/proxied.ts'
import { until } from '../support/served-service.ts'
import { jsonBytes, pngChunk, pngOf, WORST_JSON } from '../support/worst-bodies.ts'

// Reading so much of them takes many times as long as all else: taking it in, sending it to the thread, storing it.
const BYTES = 4 * 1024 * 1024
const PART = 0.5

// alone/worst-bodies.test.ts sends the largest bodies of each kind.
const emptyLists = (name: string, bytes: number) => WORST_JSON['empty lists']?.(name, bytes) ?? Buffer.alloc(0)

// `toEqual` compares a hundred thousand lists in half a second.
const expectSame = (one: unknown, other: unknown) => expect(isDeepStrictEqual(one, other)).toBe(true)

/** The service with a job that a worker runs. */
async function withRunningJob() {
  const service = await setup()
  await service.createEndpoint()
  const { jobId, worker } = await service.running()
  return { ...service, jobId, worker }
}

it('inputs are dispatched, and results stored, as they came', async () => {
  const { createEndpoint, ask, worker, status } = await setup()
  await createEndpoint()
  const taker = await worker()
  for (const make of Object.values(WORST_JSON)) {
    const [input = '', output = ''] = ['input', 'output'].map((name) =>
      make(name, 2 * limit('payloadInRowBytes')).toString(),
    )
    const { id } = (await ask('POST', '/v2/e/run', { body: input })).body
    expectSame((await taker.take())?.input, JSON.parse(input).input)
    expect((await taker.done(id, output)).status).toBe(200)
    await until(async () => expect((await status(id)).status).toBe('COMPLETED'))
    expectSame((await status(id)).output, JSON.parse(output).output)
  }
})

describe('a result', () => {
  it('of many empty lists does not hold the event loop as long as reading it takes', async () => {
    const { worker, running } = await withRunningJob()
    const body = emptyLists('output', BYTES)
    const reading = cpuOf(() => readReport(foldedText(body)))
    await expectShortHold(reading * PART, async () => worker.done((await running()).jobId, body))
  })

  it('that is large and no JSON fails its job with the reason', async () => {
    const { worker, jobId, status } = await withRunningJob()
    await worker.done(jobId, `{"output":[${'[],'.repeat(limit('payloadInRowBytes'))}`)
    expect(await status(jobId)).toMatchObject({ status: 'FAILED', error: expect.stringContaining('is not JSON') })
  })

  it('whose error is nested too deeply to be written fails its job', async () => {
    const { worker, jobId, status } = await withRunningJob()
    const depth = limit('payloadInRowBytes')
    await worker.done(jobId, `{"error":${'['.repeat(depth)}${']'.repeat(depth)}}`)
    expect(await status(jobId)).toMatchObject({ status: 'FAILED', error: expect.stringContaining('nested too deeply') })
  })

  it('with a long error fails its job with both ends of it', async () => {
    const { worker, jobId, storage } = await withRunningJob()
    await worker.done(jobId, { error: 'x\n'.repeat(2 * limit('payloadInRowBytes')) })
    await until(() => expect(storage().jobs.find(jobId)?.status).toBe('FAILED'))
    expect(storage().jobs.find(jobId)?.error).toHaveLength(limit('jobErrorLength'))
  })
})

describe('a list of jobs', () => {
  it('reads as many long errors as take a moment, and cuts the others', async () => {
    const { createEndpoint, run, worker, get } = await setup()
    await createEndpoint()
    const taker = await worker()
    const error = JSON.stringify({ error_traceback: 'x'.repeat(60_000), error_message: 'no face' })
    const jobs = 20
    for (let count = 0; count < jobs; count += 1) {
      const jobId = await run()
      await taker.take()
      await taker.done(jobId, { error })
    }
    const errors: readonly string[] = (await get('/api/jobs')).requests.map((job: { error: string }) => job.error)
    const read = errors.filter((one) => one === '{"error_message":"no face"}')
    expect(errors).toHaveLength(jobs)
    expect(read.length).toBeGreaterThan(jobs / 2)
    expect(errors.slice(read.length)).toEqual(Array(jobs - read.length).fill(keepEnds(error, limit('listErrorLength'))))
    expect(read.length).toBeLessThan(jobs)
  })
})

it('a search for words with punctuation does not hold the event loop as long as checking all texts takes', async () => {
  const { createEndpoint, run, get } = await setup()
  await createEndpoint()
  const text = 'a\n'.repeat(10_000)
  for (let count = 0; count < 150; count++) await run({ text })
  const search = () => get('/api/job-count?q=%22text%22:')
  await search()
  let held = 0
  const all = await cpuWhile(async () => {
    held = await longestHold(search)
  })
  expect(held).toBeLessThan(all * PART)
})

describe('a chunk', () => {
  it('of many empty lists does not hold the event loop as long as reading it takes', async () => {
    const { worker, jobId, storage } = await withRunningJob()
    const body = emptyLists('output', BYTES)
    const reading = cpuOf(() => readChunk(body.toString(), limit('chunkBytes')))
    await expectShortHold(reading * PART, () => worker.chunk(jobId, body))
    const job = storage().jobs.find(jobId)
    expect(storage().chunks.count(job?.seq ?? 0)).toBeGreaterThan(1)
  })

  it('that is large and no JSON is reported by its job', async () => {
    const { worker, jobId, get } = await withRunningJob()
    await worker.chunk(jobId, { output: 1 })
    await worker.chunk(jobId, `{"output":[${'[],'.repeat(limit('payloadInRowBytes'))}NaN]}`)
    await worker.done(jobId, { output: [] })
    const { history } = await get(`/api/jobs/${jobId}`)
    expect(history.at(-1)).toMatchObject({ reason: '1 of 2 chunks could not be sent: NaN at [1]' })
  })

  it('of lists nested deeper than can be written is cut as text', async () => {
    const { worker, jobId, get } = await withRunningJob()
    const depth = 2 * limit('chunkBytes')
    await worker.chunk(jobId, `{"output":${'['.repeat(depth)}${']'.repeat(depth)}}`)
    const pieces: { readonly output: string }[] = []
    for (let more = true; more; ) {
      const page = await get(`/api/jobs/${jobId}/chunks?after=${pieces.length}`)
      pieces.push(...page.chunks)
      more = page.more
    }
    const text = pieces.map(({ output }) => output).join('')
    expect(text === '['.repeat(depth) + ']'.repeat(depth)).toBe(true)
  })
})

describe('an input', () => {
  it('of many empty lists does not hold the event loop as long as reading it takes', async () => {
    const { createEndpoint, request } = await setup()
    await createEndpoint()
    const body = emptyLists('input', BYTES)
    const reading = cpuOf(() => readObject(foldedText(body)))
    await expectShortHold(reading * PART, () => request('POST', '/v2/e/run', { body }))
  })

  it('that is large is refused for what is wrong with it', async () => {
    const { createEndpoint, ask } = await setup()
    await createEndpoint()
    const lists = '[],'.repeat(limit('payloadInRowBytes'))
    for (const [end, error] of [
      ['', 'not valid JSON'],
      ['0],"b":{"c":1,"c":2}}}', 'the key \\"c\\" occurs twice'],
      ['0],"__proto__":1}}', 'the key \\"__proto__\\" is not allowed'],
      ['0]},"policy":{"ttl":1}}', 'policy.ttl'],
      [`0]},"policy":{"x":"\\n${'x'.repeat(limit('payloadInRowBytes'))}"}}`, 'policy: must be at most'],
    ] as const) {
      const answer = await ask('POST', '/v2/e/run', { body: `{"input":{"a":[${lists}${end}` })
      expect({ end: end.slice(0, 40), status: answer.status, error: JSON.stringify(answer.body) }).toEqual({
        end: end.slice(0, 40),
        status: 400,
        error: expect.stringContaining(error),
      })
    }
  })

  it('with more fields next to it than any program names is refused', async () => {
    const { createEndpoint, ask } = await setup()
    await createEndpoint()
    const fields = Array.from({ length: limit('jsonFields') }, (_, at) => `"f${at}":0`).join(',')
    const { status, body } = await ask('POST', '/v2/e/run', { body: `{"input":{},${fields}}` })
    expect({ status, error: body.error }).toEqual({ status: 400, error: expect.stringContaining('10000 fields') })
  })
})

describe('a file of inputs', () => {
  it.each(['\n', 'x\n'])('of many lines %j lets others in between', async (line) => {
    const { createEndpoint, ask } = await setup()
    await createEndpoint()
    const body = line.repeat(20_000)
    let held = 0
    const all = await cpuWhile(async () => {
      const headers = { 'content-type': 'application/x-ndjson' }
      held = await longestHold(() => ask('POST', '/api/endpoints/e/jobs', { body, headers }))
    })
    expect(held).toBeLessThan(all * PART)
  })
})

describe('a body of the management API', () => {
  const entries = (count: number, value: unknown) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`K${at}`, value]))
  const start = { version: '1', app: 'a', python_version: '3.12', generated_at: '', source_fingerprint: '' }
  const resources = entries(9000, {})

  it.each([
    [
      'variables of an endpoint',
      'PATCH',
      '/api/endpoints/e',
      { env: entries(15_000, 'x') },
      'env: must have at most 1000',
    ],
    [
      'endpoints of a manifest',
      'POST',
      '/api/apps/a/environments/b/plan',
      { artifact: 'a'.repeat(64), manifest: { ...start, resources } },
      'at most 500',
    ],
    [
      'functions of a manifest',
      'POST',
      '/api/apps/a/environments/b/plan',
      { manifest: { functions: Array(50_000).fill({}) } },
      '20000 values',
    ],
  ])('with too many %s is refused before each is checked', async (_what, method, path, body, why) => {
    const { createEndpoint, ask } = await setup()
    await createEndpoint()
    const checked = cpuOf(() => Object.values(resources).map((one) => manifestResource.safeParse(one)))
    const bytes = jsonBytes(body)
    await expectShortHold(checked * PART, () => ask(method, path, { body: bytes }))
    expect((await ask(method, path, { body: bytes })).body).toMatchObject({
      status: 400,
      error: expect.stringContaining(why),
    })
  })

  it('with many wrong parts of a manifest in an artifact is refused with the first of them', () => {
    const parts = { ...start, resources: entries(500, {}), routes: {}, function_registry: {} }
    expect(() => parseManifest(JSON.stringify(parts))).toThrow(/^.{100,2000}$/s)
    expect(() => parseManifest(JSON.stringify({ ...parts, functions: Array(50_000).fill({}) }))).toThrow('20000 values')
  })

  it('may hold a long text, and not more values than are read', async () => {
    const { ask } = await setup()
    const name = 'a graph'
    const nodes = (count: number) => JSON.stringify({ nodes: Array(count).fill({}), links: [], note: '\n'.repeat(5e5) })
    const added = await ask('POST', '/api/workflows', { body: { name, text: nodes(1000) } })
    expect({ status: added.status, body: added.body }).toMatchObject({ status: 200, body: { nodes: 1000 } })
    const refused = await ask('POST', '/api/workflows', {
      body: `{"name":"a","text":"","more":[${'[],'.repeat(limit('jsonValues'))}0]}`,
    })
    expect(refused.body).toMatchObject({ status: 400, error: expect.stringContaining('100000 values') })
  })
})

it('a document of 50,000 nodes is added to the library as it came', async () => {
  const nodes = Array.from({ length: 50_000 }, (_, id) => ({
    id,
    type: 'KSampler',
    pos: [id, 0],
    size: [315, 262],
    inputs: [],
    outputs: [],
    properties: { 'Node name for S&R': 'KSampler' },
    widgets_values: [id, 'randomize', 20, 7.5, 'euler', 'normal', 1, 'é'],
  }))
  const text = JSON.stringify({ nodes, links: [], version: 0.4 })
  const { post, get } = await setup()
  const { id, nodes: count } = await post('/api/workflows', { name: 'large', text })
  expect(count).toBe(nodes.length)
  expect((await get(`/api/workflows/${id}`)).text === text).toBe(true)
})

it('a large graph is published without holding the event loop as long as reading it takes', async () => {
  const service = await withEndpoint()
  const nodes = Array.from({ length: 20_000 }, (_, at) => [at, { class_type: 'KSampler', inputs: { seed: at } }])
  const payload = JSON.stringify(Object.fromEntries(nodes))
  const reading = cpuOf(() => publishProblem({ payload, parameters: [], results: [] }))
  const graph = { behind: 'e', payload, document: '{}', parameters: [], results: [] }
  const bodies = Array.from({ length: HOLD_TRIES }, (_, at) => jsonBytes({ ...graph, name: `large ${at}` }))
  await expectShortHold(reading * PART, async (attempt) => {
    expect((await service.request('POST', '/api/published-graphs', { body: bodies[attempt] })).status).toBe(200)
  })
})

const ASKED_RUN = { title: 'Mine', label: undefined, endpoint: {}, installed: undefined }

describe('a run', () => {
  it('of a large graph is sent as it came, and does not hold the event loop as long as reading it takes', async () => {
    const service = await withEndpoint()
    const inputs = (at: number) => ({ seed: at, cfg: 7.5, image: `in/${at}.png`, text: `a prompt of node ${at}` })
    const nodes = Array.from({ length: 20_000 }, (_, at) => [at, { class_type: 'KSampler', inputs: inputs(at) }])
    const payload = JSON.stringify(Object.fromEntries(nodes))
    const reading = cpuOf(() => runGraph(payload, ASKED_RUN, new Map()))
    const body = jsonBytes({ endpointId: 'e', payload, document: DOCUMENT, title: 'Mine' })
    let id = ''
    await expectShortHold(reading * PART, async () => {
      id = (await service.ask('POST', '/api/workflow-runs', { body })).body.id
    })
    expect((await service.get(`/api/workflow-runs/${id}`)).payload).toBe(payload)
    expect((await (await service.worker()).take())?.input).toEqual({ workflow: JSON.parse(payload) })
  })

  it('of a ComfyUI client is checked without blocking the event loop', async () => {
    const service = await withEndpoint()
    const { send } = await openProxy(service)
    const types = typesIn((await service.get('/api/node-types?endpointId=e')).text)
    const nodes = Array.from({ length: 6000 }, (_, at) => [at, { class_type: 'KSampler', inputs: {} }])
    const prompt = JSON.stringify(Object.fromEntries(nodes))
    const checking = cpuOf(() => checkPrompt(prompt, { targets: undefined, knowsFiles: true, run: ASKED_RUN }, types))
    const body = `{"prompt":${prompt}}`
    await expectShortHold(checking * PART, async () => {
      expect((await send('/comfy/e/prompt', { method: 'POST', body })).status).toBe(400)
    })
  })

  it.each([
    ['prompt', '/comfy/e/prompt', 400],
    ['workflow', '/comfy/e/api/v2/jobs', 422],
  ])(
    'of a ComfyUI client is scanned for its fields without blocking the event loop, in %s',
    async (name, path, refused) => {
      const { send } = await openProxy(await withEndpoint())
      const body = `{"${name}":{"1":{"class_type":"A","inputs":{"x":[${'0,'.repeat(BYTES / 2)}0]}}}}`
      const scanning = cpuOf(() => scanJson(body, { maxKeys: 100, maxDepth: 100 }))
      await expectShortHold(scanning * PART, async () => {
        expect((await send(path, { method: 'POST', body })).status).toBe(refused)
      })
    },
  )

  it('of a large graph is refused for what is wrong with it', async () => {
    const { ask } = await withEndpoint()
    const fill = '"n":{"class_type":"A","inputs":{}},'.repeat(limit('payloadInRowBytes') / 20)
    for (const [end, error] of [
      ['"__proto__":{"class_type":"A","inputs":{}}}', 'workers cannot read reliably'],
      ['"m":', 'a text that is not JSON'],
    ] as const) {
      const body = { endpointId: 'e', title: 'Mine', payload: `{${fill}${end}` }
      const refused = await ask('POST', '/api/workflow-runs', { body })
      expect(refused.body).toMatchObject({ status: 400, error: expect.stringContaining(error) })
    }
  })

  it('whose output holds many empty lists does not hold the event loop as long as reading it takes', async () => {
    const service = await withEndpoint()
    const output = emptyLists('output', BYTES)
    const reading = cpuOf(() => JSON.parse(output.toString()))
    await expectShortHold(reading * PART, async () => {
      const { id } = await start(service)
      await finish(service, id, output)
      await ended(service, id)
    })
  })

  it('whose server has a long list of classes does not hold the event loop as long as reading it takes', async () => {
    const service = await withEndpoint()
    const inputs = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`input ${at}`, ['INT', { min: at }]]))
    const classes = Array.from({ length: 200 }, (_, at) => [`Class${at}`, { input: { required: inputs }, output: [] }])
    const text = JSON.stringify(Object.fromEntries([...classes, ['KSampler', { input: { required: {} }, output: [] }]]))
    const reading = cpuOf(() => typesIn(text))
    const { status } = await service.ask('PUT', '/api/node-types/e', { body: { text } })
    expect(status).toBe(200)
    let isDone = false
    const held = await longestHold(async () => {
      const started = start(service).finally(() => {
        isDone = true
      })
      while (!isDone) await service.clock.advance(1)
      await started
    })
    expect(held).toBeLessThan(reading * PART)
  })

  it('gives a picture of 300,000 empty chunks as it came', async () => {
    const service = await withEndpoint()
    const { id } = await start(service)
    const bytes = pngOf(pngChunk('tEXt', Buffer.from('k\0v')), BYTES)
    const data = bytes.toString('base64')
    await finish(service, id, { output: { images: [{ filename: 'a.png', type: 'base64', data, node: '9' }] } })
    const { results, errors } = await ended(service, id)
    expect(errors).toEqual([])
    const stored = await service.request('GET', `/api/assets/${results[0].asset}`)
    expect(Buffer.from(await stored.arrayBuffer()).equals(bytes)).toBe(true)
  })
})
