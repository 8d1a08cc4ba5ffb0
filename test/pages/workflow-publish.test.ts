/** A graph made an endpoint of its own, a form and a sweep, in the pages, with the worker that comes along. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, expect, test } from 'vitest'
import { pictureSize } from '../../src-main/lib/media.ts'
import { noBrowser } from '../support/chromium.ts'
import type { ServedService } from '../support/served-service.ts'
import { choose, download, setup } from './support.ts'

beforeEach(({ skip }) => skip(noBrowser !== undefined, noBrowser))

const fromRoot = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))
const SKETCH = fromRoot('resources/node/sketch/handler.ts')
const TEMPLATE = fromRoot('resources/workflows/text-to-picture.json')
// Workers are processes, even if an engine runs.
const PROCESSES = { env: { DOCKER_HOST: 'unix:///nowhere/docker.sock' } } as const

/** Makes an endpoint of the sketch worker, and a workflow of a template. @returns id of the workflow */
async function prepare(service: ServedService): Promise<string> {
  await service.createEndpoint('sketch', { handler: SKETCH, workflows: {}, workersMax: 1 })
  const body = { name: 'Lamp', text: readFileSync(TEMPLATE, 'utf8') }
  return (await service.post('/api/workflows', body)).id
}

test('a graph is published with a parameter, asked on its page, and gets a next version', async () => {
  const { service, page, open, faults, expectAccessible, shoot } = await setup({}, PROCESSES)
  const workflow = await prepare(service)
  await open(`/workflows/edit/${workflow}`)
  await page.getByRole('button', { name: 'Publish', exact: true }).click()
  const panel = page.getByRole('dialog', { name: 'Publish Lamp' })
  await panel.getByLabel('Find an input to add').fill('seed')
  await panel.getByRole('button', { name: /^Add seed of/ }).click()
  await choose(panel.getByLabel('Backing endpoint'), 'sketch')
  await expectAccessible()
  await shoot('workflow-publish-panel')
  await panel.getByRole('button', { name: 'Publish', exact: true }).click()
  await panel.getByText('Version 1 of lamp answers at').waitFor()
  await panel.getByRole('link', { name: 'Try it' }).click()

  await page.getByLabel('seed', { exact: true }).fill('18446744073709551616')
  await page.getByText('the maximum is 18446744073709551615').waitFor()
  await page.getByLabel('seed', { exact: true }).fill('18446744073709551615')
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page.getByText('Completed').waitFor()
  await page.getByRole('img').first().waitFor()
  await expectAccessible()
  await shoot('workflow-published')
  expect((await service.get('/api/published-graphs')).graphs).toMatchObject([{ id: 'lamp', version: 1 }])
  expect(faults).toEqual([])
})

test('the form of a graph sets its inputs and runs it, and a sweep makes a sheet', async () => {
  const { service, page, open, faults, expectAccessible, shoot } = await setup({}, PROCESSES)
  const workflow = await prepare(service)
  await open(`/workflows/edit/${workflow}/form`)
  await page.getByRole('button', { name: 'Choose inputs', exact: true }).click()
  const panel = page.getByRole('dialog', { name: 'Publish Lamp' })
  await panel.getByLabel('Find an input to add').fill('steps')
  await panel.getByRole('button', { name: /^Add steps of/ }).click()
  await page.keyboard.press('Escape')
  await page.getByLabel('steps', { exact: true }).fill('3')
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page.getByRole('region', { name: 'Results' }).getByRole('img').first().waitFor()
  await expectAccessible()
  await shoot('workflow-form')

  await page.getByRole('link', { name: 'Open the graph' }).click()
  await page.getByRole('button', { name: 'More actions for this graph' }).click()
  await page.getByRole('menuitem', { name: 'Sweep' }).click()
  const sweep = page.getByRole('dialog', { name: 'Sweep over Lamp' })
  await choose(sweep.getByLabel('An input that changes'), /seed/)
  await sweep.getByLabel(/^Values of seed/).fill('1..3')
  await expectAccessible()
  await shoot('workflow-sweep-panel')
  await sweep.getByRole('button', { name: 'Run 3 times' }).click()
  await page.waitForURL('**/workflows/sweeps/*')
  await page.getByText('3 of 3 ended').waitFor()
  for (const label of ['seed 1', 'seed 2', 'seed 3']) await page.getByRole('img', { name: label }).waitFor()
  await expectAccessible()
  await shoot('workflow-sweep')

  // Over two inputs: a table, whose cells open their runs; the rest of a long one is cancelled.
  const runs = ['1', '2'].flatMap((seed, row) => ['2', '3'].map((steps, column) => ({ seed, steps, row, column })))
  const { payload } = await service.get(`/api/workflow-runs/${(await service.get('/api/workflow-runs')).runs[0].id}`)
  const queue = (sweepId: string, { seed, steps, row, column }: (typeof runs)[number], endpointId = 'sketch') => {
    const axes = [
      { name: 'seed', text: seed, at: row },
      { name: 'steps', text: steps, at: column },
    ]
    const label = `seed ${seed}, steps ${steps}`
    const cell = { kind: 'grid', axes }
    return service.post('/api/workflow-runs', { endpointId, title: 'Lamp', payload, sweepId, label, cell })
  }
  for (const run of runs) await queue('done', run)
  await open('/workflows/sweeps/done')
  await page.getByText('4 of 4 ended').waitFor()
  expect(await page.getByRole('columnheader').allTextContents()).toEqual(['seed ↓ steps →', '2', '3'])
  expect(await page.getByRole('rowheader').allTextContents()).toEqual(['1', '2'])
  await expectAccessible()
  await shoot('workflow-sweep-table')
  const sheet = await download(page, () => page.getByRole('button', { name: 'Save as one picture' }).click())
  expect(sheet.name).toBe('Lamp sheet.png')
  expect(pictureSize(sheet.bytes, 'image/png')?.width).toBeGreaterThan(640)
  await page.getByRole('link', { name: 'Run with seed 2, steps 3' }).click()
  await page.waitForURL('**/workflows/gallery/*')

  const handler = join(service.folder, 'never.mjs')
  writeFileSync(handler, 'export const handler = () => new Promise(() => setInterval(() => {}, 1000))\n')
  await service.createEndpoint('never', { handler, workflows: {}, workersMax: 1 })
  for (const run of runs) await queue('open', run, 'never')
  await open('/workflows/sweeps')
  await page.getByText('0 of 4 ended').waitFor()
  await expectAccessible()
  await shoot('workflow-sweep-list')
  await page.getByRole('link', { name: 'Lamp' }).first().click()
  await page.getByRole('button', { name: 'Cancel the sweep' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel 4 runs' }).click()
  await page.getByText('4 of 4 ended').waitFor()
  expect(faults).toEqual([])
})
