import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { noBrowser } from '../support/chromium.ts'
import { until } from '../support/served-service.ts'
import { NARROW, setup } from './support.ts'

beforeEach(({ skip }) => skip(noBrowser !== undefined, noBrowser))

const code = (first = '') => `${first}\ndef handler(job):\n    return 1\n`

test('header and list say what a save did, and a package that is missing can be installed', async () => {
  const { service, page, open, expectAccessible, shoot, faults } = await setup()
  await service.createHandler('live', code(), { workersMin: 1, workersMax: 1 })
  await until(async () => expect((await service.get('/api/workers')).workers[0]?.state).toBe('idle'))
  await open('/endpoints/live')
  writeFileSync(join(service.folder, 'live.py'), code('A = 1'))
  await page.getByText(/live\.py changed .*: live after/).waitFor()
  await shoot('saved-code-live')

  writeFileSync(join(service.folder, 'live.py'), code('import tinypack'))
  await page.getByText(/the new code does not start, the previous code continues to serve/).waitFor()
  await page.getByRole('button', { name: 'Install tinypack' }).waitFor()
  await expectAccessible()
  await shoot('saved-code-failed')
  await page.setViewportSize(NARROW)
  await shoot('saved-code-failed-narrow')
  await open('/endpoints')
  const row = page.getByRole('row', { name: /live/ })
  await row.getByRole('img', { name: /the new code does not start/ }).waitFor()
  await row.getByText(/No module named 'tinypack'/).waitFor()
  await expectAccessible()
  await shoot('saved-code-list')
  expect(faults).toEqual([])
})

test('a job that waits for a package, and an endpoint that crashes for it, offer to install it', async () => {
  const { service, page, open, expectAccessible, shoot } = await setup()
  await service.createHandler('mine', code('import tinypack'), { workersMax: 1 })
  const jobId = await service.run('mine', {})
  await until(async () => expect((await service.get('/api/endpoints/mine')).state).toBe('crashing'))
  await open(`/jobs/${jobId}`)
  await page.getByRole('button', { name: 'Install tinypack' }).waitFor()
  await expectAccessible()
  await shoot('missing-package-job')
  await open('/endpoints/mine')
  await page.getByRole('button', { name: 'Install tinypack' }).waitFor()
  await expectAccessible()
  await shoot('missing-package-endpoint')
  await page.setViewportSize(NARROW)
  await shoot('missing-package-endpoint-narrow')
})
