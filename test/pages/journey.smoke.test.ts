/** A user's journey through the pages alone, from an empty service to an app that is rolled back. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { noBrowser } from '../support/chromium.ts'
import { type ServedService, until } from '../support/served-service.ts'
import { setup, setupShared } from './support.ts'

beforeEach(({ skip }) => skip(noBrowser !== undefined, noBrowser))

// Workers are processes, even if an engine runs.
const PROCESSES = { env: { DOCKER_HOST: 'unix:///nowhere/docker.sock' } } as const

const HANDLER = `
import os, time

def handler(job):
    wants = job["input"]
    print(f"paints {wants.get('what', 'nothing')}", flush=True)
    while "gate" in wants and not os.path.exists(wants["gate"]):
        time.sleep(0.005)
    if wants.get("bad"):
        raise ValueError("the paint is dry")
    for word in str(wants.get("what", "")).split():
        yield word + " "
`

const write = (page: Page, input: object) =>
  page.getByRole('textbox', { name: 'Body of the request' }).fill(JSON.stringify({ input }))

/** Sends a request in one of the three ways. */
async function send(page: Page, way: 'run' | 'runsync' | 'stream', input: object): Promise<void> {
  await write(page, input)
  await page.getByRole('radio', { name: way, exact: true }).click()
  await page.getByRole('button', { name: 'Send', exact: true }).click()
}

async function createEndpoint(page: Page, service: ServedService): Promise<void> {
  writeFileSync(join(service.folder, 'paint.py'), HANDLER)
  await page.keyboard.press('n')
  const panel = page.getByRole('dialog', { name: 'New endpoint from a handler file' })
  await panel.getByLabel('Name').fill('paint')
  await panel.getByLabel('Handler file').fill(join(service.folder, 'paint.py'))
  await panel.getByRole('button', { name: 'Create endpoint' }).click()
  await panel.getByRole('button', { name: 'Open paint' }).click()
  await panel.waitFor({ state: 'detached' })
  await page.getByText('Latest jobs').waitFor()
}

const answerOf = (page: Page, way: string) => page.getByRole('region', { name: `Response of ${way}`, exact: true })
const tab = (page: Page, name: string) => page.getByRole('link', { name, exact: true }).click()

test('an endpoint is created, called, watched, searched and repaired in the pages', async () => {
  const { service, page, open, faults } = await setupShared({}, PROCESSES)
  await open('/')
  await createEndpoint(page, service)

  await tab(page, 'Requests')
  await send(page, 'stream', { what: 'a harbour' })
  await answerOf(page, 'stream').getByText('a harbour').waitFor()
  await send(page, 'run', { what: 'a very slow boat', gate: service.gate('never') })
  await answerOf(page, 'run').getByRole('link', { name: 'Open job' }).click()
  await page.getByRole('banner').getByText('Running').waitFor()
  await page.getByRole('button', { name: 'Cancel', exact: true }).click()
  await page.getByRole('button', { name: 'Cancel job' }).click()
  await page.getByRole('banner').getByText('Cancelled').waitFor()

  await page.getByRole('button', { name: 'Duplicate and edit' }).click()
  // Waits until the editor shows the job's input, which would replace text typed earlier.
  await page.getByRole('textbox', { name: 'Body of the request' }).getByText('"what": "a very slow boat"').waitFor()
  await send(page, 'runsync', { what: 'a dry wall', bad: true })
  await answerOf(page, 'runsync').getByRole('alert').getByText('ValueError: the paint is dry').waitFor()
  await answerOf(page, 'runsync').getByRole('link', { name: 'Open job' }).click()
  await page.getByRole('banner').getByText('Failed').waitFor()
  await page.keyboard.press('r')
  await page.getByRole('list', { name: 'Job events' }).getByText('Retried, queued again').waitFor()
  await tab(page, 'Logs')
  await page.getByRole('log').getByText('paints a dry wall').first().waitFor()

  await open('/jobs')
  await page.keyboard.press('/')
  await page.keyboard.type('harbour')
  await until(async () => expect(await page.locator('tbody tr').count()).toBe(1))
  await page.getByRole('row', { name: /Completed/ }).waitFor()
  expect(faults).toEqual([])
})

test('many waiting jobs are cancelled at once', async () => {
  const { service, page, open, faults, told } = await setupShared({}, PROCESSES)
  await open('/')
  await createEndpoint(page, service)
  await page.keyboard.press('p')
  await told('paint is paused')
  for (let n = 0; n < 30; n++) await service.run('paint', { n })
  await open('/jobs?endpoint=paint')
  await page.getByText('30 match').waitFor()
  await page.getByRole('checkbox', { name: 'Select all' }).click()
  await page.getByRole('button', { name: 'Cancel 30' }).click()
  await told('30 jobs cancelled.')
  expect((await service.get('/api/job-count?status=CANCELLED')).count).toBe(30)
  expect(faults).toEqual([])
})

test('an example app is opened, deployed, changed, deployed again and rolled back', async () => {
  const { service, page, open, faults } = await setup({}, PROCESSES)
  const folder = join(service.folder, 'mine')
  await open('/apps')
  await page.getByRole('button', { name: 'Start with hello' }).click()
  const panel = page.getByRole('dialog', { name: 'Start with hello' })
  await panel.getByRole('combobox', { name: 'Folder' }).fill(folder)
  await panel.getByRole('button', { name: 'Create and open' }).click()
  await page.waitForURL('**/apps/projects/*')

  const addresses = page.getByRole('list', { name: 'Addresses', exact: true })
  const ask = async () => (await service.post('/v2/hello/runsync', { input: { name: 'Ada' } })).output
  await tab(page, 'Deploy')
  await page.getByRole('button', { name: 'Deploy to production' }).click()
  await page.waitForURL('**release=1')
  await addresses.waitFor()
  const before = await ask()
  writeFileSync(join(folder, 'app.py'), service.read('mine', 'app.py').replace('Hello', 'Good day'))
  await page.getByRole('button', { name: 'Deploy to production' }).click()
  await page.waitForURL('**release=2')
  await addresses.waitFor()
  expect(JSON.stringify(await ask())).toContain('Good day')

  await open('/apps/deployed/mine/production/releases')
  await page.getByRole('listitem').filter({ hasText: 'Release 1' }).getByRole('button', { name: 'Roll back' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Roll back to release 1' }).click()
  await page.waitForURL('**release=3')
  await addresses.waitFor()
  expect(await ask()).toEqual(before)
  expect(faults).toEqual([])
})
