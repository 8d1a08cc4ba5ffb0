import { encode } from 'fast-png'
import { beforeEach, expect, test } from 'vitest'
import { noBrowser } from '../support/chromium.ts'
import { until } from '../support/served-service.ts'
import { NARROW, setupShared } from './support.ts'

beforeEach(({ skip }) => skip(noBrowser !== undefined, noBrowser))

const MOST = '18446744073709551615'
const NOTE =
  '# How this works\n\nWrite a **prompt**, press `Run`.\n\n- one\n- two [site](https://example.org)\n\n<img src=x onerror="document.title=1"> ![out](https://example.org/pixel.png) [no](javascript:alert(1))'

const usual = (at: readonly [number, number], size: readonly [number, number]) =>
  `"pos":[${at}],"size":[${size}],"flags":{},"order":0,"mode":0,"properties":{}`

const NODES = [
  `{"id":3,"type":"KSampler",${usual([720, 40], [315, 262])},"inputs":[{"name":"model","type":"MODEL","link":1},{"name":"positive","type":"CONDITIONING","link":2},{"name":"negative","type":"CONDITIONING","link":null},{"name":"latent_image","type":"LATENT","link":3}],"outputs":[{"name":"LATENT","type":"LATENT","links":[]}],"widgets_values":[${MOST},"randomize",20,8,"euler","normal",1]}`,
  `{"id":4,"type":"CheckpointLoaderSimple",${usual([0, 60], [315, 98])},"outputs":[{"name":"MODEL","type":"MODEL","links":[1]},{"name":"CLIP","type":"CLIP","links":[4]},{"name":"VAE","type":"VAE","links":[]}],"widgets_values":["v1-5-pruned-emaonly-with-a-very-long-name-that-goes-on.safetensors"]}`,
  `{"id":5,"type":"EmptyLatentImage",${usual([360, 330], [315, 130])},"outputs":[{"name":"LATENT","type":"LATENT","links":[3]}],"widgets_values":[515,512,1]}`,
  `{"id":6,"type":"CLIPTextEncode",${usual([340, 40], [340, 200])},"inputs":[{"name":"clip","type":"CLIP","link":4}],"outputs":[{"name":"CONDITIONING","type":"CONDITIONING","links":[2]}],"widgets_values":["a red fox in the snow, {morning|evening} light"]}`,
  `{"id":10,"type":"LoadImage",${usual([0, 240], [315, 314])},"outputs":[{"name":"IMAGE","type":"IMAGE","links":[]},{"name":"MASK","type":"MASK","links":[]}],"widgets_values":["example.png","image"]}`,
  `{"id":11,"type":"NobodyKnowsThis",${usual([720, 360], [315, 140])},"widgets_values":[7,"some text",true]}`,
  `{"id":12,"type":"MarkdownNote",${usual([1080, 40], [280, 220])},"widgets_values":[${JSON.stringify(NOTE)}]}`,
  `{"id":13,"type":"Note",${usual([1080, 320], [280, 120])},"widgets_values":["A plain note\\nof two lines"]}`,
]
const LINKS = '[1,4,0,3,0,"MODEL"],[2,6,0,3,1,"CONDITIONING"],[3,5,0,3,3,"LATENT"],[4,4,1,6,0,"CLIP"]'
const DOCUMENT = `{"last_node_id":20,"last_link_id":20,"nodes":[${NODES}],"links":[${LINKS}],"groups":[],"config":{},"extra":{},"version":0.4}`

// A gradient, so that one sees in the pictures that it is there.
const [WIDTH, HEIGHT] = [96, 64]
const pixels = Uint8Array.from({ length: WIDTH * HEIGHT * 3 }, (_byte, at) =>
  at % 3 === 0 ? (at / 3) % WIDTH : at / 300,
)
const PNG = Buffer.from(encode({ width: WIDTH, height: HEIGHT, channels: 3, data: pixels }))

async function editorWith(look: Parameters<typeof setupShared>[0] = {}, text = DOCUMENT) {
  const pages = await setupShared(look)
  const { id } = await pages.service.post('/api/workflows', { name: 'Fox', text })
  await pages.open(`/workflows/edit/${id}`)
  const kept = (part: string) =>
    until(async () => expect((await pages.service.get(`/api/workflows/${id}`)).text).toContain(part))
  await pages.page.locator('.react-flow__node').first().waitFor()
  await pages.page.keyboard.press('a')
  const inspector = pages.page.getByRole('region', { name: 'Inspector' })
  await inspector.getByText('Classes').waitFor()
  const select = (title: string) => inspector.getByRole('button', { name: title }).click()
  return { ...pages, id, kept, inspector, select }
}

