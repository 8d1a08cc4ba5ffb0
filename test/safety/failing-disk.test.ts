/** docs/spec/targets.md, 2.6: a disk whose syncs take long, and one whose syncs fail. */
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { servedService, until } from '../support/served-service.ts'
import { noSlowSync, slowSyncs, syncCounts } from '../support/slow-sync/slow-sync.ts'

beforeEach(({ skip }) => skip(noSlowSync !== undefined, noSlowSync))

it('lets no thread but those for files wait for the disk', async () => {
  const service = servedService()
  const countPath = join(service.folder, 'syncs')
  await service.start({ env: slowSyncs({ addedMs: 20, countPath }) })
  await service.createHandler('work', 'def handler(job):\n    return job["input"]\n', { workersMin: 1, workersMax: 1 })
  await service.post('/v2/work/runsync', { input: { n: 0 } })
  const before = syncCounts(countPath)
  const asked = Array.from({ length: 50 }, (_, n) => service.post('/v2/work/runsync?wait=120000', { input: { n } }))
  const answers = await Promise.all(asked)
  expect(answers.map(({ status, output }) => [status, output])).toEqual(answers.map((_, n) => ['COMPLETED', { n }]))
  const after = syncCounts(countPath)
  expect(after.eventLoop - before.eventLoop).toBe(0)
  expect(after.others).toBeGreaterThan(before.others)
})

it('confirms nothing more once a sync has failed, says so, and has all that it confirmed after a restart', async () => {
  const service = servedService()
  const failPath = join(service.folder, 'the disk fails')
  await service.start({ env: slowSyncs({ failPath }) })
  await service.createEndpoint('work')
  await service.post('/api/endpoints/work/pause')
  const confirmed = await Promise.all([0, 1, 2].map((n) => service.run('work', { n })))
  writeFileSync(failPath, '')
  const refusal = { status: 503, body: { code: 'STORAGE_FAILED' } }
  expect(await service.ask('POST', '/v2/work/run', { input: {} })).toMatchObject(refusal)
  rmSync(failPath)
  // The disk works again, or says so: nobody believes it.
  expect(await service.ask('POST', '/v2/work/run', { input: {} })).toMatchObject(refusal)
  expect(await service.ask('GET', `/v2/work/status/${confirmed[0]}`)).toMatchObject(refusal)
  expect(await service.ask('GET', '/api/endpoints')).toMatchObject(refusal)
  expect((await service.ask('GET', '/v2/work/health')).status).toBe(200)
  await service.kill()
  expect(existsSync(`${service.data}/drydock.db-wal`)).toBe(true)
  await service.start()
  for (const id of confirmed) expect((await service.get(`/v2/work/status/${id}`)).status).toBe('IN_QUEUE')
  expect((await service.ask('POST', '/v2/work/run', { input: {} })).status).toBe(200)
  await until(() => expect(service.integrity()).toEqual(['ok']))
})
