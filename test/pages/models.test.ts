import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { noBrowser } from '../support/chromium.ts'
import { LORA, sendFile, sha256Of, startHost } from '../support/model-files.ts'
import { until } from '../support/served-service.ts'
import { choose, NARROW, setup } from './support.ts'

beforeEach(({ skip }) => skip(noBrowser !== undefined, noBrowser))

/** A graph that loads one model, and says where it can be had. */
const loraGraph = (url: string) => ({
  nodes: [
    {
      id: 1,
      type: 'LoraLoaderModelOnly',
      pos: [80, 80],
      size: [320, 90],
      inputs: [],
      outputs: [],
      properties: {
        models: [{ name: 'ink.safetensors', url, directory: 'loras', hash: sha256Of(LORA), hash_type: 'SHA256' }],
      },
      widgets_values: ['ink.safetensors', 1],
    },
  ],
  links: [],
  version: 0.4,
})

/** A workflow that misses a model, a folder for it, and a host that gives it when `goOn` is resolved. */
async function setupMissing() {
  const goOn = Promise.withResolvers<void>()
  const host = await startHost(async (incoming, outgoing) => {
    await goOn.promise
    sendFile(incoming, outgoing, LORA)
  })
  const pages = await setup()
  const { service } = pages
  const folder = join(service.folder, 'models')
  mkdirSync(folder)
  await service.post('/api/models/folders', { folders: [{ path: folder }] })
  await service.ask('PATCH', '/api/settings', { modelsFromPrivateAddresses: true })
  await service.createEndpoint('painter', { workflows: { models: [] } })
  const url = `${host.url}/ink.safetensors`
  const { id } = await service.post('/api/workflows', { name: 'Portraits', text: JSON.stringify(loraGraph(url)) })
  return { ...pages, goOn, host, folder, url, id }
}

test('a model that a graph misses is downloaded with one click, the problem goes away, and the page of models shows all of it', async () => {
  const { service, page, open, expectAccessible, shoot, faults, goOn, host, id } = await setupMissing()

  await open(`/workflows/edit/${id}?side=models`)
  const chooser = page.getByRole('combobox', { name: 'Endpoint' })
  await choose(chooser, 'painter')
  await page.getByRole('button', { name: /error/ }).click()
  const problems = page.getByRole('dialog', { name: 'Problems' })
  await problems.getByText(/does not have the model ink.safetensors/).waitFor()
  await shoot('models-problem')
  await problems.getByRole('button', { name: 'Download ink.safetensors' }).click()
  await problems.getByText('Downloading').waitFor()
  await page.getByRole('radio', { name: 'Models' }).click()
  const panel = page.getByRole('region', { name: 'Models of the graph' })
  await panel.getByText('Downloading').waitFor()
  await shoot('models-panel')
  goOn.resolve()
  await panel.getByText('On this machine', { exact: true }).waitFor()
  await problems.getByText(/does not have the model ink.safetensors/).waitFor({ state: 'detached' })

  await open('/models')
  const table = page.getByRole('grid', { name: 'Models' })
  await table.getByText('lora · SDXL').waitFor()
  await expectAccessible()
  await shoot('models')
  await table.getByText('ink.safetensors').click()
  const drawer = page.getByRole('dialog', { name: 'ink.safetensors' })
  await drawer.getByRole('link', { name: 'Portraits' }).waitFor()
  await drawer.getByText(sha256Of(LORA)).waitFor()
  await expectAccessible()
  await shoot('models-drawer')
  await drawer.getByRole('button', { name: 'Delete ink.safetensors' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete ink.safetensors' }).click()
  await page.getByText('There are no models yet.').waitFor()

  await page.setViewportSize(NARROW)
  await page.getByRole('button', { name: 'Download a model' }).click()
  const form = page.getByRole('dialog', { name: 'Download a model' })
  await form.getByLabel('Address').fill(`${host.url}/vae/none.bin`)
  await form.getByText('From the address: vae.').waitFor()
  await shoot('models-form-narrow')
  await form.getByRole('button', { name: 'Download', exact: true }).click()
  await until(async () =>
    expect((await service.get('/api/models')).models).toMatchObject([{ directory: 'vae', name: 'none.bin' }]),
  )
  await table.getByText('none.bin').waitFor()
  await shoot('models-narrow')
  expect(faults).toEqual([])
})

test('two windows follow a download, a file that came by hand and a deletion, whoever began them', async () => {
  const { service, page, open, faults, goOn, folder, url, id } = await setupMissing()
  mkdirSync(join(folder, 'vae'))

  await open('/models')
  await page.getByText('There are no models yet.').waitFor()
  const table = page.getByRole('grid', { name: 'Models' })
  const editor = await page.context().newPage()
  await editor.goto(`${service.url()}/workflows/edit/${id}?side=models`)
  await choose(editor.getByRole('combobox', { name: 'Endpoint' }), 'painter')
  await editor.getByRole('radio', { name: 'Models' }).click()
  const panel = editor.getByRole('region', { name: 'Models of the graph' })
  await panel.getByRole('button', { name: 'Download ink.safetensors' }).waitFor()

  // Neither window asked for it.
  await service.post('/api/models/downloads', { url, directory: 'loras' })
  await page.getByText('Downloading').waitFor()
  await panel.getByText('Downloading').waitFor()
  goOn.resolve()
  await table.getByText('ink.safetensors').waitFor()
  await panel.getByText('On this machine', { exact: true }).waitFor()

  // Folders are looked through when somebody asks, and then all hear of it.
  writeFileSync(join(folder, 'vae', 'by-hand.safetensors'), LORA)
  await service.get('/api/models')
  await table.getByText('by-hand.safetensors').waitFor()

  await service.post('/api/models/remove', { folder, directory: 'loras', name: 'ink.safetensors' })
  await table.getByText('ink.safetensors').waitFor({ state: 'detached' })
  await panel.getByText('Not on this machine').waitFor()
  expect(faults).toEqual([])
})
