/** Clients that do all that a service stores, over HTTP, and note what they were told. */
import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { createParser } from 'eventsource-parser'
import { limit } from '../../../src-main/contract/limits.ts'
import { archive, file } from '../../safety/tar-bytes.ts'
import { manifestOf } from '../../support/app-folder.ts'
import type { Target } from '../../support/web-client.ts'
import { APP, ENDPOINTS, hashOf, hashOfJson, type Told } from './acknowledgements.ts'

const PLACE = `/api/apps/${APP.app}/environments/${APP.environment}`
const LARGE = 'x'.repeat(limit('payloadInRowBytes') + 1000)
const PART_BYTES = 100_000
// So that the disk has no more to do than the test needs to have seen.
const SLOWLY_MS = 200

/** The service may be away for a moment: a call fails then, and the next one finds it. */
export type Outside = {
  readonly target: () => Target
  readonly note: (told: Told) => void
  /** Address for webhooks. */
  readonly webhook: string
  readonly ended: AbortSignal
}

/** Runs all clients until `ended`. @returns what went wrong where the service was there */
export async function runClients(outside: Outside): Promise<readonly string[]> {
  const wrong: string[] = []
  const client = async (work: () => Promise<unknown>) => {
    while (!outside.ended.aborted) {
      await work().catch(async (error: Error) => {
        // A service that was killed refuses connections or breaks them off; a job may end before it is cancelled.
        const isUsual = error instanceof TypeError || error.message.includes('WRONG_STATE') || outside.ended.aborted
        if (!isUsual) wrong.push(error.message)
        await pause(50)
      })
    }
  }
  const jobs = jobClients(outside)
  await Promise.all(
    [...jobs, upload(outside), deploy(outside), editWorkflow(outside), changeSettings(outside), follow(outside)].map(
      client,
    ),
  )
  return wrong
}

type Body = object | Uint8Array<ArrayBuffer>

