import { fileURLToPath } from 'node:url'
import type { Locator } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'
import { noBrowser } from '../support/chromium.ts'
import { createPainter, payloadText } from '../support/painter.ts'
import { type ServedService, until } from '../support/served-service.ts'
import { STORED_PAGE_KEY } from '../support/signed-in.ts'
import { choose, NARROW, readAsset, setup, setupShared } from './support.ts'

beforeEach(({ skip }) => skip(noBrowser !== undefined, noBrowser))

const SKETCH = fileURLToPath(new URL('../../resources/node/sketch/handler.ts', import.meta.url))
const LARGEST_SEED = '18446744073709551615'

/** The address of a new workflow of the library that the painter can run. */
async function workflow(service: ServedService, settings: Parameters<typeof payloadText>[0]): Promise<string> {
  const { id } = await service.post('/api/workflows', { name: 'Harbour', text: payloadText(settings) })
  return `/workflows/edit/${id}`
}

/** Keeps a picture of noise, which is too large for a job, as a page does. */
async function keepNoise({ name, storedPageKey }: { name: string; storedPageKey: string }): Promise<void> {
  const size = 1650
  const canvas = new OffscreenCanvas(size, size)
  const pixels = new ImageData(size, size)
  for (let from = 0; from < pixels.data.length; from += 65_536)
    crypto.getRandomValues(pixels.data.subarray(from, from + 65_536))
  for (let at = 3; at < pixels.data.length; at += 4) pixels.data[at] = 255
  canvas.getContext('2d')?.putImageData(pixels, 0, 0)
  const bytes = await (await canvas.convertToBlob({ type: 'image/png' })).arrayBuffer()
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  const hex = Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
  const pageKey = localStorage.getItem(storedPageKey) ?? ''
  const headers = { 'content-type': 'application/octet-stream', 'x-drydock-page-key': pageKey }
  await fetch(`/api/assets/${hex}?name=${name}`, { method: 'PUT', headers, body: bytes })
}

/** Moves runs of the open list by its buttons, and follows what another window moves. */
async function reordersQueue(bar: Locator, service: ServedService): Promise<void> {
  const rows = bar.getByRole('listitem')
  const shown = () => rows.getByRole('link').allTextContents()
  const queue = async () => {
    const { jobs } = await service.get('/api/endpoints/painter/queue')
    return jobs.map(({ id }: { readonly id: string }) => id)
  }
  const [first, second, third] = await queue()
  await until(async () => expect(await shown()).toEqual([first, second, third]))
  const button = (name: string) => bar.getByRole('button', { name, exact: true })
  await button(`Move run ${third} to the front of the queue`).press('Enter')
  await until(async () => expect([await queue(), await shown()]).toEqual(Array(2).fill([third, first, second])))
  await button(`Move run ${first} down`).click()
  await until(async () => expect([await queue(), await shown()]).toEqual(Array(2).fill([third, second, first])))
  await button(`Move run ${second} up`).click()
  await until(async () => expect([await queue(), await shown()]).toEqual(Array(2).fill([second, third, first])))
  expect(await button(`Move run ${second} to the front of the queue`).isDisabled()).toBe(true)
  expect(await button(`Move run ${first} down`).isDisabled()).toBe(true)
  // Another window moves one, and this one follows.
  await service.post(`/api/jobs/${first}/place`, { to: 'front' })
  await until(async () => expect(await shown()).toEqual([first, second, third]))
}

