import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { collectGarbage } from '../../src-main/app/headless/quiet-memory.ts'
import { limit } from '../../src-main/contract/limits.ts'
import { keepEnds } from '../../src-main/lib/text.ts'
import { SERVICE_URL, setup } from '../support/core.ts'
import { until } from '../support/served-service.ts'

const LIMIT = limit('payloadInRowBytes')
const DAYS = 8 * 86_400_000
const LARGE = { text: `harbour ${'x'.repeat(LIMIT)} quay` }

/** An object whose JSON takes so many bytes. */
const sized = (bytes: number) => ({ pad: 'a'.repeat(bytes - '{"pad":""}'.length) })

/** A service on files, one endpoint, and the worker of it. */
async function withFiles() {
  const data = mkdtempSync(join(tmpdir(), 'drydock-test-'))
  onTestFinished(() => rmSync(data, { recursive: true, force: true }))
  const service = await setup({ file: join(data, 'drydock.db') })
  await service.createEndpoint()
  const folder = join(data, 'payloads')
  const files = () => readdirSync(folder)
  return {
    ...service,
    folder,
    files,
    taker: await service.worker(),
    /** Files are deleted outside the event loop. */
    filesBecome: (count: number) => until(() => expect(files().length).toBe(count)),
    /** The first sweep after its retention archives a job, a later one removes it with its files. */
    filesGoInTime: () =>
      until(async () => {
        await service.clock.leap(DAYS)
        expect(files().length).toBe(0)
      }),
    deleteFiles: () => {
      for (const name of files()) rmSync(join(folder, name))
    },
  }
}

type Service = Awaited<ReturnType<typeof withFiles>>

/** A job with a large input that a worker has ended with a large output. */
async function endedJob({ run, taker }: Service, report: object = { output: LARGE }, more: object = {}) {
  const id = await run(LARGE, more)
  expect(await taker.take()).toMatchObject({ id, input: LARGE })
  await taker.done(id, report)
  return id
}

