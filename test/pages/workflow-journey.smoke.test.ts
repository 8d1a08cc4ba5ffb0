/**
 * The whole way of one person through the editor on a fresh installation: from the empty library to a picture, from the
 * picture back to its graph, and from the graph to an endpoint that a public client asks.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import runpodSdk from 'runpod-sdk'
import { beforeEach, expect, test } from 'vitest'
import { createClient } from '../../src-main/app/cli/client.ts'
import { ensureSketch } from '../../src-main/app/cli/ensure-sample.ts'
import { readPngTexts } from '../../src-main/features/workflows/rules/metadata/png.ts'
import { parseJson } from '../../src-main/lib/json/parse.ts'
import { fileTools } from '../../src-main/shipped-files/resources.ts'
import { noBrowser } from '../support/chromium.ts'
import { PATIENCE_MS } from '../support/patience.ts'
import { type ServedService, until } from '../support/served-service.ts'
import { type Pages, readAsset, setup } from './support.ts'

beforeEach(({ skip }) => skip(noBrowser !== undefined, noBrowser))

const LARGEST_SEED = '18446744073709551615'
const PROMPT = 'a lighthouse on a rocky shore at dusk, stars, warm light in the windows, calm sea'
// Of the first run, which is cancelled when some have been seen: they take minutes. Of the second.
const [MANY_STEPS, FEW_STEPS] = ['10000', '20']
// Workers are processes, even if an engine runs.
const PROCESSES = { env: { DOCKER_HOST: 'unix:///nowhere/docker.sock' } } as const

const keyOf = ({ data }: ServedService): string => readFileSync(join(data, 'account.key'), 'utf8').trim()

/** A fresh installation, as `drydock start` leaves it. */
async function freshInstallation(): Promise<Pages> {
  const pages = await setup({ colorScheme: 'light' }, PROCESSES)
  const { service } = pages
  await ensureSketch(createClient({ url: service.url(), key: keyOf(service) }))
  return pages
}

/** Opens the first template from the library. @returns reads what is kept of it */
async function openTemplate({ page, open, service }: Pages) {
  await open('/workflows')
  await page.getByRole('button', { name: 'Start from a template' }).click()
  await page.getByRole('button', { name: 'Use Text to picture' }).click()
  await page.waitForURL('**/workflows/edit/*')
  await page.locator('.react-flow__node').first().waitFor()
  const id = new URL(page.url()).pathname.split('/').at(-1)
  return async (): Promise<string> => (await service.get(`/api/workflows/${id}`)).text
}

const node = (page: Page, id: number) => page.locator(`.react-flow__node[data-id="${id}"]`)

/** Drops a file onto the page, as from a folder of the desktop. */
async function drop(page: Page, name: string, content: Buffer): Promise<void> {
  const file = { name, base64: content.toString('base64') }
  await page.evaluate((given) => {
    const transfer = new DataTransfer()
    const bytes = Uint8Array.from(atob(given.base64), (sign) => sign.charCodeAt(0))
    transfer.items.add(new File([bytes], given.name, { type: 'image/png' }))
    const target = document.querySelector('main') ?? document.body
    for (const kind of ['dragover', 'drop'])
      target.dispatchEvent(new DragEvent(kind, { dataTransfer: transfer, bubbles: true, cancelable: true }))
  }, file)
}