describe('running a graph in the editor', () => {
  test('from a template to a picture that holds the same graph, with the prompt and the exact seed that were typed', async () => {
    const { service, page, open, expectAccessible, shoot, faults } = await setupShared()
    await service.createEndpoint('sketch', { handler: SKETCH, workflows: {}, workersMax: 1 })
    await open('/workflows')
    await page.getByRole('button', { name: 'Start from a template' }).click()
    await page.getByRole('button', { name: 'Use Text to picture' }).click()
    await page.waitForURL('**/workflows/edit/*')
    const canvas = page.getByRole('main')
    const prompt = canvas.getByRole('textbox', { name: /^text of / }).first()
    await prompt.fill('a lighthouse in the fog')
    for (const side of ['width', 'height']) {
      const field = canvas.getByRole('spinbutton', { name: `${side} of Size` }).first()
      await field.fill('128')
      await field.press('Enter')
    }
    const seed = canvas.getByRole('spinbutton', { name: 'seed of KSampler' }).first()
    await seed.fill(LARGEST_SEED)
    await seed.press('Enter')
    const bar = page.getByRole('region', { name: 'Run', exact: true })
    await bar.getByText('stand-in without a model').waitFor({ state: 'attached' })
    await until(async () =>
      expect(await bar.getByRole('combobox', { name: 'Endpoint' }).textContent()).toMatch(/^sketch/),
    )
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+Enter')
    await bar.getByRole('status', { name: 'Last run' }).getByText('1 result').waitFor()
    await bar.getByRole('button', { name: 'Show results' }).click()
    const results = page.getByRole('region', { name: 'Results' })
    await results.getByRole('img', { name: /of run/ }).waitFor()
    await results.getByText(`Seed ${LARGEST_SEED}`).waitFor()
    await expectAccessible()
    await shoot('run-sketch')

    await results.getByRole('link', { name: 'All runs of this workflow' }).click()
    await page
      .getByRole('region', { name: 'Runs' })
      .getByRole('link', { name: /Text to picture/ })
      .click()
    await page.getByText('a lighthouse in the fog').first().waitFor()
    await shoot('run-sketch-gallery')
    const { runs } = await service.get('/api/workflow-runs')
    const bytes = (await readAsset(service, runs[0].results[0].asset)).toString('latin1')
    // Once in the payload, once in the document.
    expect(bytes.split(LARGEST_SEED).length - 1).toBe(2)
    expect(bytes.split('a lighthouse in the fog').length - 1).toBe(2)
    expect(faults).toEqual([])
  })

  test('shows on its nodes how far it is, with the picture on the way', async () => {
    const { service, page, open, expectAccessible, shoot, faults, told } = await setupShared()
    await createPainter(service)
    const gate = service.gate('step')
    await open(`${await workflow(service, { gate, loads: true })}?side=results`)
    const bar = page.getByRole('region', { name: 'Run', exact: true })
    await page.getByText('This workflow has not been run yet.').waitFor()
    await shoot('run-none')
    await page.evaluate(keepNoise, { name: 'none.png', storedPageKey: STORED_PAGE_KEY })
    await bar.getByRole('button', { name: 'Run', exact: true }).click()
    await bar
      .getByRole('alert')
      .getByText(/With none\.png .* the limit of a job is 10/)
      .waitFor()
    await expectAccessible()
    await shoot('run-refused')
    await bar.getByRole('button', { name: 'Scale pictures down' }).click()
    await told('Scaled down: none-scaled.png')
    await bar.getByRole('button', { name: 'Run', exact: true }).click()
    await bar.getByText('step 1 of 2').waitFor()
    const results = page.getByRole('region', { name: 'Results' })
    const preview = results.getByRole('img', { name: 'Progress' })
    const first = await preview.getAttribute('src')
    const sampler = page.locator('.react-flow__node', { has: page.getByRole('img', { name: 'Preview', exact: true }) })
    expect(await sampler.evaluate((node) => getComputedStyle(node).zIndex)).toBe('1')
    await expectAccessible()
    await shoot('run-step')
    service.openGate('step-1')
    await bar.getByText('step 2 of 2').waitFor()
    await until(async () => expect(await preview.getAttribute('src')).not.toBe(first))
    service.openGate('step-2')
    await results.getByRole('img', { name: /of run/ }).waitFor()
    await page.getByRole('main').getByRole('img', { name: 'harbour_00001_.png', exact: true }).waitFor()

    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await results.getByRole('button', { name: 'Copy picture' }).click()
    await told('The picture is on the clipboard')
    await results.getByRole('button', { name: 'Use as input' }).click()
    await page.getByRole('menuitem', { name: 'Load Image (10)' }).click()
    await told('harbour_00001_.png is the picture of Load Image (10)')
    const canvas = page.locator('.react-flow')
    await canvas.getByText('none-scaled.png').waitFor({ state: 'detached' })
    await results.getByRole('button', { name: 'Load this graph' }).click()
    await canvas.getByText('none-scaled.png').waitFor()

    // The run is found again by a window that knows nothing of it.
    await page.reload()
    await results.getByRole('img', { name: /of run/ }).waitFor()
    await canvas.getByRole('img', { name: 'harbour_00001_.png', exact: true }).waitFor()
    // The browser says so of each answer that is an error.
    expect(faults.filter((fault) => !fault.includes('400'))).toEqual([])
  })

  test('several times says why each waits and cancels one or all; one that fails names its node and leads to it', async () => {
    const { service, page, open, expectAccessible, shoot } = await setup({
      viewport: NARROW,
      colorScheme: 'dark',
    })
    await createPainter(service)
    await service.createEndpoint('hello')
    await service.post('/api/endpoints/painter/pause')
    await open(await workflow(service, {}))
    const bar = page.getByRole('region', { name: 'Run', exact: true })
    await bar.getByRole('spinbutton', { name: 'Runs' }).fill('3')
    await bar.getByRole('button', { name: 'Run 3' }).click()
    await bar.getByText('3 wait').waitFor()
    await bar.getByRole('button', { name: 'Queue' }).click()
    await bar.getByRole('listitem').nth(2).waitFor()
    await bar.getByText('The endpoint is paused. Resume it to continue.').waitFor()
    await expectAccessible()
    await shoot('run-queue-dark')
    await reordersQueue(bar, service)
    // The list of endpoints by keys: the longer one stays open, and takes the keys.
    const chooser = bar.getByRole('combobox', { name: 'Endpoint' })
    // Keys reach the list once it has the focus.
    const focused = page.locator('[role=listbox]:focus-within')
    // The focus follows the keys with a delay, at the next timer.
    const focusedOption = (text: string) => page.locator('[role=option]:focus', { hasText: text })
    await chooser.press('Enter')
    await page.getByRole('option', { name: 'painter' }).waitFor()
    await focused.waitFor()
    await page.keyboard.press('End')
    await focusedOption('All endpoints…').waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('option', { name: 'hello' }).waitFor()
    await focused.waitFor()
    await page.keyboard.press('End')
    await focusedOption('hello').waitFor()
    await page.keyboard.press('Enter')
    await until(async () => expect(await chooser.textContent()).toBe('hello'))
    await choose(chooser, 'painter')
    await expectAccessible()
    await bar
      .getByRole('listitem')
      .last()
      .getByRole('button', { name: /^Cancel run/ })
      .click()
    await bar.getByText('2 wait').waitFor()
    await bar.getByRole('button', { name: 'Cancel all' }).click()
    await bar.getByRole('status', { name: 'Last run' }).getByText('Cancelled').waitFor()
    await until(async () => {
      const { runs } = await service.get('/api/workflow-runs')
      expect(runs.map(({ status }: { status: string }) => status)).toEqual(['CANCELLED', 'CANCELLED', 'CANCELLED'])
    })
    await bar.getByRole('spinbutton', { name: 'Runs' }).fill('1')
    await bar.getByRole('button', { name: 'Run', exact: true }).click()
    await bar.getByRole('button', { name: 'Resume painter' }).click()
    await bar.getByRole('status', { name: 'Last run' }).getByText('Completed').waitFor()

    await open(`${await workflow(service, { fails: true })}?side=results`)
    await bar.getByRole('button', { name: 'Run', exact: true }).click()
    const results = page.getByRole('region', { name: 'Results' })
    await results.getByText('CheckpointLoaderSimple (4), ckpt_name: no such checkpoint is here').waitFor()
    await results.getByRole('button', { name: 'Show', exact: true }).click()
    await expectAccessible()
    await shoot('run-failed-dark')
  })

  test('again and again continues until it is stopped', async () => {
    const { service, page, open } = await setupShared()
    await createPainter(service)
    await open(await workflow(service, {}))
    const bar = page.getByRole('region', { name: 'Run', exact: true })
    const queued = async () => (await service.get('/api/workflow-runs')).runs.length
    await bar.getByRole('button', { name: 'More ways to run' }).click()
    await page.getByRole('menuitem', { name: 'Run continuously' }).click()
    await until(async () => expect(await queued()).toBeGreaterThan(2))
    await bar.getByRole('button', { name: 'Stop running continuously' }).click()
    await bar.getByRole('status', { name: 'Last run' }).getByText('Completed').waitFor()
  })
})
