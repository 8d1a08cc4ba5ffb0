import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'
import { noBrowser } from '../support/chromium.ts'
import { until } from '../support/served-service.ts'
import { NARROW, setupShared } from './support.ts'

beforeEach(({ skip }) => skip(noBrowser !== undefined, noBrowser))

const ECHO = `
def handler(job):
    if job["input"].get("bad"):
        raise ValueError("the picture has no face in it")
    return {"got": job["input"]}
`
const STREAM = `
def handler(job):
    for word in job["input"].get("words", ["one ", "two ", "three"]):
        yield word
`
// A picture of 2 by 2 pixels.
const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAFklEQVR4nGP8z8Dwn4GBgYmBgYGBAQAQEwIBW0e9ZgAAAABJRU5ErkJggg=='
/** Handlers that give pictures, and that take their time. */
const PICTURES = `
def handler(job):
    return {"images": [{"filename": "a.png", "type": "base64", "data": "${PICTURE}"}], "seed": 7}
`

const write = async (page: Page, text: string) => {
  await page.getByRole('textbox', { name: 'Body of the request' }).fill(text)
}
const answer = (page: Page, operation: string) =>
  page.getByRole('region', { name: `Response of ${operation}`, exact: true })

describe('a request by hand', () => {
  test('begins with an empty input, and runsync shows the answer with its times', async () => {
    const { service, page, open, expectAccessible, shoot, faults } = await setupShared()
    await service.createHandler('echo', ECHO)
    await open('/endpoints/echo/requests')
    await page.getByText('Nothing has been sent to this endpoint yet').waitFor()
    await page.getByRole('textbox', { name: 'Body of the request' }).getByText('"input"').waitFor()
    await expectAccessible()
    await shoot('requests-nothing')
    await write(page, '{"input": {"prompt": "a boat", "steps": 20}}')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    const shown = answer(page, 'runsync')
    await shown.getByText('Completed').waitFor()
    await shown.getByText('"a boat"').waitFor()
    expect(await shown.textContent()).toMatch(/Waited.*Ran.*Total/)
    await page
      .getByRole('grid', { name: 'History of requests' })
      .getByRole('row', { name: /Completed/ })
      .waitFor()
    await expectAccessible()
    await shoot('requests-runsync')
    expect(faults).toEqual([])
  })

  test('is sent in all three ways at once, and the answers stand side by side', async () => {
    const { service, page, open, expectAccessible, shoot } = await setupShared()
    await service.createHandler('words', STREAM)
    await open('/endpoints/words/requests')
    await write(page, '{"input": {}}')
    await page.getByRole('button', { name: 'Send all three' }).click()
    for (const operation of ['run', 'runsync', 'stream']) await answer(page, operation).getByText('Completed').waitFor()
    await answer(page, 'stream').getByText('one two three').waitFor()
    await shoot('requests-three')
    await page.setViewportSize(NARROW)
    await shoot('requests-three-narrow')
    await expectAccessible()
    await page.getByRole('button', { name: 'Close response of run', exact: true }).click()
    await until(async () => expect(await answer(page, 'run').count()).toBe(0))
    expect(await answer(page, 'stream').count()).toBe(1)
  })

  test('is sent by the keyboard from anywhere on the page, and by nothing in a panel above it', async () => {
    const { service, page, open } = await setupShared()
    await service.createHandler('echo', ECHO)
    await open('/endpoints/echo/requests')
    await page.getByRole('textbox', { name: 'Body of the request' }).getByText('"input"').waitFor()
    await page.keyboard.press('s')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Control+Enter')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await answer(page, 'runsync').count()).toBe(0)
    await page.keyboard.press('Control+Enter')
    await answer(page, 'runsync').getByText('Completed').waitFor()
    expect(await answer(page, 'run').count()).toBe(0)
  })

  test('shows pictures, and the same as JSON at a press', async () => {
    const { service, page, open, shoot, faults } = await setupShared({ colorScheme: 'dark' })
    await service.createHandler('pictures', PICTURES)
    await open('/endpoints/pictures/requests')
    await write(page, '{"input": {}}')
    await page.keyboard.press('Control+Enter')
    const shown = answer(page, 'runsync')
    await shown.getByRole('img', { name: 'images[0].data' }).waitFor()
    await shown.getByText('2 × 2').waitFor()
    await shoot('requests-picture-dark')
    await shown.getByText('Raw').click()
    await shown.getByText('"seed": 7').waitFor()
    expect(faults).toEqual([])
  })

  test('that fails says why, where the log is, and what to do', async () => {
    const { service, page, open, expectAccessible, shoot } = await setupShared()
    await service.createHandler('echo', ECHO)
    await open('/endpoints/echo/requests')
    await write(page, '{"input": {"bad": true}}')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    const shown = answer(page, 'runsync')
    await shown.getByRole('alert').getByText('ValueError: the picture has no face in it').waitFor()
    await shown.getByText('See the log of the job for details').waitFor()
    expect(await shown.getByRole('link', { name: 'Open job' }).getAttribute('href')).toMatch(/^\/jobs\/sync-/)
    await expectAccessible()
    await shoot('requests-failed')
  })

  test('that is no JSON, or has no input, cannot be sent, and says what is wrong', async () => {
    const { service, page, open } = await setupShared()
    await service.createHandler('echo', ECHO)
    await open('/endpoints/echo/requests')
    const send = page.getByRole('button', { name: 'Send', exact: true })
    await write(page, '{"input": ')
    await page.getByText('Not valid JSON yet').waitFor()
    expect(await send.isDisabled()).toBe(true)
    await write(page, '{"prompt": "a boat"}')
    await page.getByText('The body needs an "input"').waitFor()
    await page.getByRole('button', { name: 'Put it into "input"' }).click()
    await until(async () => expect(await send.isDisabled()).toBe(false))
    await send.click()
    await answer(page, 'runsync').getByText('"a boat"').waitFor()
  })

  test('takes options, which are fields of its body', async () => {
    const { service, page, open, shoot } = await setupShared()
    await service.createHandler('echo', ECHO)
    await open('/endpoints/echo/requests')
    await page.getByRole('button', { name: 'Options' }).click()
    await page.getByLabel('Idempotency key').fill('once')
    await page.getByLabel('Low priority').check()
    await page.getByText('2 set').waitFor()
    await shoot('requests-options')
    await page.getByLabel('Low priority').uncheck()
    await page.getByText('1 set').waitFor()
    await page.getByRole('button', { name: 'Send all three' }).click()
    for (const operation of ['run', 'runsync', 'stream']) await answer(page, operation).getByText('Completed').waitFor()
    expect((await service.get('/api/jobs')).requests).toHaveLength(1)
  })

  test('waits in a queue, says why, and can be cancelled', async () => {
    const { service, page, open, shoot } = await setupShared()
    await service.createHandler('echo', ECHO)
    await service.post('/api/endpoints/echo/pause')
    await open('/endpoints/echo/requests')
    await page.getByText('The endpoint is paused').waitFor()
    await page.getByText('run', { exact: true }).click()
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    const shown = answer(page, 'run')
    await shown.getByText('Queued').waitFor()
    await shown.getByText(/Waiting: .*paused/).waitFor()
    await shoot('requests-waiting')
    await shown.getByRole('button', { name: 'Cancel job' }).click()
    await shown.getByText('The job was cancelled').waitFor()
  })

  test('can begin from the input of a job, by its address or from the history', async () => {
    const { service, page, open } = await setupShared()
    await service.createHandler('echo', ECHO)
    const first = await service.run('echo', { prompt: 'a harbour' })
    await service.jobEnd('echo', first)
    await service.jobEnd('echo', await service.run('echo', { prompt: 'a boat' }))
    await open(`/endpoints/echo/requests?from=${first}`)
    const body = page.getByRole('textbox', { name: 'Body of the request' })
    await body.getByText('"a harbour"').waitFor()
    const newest = page.getByRole('grid', { name: 'History of requests' }).getByRole('row').nth(1)
    await newest.getByRole('button', { name: 'Put its input into the editor' }).click()
    await body.getByText('"a boat"').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await body.getByText('"a harbour"').waitFor()
    await open('/endpoints/echo/requests?from=nothing')
    await page.getByRole('alert').getByText('There is no job nothing').waitFor()
    await page.getByRole('button', { name: 'Continue without it' }).click()
    await body.getByText('"a boat"').waitFor()
  })

  test('is kept under a name: saved, loaded, renamed, deleted, brought back', async () => {
    const { service, page, open, expectAccessible, shoot } = await setupShared()
    await service.createHandler('echo', ECHO)
    await open('/endpoints/echo/requests')
    await write(page, '{"input": {"prompt": "kept"}}')
    await page.getByRole('button', { name: 'Saved requests' }).click()
    const panel = page.getByRole('dialog', { name: 'Saved requests' })
    await panel.getByLabel('Name for this request').fill('A boat, 20 steps')
    await panel.getByRole('button', { name: 'Save' }).click()
    const saved = panel.getByRole('button', { name: /^A boat, 20 steps/ })
    await saved.waitFor()
    await expectAccessible()
    await shoot('requests-saved')
    await page.keyboard.press('Escape')
    await write(page, '{"input": {}}')
    await page.getByRole('button', { name: 'Saved requests' }).click()
    await saved.click()
    await page.getByRole('textbox', { name: 'Body of the request' }).getByText('"kept"').waitFor()
    await page.getByRole('button', { name: 'Saved requests' }).click()
    await panel.getByRole('button', { name: 'More for A boat' }).click()
    await page.getByRole('menuitem', { name: 'Rename' }).click()
    const field = panel.getByLabel('New name of')
    await until(async () => expect(await field.evaluate((element) => element === document.activeElement)).toBe(true))
    await field.fill('The boat')
    await page.keyboard.press('Enter')
    await panel.getByRole('button', { name: /^The boat/ }).waitFor()
    await panel.getByRole('button', { name: 'More for The boat' }).click()
    await page.getByRole('menuitem', { name: 'Delete The boat' }).click()
    await panel.getByText('There are no saved requests for this endpoint yet').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await panel.getByRole('button', { name: /^The boat/ }).waitFor()
  })

  test('is offered fields and values of earlier inputs while it is written', async () => {
    const { service, page, open, shoot } = await setupShared()
    await service.createHandler('echo', ECHO)
    await service.jobEnd('echo', await service.run('echo', { prompt: 'a boat', sampler: 'euler' }))
    await open('/endpoints/echo/requests')
    const body = page.getByRole('textbox', { name: 'Body of the request' })
    await body.getByText('"a boat"').waitFor()
    await write(page, '{"input": {')
    await body.press('Control+End')
    await page.keyboard.type('"sa')
    await page.getByRole('option', { name: 'sampler' }).waitFor()
    await shoot('requests-completion')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Control+Space')
    await page.getByRole('option', { name: '"euler"' }).waitFor()
    await page.keyboard.press('Enter')
    await page.keyboard.type('}}')
    expect(await body.textContent()).toContain('{"input": {"sampler": "euler"}}')
  })

  test('is copied as code in each language, without the key', async () => {
    const { service, page, open } = await setupShared({ permissions: ['clipboard-read', 'clipboard-write'] })
    await service.createHandler('echo', ECHO)
    await open('/endpoints/echo/requests')
    await write(page, `{"input": {"prompt": "it's $5"}}`)
    const key = service.read('data', 'account.key').trim()
    for (const [name, part] of [
      ['curl', `it'\\''s $5`],
      ['Python', 'runpod.Endpoint("echo")'],
      ['svc', 'Endpoint(id="echo")'],
      ['JavaScript', 'await fetch('],
    ] as const) {
      await page.getByLabel('Language').getByText(name, { exact: true }).click()
      await page.getByRole('button', { name: `Copy ${name} sample` }).click()
      // Not by the button, which says so for a moment only.
      const copied = await until(async () => {
        const text = await page.evaluate(() => navigator.clipboard.readText())
        expect(text).toContain(part)
        return text
      })
      expect(copied).toContain('SVC_API_KEY')
      expect(copied).not.toContain(key)
      await page.getByRole('button', { name: `Copy ${name} sample` }).waitFor()
    }
  })

  test('says so when the service is down, and what was written stays', async () => {
    const { service, page, open, shoot } = await setupShared()
    await service.createHandler('echo', ECHO)
    await open('/endpoints/echo/requests')
    await write(page, '{"input": {"prompt": "stays"}}')
    await service.kill()
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await answer(page, 'runsync').getByRole('alert').getByText('The service does not answer').waitFor()
    await page.getByRole('textbox', { name: 'Body of the request' }).getByText('"stays"').waitFor()
    await shoot('requests-service-down')
  })

  test('with far too much stays usable: a long output, long names, a narrow window', async () => {
    const { service, page, open, expectAccessible, shoot } = await setupShared({ colorScheme: 'dark' })
    await service.createHandler(
      'much',
      'def handler(job):\n    return {"text": "long " * 40000, "x" * 300: list(range(5000)), "rows": [{"a": "b" * 500}] * 300}\n',
      {
        concurrency: 30,
        name: 'An endpoint with a name that goes on and on, as names do when nobody stops them in time',
      },
    )
    for (let sent = 0; sent < 60; sent++) await service.run('much', { n: sent, ['f'.repeat(100)]: 'v'.repeat(400) })
    await open('/endpoints/much/requests')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await answer(page, 'runsync').getByText('All 200,000 characters').waitFor()
    await shoot('requests-much-dark')
    await page.setViewportSize({ width: 800, height: 700 })
    await shoot('requests-much-800')
    await until(async () => expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(800))
    await until(async () =>
      expect(await page.evaluate(() => document.querySelector('main')?.scrollWidth)).toBeLessThanOrEqual(800),
    )
    await expectAccessible()
  })
})
