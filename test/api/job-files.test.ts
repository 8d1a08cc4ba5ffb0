import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { limit } from '../../src-main/contract/limits.ts'
import { readJobFile } from '../../src-main/features/jobs/rules/job-file.ts'
import { setup } from '../support/core.ts'

const NDJSON = { 'content-type': 'application/x-ndjson' }

/** A service with an endpoint that is paused, and what reads and writes files of jobs. */
async function withFiles() {
  const service = await setup()
  await service.createEndpoint('e', { workersMin: 0 })
  await service.post('/api/endpoints/e/pause')
  const readLines = async (query = '') => {
    const response = await service.request('GET', `/api/job-export?${query}`)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, NDJSON['content-type']])
    const text = await response.text()
    return text.split('\n').filter((line) => line !== '')
  }
  const importText = async (body: string, endpointId = 'e') =>
    (await service.ask('POST', `/api/endpoints/${endpointId}/jobs`, { body, headers: NDJSON })).body
  return { ...service, readLines, importText, exported: async (query = '') => (await readLines(query)).map(parse) }
}

const parse = (line: string) => JSON.parse(line)

describe('an export', () => {
  it('has a line for each job, oldest first, with input, output, error and stream', async () => {
    const { createEndpoint, running, exported, run } = await withFiles()
    await createEndpoint('f')
    const { jobId, worker } = await running({}, 'f')
    await worker.chunk(jobId, { output: 1 })
    await worker.chunk(jobId, { output: 2 })
    await worker.done(jobId, { error: 'no', output: { half: true } })
    const waiting = await run({ ship: 'keel' }, { webhook: 'http://hook.example/', s3Config: { accessKey: 'secret' } })
    const lines = await exported()
    expect(lines).toMatchObject([
      { id: jobId, endpointId: 'f', status: 'FAILED', input: {}, output: { half: true }, error: 'no' },
      { id: waiting, endpointId: 'e', status: 'IN_QUEUE', input: { ship: 'keel' } },
    ])
    expect(lines[0].stream).toEqual([{ output: 1 }, { output: 2 }])
    expect(JSON.stringify(lines)).not.toMatch(/hook\.example|secret/)
  })

  it('of more jobs than are read at once holds each once, of a filter or of ids', async () => {
    const { run, exported, post } = await withFiles()
    const ids: string[] = []
    for (let n = 0; n < 120; n++) ids.push(await run({ n, word: n % 2 === 0 ? 'keel' : 'mast' }))
    const exportedIds = async (query = '') => (await exported(query)).map(({ id }) => id)
    const keels = ids.filter((_id, n) => n % 2 === 0)
    expect(await exportedIds()).toEqual(ids)
    expect(await exportedIds('endpoint=e')).toEqual(ids)
    expect(await exportedIds('status=IN_QUEUE,FAILED')).toEqual(ids)
    expect(await exportedIds('q=keel')).toEqual(keels)
    expect(await exportedIds('q=keel&status=IN_QUEUE')).toEqual(keels)
    expect((await exported('status=COMPLETED')).length).toBe(0)
    await post(`/v2/e/cancel/${ids[3]}`)
    expect((await exported('status=CANCELLED')).map(({ id }) => id)).toEqual([ids[3]])
    expect((await exported(`ids=${ids[7]},${ids[5]},gone`)).map(({ id }) => id)).toEqual([ids[7], ids[5]])
  })
})

it('an export of a time has the jobs that were created then', async () => {
  const { run, clock, exported } = await withFiles()
  const times: number[] = []
  for (let n = 0; n < 3; n++) {
    times.push(clock.wall())
    await run({ n })
    await clock.advance(1000)
  }
  const numbers = async (query: string) => (await exported(query)).map(({ input }) => input.n)
  expect(await numbers(`from=${times[1]}`)).toEqual([1, 2])
  expect(await numbers(`to=${times[1]}`)).toEqual([0, 1])
  expect(await numbers(`from=${times[1]}&to=${times[1]}`)).toEqual([1])
})

