/** The pages of pods with a real engine. */
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { setup } from '../pages/support.ts'
import { setup as buildAll } from '../support/build-all.ts'
import { launchCalmChromium } from '../support/calm-chromium.ts'
import { noBrowser } from '../support/chromium.ts'
import { startedContainerService } from '../support/container-service.ts'
import { dockerEngine } from '../support/docker-engine.ts'
import { until } from '../support/served-service.ts'

const engine = await dockerEngine()
const why = 'why' in engine ? engine.why : noBrowser
// The pages are built first where they are not of these sources, ms.
const BUILD_MS = 120_000

beforeAll(() => {
  if (why === undefined) buildAll()
}, BUILD_MS)

beforeEach(({ skip }) => skip(why !== undefined, why))

test('the form creates a pod, and opens it', async () => {
  const start = () => startedContainerService(engine)
  const { service, page, visit, faults, expectAccessible, shoot } = await setup({}, {}, start, launchCalmChromium)
  await visit('/workers/pods')
  await page.getByRole('button', { name: 'New pod' }).click()
  const form = page.getByRole('dialog', { name: 'New pod' })
  await form.waitFor()
  await shoot('new-pod')
  await form.getByRole('button', { name: 'Create pod' }).click()
  await form.getByText('Image is required.').waitFor()
  await form.getByLabel('Image').fill('python:3.11-slim-bookworm')
  await form.getByLabel('Name', { exact: true }).fill('dev')
  await form.getByLabel('Command').fill('sleep infinity')
  await form.getByLabel('Ports').fill('8888')
  await form.getByRole('button', { name: 'Create pod' }).click()
  await form.getByText('must look like 8888/http').waitFor()
  await form.getByLabel('Ports').fill('8888/http')
  await expectAccessible()
  await form.getByRole('button', { name: 'Create pod' }).click()
  const drawer = page.getByRole('dialog', { name: 'Pod dev' })
  await drawer.getByText('Running').waitFor()
  await shoot('pod-of-the-form')
  const pods = await until(async () => {
    const found = (await service.get('/v2/pods')) as { pods: readonly { id: string; env: object; ports: object }[] }
    expect(found.pods).toMatchObject([{ name: 'dev', ports: ['8888/http'], env: {} }])
    return found.pods
  })
  await drawer.getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('button', { name: 'Remove pod dev' }).click()
  await until(async () => expect(await service.get('/v2/pods')).toMatchObject({ pods: [] }))
  expect(pods).toHaveLength(1)
  expect(faults).toEqual([expect.stringContaining('must look like 8888/http')])
})
