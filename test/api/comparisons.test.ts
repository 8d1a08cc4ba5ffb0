import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encode } from 'fast-png'
import { describe, expect, it, onTestFinished } from 'vitest'
import { limit } from '../../src-main/contract/limits.ts'
import { type SetupOptions, setup as setupService, type TestService } from '../support/core.ts'

const PATH = '/api/comparisons'
const FILE = '{"input":{"n":1}}\n{"input":{"n":2}}'

async function setup(options: SetupOptions = {}) {
  const service = await setupService(options)
  await service.createEndpoint('old')
  await service.createEndpoint('new')
  const add = (more: object = {}) =>
    service.post(PATH, { versions: [{ endpoint: 'old' }, { endpoint: 'new' }], file: FILE, ...more })
  return { ...service, add }
}

type Output = (input: { readonly n: number }, endpointId: string) => unknown

/** Lets the workers of both endpoints answer so many jobs. */
async function answer(service: TestService, endpointId: string, count: number, output: Output): Promise<void> {
  const worker = await service.worker(endpointId)
  for (let n = 0; n < count; n++) {
    const job = await service.clock.until(() => worker.take())
    await worker.done(job.id, { output: output(job.input as { n: number }, endpointId) })
  }
}

async function ended(service: TestService, id: string) {
  return service.clock.until(async () => {
    const one = await service.get(`${PATH}/${id}`)
    return one.state !== 'running' && one
  })
}

async function run(service: TestService, { id }: { readonly id: string }, output: Output) {
  await Promise.all([answer(service, 'old', 2, output), answer(service, 'new', 2, output)])
  const one = await ended(service, id)
  return { one, rows: (await service.get(`${PATH}/${id}/rows`)).rows }
}

function picture(spot: number): string {
  const data = new Uint8Array(16 * 16 * 3).fill(100)
  data[0] = spot
  return Buffer.from(encode({ width: 16, height: 16, data, channels: 3 })).toString('base64')
}

