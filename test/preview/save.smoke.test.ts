import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { until } from '../support/served-service.ts'
import { gatedWorker, previewProject } from './support.ts'

test('a save is live for new jobs and requests; a running job ends with the code it began with', async () => {
  const app = await previewProject()
  app.write('gated.py', gatedWorker('before'))
  const preview = app.start()
  await preview.event('live')
  const gate = join(app.project, '..', 'gate')
  const { body: job } = await preview.ask('POST', '/v2/gated/run', { input: { gate } })
  const status = async () => (await preview.ask('GET', `/v2/gated/status/${job.id}`)).body
  await until(async () => expect((await status()).status).toBe('IN_PROGRESS'))

  app.write('gated.py', gatedWorker('after'))
  expect(await preview.event('live', 2)).toMatchObject({ release: 2, files: ['gated.py'], because: 'code' })
  expect(await preview.output('gated')).toBe('after')
  writeFileSync(gate, '')
  await until(async () => expect(await status()).toMatchObject({ status: 'COMPLETED', output: 'before' }))

  app.edit('lb_worker.py', '"ok"', '"well"')
  const { tookMs } = await preview.event('live', 3)
  expect(tookMs).toBeGreaterThan(0)
  expect(await preview.ask('GET', '/lb/api/health')).toEqual({ status: 200, body: { status: 'well' } })
})
