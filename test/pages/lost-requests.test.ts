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
