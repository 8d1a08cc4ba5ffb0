import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { PAGE_SECTIONS } from '../../src-main/contract/pages.ts'
import { noBrowser } from '../support/chromium.ts'
import { until } from '../support/served-service.ts'
import { STORED_PAGE_KEY } from '../support/signed-in.ts'
import { launch, setup, setupShared } from './support.ts'

beforeEach(({ skip }) => skip(noBrowser !== undefined, noBrowser))

describe('a browser', () => {
  test('that is not signed in sees how to sign in and nothing else, and continues once it is', async () => {
    const { visit, service, expectAccessible, page: signedIn } = await setup()
    await service.createEndpoint('secret-name')
    const context = await (await launch()).newContext()
    const page = await context.newPage()
    await page.goto(`${service.url()}/endpoints`)
    await page.getByText('drydock open', { exact: true }).waitFor()
    expect(await page.content()).not.toContain('secret-name')
    const { url } = await service.post('/api/session-links')
    // In another window of the same browser.
    await (await context.newPage()).goto(url)
    await page.getByText('secret-name').waitFor()
    await signedIn.context().clearCookies()
    await visit('/endpoints')
    await signedIn.getByText('drydock open', { exact: true }).waitFor()
    await expectAccessible()
  })

  test('with a link that was used says so', async () => {
    const { service } = await setup()
    const { url } = await service.post('/api/session-links')
    await fetch(url, { redirect: 'manual' })
    const page = await (await launch()).newPage()
    await page.goto(url)
    await page.getByText('This link was already used').waitFor()
  })

  test('signs out from the palette', async () => {
    const { service, page, open } = await setup()
    await open('/endpoints')
    const headers = await sessionHeaders(page)
    expect((await fetch(`${service.url()}/api/info`, { headers })).status).toBe(200)
    await page.keyboard.press('Control+k')
    await page.getByPlaceholder('What do you want to do?').fill('sign out')
    await page.keyboard.press('Enter')
    await page.getByText('This browser is not signed in').waitFor()
    expect((await fetch(`${service.url()}/api/info`, { headers })).status).toBe(401)
  })
})

describe('every page', () => {
  test('has an address, a title, and no serious accessibility violation', async () => {
    const { page, open, expectAccessible, faults } = await setupShared()
    for (const section of PAGE_SECTIONS) {
      await open(`/${section}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      expect(await page.title()).toMatch(/^\w[\w ]* · Drydock$/)
      await expectAccessible()
    }
    expect(faults).toEqual([])
  })

  test('that does not exist shows a message with links', async () => {
    const { page, open } = await setupShared()
    await open('/endpoints/a/nothing/here')
    await page.getByText('There is no page at this address').waitFor()
    await page.getByRole('link', { name: 'All endpoints' }).click()
    await page.getByText('There are no endpoints yet').waitFor()
  })
})

test('text typed right after the palette is opened does not reach the keys of the page', async () => {
  const { service, page, open } = await setupShared()
  await service.createEndpoint('hello')
  await open('/endpoints/hello')
  await page.keyboard.press('Control+k')
  await page.keyboard.press('p')
  await page.getByRole('dialog', { name: 'All actions' }).waitFor()
  expect(await service.get('/api/endpoints/hello')).toMatchObject({ paused: false })
  await page.keyboard.press('Escape')
  await page.keyboard.press('p')
  await until(async () => expect(await service.get('/api/endpoints/hello')).toMatchObject({ paused: true }))
})

test('the palette finds endpoints and pages, and says their keys', async () => {
  const { service, page, open, expectAccessible } = await setupShared()
  await service.createEndpoint('hello')
  await open('/jobs')
  await page.keyboard.press('Control+k')
  const palette = page.getByRole('dialog', { name: 'All actions' })
  await palette.getByRole('option', { name: /Endpoints g e/ }).waitFor()
  await expectAccessible()
  await page.keyboard.type('hello')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/endpoints/hello')
  await page.getByText('Latest jobs').waitFor()
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keys' }).getByText('Pause hello').waitFor()
  await expectAccessible()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
})

test('the colours that were chosen stay, whatever the system has', async () => {
  const { page, open } = await setupShared({ colorScheme: 'light' })
  await open('/endpoints')
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
  const light = await background()
  await page.getByRole('button', { name: 'Theme: system. Change to light' }).click()
  await page.getByRole('button', { name: 'Theme: light. Change to dark' }).click()
  const dark = await background()
  expect(dark).not.toBe(light)
  await page.reload()
  expect(await background()).toBe(dark)
})

test('when the service stops the page says so and keeps what it had, and continues when it is back', async () => {
  const { service, page, open } = await setup()
  await service.createEndpoint('hello')
  await open('/endpoints')
  await page.getByRole('row', { name: /hello/ }).waitFor()
  const port = Number(new URL(service.url()).port)
  await service.stop()
  await page.getByRole('alert').getByText('The service does not answer').waitFor()
  await page.getByRole('row', { name: /hello/ }).waitFor()
  await service.start({ port })
  await service.createEndpoint('second')
  await page.getByRole('row', { name: /second/ }).waitFor()
  await page.getByRole('alert').waitFor({ state: 'detached' })
})

test('a page of another port can do nothing here, though the browser sends it the same cookies', async () => {
  const { service, page, open } = await setupShared()
  await service.createEndpoint('hello')
  await open('/endpoints/hello')
  const session = await sessionHeaders(page)
  const paused = async () => (await service.get('/api/endpoints/hello')).paused
  const address = `${service.url()}/api/endpoints/hello/pause`
  const foreign = await foreignPage()
  await page.goto(foreign.url)
  // Browsers send it without a preflight: it has neither a body nor its own headers.
  await page.evaluate((url) => fetch(url, { method: 'POST', mode: 'no-cors', credentials: 'include' }), address)
  // The program behind that page repeats the request without a browser.
  const replay = (headers: Record<string, string>) => fetch(address, { method: 'POST', headers })
  const [cookie = ''] = foreign.cookies()
  expect(session.cookie).toBe(cookie)
  expect((await replay({ cookie, 'sec-fetch-site': 'same-origin' })).status).toBe(401)
  expect(await paused()).toBe(false)
  expect((await replay(session)).status).toBe(200)
  expect(await paused()).toBe(true)
})

test('an idle browser loads all pages in advance, and shows them even if the service is gone', async () => {
  const { service } = await setup()
  const page = await (await launch()).newPage()
  await page.goto((await service.post('/api/session-links')).url)
  const loaded = () => page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name))
  const pages = async () => (await loaded()).filter((name) => /Pages-[\w-]+\.js$/.test(name))
  await until(async () => expect(new Set(await pages()).size).toBe(PAGE_SECTIONS.length))
  await service.stop()
  await page.getByRole('link', { name: 'System', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'System' }).waitFor()
})

/** Headers with which the signed-in page asks. */
async function sessionHeaders(page: Page): Promise<Record<string, string>> {
  const [cookie] = (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`)
  const pageKey = await page.evaluate((name) => localStorage.getItem(name), STORED_PAGE_KEY)
  return { cookie: cookie ?? '', 'x-drydock-page-key': pageKey ?? '', 'sec-fetch-site': 'same-origin' }
}

/** A page of another program on this machine; it notes the cookies that it gets. */
async function foreignPage() {
  const cookies: string[] = []
  const server = createServer((request, response) => {
    cookies.push(request.headers.cookie ?? '')
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>foreign</title>')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, cookies: () => cookies }
}
