import { beforeEach, expect, test } from 'vitest'
import { noBrowser } from '../support/chromium.ts'
import { startedContainerService } from '../support/container-service.ts'
import { dockerEngine } from '../support/docker-engine.ts'
import { type ServedService, until } from '../support/served-service.ts'
import { setup } from './support.ts'

const engine = await dockerEngine()

beforeEach(({ skip }) => {
  skip(noBrowser !== undefined, noBrowser)
  skip('why' in engine, 'why' in engine ? engine.why : '')
})

test('the form creates a pod, and opens it', async () => {
  const start = (): Promise<ServedService> => startedContainerService(engine)
  const { service, page, visit, faults, expectAccessible, shoot } = await setup({}, {}, start)
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
