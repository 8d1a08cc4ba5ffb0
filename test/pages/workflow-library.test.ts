import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { noBrowser } from '../support/chromium.ts'
import { PATIENCE_MS } from '../support/patience.ts'
import { type ServedService, until } from '../support/served-service.ts'
import { choose, download, NARROW, setupShared } from './support.ts'

beforeEach(({ skip }) => skip(noBrowser !== undefined, noBrowser))

const TEMPLATE = readFileSync(
  join(import.meta.dirname, '..', '..', 'resources', 'workflows', 'text-to-picture.json'),
  'utf8',
)

const ONE_PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='

const add = (service: ServedService, name: string, more: object = {}) =>
  service.post('/api/workflows', { name, text: TEMPLATE, ...more })

const eventually = <Value>(look: () => Promise<Value>) => expect.poll(look, { timeout: PATIENCE_MS })

const tabsOf = (page: Page) => page.getByRole('navigation', { name: 'Open workflows' })

/** Writes another prompt, which is an edit of the document. */
async function edit(page: Page, prompt: string): Promise<void> {
  await page.getByRole('textbox', { name: 'text of Prompt' }).fill(prompt)
}

/** Drops files onto the page, as from a folder of the desktop. */
async function drop(page: Page, files: readonly { name: string; type: string; base64: string }[]): Promise<void> {
  await page.evaluate(async (given) => {
    const transfer = new DataTransfer()
    for (const { name, type, base64 } of given) {
      const bytes = Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0))
      transfer.items.add(new File([bytes], name, { type }))
    }
    const target = document.querySelector('main') ?? document.body
    const { left, top, width, height } = target.getBoundingClientRect()
    const at = { clientX: left + width / 2, clientY: top + height / 2 }
    const event = (kind: string) =>
      new DragEvent(kind, { dataTransfer: transfer, bubbles: true, cancelable: true, ...at })
    target.dispatchEvent(event('dragover'))
    target.dispatchEvent(event('drop'))
  }, files)
}

const asFile = (name: string, content: string | Buffer, type = 'application/json') => {
  return { name, type, base64: Buffer.from(content).toString('base64') }
}