describe('a payload', () => {
  for (const [bytes, count] of [
    [LIMIT - 1, 0],
    [LIMIT, 0],
    [LIMIT + 1, 2],
  ] as const) {
    it(`of ${bytes} bytes is ${count === 0 ? 'in its row' : 'a file'}, as input and as output`, async () => {
      const { run, taker, files, status } = await withFiles()
      const id = await run(sized(bytes))
      expect(await taker.take()).toEqual({ id, input: sized(bytes) })
      await taker.done(id, { output: sized(bytes) })
      expect((await status(id)).output).toEqual(sized(bytes))
      expect(files().length).toBe(count)
    })
  }

  it('that is large is a file for its user alone, with nothing of the job in its name', async () => {
    const { run, files, folder } = await withFiles()
    const id = await run(LARGE)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    const [name = ''] = files()
    expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
    expect(readFileSync(join(folder, name), 'utf8')).toBe(JSON.stringify(LARGE))
    expect(name).not.toContain(id.slice(0, 8))
  })

  it('has no credentials of a bucket in any file, while the worker gets them, also when the job runs again', async () => {
    const { run, taker, post, folder } = await withFiles()
    const s3Config = { accessSecret: 'geheim-geheim' }
    const id = await run({}, { s3Config })
    const data = dirname(folder)
    const inFiles = readdirSync(data).filter((name) => name.startsWith('drydock.db'))
    expect(inFiles.length).toBeGreaterThan(0)
    for (const name of inFiles) expect(readFileSync(join(data, name)).includes('geheim')).toBe(false)
    expect(await taker.take()).toMatchObject({ id, s3Config })
    await taker.done(id, { output: 1 })
    await post(`/api/jobs/${id}/rerun`)
    expect(await taker.take()).toMatchObject({ s3Config })
  })

  it('that is large is not in memory for each of its slow readers', async () => {
    const { run, taker, listen, accountKey } = await withFiles()
    const id = await run({})
    await taker.take()
    await taker.done(id, { output: 'x'.repeat(19_000_000) })
    const { hostname, port } = new URL(await listen('users'))
    const { host } = new URL(SERVICE_URL)
    const head = [`GET /v2/e/status/${id} HTTP/1.1`, `Host: ${host}`, `Authorization: Bearer ${accountKey()}`, '', '']
    collectGarbage()
    const before = process.memoryUsage().arrayBuffers
    for (let reader = 0; reader < 60; reader++) {
      const socket = connect(Number(port), hostname)
      onTestFinished(() => void socket.destroy())
      socket.write(head.join('\r\n'))
      await once(socket, 'readable') // and reads no further
    }
    collectGarbage()
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 1024 * 1024)
  })

  it('that is large is read by all who read payloads, again and again', async () => {
    const service = await withFiles()
    const { get, status, posts } = service
    const id = await endedJob(service, { output: LARGE }, { webhook: 'http://hook.example/' })
    for (let times = 0; times < 2; times++) {
      expect(await status(id)).toMatchObject({ status: 'COMPLETED', output: LARGE })
      expect(await get(`/api/jobs/${id}`)).toMatchObject({ input: LARGE, output: LARGE })
    }
    await until(() => expect(posts.length).toBe(1))
    expect(JSON.parse(new TextDecoder().decode(posts[0]?.body as Uint8Array))).toMatchObject({
      input: LARGE,
      output: LARGE,
    })
    expect((await get('/v2/e/requests?q=harbour')).requests).toMatchObject([{ id }])
  })

  it('that is large and not ASCII is passed on letter by letter', async () => {
    const { run, taker, status } = await withFiles()
    const input = { text: `${'é€😀'.repeat(LIMIT / 8)}\n`, 'schlüssel é': LARGE }
    const id = await run(input)
    expect((await taker.take())?.input).toEqual(input)
    await taker.done(id, { output: input })
    expect((await status(id)).output).toEqual(input)
  })

  it('that is large is unwrapped on the OpenAI path', async () => {
    const { ask, taker } = await withFiles()
    const answer = ask('POST', '/v2/e/openai/v1/images', { body: LARGE })
    const job = await taker.take()
    expect(job?.input).toEqual({ openai_route: '/v1/images', openai_input: LARGE })
    await taker.done(job?.id ?? '', { output: [LARGE] })
    expect((await answer).body).toEqual(LARGE)
  })

  it('that is large is a result with its error, which is cut where it is longer than any traceback', async () => {
    const service = await withFiles()
    const most = limit('jobErrorLength')
    const longest = LARGE.text.slice(0, most)
    for (const [error, stored] of [
      [longest, longest],
      [LARGE.text, keepEnds(LARGE.text, most)],
    ]) {
      const id = await endedJob(service, { error, output: LARGE })
      expect(await service.status(id)).toMatchObject({ status: 'FAILED', error: stored, output: LARGE })
      const inner = await endedJob(service, { output: { error, ...LARGE } })
      expect(await service.status(inner)).toMatchObject({ status: 'FAILED', error: stored, output: LARGE })
    }
  })
})

describe('the file of a payload goes', () => {
  it('with its job, when its time in the history is over', async () => {
    const service = await withFiles()
    await endedJob(service)
    expect(service.files().length).toBe(2)
    await service.filesGoInTime()
  })

  it('with a purged job, when its time in the history is over', async () => {
    const { run, post, createEndpoint, files, filesGoInTime } = await withFiles()
    await createEndpoint('idle', { workersMin: 0 })
    await run(LARGE, {}, 'idle')
    await post('/v2/idle/purge-queue')
    expect(files().length).toBe(1)
    await filesGoInTime()
  })

  it('with its endpoint', async () => {
    const service = await withFiles()
    await endedJob(service)
    await service.request('DELETE', '/api/endpoints/e')
    await service.filesBecome(0)
  })

  it('with the output, at a retry', async () => {
    const service = await withFiles()
    const id = await endedJob(service, { error: 'no', output: LARGE })
    expect(service.files().length).toBe(2)
    await service.post(`/v2/e/retry/${id}`)
    await service.filesBecome(1)
    expect(await service.taker.take()).toMatchObject({ id, input: LARGE })
  })

  it('with each progress update that another one replaces', async () => {
    const { run, taker, status, filesBecome } = await withFiles()
    const id = await run()
    await taker.take()
    await taker.done(id, { status: 'IN_PROGRESS', output: LARGE })
    await taker.done(id, { status: 'IN_PROGRESS', output: LARGE })
    expect(await status(id)).toMatchObject({ status: 'IN_PROGRESS', output: LARGE })
    await filesBecome(1)
    await taker.done(id, { output: 1 })
    await filesBecome(0)
  })

  it('at once, when no job came of it: a second one with the same key, a late result', async () => {
    const service = await withFiles()
    const { run, taker, post, filesBecome } = service
    const id = await run(LARGE, { idempotencyKey: 'k' })
    expect(await run(LARGE, { idempotencyKey: 'k' })).toBe(id)
    await filesBecome(1)
    await taker.take()
    const done = taker.done(id, { output: LARGE })
    await post(`/v2/e/cancel/${id}`)
    await done
    await filesBecome(1)
  })
})

