import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { noBrowser } from '../support/chromium.ts'
import { until } from '../support/served-service.ts'
import { createWeb } from '../support/web-client.ts'
import { choose, NARROW, setupShared } from './support.ts'

beforeEach(({ skip }) => skip(noBrowser !== undefined, noBrowser))

// Answers /ping, and leads everything else to the management API.
const LEADS = `
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

class Handler(BaseHTTPRequestHandler):
    def go(self):
        self.send_response(200 if self.path == "/ping" else 307)
        self.send_header("Location", "/api/endpoints/leads")
        self.send_header("Content-Length", "0")
        self.end_headers()
    do_GET = do_DELETE = go

ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
`

describe('a request to a load-balanced endpoint', () => {
  test('is answered with the session, which the worker does not see', async () => {
    const { service, page, open, expectAccessible, shoot, faults } = await setupShared()
    await createWeb(service)
    // A service that has much to do: its log holds nothing as the page opens, nor when it is first asked after the
    // answer.
    let looks = 0
    await page.route('**/api/endpoints/web/requests?*', (route) => {
      looks += 1
      return looks > 2 ? route.continue() : route.fulfill({ json: { requests: [] } })
    })
    await open('/endpoints/web/requests')
    await page.getByText('Nothing has been sent to this endpoint yet').waitFor()
    await expectAccessible()
    await shoot('requests-web-nothing')
    await choose(page.getByLabel('Method'), 'POST')
    await page.getByLabel('Path', { exact: true }).fill('/echo?q=boat')
    await page.getByLabel('Headers').fill('X-Mine: yes')
    await page.getByText('JSON', { exact: true }).click()
    await page.getByRole('textbox', { name: 'Body of the request' }).fill('{"a": 1}')
    await page.keyboard.press('Control+Enter')
    const answer = page.getByRole('region', { name: 'Response', exact: true })
    await answer.getByText('200').first().waitFor()
    await answer.getByText('"/echo?q=boat"').waitFor()
    await answer.getByText('Raw').click()
    const raw = await answer.getByRole('region', { name: 'Body as JSON' }).textContent()
    expect(raw).toContain('"yes"')
    expect(raw?.toLowerCase()).not.toContain('cookie')
    expect(raw?.toLowerCase()).not.toContain('authorization')
    await page.getByRole('grid', { name: 'History of requests' }).getByText('POST /echo').waitFor()
    await page.unrouteAll({ behavior: 'wait' })
    await expectAccessible()
    await shoot('requests-web')
    await page.setViewportSize(NARROW)
    await shoot('requests-web-narrow')
    await page.setViewportSize({ width: 800, height: 700 })
    await shoot('requests-web-800')
    await until(async () => expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(800))
    expect(faults).toEqual([])
  })

  test('shows events as they come, and can be stopped', async () => {
    const { service, page, open, shoot } = await setupShared({ colorScheme: 'dark' })
    await createWeb(service)
    await open('/endpoints/web/requests')
    await page.getByLabel('Path', { exact: true }).fill(`/events?gate=${service.gate('e')}`)
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    service.openGate('e-0')
    const events = page.getByRole('region', { name: 'Events' })
    await events.getByText('1 event').waitFor()
    service.openGate('e-1')
    await events.getByText('2 events').waitFor()
    await shoot('requests-web-events-dark')
    await page.getByRole('button', { name: 'Stop', exact: true }).click()
    await page.getByRole('alert').getByText('stopped here').waitFor()
  })

  test('is not followed where the worker leads', async () => {
    const { service, page, open } = await setupShared()
    writeFileSync(join(service.folder, 'leads.py'), LEADS)
    await service.createEndpoint('leads', { command: 'python3 leads.py', loadBalanced: {}, workersMax: 1 })
    await open('/endpoints/leads/requests')
    await choose(page.getByLabel('Method'), 'DELETE')
    await page.getByLabel('Path', { exact: true }).fill('/away')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    const answer = page.getByRole('region', { name: 'Response', exact: true })
    await answer.getByText('/api/endpoints/leads').first().waitFor()
    await answer.getByText('is not followed here').waitFor()
    await service.get('/api/endpoints/leads')
  })

  test('that cannot be sent says why', async () => {
    const { service, page, open } = await setupShared()
    await createWeb(service)
    await open('/endpoints/web/requests')
    const send = page.getByRole('button', { name: 'Send', exact: true })
    await page.getByLabel('Path', { exact: true }).fill('echo')
    await page.getByText('A path begins with /').waitFor()
    expect(await send.isDisabled()).toBe(true)
    await page.getByLabel('Path', { exact: true }).fill('/echo')
    await page.getByLabel('Headers').fill('Cookie: a=1')
    await page.getByText('Cookie is set by the browser').waitFor()
    await page.getByLabel('Headers').fill('')
    await choose(page.getByLabel('Method'), 'PUT')
    await page.getByText('file', { exact: true }).click()
    await page.getByText('Choose the file to send').waitFor()
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('abc') })
    await send.click()
    const answer = page.getByRole('region', { name: 'Response', exact: true })
    await answer.getByText('"PUT"').waitFor()
    await answer.getByText('size:').waitFor()
  })

  test('is kept under a name', async () => {
    const { service, page, open } = await setupShared()
    await createWeb(service)
    await open('/endpoints/web/requests')
    await page.getByLabel('Path', { exact: true }).fill('/echo?kept=1')
    await page.getByRole('button', { name: 'Saved requests' }).click()
    const panel = page.getByRole('dialog', { name: 'Saved requests' })
    await panel.getByLabel('Name for this request').fill('kept')
    await panel.getByRole('button', { name: 'Save' }).click()
    await panel.getByRole('button', { name: /^kept/ }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByLabel('Path', { exact: true }).fill('/other')
    await page.getByRole('button', { name: 'Saved requests' }).click()
    await panel.getByRole('button', { name: /^kept/ }).click()
    await until(async () => expect(await page.getByLabel('Path', { exact: true }).inputValue()).toBe('/echo?kept=1'))
  })
})