test('from the empty library to a picture, from the picture to the same graph, and to an endpoint of its own', async () => {
  const pages = await freshInstallation()
  const { service, page, faults, expectAccessible, shoot } = pages
  const kept = await openTemplate(pages)
  const [prompt, seed] = [
    node(page, 4).getByRole('textbox', { name: 'text of Prompt' }),
    node(page, 6).getByRole('spinbutton', { name: 'seed of KSampler' }),
  ]
  await prompt.fill(PROMPT)
  const steps = node(page, 6).getByRole('spinbutton', { name: 'steps of KSampler' })
  await steps.fill(MANY_STEPS)
  const bar = page.getByRole('region', { name: 'Run', exact: true })
  await until(async () =>
    expect(await bar.getByRole('combobox', { name: 'Endpoint' }).textContent()).toMatch(/^sketch/),
  )
  await steps.press('Control+Enter')
  await node(page, 6).getByRole('progressbar').waitFor()
  await bar.getByRole('button', { name: 'Cancel', exact: true }).click()
  await bar.getByRole('status', { name: 'Last run' }).getByText('Cancelled').waitFor()

  await steps.fill(FEW_STEPS)
  await steps.press('Enter')
  await seed.fill(LARGEST_SEED)
  await seed.press('Enter')
  await until(async () =>
    expect(await kept()).toMatch(new RegExp(`${PROMPT}.*${LARGEST_SEED}.*\\b${FEW_STEPS}\\b`, 's')),
  )
  const sent = await kept()

  // Palette and overview fold away, the inspector opens, and all is looked at.
  await node(page, 6).focus()
  for (const key of ['Escape', 'n', 'a', 'Alt+m', '.', 'Control+Enter']) await page.keyboard.press(key)
  await node(page, 8).getByRole('img').waitFor()
  await node(page, 6).getByText('Done').waitFor()
  await page.keyboard.press('Space')
  await page.getByRole('region', { name: 'Inspector' }).getByRole('textbox', { name: 'Title' }).waitFor()
  await shoot('workflow-journey-editor')
  await page.getByRole('radio', { name: 'Results' }).click()
  const results = page.getByRole('region', { name: 'Results' })
  await results.getByText(`Seed ${LARGEST_SEED}`).waitFor()
  await expectAccessible()
  await shoot('workflow-journey-run')

  await results.getByRole('link', { name: 'All runs of this workflow' }).click()
  await page
    .getByRole('region', { name: 'Runs' })
    .getByRole('link', { name: /Text to picture/ })
    .first()
    .click()
  await page.getByText(PROMPT).first().waitFor()
  const { runs } = await service.get('/api/workflow-runs')
  const picture = await readAsset(service, runs[0].results[0].asset)

  // The picture brings its graph back, in a tab of its own.
  await page.goBack()
  await page.goBack()
  await node(page, 8).waitFor()
  await drop(page, 'kept.png', picture)
  await page.getByRole('heading', { level: 1, name: 'kept' }).waitFor()
  const { workflows } = await service.get('/api/workflows')
  const again = workflows.find(({ name }: { name: string }) => name === 'kept')
  const { text } = await service.get(`/api/workflows/${again.id}`)
  expect(parseJson(text)).toEqual(parseJson(sent))

  await page.getByRole('button', { name: 'Publish', exact: true }).click()
  const panel = page.getByRole('dialog', { name: 'Publish kept' })
  for (const input of ['seed', 'steps']) {
    await panel.getByLabel('Find an input to add').fill(input)
    await panel.getByRole('button', { name: `Add ${input} of` }).click()
  }
  await panel.getByRole('button', { name: 'Publish', exact: true }).click()
  await panel.getByText('Version 1 of kept answers at').waitFor()
  const endpoint = runpodSdk(keyOf(service), { baseUrl: `${service.url()}/v2` }).endpoint('kept')
  const called = await endpoint?.runSync({ input: { seed: 3, steps: 4 } }, PATIENCE_MS)
  const texts = readPngTexts(Buffer.from(called?.output.images[0].data, 'base64'), fileTools)
  const payload = texts.find(({ keyword }) => keyword === 'prompt')?.text
  expect(payload).toContain(PROMPT)
  expect(payload).toContain('"seed":3,"steps":4')
  await pages.open('/endpoints/kept')
  const notice = page.getByRole('region', { name: 'Published graph' })
  await notice.getByRole('link', { name: 'Form, code and versions' }).waitFor()
  await expectAccessible()
  expect(faults).toEqual([])
})

test('ten edits of ten kinds, made by keys alone where there is one, are undone to the document of before', async () => {
  const pages = await freshInstallation()
  const { page, faults } = pages
  const kept = await openTemplate(pages)
  const before = await kept()
  const inspector = page.getByRole('region', { name: 'Inspector' })
  const press = (key: string) => page.keyboard.press(key)
  const hasTitle = (title: string) => async () => expect(await kept()).toContain(`"title": "${title}"`)

  const choose = async (id: number) => {
    await node(page, id).focus()
    for (const key of ['Escape', 'Space']) await press(key)
  }
  await press('a')

  await node(page, 3).focus()
  await press('Shift+ArrowRight')
  await until(async () => expect(await kept()).not.toBe(before))
  await press('Control+m')
  await press('Alt+c')
  await press('Control+g')
  await inspector.getByRole('button', { name: 'Colour blue' }).click()
  await inspector.getByRole('textbox', { name: 'Title' }).fill('How large')
  await until(hasTitle('How large'))
  await node(page, 4).getByRole('textbox', { name: 'text of Prompt' }).fill(PROMPT)
  await choose(8)
  await press('Delete')
  await press('Shift+a')
  await page.getByRole('combobox', { name: 'Add a node' }).and(page.locator(':focus')).waitFor()
  await page.keyboard.type('save image')
  await press('Enter')
  await until(async () => expect(await page.locator('.react-flow__node-node').count()).toBe(8))
  await choose(7)
  await press('c')
  await page.getByRole('combobox', { name: /Link from which output/ }).press('Enter')
  await page.getByRole('combobox', { name: 'To which input for IMAGE?' }).fill('save')
  await press('Enter')
  const edited = await until(async () => {
    const document = JSON.parse(await kept())
    const { id, inputs } = document.nodes.at(-1)
    expect({ id, isLinked: typeof inputs[0].link === 'number' }).toEqual({ id: 9, isLinked: true })
    return document
  })
  const { flags, mode, title, color } = edited.nodes.find(({ id }: { id: number }) => id === 3)
  expect({ flags, mode, title, groups: edited.groups.length, isColoured: color !== undefined }).toEqual({
    flags: { collapsed: true },
    mode: 2,
    title: 'How large',
    groups: 1,
    isColoured: true,
  })
  for (let step = 0; step < 10; step++) await press('Control+z')
  await until(async () => expect(await kept()).toBe(before))
  for (let step = 0; step < 10; step++) await press('Control+y')
  await until(async () => expect(JSON.parse(await kept())).toEqual(edited))
  expect(faults).toEqual([])
})
