/** Comfy API v2 at an endpoint that takes workflows. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createBLAKE3 } from 'hash-wasm'
import { expect, test } from 'vitest'
import { until } from '../support/served-service.ts'
import { sharedService } from '../support/shared-in-file.ts'

const SKETCH = fileURLToPath(new URL('../../resources/node/sketch/handler.ts', import.meta.url))
const PICTURE = readFileSync(new URL('../../resources/icons/64x64.png', import.meta.url))
const graphOf = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../../shared/workflows/${name}.json`, import.meta.url), 'utf8'))
const GRAPH = graphOf('01_api_sd15-txt2img')

// biome-ignore lint/suspicious/noExplicitAny: answers are JSON of any shape
type Answered = any

const shared = sharedService()
// An endpoint for each test: the jobs of one outlive it.
let endpoints = 0

async function setup(more: object = { comfyuiWithoutKey: true }) {
  const service = await shared()
  endpoints += 1
  const endpoint = `sketch-${endpoints}`
  await service.createEndpoint(endpoint, { handler: SKETCH, workflows: {}, workersMin: 1, workersMax: 1, ...more })
  const base = () => `${service.url()}/comfy/${endpoint}/api/v2`
  const ask = (path: string, init: RequestInit = {}) => fetch(path.startsWith('http') ? path : base() + path, init)
  const read = async (path: string): Promise<Answered> => (await ask(path)).json()
  async function send(path: string, body: object, headers: Readonly<Record<string, string>> = {}) {
    const answer = await ask(path, { method: 'POST', body: JSON.stringify(body), headers })
    return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Answered }
  }
  return { service, endpoint, base, ask, read, send }
}

type Setup = Awaited<ReturnType<typeof setup>>

const ended = async ({ read }: Setup, id: string) => {
  let job: Answered
  await until(async () => {
    job = await read(`/jobs/${id}`)
    expect(job.completed_at).not.toBeNull()
  })
  return job
}

async function eventsOf({ ask }: Setup, address: string) {
  const text = await (await ask(address)).text()
  return text.split('\n\n').flatMap((part) => {
    const [, event, data] = /^event: (\w+)\ndata: (.*)$/s.exec(part) ?? []
    return event === undefined || data === undefined ? [] : [{ event, data: JSON.parse(data) as Answered }]
  })
}

test('a job is followed by its links, and its outputs are assets', async () => {
  const made = await setup()
  const { status, body: job } = await made.send('/jobs', { workflow: GRAPH, metadata: { of: 'me' }, priority: 7 })
  expect([status, job]).toMatchObject([
    201,
    {
      ...{
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        outputs: [],
        error: null,
        metadata: { of: 'me' },
        priority: 7,
      },
      urls: { self: `${made.base()}/jobs/${job.id}` },
    },
  ])
  const events = await eventsOf(made, job.urls.events)
  expect(events.at(-1)).toEqual({ event: 'status', data: { status: 'succeeded', queue_position: null } })
  const kinds = new Set(events.map(({ event }) => event))
  // A short job may end between two previews.
  kinds.delete('preview')
  expect(kinds).toEqual(new Set(['status', 'progress', 'output']))
  const progress = events.filter(({ event }) => event === 'progress').at(-1)?.data
  expect(progress).toMatchObject({ nodes_total: Object.keys(GRAPH).length, current_node_class: expect.any(String) })

  const now = await made.read(job.urls.self)
  expect(now).toMatchObject({ status: 'succeeded', progress: null, metrics: { execution_ms: expect.any(Number) } })
  const [output] = now.outputs
  expect(events.find(({ event }) => event === 'output')?.data).toEqual(output)
  expect(output).toMatchObject({ type: 'image', content_type: 'image/png', job_id: job.id })
  const whole = Buffer.from(await (await made.ask(output.url)).arrayBuffer())
  expect(whole.length).toBe(output.size_bytes)
  const part = await made.ask(output.url, { headers: { range: 'bytes=1-3' } })
  expect([part.status, await part.text()]).toEqual([206, 'PNG'])
  const beyond = await made.ask(output.url, { headers: { range: 'bytes=99999999-' } })
  expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${whole.length}`])
  expect(await made.read(`/assets/${output.id}`)).toMatchObject({ job_id: job.id, file_path: output.name })
  expect(await made.read(`/jobs/${job.id}/workflow`)).toEqual({ workflow: GRAPH, format: 'api' })

  const { jobs } = await made.read('/jobs?metadata[of]=me&status=succeeded')
  expect(jobs).toMatchObject([{ id: job.id, metadata: { of: 'me' }, create_time: now.created_at }])
  expect((await made.read('/jobs?metadata[of]=you')).jobs).toEqual([])
  expect(await made.read('/health')).toMatchObject({ status: 'healthy' })
  const history = await (await fetch(`${made.service.url()}/comfy/${made.endpoint}/history`)).json()
  expect(Object.keys(history as object)).toEqual([job.id])
})

test('previews of a running job are sent, and its cancellation ends its events', async () => {
  const made = await setup()
  const [id, sampler] = Object.entries<Answered>(GRAPH).find(([, node]) => node.class_type === 'KSampler') ?? []
  const workflow = { ...GRAPH, [id ?? '']: { ...sampler, inputs: { ...sampler.inputs, steps: 10_000 } } }
  const { body: job } = await made.send('/jobs', { workflow })
  const { body } = await made.ask(job.urls.events)
  let text = ''
  for await (const piece of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    if (!text.includes('event: preview') && `${text}${piece}`.includes('event: preview'))
      await made.send(`/jobs/${job.id}/cancel`, {})
    text += piece
  }
  expect(text).toMatch(/event: preview\ndata: \{"node_id":"\d+","content_type":"image\/jpeg","data_base64":"/)
  expect(text).toMatch(/event: status\ndata: \{"status":"canceled","queue_position":null\}\n\n$/)
})

test('an idempotency key is used once, also by clients that lost the response of a killed service', async () => {
  const made = await setup()
  await made.service.ask('POST', `/api/endpoints/${made.endpoint}/pause`)
  const key = { 'idempotency-key': 'mine' }
  const [one, other] = await Promise.all([
    made.send('/jobs', { workflow: GRAPH }, key),
    made.send('/jobs', { workflow: GRAPH }, key),
  ])
  const [job, refused] = one.status === 201 ? [one, other] : [other, one]
  expect(job).toMatchObject({ status: 201, body: { status: 'queued', queue_position: 1 } })
  const { id } = job.body
  await made.service.kill()
  await made.service.start()
  const again = await made.send('/jobs', { workflow: GRAPH }, key)
  for (const answer of [refused, again])
    expect(answer).toMatchObject({
      status: 422,
      body: { error: { code: 'idempotency_key_reuse', details: { job_id: id } } },
    })
  await made.service.ask('POST', `/api/endpoints/${made.endpoint}/resume`)
  expect(await ended(made, id)).toMatchObject({ status: 'succeeded' })
  expect((await made.read('/jobs')).jobs).toHaveLength(1)
})

test('a file is stored once, and a graph loads it by its asset', async () => {
  const made = await setup()
  const hash = await createBLAKE3()
  const blake3 = `blake3:${hash.init().update(PICTURE).digest('hex')}`
  const probe = () => made.ask(`/assets/by-hash/${blake3}`, { method: 'HEAD' }).then(({ status }) => status)
  const form = (more: Readonly<Record<string, string>> = {}) => {
    const fields = new FormData()
    for (const [name, value] of Object.entries({ content_type: 'image/png', file_path: 'mine.png', ...more }))
      fields.set(name, value)
    fields.append('file', new Blob([PICTURE]), 'mine.png')
    return fields
  }
  const upload = async (more?: Readonly<Record<string, string>>) => {
    const answer = await made.ask('/assets', { method: 'POST', body: form(more) })
    return { status: answer.status, body: (await answer.json()) as Answered }
  }
  expect(await probe()).toBe(404)
  expect((await made.send('/assets/from-hash', { hash: blake3 })).body.error.code).toBe('blob_not_found')
  const wrong = await upload({ expected_hash: `blake3:${'0'.repeat(64)}` })
  expect(wrong).toMatchObject({ status: 409, body: { error: { code: 'hash_mismatch' } } })
  const first = await upload({ expected_hash: blake3 })
  expect(first).toMatchObject({
    status: 201,
    body: { hash: blake3, created_new: true, size_bytes: PICTURE.length, file_path: 'mine.png', expires_at: null },
  })
  expect([await probe(), (await upload()).status]).toEqual([200, 200])
  const minted = await made.send('/assets/from-hash', { hash: blake3, file_path: 'again.png', expires_in: 60 })
  expect(minted).toMatchObject({ status: 201, body: { created_new: false, expires_at: expect.any(String) } })

  const graph = graphOf('06_api_img2img-loadimage')
  const [load] = Object.values<Answered>(graph).filter(({ class_type }) => class_type === 'LoadImage')
  load.inputs.image = { __type: 'core/ASSET', info: { id: minted.body.id } }
  const { body: job } = await made.send('/jobs', { workflow: graph })
  const { status, outputs, error } = await ended(made, job.id)
  expect({ status, error }).toEqual({ status: 'succeeded', error: null })
  // A result is an input of the next graph.
  load.inputs.image.info.id = outputs[0].id
  const { body: next } = await made.send('/jobs', { workflow: graph })
  expect(await ended(made, next.id)).toMatchObject({ status: 'succeeded' })
  load.inputs.image.info.id = '00000000-0000-4000-8000-000000000000'
  expect(await made.send('/jobs', { workflow: graph })).toMatchObject({
    status: 422,
    body: { error: { code: 'missing_asset', details: { missing_ids: [load.inputs.image.info.id] } } },
  })

  const remove = async (id: string) => (await made.ask(`/assets/${id}`, { method: 'DELETE' })).status
  expect([await remove(minted.body.id), await remove(minted.body.id), await remove(outputs[0].id)]).toEqual([
    204, 404, 409,
  ])
  const bytes = Buffer.from(await (await made.ask(first.body.url)).arrayBuffer())
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(createHash('sha256').update(PICTURE).digest('hex'))
})

test('refusals have the documented form', async () => {
  const made = await setup({})
  const refused = async (path: string, init: RequestInit = {}) => {
    const answer = await made.ask(path, init)
    return [answer.status, ((await answer.json()) as Answered).error]
  }
  expect(await refused('/jobs')).toMatchObject([401, { code: 'unauthorized', message: expect.any(String) }])
  await made.service.ask('PATCH', `/api/endpoints/${made.endpoint}`, { comfyuiWithoutKey: true })
  expect(await refused('/jobs', { headers: { origin: 'https://example.com' } })).toMatchObject([
    403,
    { code: 'forbidden' },
  ])
  expect(await refused('/jobs/none')).toMatchObject([404, { code: 'not_found' }])
  expect(await refused('/assets/none')).toMatchObject([404, { code: 'not_found' }])
  expect(await refused('/jobs/none/other')).toMatchObject([404, { code: 'not_found' }])
  expect(await refused('/jobs?limit=1000')).toMatchObject([400, { code: 'invalid_request' }])
  const codeOf = async (body: object) => (await made.send('/jobs', body)).body.error.code
  expect(await codeOf({})).toBe('invalid_workflow')
  expect(await codeOf({ workflow: { nodes: [], links: [] } })).toBe('workflow_format_ui')
  expect(await codeOf({ workflow: GRAPH, webhook_url: 'http://x' })).toBe('invalid_workflow')
  expect(await codeOf({ workflow: GRAPH, extra_data: { other: 1 } })).toBe('invalid_request')
  expect(await codeOf({ workflow: GRAPH, metadata: { n: 1 } })).toBe('metadata_invalid')
  const [sampler = ''] = Object.keys(GRAPH).filter((id) => GRAPH[id].class_type === 'KSampler')
  const { seed: _left, ...inputs } = GRAPH[sampler].inputs
  const { body } = await made.send('/jobs', { workflow: { ...GRAPH, [sampler]: { ...GRAPH[sampler], inputs } } })
  expect(body.error).toMatchObject({
    code: 'invalid_workflow',
    details: { node_errors: { [sampler]: [{ field: 'seed', reason: 'required_input_missing' }] } },
  })
})

test('a job is cancelled while it waits, while it runs, and once it has ended', async () => {
  const made = await setup()
  const [sampler = ''] = Object.keys(GRAPH).filter((id) => GRAPH[id].class_type === 'KSampler')
  const long = { ...GRAPH, [sampler]: { ...GRAPH[sampler], inputs: { ...GRAPH[sampler].inputs, steps: 3000 } } }
  const submit = async () => (await made.send('/jobs', { workflow: long })).body
  const [running, waiting] = [await submit(), await submit()]
  await until(async () => expect((await made.read(running.urls.self)).status).toBe('running'))
  for (const { id, urls } of [waiting, running]) {
    const { status, body } = await made.send(urls.cancel, {})
    expect(status).toBe(200)
    expect(['canceling', 'canceled']).toContain(body.status)
    expect(await ended(made, id)).toMatchObject({ status: 'canceled', error: null })
    expect((await made.send(urls.cancel, {})).body.status).toBe('canceled')
    const last = { status: 'canceled', queue_position: null }
    expect(await eventsOf(made, urls.events)).toEqual([{ event: 'status', data: last }])
  }
})