// biome-ignore lint/suspicious/noExplicitAny: tests compare what comes with what is expected, whatever its form
async function ask({ target }: Outside, method: string, path: string, body?: Body): Promise<any> {
  const { url, key } = target()
  const isBytes = body instanceof Uint8Array
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'content-type': isBytes ? 'application/octet-stream' : 'application/json' }),
    },
    ...(body === undefined ? {} : { body: isBytes ? body : JSON.stringify(body) }),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 300)}`)
  return JSON.parse(text)
}

let numbers = 0
const nextNumber = () => {
  numbers += 1
  return numbers
}

function jobClients(outside: Outside): readonly (() => Promise<unknown>)[] {
  const { note, webhook } = outside
  const recent: string[] = []
  const newInput = (more: object = {}) => ({ n: nextNumber(), text: 'y'.repeat(200 + (numbers % 7) * 100), ...more })
  const path = (operation: string, id = '') => `/v2/${ENDPOINTS.works}/${operation}${id === '' ? '' : `/${id}`}`

  async function submit(input: object, more: object = {}, endpointId: string = ENDPOINTS.works): Promise<string> {
    const { id } = await ask(outside, 'POST', `/v2/${endpointId}/run`, { input, ...more })
    note({ what: 'job', id, endpointId, input: hashOfJson(input) })
    if (endpointId === ENDPOINTS.works) recent.push(id)
    return id
  }
  const retried = new Set<string>()
  const noteEnd = ({ id, status, output }: { id: string; status: string; output?: unknown }) => {
    if (/^IN_/.test(status) || retried.has(id)) return
    note({ what: 'end', id, status, ...(output === undefined ? {} : { output: hashOfJson(output) }) })
  }
  async function runSync(input: object): Promise<void> {
    const record = await ask(outside, 'POST', path('runsync'), { input })
    note({ what: 'job', id: record.id, endpointId: ENDPOINTS.works, input: hashOfJson(input) })
    noteEnd(record)
  }
  const run = async () => {
    const n = nextNumber()
    await submit({ ...newInput(), n, fails: n % 11 === 0 }, n % 5 === 0 ? { idempotencyKey: `key-${n}` } : {})
    if (n % 17 === 0) await submit(newInput(), { webhook })
    await pause(5)
  }
  const cancel = async () => {
    const id = await submit(newInput({ waitMs: 30 }))
    noteEnd(await ask(outside, 'POST', path('cancel', id)))
    await pause(SLOWLY_MS / 4)
  }
  const purge = async () => {
    const ids = [await submit(newInput(), {}, ENDPOINTS.waits), await submit(newInput(), {}, ENDPOINTS.waits)]
    await ask(outside, 'POST', `/v2/${ENDPOINTS.waits}/purge-queue`)
    for (const id of ids) note({ what: 'end', id, status: 'CANCELLED' })
    await pause(SLOWLY_MS)
  }
  const stream = async () => {
    const id = await submit(newInput({ chunks: 8 }))
    const chunks = await ask(outside, 'GET', `${path('stream', id)}?format=array`)
    note({ what: 'chunks', id, count: chunks.length })
    await pause(SLOWLY_MS / 2)
  }
  const large = async () => {
    await submit(newInput({ text: LARGE }))
    await runSync(newInput({ text: `${LARGE}${'z'.repeat(nextNumber() % 5000)}` }))
    await pause(SLOWLY_MS)
  }
  // A retry deletes the file of the last try, which must stay until the retry is on the disk.
  const retry = async () => {
    const id = await submit(newInput({ fails: true, text: LARGE }))
    noteEnd(await ask(outside, 'GET', `${path('status-sync', id)}?wait=5000`))
    retried.add(id)
    note({ what: 'retried', id })
    await ask(outside, 'POST', path('retry', id))
    await pause(2 * SLOWLY_MS)
  }
  // Others than who submitted hear of a job too: by its state, and by the lists.
  const look = async () => {
    const id = recent.splice(0, Math.max(0, recent.length - 20)).at(-1) ?? recent.at(-1)
    if (id !== undefined) noteEnd(await ask(outside, 'GET', path('status', id)))
    const { jobs } = await ask(outside, 'GET', '/api/jobs?limit=10')
    for (const { id, status } of jobs) noteEnd({ id, status })
    await pause(20)
  }
  return [run, run, () => runSync(newInput()), cancel, purge, stream, large, retry, look]
}

function upload(outside: Outside): () => Promise<void> {
  return async () => {
    const n = nextNumber()
    const bytes = new Uint8Array(randomBytes(20_000 + ((n * 7919) % 300_000)))
    const id = hashOf(bytes)
    const name = `file-${n}.bin`
    await ask(outside, 'PUT', `/api/assets/${id}?name=${name}`, bytes)
    outside.note({ what: 'asset', id, name })
    await pause(SLOWLY_MS)
  }
}

function deploy(outside: Outside): () => Promise<void> {
  const { note } = outside
  const value = (told: 'value' | 'asked', given: string) =>
    note({ what: told, name: `variable ${APP.variable}`, value: given })

  async function changeVariable(): Promise<void> {
    const given = `secret-${nextNumber()}`
    value('asked', given)
    await ask(outside, 'PATCH', `${PLACE}/variables`, { set: { [APP.variable]: given } })
    value('value', given)
  }
  async function send(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
    const artifact = hashOf(bytes)
    const known = await ask(outside, 'GET', `/api/artifacts/${artifact}`)
    for (let offset = known.received; offset < bytes.length; offset += PART_BYTES) {
      const path = `/api/artifacts/${artifact}?offset=${offset}&total=${bytes.length}`
      await ask(outside, 'PUT', path, bytes.slice(offset, offset + PART_BYTES))
    }
    note({ what: 'artifact', id: artifact })
    return artifact
  }
  return async () => {
    await changeVariable()
    const artifact = await send(newArtifact())
    await changeVariable()
    const source = { artifact }
    let { release } = await ask(outside, 'POST', `${PLACE}/releases`, { source, runsOn: 'processes' })
    for (;;) {
      note({ what: 'release', number: release.number, state: release.state, artifact })
      if (release.state !== 'preparing') break
      await pause(SLOWLY_MS / 4)
      release = (await ask(outside, 'GET', `${PLACE}/releases/${release.number}`)).release
    }
    await pause(SLOWLY_MS)
  }
}

/** The code of an app, each time another one: random bytes are not compressed, so it comes in parts. */
function newArtifact(): Uint8Array<ArrayBuffer> {
  const code = hashOf(String(nextNumber()))
  const manifest = { ...manifestOf({ [APP.resource]: {} }), source_fingerprint: code }
  const handler = 'def handler(job):\n    return job["input"]\n'
  return new Uint8Array(
    archive(
      file('svc_manifest.json', { content: JSON.stringify(manifest) }),
      file(`handler_${APP.resource}.py`, { content: handler }),
      file('data/random.bin', { content: randomBytes(2 * PART_BYTES) }),
      file('data/number.txt', { content: code }),
    ),
  )
}

function editWorkflow(outside: Outside): () => Promise<void> {
  const { note } = outside
  const newText = () =>
    JSON.stringify({ nodes: [], links: [], extra: { n: nextNumber(), text: 'w'.repeat(numbers % 3000) } })
  return async () => {
    const first = newText()
    const { id } = await ask(outside, 'POST', '/api/workflows', { name: `Graph ${nextNumber()}`, text: first })
    const name = `workflow ${id}`
    const change = async (value: string, method: string, path: string, body?: object) => {
      note({ what: 'asked', name, value })
      const view = await ask(outside, method, `/api/workflows/${id}${path}`, body)
      note({ what: 'value', name, value })
      await pause(SLOWLY_MS / 8)
      return view
    }
    note({ what: 'value', name, value: hashOf(first) })
    let seen = { version: 1, draft: 0 }
    for (const path of ['/draft', '/draft', '/versions', '/draft', '/versions']) {
      const text = newText()
      const view = await change(hashOf(text), path === '/draft' ? 'PUT' : 'POST', path, { text, seen })
      seen = { version: view.version, draft: view.draft }
      if (path === '/versions') note({ what: 'value', name: `${name} ${view.version}`, value: hashOf(text) })
    }
    if (nextNumber() % 3 === 0) await change('deleted', 'DELETE', '')
  }
}

function changeSettings(outside: Outside): () => Promise<void> {
  const { note } = outside
  return async () => {
    const assetsMaxMib = 4096 + nextNumber()
    note({ what: 'asked', name: 'assetsMaxMib', value: String(assetsMaxMib) })
    await ask(outside, 'PATCH', '/api/settings', { assetsMaxMib })
    note({ what: 'value', name: 'assetsMaxMib', value: String(assetsMaxMib) })
    const id = `made-${nextNumber()}`
    await ask(outside, 'POST', '/api/endpoints', { id, name: id, command: 'true' })
    note({ what: 'endpoint', id, name: id })
    await pause(5 * SLOWLY_MS)
  }
}

// Everybody who follows the events, the pages among them.
function follow({ target, note, ended }: Outside): () => Promise<void> {
  const parser = createParser({
    onEvent({ id, data }) {
      const event = JSON.parse(data)
      if (event.type === 'job') note({ what: 'event', eventId: Number(id), jobId: event.jobId, to: event.to })
    },
  })
  return async () => {
    const { url, key } = target()
    const answer = await fetch(`${url}/events`, { headers: { authorization: `Bearer ${key}` }, signal: ended })
    const decoder = new TextDecoder()
    parser.reset()
    try {
      for await (const piece of answer.body ?? []) parser.feed(decoder.decode(piece, { stream: true }))
    } catch (error) {
      if (!ended.aborted) throw error
    }
  }
}
