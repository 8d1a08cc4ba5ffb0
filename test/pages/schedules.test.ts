import { beforeEach, expect, test } from 'vitest'
import { noBrowser } from '../support/chromium.ts'
import { until } from '../support/served-service.ts'
import { createWeb } from '../support/web-client.ts'
import { choose, NARROW, setupShared } from './support.ts'

beforeEach(({ skip }) => skip(noBrowser !== undefined, noBrowser))

test('a schedule is added, runs, is paused and deleted', async () => {
  const { service, page, open, expectAccessible, shoot, faults } = await setupShared()
  await service.createEndpoint('work')
  await open('/endpoints/work/requests?view=schedules')
  await page.getByText('This endpoint has no schedules yet').waitFor()
  await page
    .getByRole('list', { name: 'Next runs' })
    .getByText(/ 03:00:00$|:00:00$/)
    .first()
    .waitFor()
  await expectAccessible()
  await shoot('schedules-nothing')

  await page.getByLabel('Cron pattern').fill('0 3 * *')
  await page.getByText(/It cannot be read/).waitFor()
  expect(await page.getByRole('button', { name: 'Add schedule' }).isDisabled()).toBe(true)
  await page.getByLabel('Cron pattern').fill('0 3 * * *')
  await page.getByLabel('Time zone').fill('Asia/Tokyo')
  await choose(page.getByRole('combobox', { name: 'Missed runs' }), /Run one job/)
  await page.getByLabel('Name', { exact: true }).fill('Nightly')
  await page.getByRole('button', { name: 'Add schedule' }).click()
  await page.getByRole('grid', { name: 'Schedules' }).getByText('0 3 * * *, Asia/Tokyo').waitFor()
  expect((await service.get('/api/schedules')).schedules).toMatchObject([{ name: 'Nightly', missed: 'run' }])

  await page.getByRole('radio', { name: 'Interval' }).click()
  await page.getByLabel('Every', { exact: true }).fill('1200ms')
  await page.getByLabel('Name', { exact: true }).fill('Often')
  await page.getByRole('button', { name: 'Add schedule' }).click()
  const runs = page.getByRole('list', { name: 'Run history' })
  await runs.getByText('Completed').first().waitFor()
  await runs
    .getByText(/^[\d.]+ m?s$/)
    .first()
    .waitFor()
  await expectAccessible()
  await shoot('schedules')
  await page.setViewportSize(NARROW)
  await shoot('schedules-narrow')

  const act = async (name: string) => {
    await page.getByRole('button', { name: 'More for Often' }).click()
    await page.getByRole('menuitem', { name }).click()
  }
  await act('Pause')
  await page.getByText('Every 1.2 s · paused').waitFor()
  await act('Delete Often')
  await page.getByRole('grid', { name: 'Schedules' }).getByText('Often').waitFor({ state: 'detached' })
  await until(async () => expect((await service.get('/api/schedules')).schedules).toHaveLength(1))
  expect(faults).toEqual([])
})

test('a load-balanced endpoint has no schedules', async () => {
  const { service, page, open } = await setupShared()
  await createWeb(service)
  await open('/endpoints/web/requests?view=schedules')
  await page.getByRole('radio', { name: 'Load test' }).waitFor()
  expect(await page.getByRole('radio', { name: 'Schedules' }).count()).toBe(0)
})
