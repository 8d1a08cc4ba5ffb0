import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { noBrowser } from '../support/chromium.ts'
import { until } from '../support/served-service.ts'
import { NARROW, setup } from './support.ts'

beforeEach(({ skip }) => skip(noBrowser !== undefined, noBrowser))

const PHONE = { width: 800, height: 700 } as const
const CLASSES = {
  OnlyOfThisServer: {
    input: { required: {} },
    output: [],
    display_name: 'Only of this server',
    category: 'of my server',
  },
}
const GRAPH = JSON.stringify({ nodes: [], links: [], version: 0.4 })

/** A server with one class, that wants a password for it once it is locked. */
async function comfyUi() {
  let isLocked = false
  const server = createServer(({ url, headers }, response) => {
    if (url !== '/object_info') return void response.writeHead(404).end()
    if (isLocked && headers.authorization === undefined) return void response.writeHead(401).end()
    response.end(JSON.stringify(CLASSES))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close().closeAllConnections())
  const { port } = server.address() as AddressInfo
  const lock = () => {
    isLocked = true
  }
  return { address: `http://127.0.0.1:${port}`, place: `127.0.0.1:${port}`, lock }
}

test('a ComfyUI of this machine is an endpoint with one click in the editor, with its classes; settings say when they were read', async () => {
  const { service, page, open, visit, expectAccessible, shoot, faults, told } = await setup()
  const { address, place, lock } = await comfyUi()
  // The usual ports are of whoever runs this test: only which servers answer is told instead of looked for.
  const servers = [{ address, version: '0.3.64', devices: [{ name: 'cpu', type: 'cpu' }] }]
  await page.route('**/api/workflow-servers', (route) => route.fulfill({ json: { servers } }))

  await open('/workflows')
  await page.getByText(`A ComfyUI answers at ${place}`).waitFor()
  await expectAccessible()
  await shoot('servers-library')
  await visit('/catalog?entry=comfyui-bridge') // whose panel hides the page that `open` waits for
  await page.getByRole('dialog').getByText('Answers', { exact: true }).waitFor()
  await expectAccessible()
  await shoot('servers-catalog')

  const { id } = await service.post('/api/workflows', { name: 'Grey', text: GRAPH })
  await page.setViewportSize(PHONE)
  await page.emulateMedia({ colorScheme: 'dark' })
  await open(`/workflows/edit/${id}`)
  const offer = page.getByRole('region', { name: 'A ComfyUI on this machine' })
  await offer.waitFor()
  await expectAccessible()
  await shoot('servers-editor-dark-800')
  await page.setViewportSize(NARROW)
  await offer.getByRole('button', { name: 'Create an endpoint' }).click()
  const chooser = page.getByRole('combobox', { name: 'Endpoint' })
  await until(async () => expect(await chooser.textContent()).toBe('comfyui'))
  await page.getByRole('button', { name: /^Show the nodes/ }).click()
  await page.getByText('of my server').waitFor()
  await offer.waitFor({ state: 'detached' })
  await shoot('servers-chosen-dark-narrow')
  expect((await service.get('/api/endpoints/comfyui')).workflows.server).toBe(address)

  await open('/endpoints/comfyui/settings?section=workflows')
  const read = page.getByRole('button', { name: 'Read its classes' })
  await page.getByText(/^Read (just now|.* ago)\.$/).waitFor()
  lock()
  await read.click()
  await page
    .getByRole('alert')
    .getByText(/needs a user name and a password/)
    .waitFor()
  await expectAccessible()
  await shoot('servers-settings-dark-narrow')
  await page.emulateMedia({ colorScheme: 'light' })
  const field = page.getByRole('textbox', { name: 'ComfyUI server', exact: true })
  await field.fill(address.replace('//', '//ann:secret@'))
  await page.getByRole('button', { name: 'Save 1 change' }).click()
  await told('The settings of comfyui are saved.')
  expect(await page.getByRole('main').textContent()).not.toContain('secret')
  await until(async () => expect(await field.inputValue()).toBe(address.replace('//', '//ann:***@')))
  await read.click()
  await until(async () => expect(await page.getByRole('alert').count()).toBe(0))
  await shoot('servers-settings-narrow')
  // The refusal above is an answer 502, which browsers log.
  expect(faults.filter((fault) => !fault.includes('502'))).toEqual([])
})
