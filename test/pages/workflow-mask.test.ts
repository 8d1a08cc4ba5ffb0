import { decode, encode } from 'fast-png'
import type { Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { noBrowser } from '../support/chromium.ts'
import { until } from '../support/served-service.ts'
import { type Pages, readAsset, setup } from './support.ts'

beforeEach(({ skip }) => skip(noBrowser !== undefined, noBrowser))

const [WIDTH, HEIGHT] = [96, 64]
const COLOURS = Uint8Array.from({ length: WIDTH * HEIGHT * 3 }, (_byte, at) => (at * 7) % 256)
const PNG = Buffer.from(encode({ width: WIDTH, height: HEIGHT, channels: 3, data: COLOURS }))
const NODE =
  '{"id":10,"type":"LoadImage","pos":[0,0],"size":[315,314],"flags":{},"order":0,"mode":0,"properties":{},"outputs":[{"name":"IMAGE","type":"IMAGE","links":[]},{"name":"MASK","type":"MASK","links":[]}],"widgets_values":["none.png","image"]}'
const DOCUMENT = `{"last_node_id":10,"last_link_id":0,"nodes":[${NODE}],"links":[],"groups":[],"version":0.4}`

type Opened = Pages & { readonly id: string }

/** A graph that loads a picture of this machine. */
async function withPicture(): Promise<Opened> {
  const pages = await setup({ colorScheme: 'dark' })
  const { id } = await pages.service.post('/api/workflows', { name: 'Harbour', text: DOCUMENT })
  await pages.open(`/workflows/edit/${id}`)
  await pages.page
    .getByLabel('File for image of Load Image')
    .setInputFiles({ name: 'harbour.png', mimeType: 'image/png', buffer: PNG })
  await pages.page.getByRole('img', { name: 'harbour.png' }).waitFor()
  return { ...pages, id }
}

async function openMask(page: Page) {
  await page.locator('.react-flow__node [data-title]').click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Edit the mask …' }).click()
  const dialog = page.getByRole('dialog', { name: /^Mask of / })
  const canvas = dialog.getByRole('application')
  await canvas.waitFor()
  const box = async () => (await canvas.boundingBox()) ?? { x: 0, y: 0, width: 1, height: 1 }
  /** A place of the window. @param x from 0 to 1, across the picture */
  const at = async (x: number, y: number) => {
    const { x: left, y: top, width, height } = await box()
    return [left + x * width, top + y * height] as const
  }
  return { dialog, canvas, at }
}

/** The picture that the widget of the kept graph names. */
async function kept({ service, id }: Opened, isIt: (name: string) => boolean) {
  const name = await until(async () => {
    const { text } = await service.get(`/api/workflows/${id}`)
    const [value] = JSON.parse(text).nodes[0].widgets_values
    expect(isIt(value)).toBe(true)
    return value as string
  })
  const { assets } = await service.get(`/api/assets?name=${encodeURIComponent(name)}`)
  const picture = decode(await readAsset(service, assets[0].id))
  const pixel = (x: number, y: number) => {
    const from = (y * WIDTH + x) * picture.channels
    return [...picture.data.slice(from, from + picture.channels)]
  }
  return { name, picture, pixel }
}

const colourOf = (x: number, y: number) => [...COLOURS.slice((y * WIDTH + x) * 3, (y * WIDTH + x) * 3 + 3)]

test('a mask is painted over a loaded picture, kept as its alpha, and painted on', async () => {
  const opened = await withPicture()
  const { page, service, expectAccessible, shoot, faults } = opened
  const { dialog, canvas, at } = await openMask(page)
  await dialog.getByLabel('Hardness').fill('100')
  await dialog.getByLabel('Size').fill('10')
  await page.mouse.move(...(await at(0.25, 0.5)))
  await page.mouse.down()
  await page.mouse.move(...(await at(0.75, 0.5)), { steps: 8 })
  await page.mouse.up()
  await expectAccessible()
  await shoot('workflow-mask')
  // A dab by keys in the middle of the left edge, taken back and made again, and one that is erased.
  await dialog.getByRole('button', { name: 'Invert the mask' }).click()
  await canvas.press('Control+z')
  expect(await dialog.getByRole('button', { name: /^Undo/ }).isDisabled()).toBe(false)
  expect(await dialog.getByRole('button', { name: /^Redo/ }).isDisabled()).toBe(false)
  await canvas.press('e')
  await page.mouse.move(...(await at(0.5, 0.5)))
  await canvas.press('Space')
  await dialog.getByRole('button', { name: 'Save the mask' }).click()
  await dialog.waitFor({ state: 'detached' })

  const first = await kept(opened, (name) => name !== 'harbour.png' && name !== 'none.png')
  expect(first.name).toBe('harbour-masked.png')
  expect([first.picture.width, first.picture.height, first.picture.channels]).toEqual([WIDTH, HEIGHT, 4])
  // Masked is transparent, with its colour; what was erased, and what nobody painted, is not.
  expect(first.pixel(30, 32)).toEqual([...colourOf(30, 32), 0])
  expect(first.pixel(66, 34)).toEqual([...colourOf(66, 34), 0])
  expect(first.pixel(48, 32)).toEqual([...colourOf(48, 32), 255])
  expect(first.pixel(30, 10)).toEqual([...colourOf(30, 10), 255])
  expect((await service.get('/api/assets?name=harbour.png')).assets).toHaveLength(1)

  // Painted on, it begins with that mask over the first picture.
  const again = await openMask(page)
  await again.dialog.getByRole('button', { name: 'Invert the mask' }).click()
  await again.dialog.getByRole('button', { name: 'Save the mask' }).click()
  const second = await kept(opened, (name) => name !== 'harbour-masked.png')
  expect(second.name).toBe('harbour-masked (1).png')
  expect([second.pixel(30, 32), second.pixel(30, 10)]).toEqual([
    [...colourOf(30, 32), 255],
    [...colourOf(30, 10), 0],
  ])
  await page.keyboard.press('Control+z')
  await kept(opened, (name) => name === 'harbour-masked.png')

  // Closing asks about unsaved changes.
  const last = await openMask(page)
  await last.dialog.getByRole('button', { name: 'Clear the mask' }).click()
  await page.keyboard.press('Escape')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Discard changes' }).click()
  await last.dialog.waitFor({ state: 'detached' })
  expect(faults).toEqual([])
})
