import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'
import { limit } from '../../src-main/contract/limits.ts'
import { noBrowser } from '../support/chromium.ts'
import { type ServedService, until } from '../support/served-service.ts'
import { setupShared } from './support.ts'

beforeEach(({ skip }) => skip(noBrowser !== undefined, noBrowser))

/** Jobs that wait on an endpoint that is paused, oldest first. */
async function withWaiting(service: ServedService, count: number): Promise<readonly string[]> {
  await service.createEndpoint('held')
  await service.post('/api/endpoints/held/pause')
  const ids: string[] = []
  for (let n = 0; n < count; n++) ids.push(await service.run('held', { n }))
  return ids
}

/** Jobs that have failed, oldest first. */
async function withFailed(service: ServedService, count: number): Promise<readonly string[]> {
  await service.createHandler('faces', 'def handler(job):\n    raise ValueError("no face")\n', { workersMax: 1 })
  const ids: string[] = []
  for (let n = 0; n < count; n++) ids.push(await service.run('faces', { n }))
  for (const id of ids) await service.jobEnd('faces', id)
  await service.post('/api/endpoints/faces/pause')
  return ids
}

/** Lets actions wait as long as they may: a busy machine may take ten seconds to look at a notice. */
async function lengthenUndo(page: Page): Promise<void> {
  await page.route('**/api/pending-bulk-actions', (route) => {
    const body = { ...route.request().postDataJSON(), delayMs: limit('pendingBulkMs') }
    return route.continue({ postData: JSON.stringify(body) })
  })
}

/** Waits for a notice, and keeps it where it is, as a hand over it does. */
async function holdNotice(page: Page, text: string): Promise<void> {
  await page.getByText(text).hover()
}

const countOf = async (service: ServedService, status: string) =>
  (await service.get(`/api/job-count?status=${status}`)).count

describe('selected jobs', () => {
  test('are retried, and each row says so at once', async () => {
    const { service, page, open, expectAccessible, faults, told } = await setupShared()
    const [oldest = '', middle = '', newest = ''] = await withFailed(service, 3)
    await open('/jobs')
    await page.getByRole('row', { name: newest }).getByRole('checkbox').click({ force: true })
    await page
      .getByRole('row', { name: oldest })
      .locator('[data-select]')
      .click({ modifiers: ['Shift'] })
    await page.getByText('3 jobs selected').waitFor()
    await page.getByRole('row', { name: middle }).locator('[data-select]').click()
    await page.getByText('2 jobs selected').waitFor()
    await expectAccessible()
    await lengthenUndo(page)
    await page.getByRole('button', { name: 'Retry 2' }).click()
    await holdNotice(page, '2 jobs will be queued again in 10 s.')
    await page.getByRole('button', { name: 'Do it now' }).click()
    await told('2 jobs queued again.')
    for (const id of [oldest, newest]) await page.getByRole('row', { name: id }).getByText('Queued').waitFor()
    await page.getByRole('row', { name: middle }).getByText('Failed').waitFor()
    expect(await countOf(service, 'IN_QUEUE')).toBe(2)
    expect(await page.getByText('jobs selected').count()).toBe(0)
    expect(faults).toEqual([])
  })

  test('that match a filter are cancelled, all of them, and no others', async () => {
    const { service, page, open, expectAccessible, shoot, told } = await setupShared()
    await withFailed(service, 2)
    await withWaiting(service, 150)
    await open('/jobs?endpoint=held')
    await page.getByText('150 match').waitFor()
    await page.getByRole('checkbox', { name: 'Select all' }).click()
    await page.getByText('All 150 match').waitFor()
    await lengthenUndo(page)
    await page.getByRole('button', { name: 'Cancel 150' }).click()
    await holdNotice(page, '150 jobs will be cancelled in 10 s.')
    await expectAccessible()
    await shoot('jobs-undo')
    await page.getByRole('button', { name: 'Undo' }).click()
    await told('Nothing was changed.')
    expect(await countOf(service, 'IN_QUEUE')).toBe(150)
    await page.unrouteAll()
    await page.getByRole('checkbox', { name: 'Select all' }).click()
    await page.getByRole('button', { name: 'Cancel 150' }).click()
    await told('150 jobs cancelled.')
    expect([await countOf(service, 'CANCELLED'), await countOf(service, 'FAILED')]).toEqual([150, 2])
    await until(async () => expect(await page.getByRole('row', { name: /Cancelled/ }).count()).toBeGreaterThan(10))
  })

  test('are chosen and moved with the keyboard alone', async () => {
    const { service, page, open, told } = await setupShared()
    await withWaiting(service, 4)
    await open('/jobs')
    await page
      .getByRole('row', { name: /Queued/ })
      .first()
      .waitFor()
    await page.getByRole('grid').focus()
    for (const key of ['j', 'x', 'Shift+J', 'Shift+ArrowDown']) await page.keyboard.press(key)
    await page.getByText('3 jobs selected').waitFor()
    await page.keyboard.press('Escape')
    await page.getByText('4 jobs', { exact: true }).waitFor()
    await page.keyboard.press('ControlOrMeta+a')
    await page.getByText('All 4 jobs').waitFor()
    await lengthenUndo(page)
    await page.keyboard.press('c')
    await page.getByRole('button', { name: 'Undo' }).press('Enter')
    await told('Nothing was changed.')
    expect(await countOf(service, 'IN_QUEUE')).toBe(4)
  })

  test('that are two lead to their comparison', async () => {
    const { service, page, open } = await setupShared()
    const [older = '', newer = ''] = await withWaiting(service, 2)
    await open('/jobs')
    for (const id of [newer, older]) await page.getByRole('row', { name: id }).locator('[data-select]').click()
    await page.getByRole('button', { name: 'Compare the two' }).click()
    await page.waitForURL(`**/jobs/compare?a=${older}&b=${newer}`)
  })

  test('are none when another filter is chosen', async () => {
    const { service, page, open } = await setupShared()
    await withFailed(service, 1)
    await withWaiting(service, 2)
    await open('/jobs')
    await page.getByRole('checkbox', { name: 'Select all' }).click()
    await page.getByText('All 3 jobs').waitFor()
    await page.getByRole('toolbar', { name: 'States' }).getByText('Failed').click()
    await page.getByText('1 match', { exact: true }).waitFor()
    expect(await page.getByRole('toolbar', { name: 'Selected jobs' }).count()).toBe(0)
  })

  test('stay where they are while others come', async () => {
    const { service, page, open } = await setupShared()
    const [id = ''] = await withWaiting(service, 1)
    await open('/jobs')
    await page.getByRole('row', { name: id }).locator('[data-select]').click()
    await service.run('held', {})
    await page.getByRole('button', { name: '1 new' }).waitFor()
    expect(await page.locator('tbody tr').count()).toBe(1)
    await page.getByRole('button', { name: 'Clear selection' }).click()
    await page.getByText('1 job selected').waitFor({ state: 'detached' })
  })
})
