import { beforeEach, expect, test } from 'vitest'
import { noBrowser } from '../support/chromium.ts'
import { until } from '../support/served-service.ts'
import { setup } from './support.ts'

beforeEach(({ skip }) => skip(noBrowser !== undefined, noBrowser))

test('a setting is saved when its field loses the focus, and undone with one click', async () => {
  const { service, page, open, expectAccessible, shoot, faults, told } = await setup()
  await open('/settings')
  const most = page.getByLabel('Maximum workers')
  await most.fill('7')
  await most.press('Enter')
  await told('Limit of workers saved.')
  expect((await service.get('/api/settings')).maxWorkers).toBe(7)
  await page.getByRole('button', { name: 'Undo' }).click()
  await until(async () => expect(await most.inputValue()).toBe('32'))
  expect((await service.get('/api/settings')).maxWorkers).toBe(32)
  await page.getByLabel('Rate limits as in production').click()
  await told('Rate limits saved.')
  expect((await service.get('/api/settings')).strictLimits).toBe(true)
  await page.getByRole('radio', { name: 'object' }).click()
  await told('Stream format saved.')
  await expectAccessible()
  await shoot('settings-light-1440')
  expect(faults).toEqual([])
})
