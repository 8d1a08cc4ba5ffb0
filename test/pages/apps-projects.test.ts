import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { noBrowser } from '../support/chromium.ts'
import { type ServedService, until } from '../support/served-service.ts'
import { makeWheels, onlyWheelsOf } from '../support/wheels.ts'
import { NARROW, setup, setupShared } from './support.ts'

beforeEach(({ skip }) => skip(noBrowser !== undefined, noBrowser))

const EXAMPLES = fileURLToPath(new URL('../../resources/examples', import.meta.url))

// Workers are processes, even if an engine runs.
const PROCESSES = { env: { DOCKER_HOST: 'unix:///nowhere/docker.sock' } } as const

/** Copies an example and opens it. */
async function openExample(service: ServedService, name: string): Promise<{ id: string; folder: string }> {
  const folder = join(service.folder, name)
  cpSync(join(EXAMPLES, name), folder, { recursive: true })
  const { id } = await service.post('/api/projects', { folder })
  return { id, folder }
}

/** Replaces a text in a file. */
function edit(folder: string, file: string, from: string, to: string): void {
  const text = readFileSync(join(folder, file), 'utf8')
  expect(text).toContain(from)
  writeFileSync(join(folder, file), text.replace(from, to))
}

const MIB = 1024 * 1024

/** A text of a size. */
function text(mib: number): string {
  const lines = Array.from({ length: Math.round((mib * MIB) / 8) }, (_one, at) =>
    (at * 7919).toString(36).padStart(7, '#'),
  )
  return lines.join('\n')
}

const listOf = (page: Page, name: string) => page.getByRole('list', { name, exact: true })

describe('a folder', () => {
  test('is found by its path with the keyboard, and those with an app are marked', async () => {
    const { service, page, open, expectAccessible, faults } = await setupShared({}, PROCESSES)
    mkdirSync(join(service.folder, 'other'))
    cpSync(join(EXAMPLES, 'mixed'), join(service.folder, 'mixed'), { recursive: true })
    await open('/apps')
    await page.keyboard.press('o')
    const panel = page.getByRole('dialog', { name: 'Open a folder' })
    const field = panel.getByRole('combobox', { name: 'Folder' })
    await field.fill(`${service.folder}/`)
    const option = panel.getByRole('option', { name: /mixed/ })
    await option.getByText('app').waitFor()
    await panel.getByRole('option', { name: 'other' }).waitFor()
    await field.fill(`${service.folder}/mi`)
    await until(async () => expect(await panel.getByRole('option').count()).toBe(1))
    await expectAccessible()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    expect(await field.inputValue()).toBe(`${service.folder}/mixed/`)
    await page.keyboard.press('Enter')
    await page.waitForURL('**/apps/projects/*')
    await listOf(page, 'Endpoints').getByText('reviews', { exact: true }).waitFor()
    expect(faults).toEqual([])
  })

  test('that does not exist is said in the panel, with the reason', async () => {
    const { service, page, open } = await setupShared({}, PROCESSES)
    await open('/apps')
    await page.getByRole('button', { name: 'Open folder' }).click()
    const panel = page.getByRole('dialog', { name: 'Open a folder' })
    await panel.getByRole('combobox', { name: 'Folder' }).fill(`${service.folder}/nowhere`)
    await panel.getByRole('button', { name: 'Open folder' }).click()
    await panel.getByRole('alert').getByText('nowhere').waitFor()
  })

  test('is made from an example', async () => {
    const { service, page, open } = await setupShared({}, PROCESSES)
    await open('/apps')
    await page.getByRole('button', { name: 'Start with mixed' }).click()
    const panel = page.getByRole('dialog', { name: 'Start with mixed' })
    await panel.getByRole('combobox', { name: 'Folder' }).fill(`${service.folder}/mine`)
    await panel.getByRole('button', { name: 'Create and open' }).click()
    await page.waitForURL('**/apps/projects/*')
    await page.getByRole('heading', { name: 'mine' }).waitFor()
    await page.goBack()
    await open('/apps')
    await page.getByRole('row', { name: /mine/ }).getByText('Not built').waitFor()
    await page.getByRole('button', { name: 'New app' }).click()
    await page.getByRole('menuitem', { name: /^class-and-streaming/ }).click()
    await page.getByRole('dialog', { name: 'Start with class-and-streaming' }).waitFor()
  })
})

