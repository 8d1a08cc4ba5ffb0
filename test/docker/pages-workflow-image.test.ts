/** The panel Image of the editor with a real engine: a graph is locked, built, tested, deployed and called. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Docker from 'dockerode'
import { beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { setup } from '../pages/support.ts'
import { setup as buildAll } from '../support/build-all.ts'
import { launchCalmChromium } from '../support/calm-chromium.ts'
import { noBrowser } from '../support/chromium.ts'
import { startedContainerService } from '../support/container-service.ts'
import { dockerEngine } from '../support/docker-engine.ts'
import { commitFiles } from '../unit/features/worker-images/git-folders.ts'

const ROOT = join(import.meta.dirname, '../..')
const engine = await dockerEngine()
const why = 'why' in engine ? engine.why : noBrowser
// The pages are built first where they are not of these sources, ms.
const BUILD_MS = 120_000
// An image is built and its ComfyUI starts twice, on a busy machine, ms.
const LONG_MS = 200_000

beforeAll(() => {
  if (why === undefined) buildAll()
}, BUILD_MS)

beforeEach(({ skip }) => skip(why !== undefined, why))

test('a graph becomes an image that is built, tested, deployed and called from the editor', {
  timeout: LONG_MS,
}, async () => {
  const { service, page, open, faults, expectAccessible, shoot } = await setup(
    {},
    {},
    () => startedContainerService(engine),
    launchCalmChromium,
  )
  const comfyui = join(service.folder, 'comfyui')
  cpSync(join(ROOT, 'test/fixtures/stand-in-comfyui'), comfyui, { recursive: true })
  commitFiles(comfyui, {}, 'v1')
  const checkpoints = join(service.data, 'models/checkpoints')
  mkdirSync(checkpoints, { recursive: true })
  writeFileSync(join(checkpoints, 'stand-in.safetensors'), 'weights of the stand-in')
  const text = readFileSync(join(ROOT, 'resources/workflows/text-to-picture.json'), 'utf8')
  const { id } = await service.post('/api/workflows', { name: 'Lamp', text })
  const tag = `drydock-test-panel-${id.toLowerCase()}:1`
  const docker = new Docker({ socketPath: 'dockerHost' in engine ? engine.dockerHost.replace('unix://', '') : '' })
  onTestFinished(() => docker.getImage(tag).remove({ force: true }))

  await open(`/workflows/edit/${id}`)
  await page.getByRole('button', { name: 'Deploy', exact: true }).click()
  const panel = page.getByRole('region', { name: 'Worker image of the workflow' })
  await panel.getByLabel('Image', { exact: true }).fill(tag)
  await panel.getByRole('combobox', { name: 'Runs on' }).click()
  await page.getByRole('option', { name: /^This machine only/ }).click()
  await panel.getByText('Base image', { exact: true }).first().click()
  await panel.getByLabel('Base image').fill('python:3.11-slim-bookworm')
  await panel.getByLabel('Its Python version').fill('3.11')
  await panel.getByRole('button', { name: 'Check only' }).click()
  await panel.getByLabel('Source of ComfyUI').fill(`${comfyui}@v1`)
  await panel.getByRole('button', { name: 'Use this source' }).click()
  await panel.getByRole('region', { name: '1 model' }).waitFor()

  await panel.getByRole('button', { name: 'Build and test' }).click()
  const checks = panel.getByRole('list', { name: 'Checks of the image' })
  await shoot('workflow-image-building')
  await panel
    .getByText(/^(?:Done|Failed)$/)
    .first()
    .waitFor({ timeout: LONG_MS })
  await checks.getByText('validates the graph').waitFor()
  const deploy = panel.getByRole('region', { name: 'Deploy' })
  await deploy.getByText('Nothing is deployed there yet.').waitFor()
  await expectAccessible()
  await deploy.scrollIntoViewIfNeeded()
  await shoot('workflow-image-plan')
  await deploy.getByLabel('Endpoint').fill('lamp')
  await deploy.getByRole('button', { name: 'Deploy to lamp' }).click()
  await deploy.getByRole('link', { name: 'Show its progress' }).click()
  await page
    .getByText(/^(?:Active|Failed)$/)
    .first()
    .waitFor({ timeout: LONG_MS })
  await page.getByText('Not deployed').waitFor({ state: 'detached' })
  await shoot('workflow-image-release')

  const job = await service.post('/v2/lamp/runsync?wait=300000', { input: {} })
  expect(job).toMatchObject({ status: 'COMPLETED', output: { images: [expect.objectContaining({ type: 'base64' })] } })
  // Before the deletion, after which the open page of the app reads what is gone.
  expect(faults).toEqual([])
  await service.ask('DELETE', '/api/apps/lamp')
})
