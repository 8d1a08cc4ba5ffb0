/** The canvas of the editor: its look with few and many nodes, and editing by mouse and keyboard. */
import type { Locator, Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { makeDocument } from '../renderer/editor-bench/make-document.ts'
import { noBrowser } from '../support/chromium.ts'
import { until } from '../support/served-service.ts'
import { NARROW, type Pages, setupShared } from './support.ts'

beforeEach(({ skip }) => skip(noBrowser !== undefined, noBrowser))

// Workers are processes, even if an engine runs, as no test here needs containers.
const PROCESSES = { env: { DOCKER_HOST: 'unix:///nowhere/docker.sock' } } as const
const WIDE = { width: 1440, height: 900 } as const

/** Opens a document in the editor. @returns a function that reads the saved document */
async function openDocument({ service, visit, page }: Pages, text: string) {
  const { id } = await service.post('/api/workflows', { name: 'A graph', text, draft: true })
  await visit(`/workflows/edit/${id}`)
  await page.locator('.react-flow__node').first().waitFor()
  return async () => JSON.parse((await service.get(`/api/workflows/${id}`)).text)
}

/** A document at a close zoom level. */
function nearDocument(nodes: number): string {
  return JSON.stringify({ ...JSON.parse(makeDocument(nodes)), extra: { ds: { scale: 0.7, offset: [20, 60] } } })
}

const node = (page: Page, id: number | string) => page.locator(`.react-flow__node[data-id="${id}"]`)
const slot = (page: Page, id: number | string, handle: string) =>
  node(page, id).locator(`.react-flow__handle[data-handleid="${handle}"]`)

async function middleOf(of: Locator) {
  const { x, y, width, height } = (await of.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
  return { x: x + width / 2, y: y + height / 2 }
}

async function drag(page: Page, from: Locator, to: { readonly x: number; readonly y: number }): Promise<void> {
  const start = await middleOf(from)
  await page.mouse.move(start.x, start.y)
  await page.mouse.down()
  // React Flow starts a drag at the first pointer move.
  await page.mouse.move(start.x + 2, start.y + 2)
  await page.mouse.move((start.x + to.x) / 2, (start.y + to.y) / 2, { steps: 3 })
  await page.mouse.move(to.x, to.y, { steps: 3 })
  await page.mouse.up()
}

const focused = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute('data-id'))

const said = (page: Page, words: string) =>
  page.locator('[aria-live="polite"]').getByText(words).waitFor({ state: 'attached' })

test('one node, thirty and a thousand, in light and dark colours', async () => {
  const pages = await setupShared({}, PROCESSES)
  const { page, shoot, expectAccessible, faults } = pages
  for (const nodes of [1, 30, 1000]) {
    await page.setViewportSize(WIDE)
    await openDocument(pages, makeDocument(nodes))
    await shoot(`workflow-canvas-${nodes}-1440`)
    await page.setViewportSize(NARROW)
    await shoot(`workflow-canvas-${nodes}-1024`)
  }
  await page.setViewportSize(WIDE)
  await openDocument(pages, nearDocument(10))
  await node(page, 6).getByText('KSampler').click()
  await expectAccessible()
  await shoot(`workflow-canvas-near`)
  expect(faults).toEqual([])
})

type Rectangle = { readonly x: number; readonly y: number; readonly width: number; readonly height: number }

const isApart = (one: Rectangle, other: Rectangle) =>
  one.x + one.width <= other.x ||
  other.x + other.width <= one.x ||
  one.y + one.height <= other.y ||
  other.y + other.height <= one.y

const boxesOf = async (of: Locator) =>
  Promise.all((await of.all()).map(async (one) => (await one.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }))

/** Expects all nodes within the canvas and none hidden by its overlays. */
async function expectUncovered(page: Page) {
  const [canvas] = await boxesOf(page.locator('.workflow-canvas'))
  const over = await boxesOf(
    page
      .getByRole('region', { name: 'Run', exact: true })
      .or(page.getByRole('toolbar', { name: 'View' }))
      .or(page.getByRole('img', { name: 'Overview of the graph' }))
      .filter({ visible: true }),
  )
  for (const box of await boxesOf(page.locator('.react-flow__node'))) {
    expect(over.filter((one) => !isApart(box, one))).toEqual([])
    expect(canvas !== undefined && box.x >= canvas.x && box.x + box.width <= canvas.x + canvas.width).toBe(true)
  }
}

test('a small graph shows its fields, and nothing covers it while panels and window change', async () => {
  const pages = await setupShared({}, PROCESSES)
  const { page, shoot, faults } = pages
  for (const size of [WIDE, NARROW]) {
    await page.setViewportSize(size)
    await openDocument(pages, makeDocument(7))
    await node(page, 6).getByRole('spinbutton', { name: 'seed of KSampler' }).waitFor()
    await until(() => expectUncovered(page))
    await shoot(`workflow-canvas-fit-${size.width}`)
    for (const key of ['a', 'n', 'a', 'n']) {
      await page.keyboard.press(key)
      await until(() => expectUncovered(page))
    }
  }
  await page.setViewportSize(WIDE)
  await page.keyboard.press('n')
  await until(() => expectUncovered(page))
  // Closed folders have short names.
  expect((await page.getByRole('region', { name: 'Nodes' }).boundingBox())?.width).toBeLessThan(200)

  // A view that somebody chose stays.
  const transform = () => page.locator('.react-flow__viewport').evaluate((view: HTMLElement) => view.style.transform)
  const fitted = await transform()
  await page.keyboard.press('Alt+=')
  await until(async () => expect(await transform()).not.toBe(fitted))
  const chosen = await transform()
  await page.keyboard.press('a')
  await page.getByRole('region', { name: 'Inspector' }).waitFor()
  await page.setViewportSize(NARROW)
  await page.getByRole('region', { name: 'Inspector' }).waitFor()
  expect(await transform()).toBe(chosen)
  expect(faults).toEqual([])
})

test('the mouse moves, links, inserts, adds and undoes', async () => {
  const pages = await setupShared({}, PROCESSES)
  const { page, faults } = pages
  const kept = await openDocument(pages, nearDocument(7))
  const linksInto = async (id: number) => (await kept()).links.filter((link: number[]) => link[3] === id)

  // A node is moved in one step of undo.
  const start = await node(page, 5).boundingBox()
  await drag(page, node(page, 5).getByText('Empty Latent Image'), { x: 760, y: 700 })
  await until(async () => expect((await kept()).nodes[4].pos[1] !== 500).toBe(true))
  await page.keyboard.press('Control+z')
  await until(async () => expect(await node(page, 5).boundingBox()).toEqual(start))

  // A link dragged off an input is removed on empty space, and moved to another slot.
  await drag(page, slot(page, 6, 'i1'), { x: 640, y: 40 + 90 })
  await said(page, 'The link is removed.')
  await until(async () => expect((await linksInto(6)).length === 3).toBe(true))
  // A wrong type is refused, and says why.
  await drag(page, slot(page, 5, 'o0'), await middleOf(slot(page, 6, 'i1')))
  await page
    .getByText(/Input positive of KSampler needs CONDITIONING/)
    .first()
    .waitFor()
  await drag(page, slot(page, 3, 'o0'), await middleOf(slot(page, 6, 'i1')))
  await until(async () => expect((await linksInto(6)).length === 4).toBe(true))

  // A link dropped on empty space asks which node to add.
  await drag(page, slot(page, 3, 'o0'), { x: 700, y: 770 })
  await page.getByRole('combobox', { name: 'Add a node for CONDITIONING' }).fill('combine')
  await page.getByRole('option', { name: 'Conditioning (Combine)' }).waitFor()
  await page.keyboard.press('Enter')
  await until(async () => expect((await kept()).nodes.length === 8).toBe(true))
  expect((await linksInto(8)).length).toBe(1)
  await page.keyboard.press('Control+z')
  await until(async () => expect((await kept()).nodes.length === 7).toBe(true))

  // Double click adds, the palette adds, Delete removes.
  await page.mouse.dblclick(500, 760)
  await page.getByRole('combobox', { name: 'Add a node' }).fill('vae encode')
  await page.keyboard.press('Enter')
  await page.locator('.react-flow__node').getByText('VAE Encode', { exact: true }).waitFor()
  await page.keyboard.press('Delete')
  await page.getByRole('searchbox', { name: 'Search nodes' }).fill('invert image')
  await page
    .getByRole('button', { name: /Invert Image/ })
    .first()
    .click()
  await page.locator('.react-flow__node').getByText('Invert Image').waitFor()

  // A picture that was copied elsewhere becomes a node that loads it.
  await page.evaluate(async () => {
    const picture = await new Promise<Blob | null>((done) => document.createElement('canvas').toBlob(done))
    const clipboardData = new DataTransfer()
    clipboardData.items.add(new File([picture ?? ''], 'copied.png', { type: 'image/png' }))
    document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  })
  await page.locator('.react-flow__node').getByText('Load Image').waitFor()
  expect(faults).toEqual([])
})

test('widgets accept links, keys find nodes and free places, and a selection has a toolbar', async () => {
  const pages = await setupShared({}, PROCESSES)
  const { page, faults, shoot, expectAccessible } = pages
  const kept = await openDocument(pages, nearDocument(7))
  const nodeOf = async (id: number) => (await kept()).nodes.find((one: { id: number }) => one.id === id)

  // A node that is added by keys goes to a free place.
  for (const count of [8, 9]) {
    await node(page, 5).getByText('Empty Latent Image').hover()
    await page.keyboard.press('Shift+A')
    await page.getByRole('combobox', { name: 'Add a node' }).fill('primitiveint')
    await page
      .getByRole('option', { name: /^Int\b/ })
      .first()
      .waitFor()
    await page.keyboard.press('Enter')
    await until(async () => expect((await kept()).nodes.length).toBe(count))
  }
  const boxes = (await kept()).nodes.map(({ pos, size }: { pos: number[]; size: number[] }) => [...pos, ...size])
  const [one, other] = boxes.slice(-2)
  expect(one.slice(0, 2)).not.toEqual(other.slice(0, 2))
  for (const added of [one, other])
    for (const box of boxes)
      if (box !== added) {
        const isApart = [0, 1].some((at) => box[at] + box[at + 2] <= added[at] || added[at] + added[at + 2] <= box[at])
        expect(isApart, `${box} and ${added}`).toBe(true)
      }

  // A link dropped on a widget connects at once; a widget made an input by its menu shows its socket.
  await page.mouse.click(1300, 700)
  await page.keyboard.press('.')
  const steps = node(page, 6).locator('[data-widget="steps"]')
  await drag(page, slot(page, 8, 'o0'), await middleOf(steps))
  await said(page, 'Linked to steps.')
  await until(async () =>
    expect((await nodeOf(6)).inputs.at(-1)).toMatchObject({ name: 'steps', widget: { name: 'steps' } }),
  )
  await node(page, 6).getByRole('spinbutton', { name: 'seed of KSampler' }).click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Make it an input' }).click()
  await drag(page, slot(page, 9, 'o0'), await middleOf(slot(page, 6, 'i5')))
  await said(page, 'Linked to seed.')
  await shoot('workflow-canvas-sockets')

  // A selection has a bar above it.
  await node(page, 3)
    .getByText(/CLIP Text Encode/)
    .click()
  await node(page, 4)
    .getByText(/CLIP Text Encode/)
    .click({ modifiers: ['Shift'] })
  const bar = page.getByRole('toolbar', { name: 'Selection' })
  await bar.getByRole('button', { name: 'Colour' }).click()
  await page.getByRole('button', { name: 'Colour green' }).click()
  await page.keyboard.press('Escape')
  await until(async () =>
    expect([await nodeOf(3), await nodeOf(4)].map(({ bgcolor }) => bgcolor)).toEqual(['#353', '#353']),
  )
  await expectAccessible()
  await shoot('workflow-canvas-selection')
  await bar.getByRole('button', { name: /^Bypass/ }).click()
  await until(async () => expect((await nodeOf(4)).mode).toBe(4))
  await bar.getByRole('button', { name: 'Align', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Align upper edges' }).click()
  await until(async () => expect((await nodeOf(3)).pos[1]).toBe((await nodeOf(4)).pos[1]))
  await page.keyboard.press('Control+z')
  await bar.getByRole('button', { name: /^Group/ }).click()
  await until(async () => expect((await kept()).groups.length).toBe(1))
  await page.keyboard.press('Shift+L')

  // A search by a value finds the node and scrolls to it.
  await page.keyboard.press('Control+f')
  await page.getByRole('combobox', { name: /^Find a node/ }).fill('lighthouse')
  await page
    .getByRole('listbox', { name: /^Find a node/ })
    .getByRole('option')
    .first()
    .waitFor()
  await shoot('workflow-canvas-find')
  await page.keyboard.press('Enter')
  await until(async () => expect(await bar.isVisible()).toBe(true))
  expect(faults).toEqual([])
})

test('links get points, nodes and new ends; a node is copied with the mouse', async () => {
  const pages = await setupShared({}, PROCESSES)
  const { page, faults, expectAccessible, shoot, service, visit } = pages
  const empty = JSON.stringify({ last_node_id: 0, last_link_id: 0, nodes: [], links: [], groups: [], version: 0.4 })
  const { id } = await service.post('/api/workflows', { name: 'Empty', text: empty, draft: true })
  await visit(`/workflows/edit/${id}`)
  await page.getByText('This graph is empty.').waitFor()
  await expectAccessible()
  await shoot('workflow-canvas-empty')

  const kept = await openDocument(pages, nearDocument(7))
  const linksOf = async (end: number, node: number) =>
    (await kept()).links.filter((link: number[]) => link[end] === node).length

  // Alt and a click add a point to a link, which moves like a node.
  const [one, other] = [await middleOf(slot(page, 1, 'o0')), await middleOf(slot(page, 2, 'i0'))]
  await page.keyboard.down('Alt')
  await page.mouse.click((one.x + other.x) / 2, (one.y + other.y) / 2)
  await page.keyboard.up('Alt')
  await page.locator('.react-flow__node-waypoint').waitFor()
  await drag(page, page.locator('.react-flow__node-waypoint'), { x: one.x + 20, y: one.y - 60 })
  await until(async () => expect((await kept()).extra.reroutes[0].pos[1]).toBeLessThan(200))

  // A node without links, dropped on the middle of a link, is inserted into it.
  const [out, into] = [await middleOf(slot(page, 5, 'o0')), await middleOf(slot(page, 6, 'i3'))]
  await page.mouse.dblclick(500, 760)
  await page.getByRole('combobox', { name: 'Add a node' }).fill('Upscale Latent')
  await page.keyboard.press('Enter')
  const title = node(page, 8).getByText('Upscale Latent').first()
  await title.waitFor()
  await drag(page, title, { x: (out.x + into.x) / 2 - 40, y: (out.y + into.y) / 2 - 60 })
  await until(async () => expect([await linksOf(1, 8), await linksOf(3, 8)]).toEqual([1, 1]))

  // Shift moves all links of an output to another one; a link dragged by its end moves to another input.
  await page.keyboard.down('Shift')
  await drag(page, slot(page, 3, 'o0'), await middleOf(slot(page, 4, 'o0')))
  await page.keyboard.up('Shift')
  await until(async () => expect([await linksOf(1, 3), await linksOf(1, 4)]).toEqual([0, 2]))
  await drag(page, slot(page, 6, 'i2'), await middleOf(slot(page, 6, 'i1')))
  await until(async () => expect(await linksOf(3, 6)).toBe(3))

  // Ctrl, Alt and a click remove all links of a slot; Alt and a drag copy a node.
  await page.keyboard.down('Control')
  await page.keyboard.down('Alt')
  await slot(page, 2, 'o1').click({ force: true })
  await page.keyboard.up('Alt')
  await page.keyboard.up('Control')
  await until(async () => expect(await linksOf(1, 2)).toBe(1))
  await page.keyboard.down('Alt')
  await drag(page, node(page, 1).getByText('Load Checkpoint'), { x: 420, y: 620 })
  await page.keyboard.up('Alt')
  await until(async () => expect((await kept()).nodes.length).toBe(9))
  expect(faults).toEqual([])
})

test('a box selects; what is selected is grouped, muted, copied to another window and made a subgraph', async () => {
  const pages = await setupShared({}, PROCESSES)
  const { page, shoot, faults, service } = pages
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const kept = await openDocument(pages, nearDocument(7))
  await page.keyboard.down('Control')
  await page.mouse.move(286, 190)
  await page.mouse.down()
  await page.mouse.move(700, 420, { steps: 4 })
  await page.mouse.up()
  await page.keyboard.up('Control')
  await until(async () => expect(await page.locator('.react-flow__node.selected').count()).toBe(2))
  await page.keyboard.press('Control+m')
  // The style of a mode must override the usual style of nodes.
  const muted = page.locator('.react-flow__node.selected [data-mode="mute"]').first()
  await until(async () => expect(await muted.evaluate((box) => getComputedStyle(box).borderStyle)).toBe('dashed'))
  await page.keyboard.press('Control+g')
  await until(async () => expect((await kept()).groups.length === 1).toBe(true))
  expect((await kept()).nodes.filter(({ mode }: { mode: number }) => mode === 2)).toHaveLength(2)
  await shoot('workflow-canvas-group')

  // To another window, by the clipboard of the system.
  await page.keyboard.press('Control+c')
  const other = await page.context().newPage()
  const { id } = await service.post('/api/workflows', { name: 'Other', text: makeDocument(1), draft: true })
  await other.goto(`${service.url()}/workflows/edit/${id}`)
  await node(other, 1).waitFor()
  await other.keyboard.press('Control+v')
  // The node that was there, the two that were copied, and their group.
  await until(async () => expect(await other.locator('.react-flow__node').count()).toBe(4))
  await other.close()

  await page.keyboard.press('Control+Shift+e')
  await until(async () => expect((await kept()).definitions?.subgraphs.length === 1).toBe(true))
  const host = page.locator('.react-flow__node.selected')
  await host.getByText('Subgraph').first().dblclick()
  await page.getByRole('navigation', { name: 'Subgraphs' }).waitFor()
  await until(async () => expect(await page.locator('.react-flow__node-boundary').count()).toBe(2))
  await shoot('workflow-canvas-subgraph')
  // A link dropped on the edge of a subgraph becomes an output of it.
  const outputs = page.locator('.react-flow__node-boundary', { hasText: 'Outputs' })
  await drag(page, slot(page, 2, 'o1'), await middleOf(outputs.getByText('Outputs')))
  await until(async () => expect(await outputs.getByRole('listitem').count()).toBe(4))
  await page.getByRole('button', { name: 'Workflow', exact: true }).click()
  await page.locator('.react-flow__node-box').waitFor()
  // Escape also leaves it after a double click, when nothing has the focus.
  await page.locator('.react-flow__node-node').getByText('Subgraph').first().dblclick()
  await page.locator('.react-flow__node-boundary').first().waitFor()
  await page.keyboard.press('Escape')
  await page.locator('.react-flow__node-box').waitFor()
  expect(faults).toEqual([])
})

test('keys alone: move between nodes, edit, add, link, open menus, delete', async () => {
  const pages = await setupShared({}, PROCESSES)
  const { page, faults, expectAccessible, shoot } = pages
  const kept = await openDocument(pages, nearDocument(7))
  await node(page, 1).focus()
  await page.keyboard.press('ArrowRight')
  await until(async () => expect(await focused(page)).toBe('2'))
  await page.keyboard.press('Tab')
  await until(async () => expect(await focused(page)).toBe('3'))
  await page.keyboard.press('Enter')
  await page.keyboard.press('End')
  await page.keyboard.type(', rain')
  await page.keyboard.press('Escape')
  await until(async () => expect(String((await kept()).nodes[2].widgets_values[0]).endsWith(', rain')).toBe(true))
  await until(async () => expect(await focused(page)).toBe('3'))

  await page.keyboard.press('Shift+F10')
  await page.getByRole('menu').waitFor()
  await expectAccessible()
  await shoot('workflow-canvas-menu')
  await page.getByRole('menuitem', { name: 'Link from the selected node' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('menu').waitFor({ state: 'hidden' })

  await page.keyboard.press('Shift+a')
  await page.getByRole('combobox', { name: 'Add a node' }).and(page.locator(':focus')).waitFor()
  await page.keyboard.type('conditioning (combine)')
  await page.getByRole('option', { name: 'Conditioning (Combine)' }).waitFor()
  await shoot('workflow-canvas-add')
  await page.keyboard.press('Enter')
  await until(async () => expect(await focused(page)).toBe('8'))
  await until(async () => expect((await kept()).nodes.length === 8).toBe(true))
  await node(page, 3).focus()
  await page.keyboard.press('Tab')
  await until(async () => expect(await focused(page)).toBe('4'))
  await page.keyboard.press('c')
  await page.getByRole('combobox', { name: /Link from which output/ }).press('Enter')
  await page.getByRole('combobox', { name: 'To which input for CONDITIONING?' }).and(page.locator(':focus')).waitFor()
  await page.keyboard.type('combine')
  await page.keyboard.press('Enter')
  await until(async () => expect((await kept()).links.some((link: number[]) => link[3] === 8)).toBe(true))
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keys' }).getByText('Bypass on or off').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').getByRole('combobox').waitFor()
  await page.keyboard.type('align left')
  await page.keyboard.press('Escape')
  expect(faults).toEqual([])
})

/** Counts pixels of a canvas that are clearly red, clearly green, or drawn in another colour. Runs in the page. */
function coloursOf(canvas: Element): Readonly<Record<'red' | 'green' | 'other', number>> {
  if (!(canvas instanceof HTMLCanvasElement)) throw new Error('no canvas')
  const { data } = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height) ?? { data: [] }
  const found = { red: 0, green: 0, other: 0 }
  for (let at = 0; at < data.length; at += 4) {
    const [red = 0, green = 0, blue = 0, alpha = 0] = [data[at], data[at + 1], data[at + 2], data[at + 3]]
    if (alpha < 255) continue
    // Colours far enough apart that neither theme nor antialiasing mixes them up.
    if (red > green + 30 && red > blue + 30) found.red += 1
    else if (green > red + 30 && green > blue + 30) found.green += 1
    else found.other += 1
  }
  return found
}

test('the minimap and the zoomed-out graph show the colours of nodes, and their changes', async () => {
  const pages = await setupShared({}, PROCESSES)
  const { page, shoot, faults } = pages
  const of = (id: number, colours: object) => ({
    ...{ id, type: 'EmptyLatentImage', pos: [id * 9000, 0], size: [6000, 9000], flags: {}, order: id, mode: 0 },
    ...{ inputs: [], outputs: [], properties: {}, widgets_values: [512, 512, 1], ...colours },
  })
  // So many nodes that the zoomed-out view leaves out their fields.
  const notes = Array.from({ length: 50 }, (_, at) => ({
    ...{ id: 10 + at, type: 'Note', pos: [0, 9500 + at * 10], size: [200, 100], flags: {}, order: 10 + at, mode: 0 },
    ...{ inputs: [], outputs: [], properties: {}, widgets_values: [''] },
  }))
  const nodes = [
    ...[of(1, { color: '#322', bgcolor: '#533' }), of(2, { color: '#232', bgcolor: '#353' }), of(3, {})],
    ...notes,
  ]
  await openDocument(pages, JSON.stringify({ nodes, links: [], groups: [], version: 0.4 }))
  const [map, far] = [page.getByRole('img', { name: 'Overview of the graph' }), page.locator('canvas[data-nodes="53"]')]
  const shown = async () => [await map.evaluate(coloursOf), await far.evaluate(coloursOf)]
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await until(async () => {
      for (const { red, green, other } of await shown()) {
        // Three nodes of one size have about the same number of pixels each, except edges and the view frame.
        expect([red > 100, other > 100, Math.abs(red - green) / red < 0.2]).toEqual([true, true, true])
      }
    })
  }
  await shoot('workflow-canvas-colours')
  await page.keyboard.press('a')
  const inspector = page.getByRole('region', { name: 'Inspector' })
  await inspector.getByRole('button', { name: /^Empty ?Latent ?Image/ }).click()
  await inspector.getByRole('button', { name: 'Colour green' }).click()
  await page.locator('.react-flow__pane').click({ position: { x: 5, y: 5 } })
  await until(async () => {
    for (const { red, green } of await shown()) expect([red, green > 300]).toEqual([0, true])
  })
  expect(faults).toEqual([])
})