describe('the picture of an app', () => {
  test('shows endpoints and who calls whom, and leads to each one in the source', async () => {
    const { service, page, open, faults } = await setupShared({}, PROCESSES)
    const { id } = await openExample(service, 'mixed')
    await open(`/apps/projects/${id}`)
    const picture = page.getByRole('region', { name: 'Endpoints of mixed' })
    for (const name of ['reviews', 'clean', 'mood', 'keywords'])
      await picture.getByRole('button', { name: new RegExp(`^${name} `) }).waitFor()
    await until(async () => expect(await picture.locator('.react-flow__edge').count()).toBe(3))
    const list = listOf(page, 'Endpoints')
    await list.getByText('calls clean').waitFor()
    await picture.getByRole('button', { name: /^mood / }).click()
    await page.waitForURL('**?endpoint=mood')
    const details = page.getByRole('region', { name: 'Endpoint mood' })
    await details.getByText(/^mood\.py:\d+$/).waitFor()
    await details.getByText('0 to 3 workers').waitFor()
    await page.goBack()
    await list.getByRole('button', { name: /^keywords/ }).focus()
    await page.keyboard.press('Enter')
    await page.waitForURL('**?endpoint=keywords')
    await picture.getByRole('button', { name: /^clean / }).focus()
    await page.keyboard.press('Enter')
    await page.waitForURL('**?endpoint=clean')
    expect(faults).toEqual([])
  })

  test('says where the source is wrong and what to do, and looks again after a save', async () => {
    const { service, page, open, shoot } = await setupShared({}, PROCESSES)
    const { id, folder } = await openExample(service, 'hello')
    edit(folder, 'app.py', 'def ', 'deff ')
    await open(`/apps/projects/${id}`)
    await listOf(page, 'Problems of the source')
      .getByText(/^app\.py:\d+$/)
      .waitFor()
    await shoot('apps-picture-broken')
    edit(folder, 'app.py', 'deff ', 'def ')
    await listOf(page, 'Endpoints').waitFor()
  })
})

describe('a build', () => {
  test('tells its steps, and then the size and what the artifact is made of', async () => {
    const { service, page, open, expectAccessible, shoot, faults } = await setupShared({}, PROCESSES)
    const { id } = await openExample(service, 'mixed')
    await open(`/apps/projects/${id}/build`)
    await page.getByText('Not built here yet').waitFor()
    await page.getByRole('button', { name: 'Build', exact: true }).click()
    const steps = listOf(page, 'Steps of the build')
    await steps.getByText('Done').nth(5).waitFor()
    await page.getByText('of 1.5 GiB').waitFor()
    await page
      .getByRole('row', { name: /mood\.py|project/ })
      .first()
      .waitFor()
    await expectAccessible()
    await shoot('apps-build')
    expect(faults).toEqual([])
  })

  test('that fails says which step, where in the source, and why', async () => {
    const { service, page, open, shoot } = await setupShared({}, PROCESSES)
    const { id, folder } = await openExample(service, 'mixed')
    edit(folder, 'mood.py', '@Endpoint(name="mood", ', '@Endpoint(name="mood", dependencies=["no such requirement!"], ')
    await open(`/apps/projects/${id}/build`)
    await page.getByRole('button', { name: 'Build', exact: true }).click()
    await listOf(page, 'Problems of the build').waitFor()
    await listOf(page, 'Steps of the build').getByText('Failed').waitFor()
    await shoot('apps-build-failed')
  })
})