test('first steps: a template opens in the editor, and is in the library with its picture', async () => {
  const { page, open, service, expectAccessible, shoot, faults } = await setupShared()
  await open('/workflows')
  await page.getByText('There are no workflows yet').waitFor()
  await expectAccessible()
  await shoot('workflow-library-empty-light-1440')
  await page.getByRole('button', { name: 'Start from a template' }).click()
  const panel = page.getByRole('dialog', { name: 'New from a template' })
  await eventually(() => panel.locator('img').count()).toBe(6)
  await expectAccessible()
  await shoot('workflow-library-templates-light-1440')
  await panel.getByRole('button', { name: 'Use Text to picture' }).click()
  await page.waitForURL(/\/workflows\/edit\//)
  await tabsOf(page).getByText('Text to picture').waitFor()
  await tabsOf(page).getByLabel('Unsaved edits').waitFor()
  await shoot('workflow-editor-tabs-light-1440')
  await tabsOf(page).getByText('Text to picture').dblclick()
  await tabsOf(page).getByRole('textbox', { name: 'New name of Text to picture' }).and(page.locator(':focus')).waitFor()
  await page.keyboard.type('Lighthouse')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Lighthouse', level: 1 }).waitFor()
  await page.getByRole('link', { name: 'Workflows', exact: true }).last().click()
  const card = page.getByRole('link', { name: 'Open Lighthouse' })
  await card.locator('img').waitFor()
  await page.getByText('Unsaved').waitFor()
  const [workflow] = (await service.get('/api/workflows')).workflows
  expect(workflow).toMatchObject({ name: 'Lighthouse', version: 0, nodes: 8 })
  await shoot('workflow-library-one-light-1440')

  // Changed by a command, say, while the library shows it.
  const source = () => card.locator('img').getAttribute('src')
  const before = await source()
  const { id, version, draft, text } = await service.get(`/api/workflows/${workflow.id}`)
  const half = JSON.parse(text)
  const nodes = half.nodes.slice(0, 3)
  const left = JSON.stringify({ ...half, nodes, links: [] })
  await service.ask('PUT', `/api/workflows/${id}/draft`, { text: left, seen: { version, draft } })
  await open('/workflows')
  await eventually(
    async () => (await source()) !== before && (await service.get('/api/workflows')).workflows[0],
  ).toEqual(expect.objectContaining({ nodes: 3, thumbnail: expect.not.stringMatching(workflow.thumbnail) }))
  await shoot('workflow-library-changed-light-1440')
  expect(faults).toEqual([])
})

test('the library at hand: search, order, names, copies, versions, and deleting with undo', async () => {
  const { page, open, service, expectAccessible, shoot, faults, told } = await setupShared({ colorScheme: 'dark' })
  const castle = await add(service, 'Castle at dusk')
  await add(service, 'Bridge')
  await service.post(`/api/workflows/${castle.id}/versions`, {
    text: TEMPLATE.replace('lighthouse', 'castle'),
    seen: { version: 1, draft: 0 },
  })
  await open('/workflows')
  const names = () => page.getByRole('heading', { level: 2 }).allTextContents()
  await eventually(names).toEqual(['Castle at dusk', 'Bridge'])
  await choose(page.getByLabel('Order'), 'Name')
  await eventually(names).toEqual(['Bridge', 'Castle at dusk'])
  expect(page.url()).toContain('sort=name')
  await page.keyboard.press('/')
  await page.keyboard.type('dusk')
  await eventually(names).toEqual(['Castle at dusk'])
  await page.getByLabel('Search workflows').fill('')
  await page.getByRole('link', { name: 'Open Bridge' }).focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('F2')
  await page.getByRole('textbox', { name: 'New name of Castle at dusk' }).and(page.locator(':focus')).waitFor()
  await page.keyboard.type('Castle at dawn')
  await page.keyboard.press('Enter')
  await eventually(names).toEqual(['Bridge', 'Castle at dawn'])
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))
  await eventually(focused).toBe('Open Castle at dawn')
  await page.getByRole('button', { name: 'More for Bridge' }).click()
  await page.getByRole('menuitem', { name: 'Duplicate' }).click()
  await eventually(names).toEqual(['Bridge', 'Bridge (copy)', 'Castle at dawn'])
  // A picture that is being drawn of a workflow that is deleted would be refused, which the browser logs as a fault.
  await eventually(() => page.getByRole('list', { name: 'Workflows' }).locator('img').count()).toBe(3)
  await page.getByRole('link', { name: 'Open Bridge', exact: true }).focus()
  await page.keyboard.press('Delete')
  await eventually(focused).toBe('Open Bridge (copy)')
  await told('Bridge is deleted.')
  await eventually(names).toEqual(['Bridge (copy)', 'Castle at dawn'])
  await shoot('workflow-library-few-dark-1440')
  await page.getByRole('button', { name: 'Undo' }).click()
  await eventually(names).toEqual(['Bridge', 'Bridge (copy)', 'Castle at dawn'])
  await page.getByRole('button', { name: 'More for Castle at dawn' }).click()
  await page.getByRole('menuitem', { name: 'Versions' }).click()
  await page.getByRole('heading', { name: 'Version 2' }).waitFor()
  await expectAccessible()
  await shoot('workflow-library-versions-dark-1440')
  await page.getByRole('button', { name: 'Open version 1' }).click()
  await page.waitForURL(/\/workflows\/edit\//)
  await until(async () =>
    expect(await service.get(`/api/workflows/${castle.id}`)).toMatchObject({ version: 2, draft: 1, text: TEMPLATE }),
  )
  expect(faults).toEqual([])
})

test('far too much, little room, and no service: nothing is cut off, and the page says what is wrong', async () => {
  const { page, open, service, expectAccessible, shoot } = await setupShared({ viewport: NARROW })
  for (let at = 0; at < 90; at++)
    await add(service, at % 7 === 0 ? `${at} ${'a very long name '.repeat(9)}` : `Graph ${at}`)
  await open('/workflows')
  await page.getByRole('heading', { level: 2 }).nth(59).waitFor()
  await page
    .getByRole('link', { name: /^Open / })
    .first()
    .focus()
  await page.keyboard.press('End')
  await eventually(() => page.getByRole('heading', { level: 2 }).count()).toBeGreaterThan(60)
  // Those in sight are drawn one after the other.
  const pictures = page.getByRole('list', { name: 'Workflows' }).locator('img')
  await until(async () => expect(await pictures.count()).toBeGreaterThan(12))
  await shoot('workflow-library-many-light-1024')
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.setViewportSize({ width: 800, height: 700 })
  await until(async () =>
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(800),
  )
  await expectAccessible()
  await shoot('workflow-library-many-dark-800')
  await service.kill()
  await page.getByRole('button', { name: 'New workflow' }).click()
  await page.getByRole('menuitem', { name: 'Empty' }).click()
  await page.getByText('The service does not answer. Start it with').first().waitFor()
  await shoot('workflow-library-down-dark-800')
})