describe('an import', () => {
  it('queues a job for each line, of plain inputs and of an export', async () => {
    const { run, readLines, importText, exported } = await withFiles()
    await run({ n: 1 }, { webhook: 'http://hook.example/' })
    const text = [
      ...(await readLines()),
      '{"input":{"n":2}}',
      '',
      '{"input":{"n":3},"policy":{"lowPriority":true}}\r',
    ].join('\n')
    expect(await importText(text)).toEqual({ queued: 3, refused: 0, bad: [] })
    const jobs = await exported()
    expect(jobs.map(({ input }) => input.n)).toEqual([1, 1, 2, 3])
    expect(new Set(jobs.map(({ id }) => id)).size).toBe(4)
  })

  it('names bad lines by their numbers, and queues all others', async () => {
    const { importText, exported } = await withFiles()
    const long = `{"input":{"text":"${'x'.repeat(limit('runBodyBytes'))}"}}`
    const lines = ['{"input":{}}', 'nonsense', '', '[1]', '{"input":1}', long, '{"input":{"n":1}}']
    const { queued, refused, bad } = await importText(lines.join('\n'))
    expect([queued, refused]).toEqual([2, 4])
    expect(bad.map(({ line }: { line: number }) => line)).toEqual([2, 4, 5, 6])
    expect(bad[3].reason).toContain('10 MiB')
    expect((await exported()).length).toBe(2)
  })

  it('names no more than the first bad lines, and counts all', async () => {
    const { importText } = await withFiles()
    const { queued, refused, bad } = await importText('x\n'.repeat(limit('importBadLines') + 1))
    expect([queued, refused, bad.length]).toEqual([0, limit('importBadLines') + 1, limit('importBadLines')])
  })

  it('takes a file that arrives bit by bit', async () => {
    const { request, exported } = await withFiles()
    const pieces = ['{"inp', 'ut":{"n":1}}\n{"input":{"n":2', '}}\n', '{"input":{"n":"ä"}}'].map((text) =>
      Buffer.from(text),
    )
    const stream = new ReadableStream<Uint8Array>({
      pull(controller) {
        const piece = pieces.shift()
        if (piece === undefined) controller.close()
        else for (const byte of piece) controller.enqueue(Uint8Array.of(byte))
      },
    })
    const response = await request('POST', '/api/endpoints/e/jobs', { stream, headers: NDJSON })
    expect(await response.json()).toEqual({ queued: 3, refused: 0, bad: [] })
    expect((await exported()).map(({ input }) => input.n)).toEqual([1, 2, 'ä'])
  })

  it('is refused for an endpoint that does not exist, and as another type', async () => {
    const { importText, ask } = await withFiles()
    expect(await importText('{"input":{}}', 'nope')).toMatchObject({ code: 'ENDPOINT_NOT_FOUND' })
    expect((await ask('POST', '/api/endpoints/e/jobs', { body: {} })).status).toBe(415)
  })
})

it('an exported job has its history and payloads, but no values of variables and no files of its handler', async () => {
  const { createEndpoint, run, worker: workerOf, ask, request } = await withFiles()
  const env = { API_TOKEN: 'a-token-of-somebody', MODEL: 'small' }
  const folder = mkdtempSync(join(tmpdir(), 'drydock-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const file of ['handler.py', '.env', 'server.pem']) writeFileSync(join(folder, file), `text of ${file}`)
  await createEndpoint('f', { env, handler: join(folder, 'handler.py') })
  const jobId = await run({ token: env.API_TOKEN, model: 'small' }, {}, 'f')
  const worker = await workerOf('f')
  await worker.take()
  await worker.done(jobId, { error: `no ${env.API_TOKEN}` })
  const response = await request('GET', `/api/jobs/${jobId}/file`)
  expect(response.headers.get('content-disposition')).toContain(`${jobId}.job.jsonl`)
  const text = await response.text()
  expect(text).not.toContain(env.API_TOKEN)
  expect(text).not.toContain('text of ')
  expect(readJobFile(text)).toMatchObject({
    input: '{"token":"***","model":"small"}',
    status: 'FAILED',
    error: 'no ***',
    head: { jobId, exportedAt: expect.any(Number), masked: 1, endpoint: { id: 'f', env: { MODEL: '(hidden)' } } },
  })
  expect((await ask('GET', '/api/jobs/gone/file')).body).toMatchObject({ code: 'JOB_NOT_FOUND' })
})
