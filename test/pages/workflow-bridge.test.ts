/**
 * Runs on a ComfyUI server, in the editor: what waits for it, what its preview nodes show, and what goes wrong there.
 */
import { fileURLToPath } from 'node:url'
import { encode } from 'fast-png'
import { beforeEach, expect, test } from 'vitest'
import { noBrowser } from '../support/chromium.ts'
import { readExchange } from '../support/comfyui/exchange.ts'
import { recordedServer } from '../support/comfyui/recorded-server.ts'
import { until } from '../support/served-service.ts'
import { choose, setup } from './support.ts'

beforeEach(({ skip }) => skip(noBrowser !== undefined, noBrowser))

const HANDLER = fileURLToPath(new URL('../../resources/node/comfyui/handler.ts', import.meta.url))

const size = ['INT', { default: 16, min: 1, max: 64 }]
const CLASSES = {
  EmptyImage: { input: { required: { width: size, height: size } }, output: ['IMAGE'] },
  PreviewImage: { input: { required: { images: ['IMAGE'] } }, output: [], output_node: true },
}
const GRAPH = {
  '1': { class_type: 'EmptyImage', inputs: { width: 16, height: 16 } },
  '2': { class_type: 'PreviewImage', inputs: { images: ['1', 0] } },
}
const PICTURE = encode({ width: 16, height: 16, channels: 1, depth: 8, data: new Uint8Array(256).fill(90) })

/** A server that answers as recorded once it is up, with two classes and a picture for each preview. */
async function server(name: string) {
  const state = { isUp: true }
  const { url } = await recordedServer(readExchange(name), {
    answer: ({ method, path }, response) => {
      const [, wanted] = /^\/object_info(?:\/(.+))?$/.exec(path) ?? []
      if (!state.isUp) response.destroy()
      else if (path === '/object_info') {
        const text = JSON.stringify(CLASSES)
        response.setHeader('content-length', text.length).end(method === 'HEAD' ? undefined : text)
      } else if (wanted !== undefined)
        response.end(JSON.stringify(Object.fromEntries(Object.entries(CLASSES).filter(([one]) => one === wanted))))
      else if (path.startsWith('/view?')) response.end(PICTURE)
      else return false
      return true
    },
  })
  return { url, state }
}

test('a run waits with its reason for a server that starts, shows previews on their nodes, and folds the traceback of an error', async () => {
  const { service, page, open, expectAccessible, shoot, faults } = await setup()
  const [{ url, state }, failing] = [await server('only-temporary'), await server('node-fails')]
  await service.createEndpoint('comfy', { handler: HANDLER, workersMax: 1, workflows: { server: url } })
  await service.createEndpoint('failing', { handler: HANDLER, workersMax: 1, workflows: { server: failing.url } })
  for (const id of ['comfy', 'failing'])
    await until(async () => expect((await service.get(`/api/endpoints/${id}`)).nodeTypesReadAt).toBeDefined())
  const { id } = await service.post('/api/workflows', { name: 'Grey', text: JSON.stringify(GRAPH) })

  // The classes that come along with Drydock would refuse this graph: those of the server arrive after the press.
  const pressed = Promise.withResolvers<void>()
  await page.route(/\/api\/node-types\?endpoint=comfy$/, async (route) => {
    await pressed.promise
    await route.continue()
  })
  await open(`/workflows/edit/${id}?side=results`)
  const bar = page.getByRole('region', { name: 'Run', exact: true })
  const run = bar.getByRole('button', { name: 'Run', exact: true })
  const chooser = bar.getByRole('combobox', { name: 'Endpoint' })
  await until(async () => expect(await chooser.textContent()).toBe('comfy'))
  state.isUp = false
  await run.click()
  await bar.getByText('Sending').waitFor()
  pressed.resolve()
  await bar.getByText(/^ComfyUI \(127\.0\.0\.1:\d+\) does not answer yet\./).waitFor()
  await expectAccessible()
  await shoot('bridge-waits')
  state.isUp = true
  const canvas = page.getByRole('main')
  await canvas.getByRole('img', { name: /^ComfyUI_temp_.*\.png$/ }).waitFor()
  await bar.getByRole('status', { name: 'Last run' }).getByText('0 results').waitFor()
  await page.getByText(/^Only previews, which are shown on the nodes\./).waitFor()
  await expectAccessible()
  await shoot('bridge-previews')

  await choose(chooser, 'failing')
  await run.click()
  const line = /^LoadImage \(1\): cannot identify image file/
  const results = page.getByRole('region', { name: 'Results' })
  await results.getByText(line).waitFor()
  const calls = results.getByRole('list', { name: 'Traceback' })
  expect(await calls.isVisible()).toBe(false)
  await results.getByText('Traceback', { exact: true }).click()
  await calls.getByText('load_image').waitFor()
  await expectAccessible()
  await shoot('bridge-error')
  expect(faults).toEqual([])
})
