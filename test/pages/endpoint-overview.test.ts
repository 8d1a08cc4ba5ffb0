import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'
import { noBrowser } from '../support/chromium.ts'
import { type ServedService, until } from '../support/served-service.ts'
import { createWeb, send, targetOf } from '../support/web-client.ts'
import { NARROW, setup } from './support.ts'

beforeEach(({ skip }) => skip(noBrowser !== undefined, noBrowser))

const PHONE = { width: 800, height: 700 } as const
const HANDLER = `
import os
def handler(job):
    if job["input"].get("crash"):
        print("MemoryError: out of luck", flush=True)
        os._exit(3)
    if job["input"].get("fail"):
        raise ValueError("no face")
    return job["input"]
`

/** An endpoint whose worker crashed once. */
async function createCrashed(service: ServedService): Promise<void> {
  await service.createHandler('faces', HANDLER, { redispatches: 0, workersMax: 1 })
  await service.jobEnd('faces', await service.run('faces', { crash: true }))
  await until(async () => {
    const { events } = await service.get('/api/fleet-events?endpoint=faces&kinds=crash')
    expect(events).toHaveLength(1)
  })
}

const DAY_MS = 86_400_000

/** For the pages that are opened next it is this time, and stays so. */
const stopClock = (page: Page, at: number) =>
  page.addInitScript((now) => void Object.assign(Date, { now: () => now }), at)

const strip = (page: Page) => page.getByRole('region', { name: 'Events' })

describe('the overview of an endpoint', () => {
  test('has marks of what happened over its charts, each with its reason and a way to it', async () => {
    const { service, page, open, expectAccessible, shoot, faults } = await setup()
    await createCrashed(service)
    await service.jobEnd('faces', await service.run('faces', { fail: true }))
    await open('/endpoints/faces?range=5m')
    const jobs = page.locator('figure', { hasText: 'Jobs' }).first()
    await until(async () => expect(await jobs.textContent()).toMatch(/failed 2.*completed 0/))
    await page.getByText(/^The charts begin at [\d-]+ [\d:]+, with the first data of the time span\.$/).waitFor()
    const totals = page.getByRole('main').locator('dl', { hasText: 'Failure rate' })
    const said = await totals.locator('dd').allTextContents()
    expect([...said.slice(0, 4), said.at(-1)]).toEqual(['2', '0', '2', '100 %', '2'])
    const health = page.getByRole('status', { name: 'Health' })
    await health
      .getByText('Failing. 2 jobs failed and none completed in the last 5 minutes. Latest error: ValueError: no face.')
      .waitFor()
    const latest = page.getByRole('grid', { name: 'Latest jobs' })
    for (const error of ['ValueError: no face', 'Its worker ended during the job (1 try)'])
      await latest.getByText(error).waitFor()
    const mark = strip(page).getByRole('button', { name: /Worker crashed/ })
    await mark.click()
    const detail = page.getByRole('dialog')
    await detail.getByText('Worker crashed').waitFor()
    await detail.getByText('out of luck').waitFor()
    expect(page.url()).toContain('event=')
    expect(page.url()).toContain('range=5m')
    await expectAccessible()
    await shoot('overview-mark')
    const link = detail.getByRole('link').first()
    expect(await link.getAttribute('href')).toMatch(/^\/workers\?worker=/)
    await page.keyboard.press('Escape')
    await detail.waitFor({ state: 'detached' })
    expect(page.url()).not.toContain('event=')
    expect(faults).toEqual([])
  })

  test('counts cold starts', async () => {
    const { service, page, open } = await setup()
    await service.createHandler('faces', HANDLER)
    await service.jobEnd('faces', await service.run('faces', {}))
    await open('/endpoints/faces?range=5m')
    const workers = page.locator('figure', { hasText: 'Workers' }).first()
    await until(async () => expect(await workers.textContent()).toMatch(/cold starts [1-9]/))
  })

  test('of a load-balanced one has charts and figures of its requests', async () => {
    const { service, page, open } = await setup()
    await createWeb(service)
    const target = targetOf(service)
    for (const path of ['/lb/web/echo', '/lb/web/echo?q=secret']) expect((await send(target, path)).status).toBe(200)
    await open('/endpoints/web?range=5m')
    await page.locator('figure', { hasText: 'Requests' }).first().waitFor()
    const execution = page.locator('figure', { hasText: 'Execution time' }).first()
    await until(async () => expect(await execution.textContent()).toMatch(/p99 \d/))
    await open('/endpoints')
    await page.getByRole('img', { name: '2 requests in the last hour' }).waitFor()
  })

  test('says that nothing was measured in each chart, and why once', async () => {
    const { service, page, open, shoot } = await setup()
    await service.createEndpoint('hello')
    await page.setViewportSize(NARROW)
    // A figure of nothing is written within the first 10 s of a service: the span ends before it.
    await stopClock(page, Date.now() - DAY_MS)
    await open('/endpoints/hello')
    await page.getByText('No data in this time span').waitFor()
    expect(await page.getByText('nothing measured', { exact: true }).count()).toBe(4)
    await shoot('overview-nothing-narrow')
  })
})

describe('in light and dark colours', () => {
  test('list and overview are whole at 800 px', async () => {
    const { service, page, open, expectAccessible, shoot } = await setup({ viewport: PHONE })
    await createCrashed(service)
    await service.ask('PATCH', '/api/endpoints/faces', { faults: { delayMs: 100 } })
    await open('/endpoints')
    await page.getByRole('row', { name: /faces/ }).waitFor()
    await expectAccessible()
    await shoot(`endpoints-800`)
    await open('/endpoints/faces')
    await strip(page)
      .getByRole('button', { name: /Worker crashed/ })
      .waitFor()
    await page.getByText('Turn all off').waitFor()
    await expectAccessible()
    await shoot(`overview-800`)
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
  })
})