describe('an artifact with packages', () => {
  const parts = Array.from({ length: 12 }, (_one, at) => `part${at}`)

  test('is drawn by size, and what is not needed is left out', async () => {
    const wheels = mkdtempSync(join(tmpdir(), 'drydock-wheels-'))
    onTestFinished(() => rmSync(wheels, { recursive: true, force: true }))
    makeWheels(wheels, [
      { name: 'frames', version: '2.1.0', files: { 'frames/__init__.py': '', 'frames/data.txt': text(3.2) } },
      { name: 'unused', files: { 'unused.py': text(1.8) } },
      ...parts.map((name, at) => ({ name, files: { [`${name}.py`]: text(0.1 + at * 0.06) } })),
    ])
    const { service, page, open, shoot, expectAccessible, faults } = await setup(
      {},
      { env: { ...PROCESSES.env, ...onlyWheelsOf(wheels) } },
    )
    const { id, folder } = await openExample(service, 'hello')
    writeFileSync(join(folder, 'requirements.txt'), ['frames', 'unused', ...parts].join('\n'))
    writeFileSync(join(folder, 'sales.csv'), text(2.4))
    edit(folder, 'app.py', 'from svc', `import frames, ${parts.join(', ')}\nfrom svc`)
    await open(`/apps/projects/${id}/build`)
    await page.getByRole('button', { name: 'Build', exact: true }).click()
    const pieces = page.getByRole('region', { name: 'Pieces' })
    await pieces.getByRole('row', { name: /^frames 2\.1\.0 package 3\.\d MiB/ }).waitFor()
    await page.locator('[data-treemap]').getByText('sales.csv').click()
    expect(await pieces.getByRole('row', { name: /sales\.csv/ }).getAttribute('aria-current')).toBe('true')
    await listOf(page, 'Could be left out').getByText('.gitignore').first().waitFor()
    await expectAccessible()
    await shoot('apps-build-packages')
    await page.getByRole('button', { name: 'Leave unused out' }).click()
    await listOf(page, 'Left out').getByText('unused').waitFor()
    await page.reload()
    await pieces.getByRole('row', { name: /^unused/ }).waitFor()
    await page.getByRole('button', { name: 'Build again' }).click()
    await pieces.getByRole('row', { name: /^unused/ }).waitFor({ state: 'detached' })
    await pieces.getByRole('row', { name: /^frames/ }).waitFor()
    expect(faults).toEqual([])
  })
})

describe('a deploy', () => {
  test('shows its plan, goes live, and shows the next one as a diff', async () => {
    const { service, page, open, shoot, expectAccessible, faults } = await setupShared({}, PROCESSES)
    const { id, folder } = await openExample(service, 'mixed')
    await open(`/apps/projects/${id}/deploy`)
    await page.getByRole('button', { name: 'Deploy to production' }).click()
    await listOf(page, 'Addresses').getByText('reviews', { exact: true }).waitFor()
    const job = await service.post('/v2/clean/runsync', { input: { text: '<b>a</b>  b' } })
    expect(job.output).toBe('a b')
    edit(folder, 'clean.py', 'cpu="cpu3c-1-2"', 'cpu="cpu3c-1-2", workers=(0, 5)')
    edit(folder, 'keywords.py', 'name="keywords"', 'name="topics"')
    await page.getByRole('button', { name: 'Plan again' }).click()
    const plan = listOf(page, 'Planned changes')
    await plan.getByText('workersMax').waitFor()
    const source = page.getByRole('region', { name: 'Source changes' })
    await source.getByText('clean.py').waitFor()
    await source.getByText(/^\+.*workers=\(0, 5\)/).waitFor()
    const box = page.getByRole('checkbox', { name: /Delete keywords/ })
    expect(await box.isChecked()).toBe(false)
    await expectAccessible()
    await shoot('apps-plan')
    await box.check()
    await page.getByRole('button', { name: 'Deploy to production' }).click()
    await page.waitForURL('**release=2')
    await listOf(page, 'Addresses').getByText('topics').first().waitFor()
    // It goes once the release serves.
    await until(async () => expect((await service.ask('GET', '/api/endpoints/keywords')).status).toBe(404))
    // Without a plan it stops at one that could delete something.
    edit(folder, 'mood.py', 'name="mood"', 'name="feeling"')
    await page.getByRole('button', { name: 'Deploy to production' }).click()
    await page.getByRole('checkbox', { name: /Delete mood/ }).waitFor()
    expect((await service.get('/api/apps/mixed/environments/production')).releases).toHaveLength(2)
    expect(faults).toEqual([])
  })
})

