import type { Page, Route } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { noBrowser } from '../support/chromium.ts'
import { setupShared } from './support.ts'

beforeEach(({ skip }) => skip(noBrowser !== undefined, noBrowser))

const BATCHES = '/endpoints/held/requests?view=batches'

/** Fails the first requests of each address, as Chromium does when the network of a container comes or goes. */
async function loseFirst(page: Page, address: RegExp, times: number): Promise<ReadonlyMap<string, number>> {
  const lost = new Map<string, number>()
  await page.route(address, (route: Route) => {
    const url = route.request().url()
    const before = lost.get(url) ?? 0
    if (before === times) return route.continue()
    lost.set(url, before + 1)
    return route.abort('connectionreset')
  })
  return lost
}

test.each([
  ['its first script', /assets\/index-[^/]*\.js/],
  ['code that all pages share', /assets\/shared-[^/]*\.js/],
  ['the code of its section', /assets\/EndpointPages-[^/]*\.js/],
  ['code of its own', /assets\/EndpointPage-[^/]*\.js/],
  ['its styles', /assets\/[^/]*\.css/],
])('a page appears with its styles although the browser lost %s twice', async (_what, address) => {
  const { service, page, visit } = await setupShared()
  await service.createEndpoint('held')
  const lost = await loseFirst(page, address, 2)
  await visit(BATCHES)
  await page.getByText('There are no batches of this endpoint yet.').waitFor()
  await page.waitForFunction(() => getComputedStyle(document.body).fontFamily.includes('Inter'))
  await expect.poll(() => [...lost.values()].every((times) => times === 2)).toBe(true)
  expect(lost.size).toBeGreaterThan(0)
})

test('a page shows what it reads although the browser lost each read twice', async () => {
  const { service, page, visit } = await setupShared()
  await service.createEndpoint('held')
  const lost = await loseFirst(page, /\/api\/(?!session)/, 2)
  await visit(BATCHES)
  await page.getByText('There are no batches of this endpoint yet.').waitFor()
  expect(lost.size).toBeGreaterThan(1)
})

test('a page reads on while the browser is offline, because the service is on this machine', async () => {
  const { service, page, open } = await setupShared()
  await service.createEndpoint('held')
  await open('/endpoints')
  await page.evaluate(() => dispatchEvent(new Event('offline')))
  await open(BATCHES)
  await page.getByText('There are no batches of this endpoint yet.').waitFor()
  await page.evaluate(() => dispatchEvent(new Event('online')))
})