test('files: each opens in a tab of its own, what holds no graph says why, and exports give back what came', async () => {
  const { page, open, service, shoot, expectAccessible, faults, told } = await setupShared()
  const castle = await add(service, 'Castle')
  await open(`/workflows/edit/${castle.id}`)
  await tabsOf(page).getByText('Castle').waitFor()
  const payload = '{"3":{"class_type":"EmptyLatentImage","inputs":{"width":512,"height":512,"batch_size":1}}}'
  const choosing = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'File' }).click()
  await page.getByRole('menuitem', { name: 'Open file' }).click()
  await (await choosing).setFiles({ name: 'payload.json', mimeType: 'application/json', buffer: Buffer.from(payload) })
  await tabsOf(page).getByText('payload').waitFor()
  await drop(page, [asFile('half.json', TEMPLATE.slice(0, 900))])
  await told('half.json: The workflow is not valid JSON')
  await drop(page, [asFile('notes.txt', 'hello', 'text/plain')])
  await told('notes.txt: The file holds no workflow')
  await tabsOf(page).getByText('Castle').click()
  await page.getByRole('heading', { name: 'Castle', level: 1 }).waitFor()
  await shoot('workflow-tabs-files-light-1440')
  await expectAccessible()
  const exported = async (name: string) => {
    const { bytes } = await download(page, async () => {
      await page.getByRole('button', { name: 'File' }).click()
      await page.getByRole('menuitem', { name }).click()
    })
    return bytes
  }
  expect((await exported('Export document')).toString()).toBe(TEMPLATE)
  expect(JSON.parse((await exported('Export payload')).toString())).toMatchObject({
    '6': { class_type: 'KSampler', inputs: { seed: 20261 } },
  })
  const picture = await exported('Export picture')
  await drop(page, [asFile('Castle again.png', picture, 'image/png')])
  await tabsOf(page).getByText('Castle again').waitFor()
  await page.getByRole('heading', { name: 'Castle again', level: 1 }).waitFor()
  const { workflows } = await service.get('/api/workflows')
  const again = workflows.find(({ name }: { name: string }) => name === 'Castle again')
  expect(JSON.parse((await service.get(`/api/workflows/${again.id}`)).text)).toEqual(JSON.parse(TEMPLATE))
  await drop(page, [asFile('cat.png', Buffer.from(ONE_PIXEL, 'base64'), 'image/png')])
  await until(async () => {
    const { text, nodes } = await service.get(`/api/workflows/${again.id}`)
    expect(nodes).toBe(9)
    expect(JSON.parse(text).nodes.at(-1)).toMatchObject({ type: 'LoadImage', widgets_values: ['cat.png', 'image'] })
  })
  await page.getByRole('button', { name: 'Close Castle again' }).click()
  await eventually(() => tabsOf(page).getByRole('listitem').count()).toBe(2)
  await page.reload()
  await eventually(() => tabsOf(page).getByRole('listitem').allTextContents()).toEqual(['Castle', 'payload'])
  expect(faults).toEqual([])
})

test('edits outlive a service that is killed, and a window that is closed right after an edit', async () => {
  const { page, open, service, shoot } = await setupShared()
  const castle = await add(service, 'Castle')
  const port = Number(new URL(service.url()).port)
  await open(`/workflows/edit/${castle.id}`)
  await tabsOf(page).getByText('Castle').waitFor()
  const kept = async () => (await service.get(`/api/workflows/${castle.id}`)).text
  await edit(page, 'kept before')
  await until(async () => expect(await kept()).toContain('kept before'))
  await service.kill()
  await edit(page, 'while it was away')
  const away = page.getByRole('alert').getByText('Edits are stored in this browser')
  await away.waitFor()
  await shoot('workflow-tabs-away-light-1440')
  await service.start({ port })
  await until(async () => expect(await kept()).toContain('while it was away'))
  await away.waitFor({ state: 'hidden' })
  const [address, context] = [page.url(), page.context()]
  await edit(page, 'last words')
  await page.keyboard.press('Tab')
  await page.close()
  const again = await context.newPage()
  await again.goto(address)
  await until(async () => expect(await kept()).toContain('last words'))
})

test('two windows never overwrite each other: the later one says so, and keeps its own as a copy', async () => {
  const { page, open, service, shoot, expectAccessible } = await setupShared()
  const castle = await add(service, 'Castle')
  await open(`/workflows/edit/${castle.id}`)
  await tabsOf(page).getByText('Castle').waitFor()
  const kept = async () => (await service.get(`/api/workflows/${castle.id}`)).text
  const other = await page.context().newPage()
  await other.goto(page.url())
  await tabsOf(other).getByText('Castle').waitFor()
  await edit(other, 'from the other window')
  await until(async () => expect(await kept()).toContain('from the other window'))
  await edit(page, 'from the first window')
  await page.getByText('Another window has changed this workflow').waitFor()
  await expectAccessible()
  await shoot('workflow-tabs-changed-light-1440')
  await page.getByRole('button', { name: 'Save mine as a copy' }).click()
  await tabsOf(page).getByText('Castle (copy)').waitFor()
  expect(await kept()).toContain('from the other window')
  const { workflows } = await service.get('/api/workflows')
  const copy = workflows.find(({ name }: { name: string }) => name === 'Castle (copy)')
  expect((await service.get(`/api/workflows/${copy.id}`)).text).toContain('from the first window')
})
