import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { limit } from '../../src-main/contract/limits.ts'
import { startedService } from '../support/served-service.ts'

const PIECE = limit('batchPieceLines')
const INPUTS = 1.5 * PIECE

// Fails the first time for every tenth input, until a file is there.
const HANDLER = (mended: string) => `
import os
def handler(job):
    n = job["input"].get("n", 0)
    if n % 10 == 0 and not os.path.exists(${JSON.stringify(mended)}):
        raise ValueError("ten is too many")
    return {"twice": 2 * n}
`

async function setup() {
  const service = await startedService()
  const mended = join(service.folder, 'mended')
  await service.createHandler('twice', HANDLER(mended), { concurrency: 20 })
  const batch = async (...words: string[]) => {
    const { exitCode, stdout, stderr } = await service.command('batch', ...words)
    return { exitCode, stderr, json: stdout === '' ? undefined : JSON.parse(stdout) }
  }
  const write = (name: string, lines: readonly string[]) => writeFileSync(join(service.folder, name), lines.join('\n'))
  return { ...service, mended, batch, write }
}

/** Forwards requests to a service, but holds one piece of a batch until the test releases it. */
async function wayThatHolds(service: string, piece: number) {
  const [held, free] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let pieces = 0
  const server = createServer(async (incoming, response) => {
    const { method = '', url = '', headers } = incoming
    if (/\/lines\b/.test(url)) pieces += 1
    if (pieces === piece) {
      held.resolve()
      await free.promise
    }
    const { authorization = '', 'content-type': type = '' } = headers
    const sent = { method, headers: { authorization, 'content-type': type } }
    const body = method === 'GET' ? {} : { body: Buffer.concat(await Array.fromAsync(incoming)) }
    try {
      const answer = await fetch(new URL(url, service), { ...sent, ...body })
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
    } catch {
      response.destroy()
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, holding: held.promise, goOn: free.resolve }
}

test('a file becomes a batch over a kill of the service: no input is lost or run twice, and failures are retried', async () => {
  const { batch, write, mended, read, get, kill, start, url } = await setup()
  write(
    'inputs.jsonl',
    Array.from({ length: INPUTS }, (_one, at) => JSON.stringify({ n: at + 1 })),
  )
  const way = await wayThatHolds(url(), 2)
  const cutOff = batch('submit', 'twice', 'inputs.jsonl', '--url', way.url, '--key', read('data', 'account.key').trim())
  await way.holding
  const [begun] = (await get('/api/batches')).batches
  expect(begun).toMatchObject({ received: PIECE, unsent: INPUTS - PIECE })
  await kill()
  way.goOn()
  expect((await cutOff).exitCode).not.toBe(0)
  await start()
  const { exitCode, json } = await batch('submit', 'twice', 'inputs.jsonl')
  expect({ exitCode, total: json.total, unsent: json.unsent }).toEqual({ exitCode: 0, total: INPUTS, unsent: 0 })
  expect((await get('/api/batches')).batches).toHaveLength(1)

  const ended = await batch('wait', json.id)
  expect(ended.exitCode).toBe(4)
  expect(ended.json).toMatchObject({ state: 'ended', jobs: { COMPLETED: 0.9 * INPUTS, FAILED: INPUTS / 10 } })
  expect(ended.json.failures).toMatchObject([
    { count: INPUTS / 10, reason: expect.stringContaining('ten is too many') },
  ])
  expect((await get('/api/job-count')).count).toBe(INPUTS)

  writeFileSync(mended, '')
  expect((await batch('retry', json.id)).json).toEqual({ changed: INPUTS / 10, refused: [] })
  expect((await batch('wait', json.id)).exitCode).toBe(0)
  expect((await batch('export', json.id, '--to', 'results.jsonl')).json).toMatchObject({ inputs: INPUTS, missing: 0 })
  const results = read('results.jsonl').trimEnd().split('\n')
  expect(results.map((line) => JSON.parse(line).output.twice)).toEqual(
    Array.from({ length: INPUTS }, (_one, at) => 2 * (at + 1)),
  )
})

test('CSV and folders of images become inputs, and a broken file is refused whole', async () => {
  const { batch, write, folder, get } = await setup()
  write('rows.csv', ['n,text', '1,"a, b"', '2,', '3,"two', 'lines"'])
  const rows = await batch('submit', 'twice', 'rows.csv', '--name', 'rows')
  expect(rows.exitCode).toBe(0)
  expect((await batch('wait', rows.json.id)).json).toMatchObject({ name: 'rows', jobs: { COMPLETED: 3 } })

  mkdirSync(join(folder, 'photos'))
  for (const name of ['b.png', 'a.jpg', 'notes.txt']) writeFileSync(join(folder, 'photos', name), name)
  const photos = await batch('submit', 'twice', 'photos', '--template', '{"n": 1, "name": "{name}", "image": "{file}"}')
  expect(photos.json).toMatchObject({ total: 2, unsent: 0 })
  const { requests } = await get(`/api/jobs?endpoint=twice&limit=2`)
  const inputs = await Promise.all(requests.map(async ({ id }: { id: string }) => (await get(`/api/jobs/${id}`)).input))
  expect(inputs.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual([
    { n: 1, name: 'a.jpg', image: Buffer.from('a.jpg').toString('base64') },
    { n: 1, name: 'b.png', image: Buffer.from('b.png').toString('base64') },
  ])

  write('broken.jsonl', ['{"n": 1}', '[1]', '{"n": ', '{"n": 4}'])
  const broken = await batch('submit', 'twice', 'broken.jsonl')
  expect(broken.exitCode).not.toBe(0)
  expect(broken.stderr).toMatch(/line 2: not an object.*line 3: not valid JSON.*Nothing was queued/)
  write('nothing.jsonl', ['', ''])
  expect((await batch('submit', 'twice', 'nothing.jsonl')).stderr).toContain('it holds no input')
  expect((await batch('list')).json.batches).toHaveLength(2)
})