describe('after kill -9', () => {
  it('large payloads are there, and files that no job names are not', async () => {
    const service = await withFiles()
    const { restart, run, folder, files, status } = service
    const ended = await endedJob(service)
    const waiting = await run(LARGE)
    const named = files()
    writeFileSync(join(folder, '01234567-89ab-4def-8123-456789abcdef'), 'written, but never committed')
    writeFileSync(join(folder, 'notes.txt'), 'of somebody else')
    await restart('killed')
    expect(files().sort()).toEqual([...named, 'notes.txt'].sort())
    expect((await status(ended)).output).toEqual(LARGE)
    expect(await service.taker.take()).toEqual({ id: waiting, input: LARGE })
  })
})

describe('a missing file', () => {
  it('ends its job with a clear error at its dispatch, and the worker continues', async () => {
    const { run, taker, status, restart, deleteFiles } = await withFiles()
    const id = await run(LARGE)
    await restart('killed') // what is in memory is gone
    deleteFiles()
    expect(await taker.take()).toBe(undefined)
    const error = expect.stringMatching(`^The input of job ${id} is lost: its file .* is missing`)
    expect(await status(id)).toMatchObject({ status: 'FAILED', error })
    const other = await run({ a: 1 })
    expect((await taker.take())?.id).toBe(other)
  })

  it('is reported when its job is read, and affects no other job or list', async () => {
    const service = await withFiles()
    const { ask, get, restart, deleteFiles, run } = service
    const id = await endedJob(service)
    await restart('in order')
    deleteFiles()
    for (const path of [`/v2/e/status/${id}`, `/v2/e/status-sync/${id}`, `/api/jobs/${id}`])
      expect(await ask('GET', path)).toMatchObject({ status: 500, body: { code: 'PAYLOAD_LOST' } })
    expect((await get('/v2/e/requests')).requests).toMatchObject([{ id, status: 'COMPLETED' }])
    expect(await service.status(await run({ a: 1 }))).toMatchObject({ input: { a: 1 } })
  })

  it('fails the tries of a webhook with that reason', async () => {
    const service = await withFiles()
    const { restart, deleteFiles, answerPosts, get, clock, posts } = service
    answerPosts(() => Promise.resolve({ status: 500, error: undefined }))
    const id = await endedJob(service, { output: LARGE }, { webhook: 'http://hook.example/' })
    await until(async () => expect((await get(`/api/jobs/${id}`)).deliveries[0].attempts).toBe(1))
    const sent = posts.length
    deleteFiles()
    await restart('in order')
    // Each try looks for the file outside the event loop, where the clock of the test does not wait for it.
    for (const attempts of [2, 3]) {
      await clock.advance(10_000)
      await until(() => expect(service.storage().webhooks.ofJob(1)).toMatchObject([{ attempts }]))
    }
    await clock.advance(40_000)
    expect(service.storage().webhooks.ofJob(1)).toMatchObject([
      { state: 'failed', attempts: 3, lastError: expect.stringContaining('is lost') },
    ])
    expect(posts.length).toBe(sent)
  })
})

describe('a payload that cannot be written', () => {
  it('is refused, and nothing of it is stored', async () => {
    const { ask, folder, files, storage, run } = await withFiles()
    rmSync(folder, { recursive: true })
    expect((await ask('POST', '/v2/e/run', { body: { input: LARGE } })).body).toMatchObject({
      code: 'DATABASE_BUSY',
      error: expect.stringContaining('ENOENT'),
    })
    expect(storage().jobs.newestSeq()).toBe(0)
    mkdirSync(folder)
    await run(LARGE)
    expect(files().length).toBe(1)
  })
})
