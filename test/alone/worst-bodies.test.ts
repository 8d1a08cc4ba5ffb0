import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { limit } from '../../src-main/contract/limits.ts'
import { unpackInThread } from '../../src-main/features/apps/adapters/unpack-in-thread.ts'
import { archive, file, pax } from '../safety/tar-bytes.ts'
import { setup } from '../support/core.ts'
import { ended, start, withEndpoint } from '../support/graph-runs.ts'
import { expectShortHold } from '../support/main-thread.ts'
import { jsonBytes, WORST_FILES, WORST_JSON } from '../support/worst-bodies.ts'

/** Source: docs/spec/targets.md, 1: the event loop held by anything that a client or worker sends. */
const HELD_MS = 50
const LIMIT_MS = 300_000

// Large payloads are files, as they are in use.
function databaseFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'drydock.db')
}

/** Expects that the event loop is blocked only briefly, and that nothing is refused, because a refusal does not block it. */
const expectTaken = (send: (attempt: number) => Promise<{ readonly status: number }>) =>
  expectShortHold(HELD_MS, async (attempt) => expect((await send(attempt)).status).toBe(200))

for (const [what, make] of Object.entries(WORST_JSON)) {
  test(`the largest bodies of ${what} hold the event loop for at most ${HELD_MS} ms`, {
    timeout: LIMIT_MS,
  }, async () => {
    const service = await setup({ file: databaseFile() })
    await service.createEndpoint()
    const output = make('output', limit('resultBodyBytes'))
    const { jobId, worker } = await service.running()
    await expectTaken(() => worker.chunk(jobId, output))
    await expectTaken(async () => worker.done((await service.running()).jobId, output))
    const body = make('input', limit('runBodyBytes'))
    await expectTaken(() => service.request('POST', '/v2/e/run', { body }))
  })
}

test.each(Object.entries(WORST_FILES))(
  `a %s result with as many parts as fit holds the event loop for at most ${HELD_MS} ms`,
  {
    timeout: LIMIT_MS,
  },
  async (kind, make) => {
    const service = await withEndpoint({ file: databaseFile() })
    const data = make(14e6).toString('base64')
    const body = new Uint8Array(
      Buffer.from(`{"output":{"images":[{"filename":"a.${kind}","type":"base64","data":"${data}"}]}}`),
    )
    const worker = await service.worker()
    await expectTaken(async () => {
      const { id } = await start(service)
      await worker.take()
      const taken = await worker.done(id, body)
      expect((await ended(service, id)).errors).toEqual([])
      return taken
    })
  },
)

test.each(['[],', '{},'])(
  `a file of inputs of many %s holds the event loop for at most ${HELD_MS} ms`,
  {
    timeout: LIMIT_MS,
  },
  async (part) => {
    const service = await setup({ file: databaseFile() })
    await service.createEndpoint()
    const line = `{"input":{"a":[${part.repeat(80_000)}0]}}\n`
    const body = new Uint8Array(Buffer.from(line.repeat(20e6 / line.length)))
    const headers = { 'content-type': 'application/x-ndjson' }
    await expectTaken(() => service.request('POST', '/api/endpoints/e/jobs', { body, headers }))
  },
)

test(`a document of 50,000 nodes holds the event loop for at most ${HELD_MS} ms`, { timeout: LIMIT_MS }, async () => {
  const service = await setup({ file: databaseFile() })
  const nodes = Array.from({ length: 50_000 }, (_, id) => ({
    ...{ id, type: 'KSampler', pos: [id, 0], size: [315, 262], properties: { a: 'é' } },
    ...{ inputs: [{ name: 'x', type: 'MODEL', link: id }], outputs: [], widgets_values: [id, 'randomize', 20, 7.5] },
  }))
  const text = JSON.stringify({ nodes, links: [], version: 0.4 })
  const body = jsonBytes({ name: 'a', text })
  await expectTaken(() => service.request('POST', '/api/workflows', { body }))
})

test(`reading a stored document of the largest size holds the event loop for at most ${HELD_MS} ms`, {
  timeout: LIMIT_MS,
}, async () => {
  const service = await setup({ file: databaseFile() })
  const name = '"'.repeat(limit('workflowBytes') / 5)
  const text = JSON.stringify({ nodes: [], links: [], version: 0.4, extra: { name } })
  const { id } = await service.post('/api/workflows', { name: 'a', text })
  await expectTaken(async () => {
    const response = await service.request('GET', `/api/workflows/${id}`)
    await response.body?.pipeTo(new WritableStream())
    return response
  })
  expect((await service.get(`/api/workflows/${id}`)).text === text).toBe(true)
})

test(`an archive with as many header fields as fit holds the event loop for at most ${HELD_MS} ms`, {
  timeout: LIMIT_MS,
}, async () => {
  const folder = dirname(databaseFile())
  const fields = Object.fromEntries(Array.from({ length: 250_000 }, (_, at) => [`F${at}`, '']))
  const files = Array.from({ length: 20 }, (_, at) => [pax({ mtime: '1' }), file(`${at}`)]).flat()
  writeFileSync(join(folder, 'artifact'), archive(pax(fields, 'g'), ...files))
  await expectShortHold(HELD_MS, async () => {
    const unpacking = unpackInThread(join(folder, 'artifact'), join(folder, 'app'), new AbortController().signal)
    await expect(unpacking).rejects.toThrow('fields')
  })
})

const WORST_TEXTS: Readonly<Record<string, (at: number) => string>> = {
  'words just too short for base64': (at) => `a${at}`.padEnd(63, 'b'),
  'short words': (at) => at.toString(26).replaceAll(/\d/g, 'q'),
  'long words of other scripts': (at) =>
    `${'漢字語漢字語漢字語漢字語'}${String.fromCodePoint(0x4e00 + (at % 20_000))}字語漢`,
  numbers: (at) => `${at}a${at}B`,
  'quotation marks': () => '"a"',
}

test.each(Object.entries(WORST_TEXTS))(
  `indexing a job of %s holds the event loop for at most ${HELD_MS} ms`,
  {
    timeout: LIMIT_MS,
  },
  async (_, word) => {
    const service = await setup({ file: databaseFile() })
    await service.createEndpoint()
    const worker = await service.worker()
    const textOf = (at: number) => {
      const words = Array.from({ length: limit('searchTextBytes') / 2 }, (_, more) => word(at * 100_000 + more))
      return words.join(' ').slice(0, limit('searchTextBytes'))
    }
    const [input, output, error] = [textOf(0), textOf(1), textOf(2)]
    const body = jsonBytes({ input: { text: input } })
    const report = jsonBytes({ output, error })
    await expectTaken(async () => {
      const { id } = (await service.ask('POST', '/v2/e/run', { body })).body
      await worker.take()
      await worker.done(id, report)
      return await service.request('GET', '/api/jobs?q=nothing')
    })
  },
)
