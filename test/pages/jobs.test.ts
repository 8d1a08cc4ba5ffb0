import { beforeEach, describe, expect, test } from 'vitest'
import { noBrowser } from '../support/chromium.ts'
import { type ServedService, until } from '../support/served-service.ts'
import { choose, setupShared } from './support.ts'

beforeEach(({ skip }) => skip(noBrowser !== undefined, noBrowser))

const HANDLER = `
def handler(job):
    if job["input"].get("bad"):
        raise ValueError("the picture has no face in it")
    return job["input"]
`

/** Jobs that have failed on faces, newest last. */
async function withFailed(service: ServedService, count: number): Promise<readonly string[]> {
  await service.createHandler('faces', HANDLER, { workersMax: 1 })
  const ids: string[] = []
  for (let n = 0; n < count; n++) ids.push(await service.run('faces', { bad: true, n }))
  for (const id of ids) await service.jobEnd('faces', id)
  return ids
}

/** Jobs that wait on an endpoint that is paused. */
async function withWaiting(service: ServedService, endpointId: string, count: number): Promise<readonly string[]> {
  await service.createEndpoint(endpointId)
  await service.post(`/api/endpoints/${endpointId}/pause`)
  const ids: string[] = []
  for (let n = 0; n < count; n++) ids.push(await service.run(endpointId, { n }))
  return ids
}

describe('the list of jobs', () => {
  test('says the first step where there is none, and the first job takes its place', async () => {
    const { service, page, open, expectAccessible, faults } = await setupShared()
    await open('/jobs')
    await page.getByText('There are no jobs yet').waitFor()
    await expectAccessible()
    const [id = ''] = await withWaiting(service, 'held', 1)
    await page.getByRole('row', { name: id }).getByText('Queued').waitFor()
    expect(faults).toEqual([])
  })

  test('shows state, endpoint, times, tries, worker and error of each', async () => {
    const { service, page, open } = await setupShared()
    const [id = ''] = await withFailed(service, 1)
    await open('/jobs')
    const row = page.getByRole('row', { name: id })
    await until(async () => {
      expect(await row.textContent()).toMatch(
        /Failed.*faces.*"bad":true.*no face in it.*ago.*\d+ m?s.*\d+ m?s.*1.*\w{14}/,
      )
    })
  })

  test('is filtered by state, endpoint, worker, time and text, and the address says so', async () => {
    const { service, page, open } = await setupShared()
    const failed = await withFailed(service, 2)
    await withWaiting(service, 'held', 3)
    const { workerId } = await service.get(`/api/jobs/${failed[0]}`)
    await open('/jobs')
    const count = (text: string) => page.getByRole('status').getByText(text, { exact: true }).waitFor()
    await count('5 jobs')
    await page.getByRole('toolbar', { name: 'States' }).getByText('Failed').click()
    await count('2 match')
    expect(page.url()).toContain('?status=FAILED')
    await page.getByRole('toolbar', { name: 'States' }).getByText('Queued').click()
    await count('5 match')
    await choose(page.getByRole('combobox', { name: 'Endpoint' }), 'held')
    await count('3 match')
    await page.reload()
    await count('3 match')
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await count('5 jobs')
    await choose(page.getByRole('combobox', { name: 'Worker' }), workerId)
    await count('2 match')
    await choose(page.getByRole('combobox', { name: 'Worker' }), 'All workers')
    await choose(page.getByRole('combobox', { name: 'Created' }), 'Last hour')
    await count('5 match')
    await page.keyboard.press('/')
    await page.keyboard.type('face')
    // Text typed up to a pause is searched too, and finds as many.
    await until(() => expect(new URL(page.url()).search).toBe('?since=1h&q=face'))
    await count('2 match')
    await page.getByLabel('Search jobs').fill('nothing like it')
    await page.getByText('No job matches these filters').waitFor()
    await open(`/jobs?to=${Date.now() - 3_600_000}`)
    await page.getByText('No job matches these filters').waitFor()
    await open('/endpoints/held/jobs')
    await count('3 jobs')
  })

  test('follows jobs in place, and lets new ones in by itself while nobody reads', async () => {
    const { service, page, open } = await setupShared()
    await service.createEndpoint('gated', { workersMax: 1 })
    const id = await service.run('gated', { gates: [service.gate('go')] })
    await open('/jobs')
    const row = page.getByRole('row', { name: id })
    await row.getByText('Running').waitFor()
    service.openGate('go')
    await row.getByText('Completed').waitFor()
    const next = await service.run('gated', {})
    await page.getByRole('row', { name: next }).waitFor()
    expect(await page.locator('tbody tr a').first().textContent()).toBe(next)
  })

  test('keeps new jobs back while somebody reads, until they are asked for', async () => {
    const { service, page, open } = await setupShared()
    await withWaiting(service, 'held', 3)
    await open('/jobs')
    await page
      .getByRole('row', { name: /Queued/ })
      .first()
      .waitFor()
    await page.getByRole('grid').focus()
    await page.keyboard.press('j')
    const first = () => page.locator('tbody tr a').first().textContent()
    const before = await first()
    const newest = await service.run('held', {})
    await service.run('held', {})
    await page.getByRole('button', { name: '2 new' }).waitFor()
    expect(await first()).toBe(before)
    await page.getByRole('button', { name: '2 new' }).click()
    await page.getByRole('row', { name: newest }).waitFor()
    await page.getByText('5 jobs', { exact: true }).waitFor()
  })

  test('is used with the keyboard alone: move, open, go back', async () => {
    const { service, page, open } = await setupShared()
    const ids = await withWaiting(service, 'held', 3)
    await open('/jobs?endpoint=held')
    await page.getByRole('row', { name: ids[0] ?? '' }).waitFor()
    for (const key of ['/', 'Enter', 'j', 'j', 'Enter']) await page.keyboard.press(key)
    await page.waitForURL(`**/jobs/${ids[1]}`)
    await page.getByRole('heading', { level: 1, name: ids[1] ?? '' }).waitFor()
    await page.keyboard.press('Escape')
    await page.waitForURL('**/jobs?endpoint=held')
    await page.getByRole('grid').waitFor()
  })
})