describe('a comparison', () => {
  it('reports that all outputs are equal', async () => {
    const service = await setup()
    const { one, rows } = await run(service, await service.add(), ({ n }) => ({ n }))
    expect(one).toMatchObject({ state: 'done', items: 2, verdict: { result: 'same' } })
    expect(one.versions).toMatchObject([
      { endpoint: 'old', ended: 2 },
      { endpoint: 'new', same: 2, differs: 0, failed: 0 },
    ])
    expect(rows).toMatchObject([{ outcome: 'same' }, { outcome: 'same' }])
  })

  it('lists differences in JSON, text and images with their jobs, largest first', async () => {
    const service = await setup()
    const { one, rows } = await run(service, await service.add(), ({ n }, endpointId) =>
      n === 1
        ? { n: endpointId === 'old' ? 100 : 101, image: picture(100) }
        : { text: endpointId === 'old' ? 'a\nb' : 'a\nc', image: picture(endpointId === 'old' ? 100 : 200) },
    )
    expect(one.verdict).toEqual({ result: 'differs', text: '2 of 2 outputs differ.' })
    expect(rows).toMatchObject([
      {
        ...{ item: 2, source: 'line 2', version: 1, outcome: 'differs', count: 2, status: 'COMPLETED' },
        differences: [
          { path: 'text', kind: 'text', text: '2 changed lines of 2\n@@ line 2 @@\n a\n-b\n+c' },
          { path: 'image', kind: 'picture', picture: { share: 1 / 256, distance: 100 } },
        ],
      },
      { item: 1, differences: [{ path: 'n', kind: 'value', text: '101 instead of 100' }] },
    ])
    for (const id of [rows[0].jobId, rows[0].referenceJobId]) expect((await service.get(`/api/jobs/${id}`)).id).toBe(id)
  })

  it('takes the inputs of stored jobs, and writes the values of a version into them', async () => {
    const service = await setup()
    await service.run({ n: 7 }, {}, 'old')
    await answer(service, 'old', 1, () => 0)
    const versions = [{ endpoint: 'old' }, { endpoint: 'old', set: { n: '8' } }]
    const { id } = await service.add({ versions, file: undefined, filter: { endpoint: 'old' } })
    await answer(service, 'old', 2, ({ n }) => n)
    expect((await ended(service, id)).verdict.result).toBe('differs')
    const { rows } = await service.get(`${PATH}/${id}/rows`)
    expect(rows[0].differences).toMatchObject([{ text: '8 instead of 7' }])
  })

  it('counts jobs that have ended before there is an output to compare them with', async () => {
    const service = await setup()
    for (const [endpointId, counts] of [
      ['old', [{ ended: 2 }, { ended: 0, same: 0, failed: 0 }]],
      ['new', [{ ended: 0 }, { ended: 2, same: 0, failed: 0 }]],
    ] as const) {
      const { id } = await service.add()
      await answer(service, endpointId, 2, ({ n }) => n)
      expect((await service.get(`${PATH}/${id}`)).versions).toMatchObject(counts)
      await service.post(`${PATH}/${id}/stop`)
    }
  })

  it('continues where it was after the service was killed, and queues nothing twice', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'drydock-comparisons-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const service = await setup({ file: join(folder, 'drydock.db') })
    const { id } = await service.add()
    await answer(service, 'old', 2, ({ n }) => n)
    await service.restart('killed')
    await answer(service, 'new', 2, ({ n }) => n)
    expect(await ended(service, id)).toMatchObject({ state: 'done', verdict: { result: 'same' } })
    expect((await service.get('/api/job-count')).count).toBe(4)
  })

  it('that is stopped cancels its jobs; deleted, it is gone and they stay', async () => {
    const service = await setup()
    const { id } = await service.add()
    await service.clock.until(async () => (await service.get('/api/job-count')).count === 4)
    expect(await service.post(`${PATH}/${id}/stop`)).toMatchObject({
      state: 'stopped',
      verdict: { result: 'incomplete' },
    })
    expect((await service.get('/api/job-count?status=CANCELLED')).count).toBe(4)
    expect((await service.ask('DELETE', `${PATH}/${id}`)).body).toEqual({ ok: true })
    expect(await service.get(PATH)).toEqual({ comparisons: [] })
    expect((await service.get('/api/job-count')).count).toBe(4)
  })

  it('of an image makes a copy of the endpoint, which goes with the comparison', async () => {
    const service = await setup()
    await service.createEndpoint('boxed', { command: undefined, container: { image: 'paint:1' }, workersMin: 0 })
    const versions = [{ endpoint: 'boxed' }, { endpoint: 'boxed', image: 'paint:2' }]
    const made = await service.add({ versions })
    const { copy } = made.versions[1]
    expect(await service.get(`/api/endpoints/${copy}`)).toMatchObject({
      container: { image: 'paint:2' },
      workersMin: 0,
    })
    await service.post(`${PATH}/${made.id}/stop`)
    expect(await service.get(`/api/endpoints/${copy}`)).toMatchObject({ paused: true })
    await service.ask('DELETE', `${PATH}/${made.id}`)
    expect(await service.ask('GET', `/api/endpoints/${copy}`)).toMatchObject({ status: 404 })
    const { key } = await service.post('/api/keys', { name: 'ada', role: 'run' })
    const refused = await service.ask('POST', PATH, { body: { versions, file: FILE }, key })
    expect(refused.body.code).toBe('FORBIDDEN_ROLE')
  })
})

it.each([
  [{ file: 'no' }, /file: line 1 is not JSON/],
  [{ file: '' }, /file: has no inputs/],
  [{ file: undefined }, /give one of filter, ids and file/],
  [{ ids: ['x'] }, /give one of/],
  [{ file: undefined, ids: ['x'] }, /of jobs that are not stored/],
  [{ file: undefined, filter: { endpoint: 'new' } }, /filter: holds no job/],
  [{ versions: [{ endpoint: 'old' }] }, /two or more/],
  [{ versions: [{ endpoint: 'old' }, { endpoint: 'new', image: 'x' }] }, /has no image of its own/],
  [{ versions: Array(limit('comparisonVersions') + 1).fill({ endpoint: 'old' }) }, /at most 50/],
  [{ rules: { relative: 2 } }, /relative/],
  [{ atOnce: limit('comparisonJobsAtOnce') + 1 }, /atOnce/],
])('%j is refused with what is wrong', async (more, why) => {
  const service = await setup()
  const body = { versions: [{ endpoint: 'old' }, { endpoint: 'new' }], file: FILE, ...more }
  const { status, body: refused } = await service.ask('POST', PATH, { body })
  expect({ status, error: refused.error }).toEqual({ status: 400, error: expect.stringMatching(why) })
  expect(await service.get(PATH)).toEqual({ comparisons: [] })
})
