import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'
import { noBrowser } from '../support/chromium.ts'
import { type ServedService, until } from '../support/served-service.ts'
import { createWeb } from '../support/web-client.ts'
import { NARROW, setupShared } from './support.ts'

beforeEach(({ skip }) => skip(noBrowser !== undefined, noBrowser))

const ECHO = `
def handler(job):
    if job["input"].get("bad"):
        raise ValueError("the picture has no face in it")
    return job["input"]
`

async function start(page: Page, requests: number, concurrency: number): Promise<void> {
  await page.getByLabel('Requests', { exact: true }).fill(String(requests))
  await page.getByLabel('At once').fill(String(concurrency))
  await page.getByRole('button', { name: 'Start load test' }).click()
}

const testsOf = async (service: ServedService, id: string) =>
  (await service.get(`/api/endpoints/${id}/load-tests`)).loadTests

describe('a load test', () => {
  test('is started, watched to its end, and two are compared', async () => {
    const { service, page, open, expectAccessible, shoot, faults } = await setupShared()
    await service.createHandler('echo', ECHO, { workersMax: 2, concurrency: 8 })
    await open('/endpoints/echo/requests?view=load')
    await page.getByText('There are no load tests of this endpoint yet').waitFor()
    await expectAccessible()
    await shoot('load-nothing')
    await start(page, 300, 8)
    await page.getByText('300 of 300 requests').waitFor()
    const list = page.getByRole('grid', { name: 'Load tests' })
    await list.getByText('Completed').waitFor()
    await page.getByRole('img', { name: /Latency: All median/ }).waitFor()
    await page.getByRole('radio', { name: 'Ran' }).click()
    await page.getByRole('img', { name: /Ran: All median/ }).waitFor()
    await page.getByRole('list', { name: 'Responses by status' }).getByText('Status 200').waitFor()
    await expectAccessible()
    await shoot('load-ended')
    await start(page, 200, 2)
    await page.getByText('200 of 200 requests').waitFor()
    await list
      .getByRole('row', { name: /300 × runsync, 8 at once/ })
      .getByRole('button')
      .click()
    const table = page.getByRole('table', { name: 'Differences of two load tests' })
    await table.getByRole('row', { name: /Throughput/ }).waitFor()
    expect(await table.getByRole('row').count()).toBeGreaterThan(8)
    await expectAccessible()
    await shoot('load-compared')
    await page.reload()
    await table.waitFor()
    await page.setViewportSize(NARROW)
    await shoot('load-compared-narrow')
    await page.setViewportSize({ width: 800, height: 700 })
    await shoot('load-compared-800')
    await until(async () => expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(800))
    expect(faults).toEqual([])
  })

  test('continues when the page is loaded again, and stops when it is told to', async () => {
    const { service, page, open, shoot } = await setupShared({ colorScheme: 'dark' })
    await service.createEndpoint('gated', { workersMax: 1 })
    await open('/endpoints/gated/requests?view=load')
    await page
      .getByRole('textbox', { name: 'Body of each request' })
      .fill(JSON.stringify({ input: { gates: [service.gate('go')] } }))
    await start(page, 50, 4)
    await page.getByText('0 of 50 requests').waitFor()
    await page.reload()
    await page.getByText('0 of 50 requests').waitFor()
    await shoot('load-running-dark')
    await page.getByRole('button', { name: 'Start load test' }).click()
    await page.getByRole('alert').getByText('A load test of endpoint gated is already running').waitFor()
    await page.getByRole('button', { name: 'Stop', exact: true }).click()
    await page.getByText('stopped by a person').waitFor()
    expect(await testsOf(service, 'gated')).toMatchObject([{ state: 'stopped', result: { done: 0 } }])
  })

  test('groups errors with their text', async () => {
    const { service, page, open, expectAccessible, shoot } = await setupShared()
    await service.createHandler('echo', ECHO, { workersMax: 1, concurrency: 4 })
    await open('/endpoints/echo/requests?view=load')
    await page.getByRole('textbox', { name: 'Body of each request' }).fill('{"input": {"bad": true}}')
    await start(page, 20, 4)
    const errors = page.getByRole('region', { name: 'Errors' })
    await errors.getByText('20 ×').waitFor()
    await errors.getByText(/the picture has no face in it/).waitFor()
    await expectAccessible()
    await shoot('load-errors')
  })

  test('sends what is written for a load-balanced endpoint', async () => {
    const { service, page, open } = await setupShared()
    await createWeb(service)
    await open('/endpoints/web/requests')
    await page.getByLabel('Path', { exact: true }).fill('/echo?a=1')
    await page.getByText('Load test', { exact: true }).click()
    await page.getByText('GET /echo?a=1').waitFor()
    await start(page, 40, 4)
    await page.getByText('40 of 40 requests').waitFor()
    expect(await testsOf(service, 'web')).toMatchObject([{ result: { statuses: { 200: 40 }, failed: 0 } }])
  })

  test('says which numbers it takes', async () => {
    const { service, page, open } = await setupShared()
    await service.createHandler('echo', ECHO)
    await open('/endpoints/echo/requests?view=load')
    await page.getByLabel('Requests', { exact: true }).fill('100001')
    await page.getByText('A whole number from 1 to 100,000').waitFor()
    expect(await page.getByRole('button', { name: 'Start load test' }).isDisabled()).toBe(true)
  })
})