test('values are set on the node and in the inspector, exactly', async () => {
  const { page, inspector, select, kept, expectAccessible, shoot, faults } = await editorWith()
  await expectAccessible()
  await shoot('workflow-widgets-light-1440')
  await select('KSampler')
  const [onNode, inPanel] = [
    page.getByRole('spinbutton', { name: 'seed of KSampler' }).first(),
    inspector.getByRole('spinbutton', { name: 'seed of KSampler' }),
  ]
  await inPanel.fill('18446744073709551613')
  await inPanel.press('ArrowUp')
  await until(async () => expect(await onNode.inputValue()).toBe('18446744073709551614'))
  await kept('[18446744073709551614,"randomize",20,8,')
  await shoot('workflow-widgets-node-light-1440')

  const steps = inspector.getByRole('spinbutton', { name: 'steps of KSampler' })
  const { x = 0, y = 0, width = 0, height = 0 } = (await steps.boundingBox()) ?? {}
  await page.mouse.move(x + width / 2, y + height / 2)
  await page.mouse.down()
  await page.mouse.move(x + width / 2 + 20, y + height / 2, { steps: 5 })
  await page.mouse.up()
  await until(async () => expect(await steps.inputValue()).toBe('25'))

  const sampler = inspector.getByRole('combobox', { name: 'sampler_name of KSampler' })
  await sampler.click()
  await page.getByRole('dialog', { name: 'sampler_name of KSampler' }).locator(':focus').waitFor()
  await page.keyboard.type('dpmpp_2m')
  await page.getByRole('option', { name: 'dpmpp_2m', exact: true }).waitFor()
  await expectAccessible()
  await shoot('workflow-widgets-choice-light-1440')
  await page.keyboard.press('Enter')
  await until(async () => expect(await sampler.textContent()).toBe('dpmpp_2m'))
  await inspector.getByRole('spinbutton', { name: 'cfg of KSampler' }).fill('101')
  await inspector.getByText('Is 101, but the maximum is 100.0.').waitFor()
  await shoot('workflow-widgets-fault-light-1440')
  await page.keyboard.press('Escape')

  await page.getByRole('spinbutton', { name: 'cfg of KSampler' }).first().click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Reset to default' }).click()
  await kept('25,8.0,"dpmpp_2m"')
  expect(faults).toEqual([])
})

test('a prompt is written in large, with weights, and is kept', async () => {
  const { page, inspector, select, kept, expectAccessible, shoot, faults } = await editorWith({ colorScheme: 'dark' })
  await select('CLIP Text Encode')
  const field = inspector.getByRole('textbox', { name: /^text of CLIP/ })
  await field.fill('a red fox')
  await field.press('Home')
  await field.press('ArrowRight')
  await field.press('ArrowRight')
  await field.press('Control+ArrowUp')
  await until(async () => expect(await field.inputValue()).toBe('a (red:1.05) fox'))
  await inspector.getByRole('button', { name: /^Open text of CLIP/ }).click()
  const dialog = page.getByRole('dialog', { name: /^text of CLIP/i })
  await dialog.getByRole('textbox').and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Control+End')
  await page.keyboard.type(', snow')
  await expectAccessible()
  await shoot('workflow-widgets-large-dark-1440')
  await page.keyboard.press('Escape')
  await kept('"a (red:1.05) fox, snow"')
  await shoot('workflow-widgets-prompt-dark-1440')
  expect(faults).toEqual([])
})

test('a file becomes an asset with its picture, and without the service it says why not', async () => {
  const { service, inspector, select, kept, expectAccessible, shoot, told } = await editorWith({
    viewport: NARROW,
  })
  await select('Load Image')
  await inspector.getByText(/^Not on this machine/).waitFor()
  const file = { name: 'gradient.png', mimeType: 'image/png', buffer: PNG }
  await inspector.getByLabel('File for image of Load Image').setInputFiles(file)
  const picture = inspector.getByRole('img', { name: 'gradient.png' })
  await until(async () => expect(await picture.evaluate((img: HTMLImageElement) => img.naturalWidth)).toBe(WIDTH))
  await kept('["gradient.png","image"]')
  await expectAccessible()
  await shoot('workflow-widgets-file-light-1024')
  await service.kill()
  await inspector.getByLabel('File for image of Load Image').setInputFiles({ ...file, name: 'other.png' })
  await told(/^other.png could not be used: The service does not answer/)
  expect(await picture.isVisible()).toBe(true)
  await shoot('workflow-widgets-down-light-1024')
})

test('problems lead to their nodes, and say who has what is missing', async () => {
  const { page, expectAccessible, shoot, faults } = await editorWith({ colorScheme: 'dark', viewport: NARROW })
  await page.getByRole('button', { name: '2 warnings' }).click()
  const panel = page.getByRole('dialog', { name: 'Problems' })
  await panel.getByRole('button', { name: 'Where is it?' }).click()
  await panel.getByRole('link', { name: 'catalog' }).waitFor()
  await expectAccessible()
  await shoot('workflow-problems-dark-1024')
  await panel.getByRole('button', { name: 'KSampler 3' }).click()
  await page.getByRole('textbox', { name: 'Title' }).waitFor()
  await until(async () => expect(await page.getByRole('textbox', { name: 'Title' }).inputValue()).toBe('KSampler'))
  await panel.waitFor()
  await page.keyboard.press('Escape')
  await panel.waitFor({ state: 'hidden' })
  expect(faults).toEqual([])
})

test('a hostile note does nothing; a double click edits it', async () => {
  const { page, kept, faults } = await editorWith()
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  const note = page.getByRole('group', { name: /^Text of MarkdownNote/ }).first()
  await note.getByRole('link', { name: 'site' }).waitFor()
  expect(await page.title()).not.toBe('1')
  expect(await note.locator('img, script').count()).toBe(0)
  await note.dblclick()
  const field = page.getByRole('textbox', { name: 'Text of MarkdownNote' })
  await field.fill('# Mine ![out](https://example.org/pixel.png)')
  await field.press('Escape')
  await note.getByText('Mine').waitFor()
  await kept('"# Mine ![out]')
  expect(asked.filter((url) => url.includes('example.org'))).toEqual([])
  expect(faults).toEqual([])
})
