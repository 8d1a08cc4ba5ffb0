/** ComfyUI's own page at an endpoint: it runs graphs, follows them, and outlives a killed service. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { launchChromium } from '../support/chromium.ts'
import { startedService, until } from '../support/served-service.ts'
import { install, NEWEST, PINNED, type Release } from './packages.ts'
import { servePageOf } from './page-server.ts'
import { newPage } from './real-page.ts'

const SKETCH = fileURLToPath(new URL('../../resources/node/sketch/handler.ts', import.meta.url))
const GRAPH = JSON.parse(
  readFileSync(new URL('../../../shared/workflows/01_api_sd15-txt2img.json', import.meta.url), 'utf8'),
)
// As the page writes them after its first visit.
const SEEN = { 'Comfy.TutorialCompleted': true, 'Comfy.InstalledVersion': '1.0.0' }

/** The parts of the page's own program that are called. */
type PageWindow = {
  readonly app: {
    readonly loadApiJson: (payload: unknown, name: string) => Promise<void>
    readonly queuePrompt: (number: number) => Promise<void>
    readonly nodeOutputs: Readonly<Record<string, { readonly images?: readonly object[] }>>
    readonly api: { readonly interrupt: (promptId: string | null) => Promise<void> }
  }
}

async function setup(release: Release) {
  const { page: folder } = install(release)
  const service = await startedService()
  const settings = { handler: SKETCH, workflows: {}, workersMin: 1, workersMax: 1, comfyuiWithoutKey: true }
  await service.createEndpoint('sketch', settings)
  const base = () => `${service.url()}/comfy/sketch`
  const history = async (): Promise<Readonly<Record<string, { readonly status: object }>>> =>
    JSON.parse(await (await fetch(`${base()}/history`)).text())
  await fetch(`${base()}/settings`, { method: 'POST', body: JSON.stringify(SEEN) })
  const server = await servePageOf(folder, base)
  onTestFinished(server.stop)
  const browser = await launchChromium()
  onTestFinished(() => browser.close())
  return { service, history, page: await newPage(browser, server.url) }
}

function queueGraph(page: Page, seed: number): Promise<void> {
  const [sampler = ''] = Object.keys(GRAPH).filter((id) => GRAPH[id].class_type === 'KSampler')
  const graph = structuredClone(GRAPH)
  graph[sampler].inputs.seed = seed
  return page.evaluate(async (payload) => {
    const { app } = globalThis as unknown as PageWindow
    await app.loadApiJson(payload, 'graph.json')
    await app.queuePrompt(0)
  }, graph)
}

const picturesOn = (page: Page) =>
  page.evaluate(() =>
    Object.values((globalThis as unknown as PageWindow).app.nodeOutputs).flatMap(({ images = [] }) => images),
  )

test.each([PINNED, NEWEST])('the page of the $name release runs a graph and shows its picture', async (release) => {
  const { page, history } = await setup(release)
  await queueGraph(page, 1)
  await until(async () => expect(await picturesOn(page)).toHaveLength(1))
  const [[id, ended]] = Object.entries(await history()) as [[string, { status: object }]]
  expect(ended.status).toMatchObject({ status_str: 'success', completed: true })
  expect(await picturesOn(page)).toEqual([expect.objectContaining({ subfolder: id, type: 'output' })])
})

test('a prompt that waits while the service is killed ends once, and the page that came back shows it', async () => {
  const { service, page, history } = await setup(PINNED)
  await service.ask('POST', '/api/endpoints/sketch/pause')
  await queueGraph(page, 2)
  await service.kill()
  await service.start()
  await service.ask('POST', '/api/endpoints/sketch/resume')
  await until(async () => expect(await picturesOn(page)).toHaveLength(1))
  expect(Object.keys(await history())).toHaveLength(1)
})