describe('a deploy that cannot be', () => {
  test('says where the source is wrong, and that nothing was changed', async () => {
    const { service, page, open, shoot } = await setupShared({}, PROCESSES)
    const { id, folder } = await openExample(service, 'hello')
    edit(folder, 'app.py', 'def ', 'deff ')
    await open(`/apps/projects/${id}/deploy`)
    await page.getByLabel('Environment').fill('no such name!')
    await page.getByText(/The name must be letters/).waitFor()
    await page.getByLabel('Environment').fill('staging')
    await page.getByRole('button', { name: 'Deploy to staging' }).waitFor()
    await page.getByRole('alert').getByText('What is deployed stays live').waitFor()
    await listOf(page, 'Problems of the build')
      .getByText(/^app\.py:\d+$/)
      .waitFor()
    await shoot('apps-deploy-failed')
    expect((await service.get('/api/apps')).apps).toEqual([])
  })
})

describe('a preview', () => {
  test('follows each save, tells what breaks, and ends', async () => {
    const { service, page, open, shoot, expectAccessible, faults } = await setupShared({}, PROCESSES)
    const { id, folder } = await openExample(service, 'hello')
    await open(`/apps/projects/${id}/preview`)
    await page.getByRole('button', { name: 'Start preview' }).click()
    await page.getByText('Live', { exact: true }).waitFor()
    await listOf(page, 'Addresses').waitFor()
    const told = page.getByRole('log', { name: 'Output of the preview' })
    edit(folder, 'app.py', 'Hello, {name}', 'Good day, {name}')
    await told.getByText('app.py').last().waitFor()
    await expectAccessible()
    await shoot('apps-preview')
    edit(folder, 'app.py', 'def ', 'deff ')
    await page.getByText('Latest save does not run').waitFor()
    await listOf(page, 'Problems of the latest save')
      .getByText(/^app\.py:\d+$/)
      .waitFor()
    await shoot('apps-preview-broken')
    edit(folder, 'app.py', 'deff ', 'def ')
    await page.getByText('Live', { exact: true }).waitFor()
    const opened = page.context().waitForEvent('page')
    await page.getByRole('button', { name: 'Open its pages' }).click()
    const pages = await opened
    // The heading of its app's group has the name, too.
    await pages.getByRole('row', { name: /hello/ }).last().waitFor()
    expect(new URL(pages.url()).host).not.toBe(new URL(page.url()).host)
    await pages.close()
    await page.keyboard.press('p')
    await page.getByText('Ended', { exact: true }).waitFor()
    expect(faults).toEqual([])
  })

  test('leads to a request, the workers and the logs of each of its endpoints', async () => {
    const { service, page, open, shoot, expectAccessible, faults } = await setupShared({}, PROCESSES)
    const { id, folder } = await openExample(service, 'hello')
    edit(folder, 'app.py', '    return {', '    print("greeted")\n    return {')
    await open(`/apps/projects/${id}/preview`)
    await page.getByRole('button', { name: 'Start preview' }).click()
    const row = listOf(page, 'Addresses').getByRole('listitem', { name: 'hello' })
    await row.waitFor()
    await expectAccessible()
    await shoot('apps-preview-rows')
    await page.setViewportSize(NARROW)
    await shoot('apps-preview-rows-narrow')
    const follow = async (name: string) => {
      const opened = page.context().waitForEvent('page')
      await row.getByRole('button', { name }).focus()
      await page.keyboard.press('Enter')
      return opened
    }
    const requests = await follow('Send request')
    await requests.waitForURL('**/endpoints/*/requests')
    await requests.getByRole('textbox', { name: 'Body' }).getByText('"Ada"').waitFor()
    await requests.keyboard.press('Control+Enter')
    await requests.getByRole('region', { name: 'Response of runsync' }).getByText('Hello, Ada').waitFor()
    const workers = await follow('Workers')
    await workers.waitForURL('**/endpoints/*/workers')
    const card = workers.getByRole('listitem').filter({ hasText: '1 done' })
    await card.getByText(/^(Idle|Paused)$/).waitFor()
    await card.getByText(/^(up |just started)/).waitFor()
    const logs = await follow('Logs')
    await logs.waitForURL('**/endpoints/*/logs')
    await logs.getByRole('log').getByText('greeted').waitFor()
    expect(new Set([requests, workers, logs].map((one) => new URL(one.url()).host)).size).toBe(1)
    expect(new URL(logs.url()).host).not.toBe(new URL(page.url()).host)
    expect(faults).toEqual([])
  })
})
