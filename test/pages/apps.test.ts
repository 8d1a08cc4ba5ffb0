import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { startCommand } from '../e2e/support-cli.ts'
import { noBrowser } from '../support/chromium.ts'
import { type ServedService, until } from '../support/served-service.ts'
import { choose, NARROW, setupShared, WIDE } from './support.ts'

beforeEach(({ skip }) => skip(noBrowser !== undefined, noBrowser))

// Workers are processes, even if an engine runs.
const PROCESSES = { env: { DOCKER_HOST: 'unix:///nowhere/docker.sock' } } as const

const GREET = `
from svc import Endpoint

@Endpoint(name="greet", cpu="cpu3c-1-2")
def greet(name: str) -> str:
    return f"Hello, {name}!"
`
const TELL = `
from svc import Endpoint

@Endpoint(name="tell", cpu="cpu3c-1-2")
def tell() -> int:
    import os

    return len(os.environ.get("TOKEN", ""))
`
const COUNT = `
from svc import Endpoint

@Endpoint(name="count", cpu="cpu3c-1-2", workers=(0, 2))
def count(text: str) -> int:
    return len(text)
`

/** Writes the files of an app named shop. @returns its folder */
function writeApp(service: ServedService, files: Readonly<Record<string, string>>): string {
  const folder = join(service.folder, 'shop')
  if (!existsSync(folder)) mkdirSync(folder)
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

/** Deploys it with the command line, as processes. */
async function deploy(service: ServedService, folder: string, ...argv: readonly string[]): Promise<void> {
  const args = ['deploy', '--json', '--runs-on', 'processes', '--data', service.data, ...argv]
  await startCommand(args, { cwd: folder }).ended
}

describe('deployed apps', () => {
  test('stand in the list with environment, state and release', async () => {
    const { service, page, open, expectAccessible, faults } = await setupShared({}, PROCESSES)
    await open('/apps')
    await page.getByText('There are no apps yet').waitFor()
    await expectAccessible()
    await deploy(service, writeApp(service, { 'greet.py': GREET }))
    // Its folder stands in the list of projects.
    const row = page.getByRole('row', { name: /shop.*production/ })
    await row.getByText('Ready').waitFor()
    await until(async () =>
      expect(await row.textContent()).toMatch(/^shopproductionReady1This machine(just now|\d+ s ago)10$/),
    )
    await row.getByRole('link', { name: 'production' }).click()
    await page.waitForURL('**/apps/deployed/shop/production')
    await page.getByRole('row', { name: /greet/ }).getByText(`${service.url()}/v2/greet`).waitFor()
    expect(faults).toEqual([])
  })

  test('are rolled back: the release is followed, and the earlier code answers', async () => {
    const { service, page, open, shoot } = await setupShared({}, PROCESSES)
    const folder = writeApp(service, { 'greet.py': GREET, 'count.py': COUNT })
    await deploy(service, folder)
    writeApp(service, { 'greet.py': GREET.replace('Hello', 'Good day') })
    await deploy(service, folder)
    writeApp(service, { 'greet.py': `import not_there\n${GREET}` })
    await deploy(service, folder)
    await open('/apps/deployed/shop/production/releases')
    const list = page.getByRole('list', { name: 'Releases' })
    await list.getByText("No module named 'not_there'").waitFor()
    await shoot('apps-releases')
    await page.setViewportSize(NARROW)
    await shoot('apps-releases-narrow')
    const first = list.getByRole('listitem').filter({ hasText: 'Release 1' })
    const [name, button] = await Promise.all([
      first.getByRole('link', { name: 'Release 1' }).boundingBox(),
      first.getByRole('button', { name: 'Roll back' }).boundingBox(),
    ])
    // On one line, as all of its columns.
    expect(
      Math.abs((button?.y ?? 0) + (button?.height ?? 0) / 2 - (name?.y ?? 0) - (name?.height ?? 0) / 2),
    ).toBeLessThan(4)
    await page.setViewportSize(WIDE)
    await page.getByRole('listitem').filter({ hasText: 'Release 1' }).getByRole('button', { name: 'Roll back' }).click()
    const question = page.getByRole('alertdialog')
    const changes = question.getByRole('list', { name: 'Planned changes' })
    await changes.getByRole('listitem').filter({ hasText: 'greet' }).getByText('code').waitFor()
    await shoot('apps-rollback-question')
    await question.getByRole('button', { name: 'Roll back to release 1' }).click()
    await page.waitForURL('**/releases?release=4')
    await page.getByRole('list', { name: 'Endpoints of the release' }).waitFor()
    await page.getByRole('list', { name: 'Addresses' }).waitFor()
    await shoot('apps-rolled-back')
    const job = await service.post('/v2/greet/runsync', { input: { name: 'Ada' } })
    expect(job.output).toBe('Hello, Ada!')
  })
})

test('an app leads from one environment to the other, and is deleted with all of them after a question', async () => {
  const { service, page, open, expectAccessible, shoot } = await setupShared({}, PROCESSES)
  await deploy(service, writeApp(service, { 'greet.py': GREET }))
  await service.post('/api/apps/shop/environments', { name: 'staging' })
  await open('/apps/deployed/shop')
  await page.waitForURL('**/apps/deployed/shop/production')
  await page.getByText('Ready').first().waitFor()
  const tabs = page.getByRole('navigation', { name: 'Parts of shop' }).getByRole('link')
  const names = ['Diagram', 'Build', 'Preview', 'Deploy', 'Endpoints', 'Releases', 'Variables']
  await until(async () => expect(await tabs.allTextContents()).toEqual(names))
  await choose(page.getByRole('combobox', { name: 'Environment' }), 'staging')
  await page.waitForURL('**/apps/deployed/shop/staging')
  await page.getByText('Not deployed').first().waitFor()
  await expectAccessible()
  await shoot('apps-app')
  await page.getByRole('button', { name: 'More for shop/staging' }).click()
  await page.getByRole('menuitem', { name: 'Delete app shop' }).click()
  await page
    .getByRole('alertdialog')
    .getByText('environment production, environment staging, all their endpoints')
    .waitFor()
  await page.getByRole('button', { name: 'Delete app shop' }).click()
  await page.waitForURL('**/apps')
  await page.getByText('Nothing is deployed yet').waitFor()
  expect((await service.get('/api/apps')).apps).toEqual([])
})

describe('an environment', () => {
  test('takes variables that are never shown, and gives them to workers with a release', async () => {
    const { service, page, open, faults } = await setupShared({}, PROCESSES)
    const folder = writeApp(service, { 'tell.py': TELL })
    await deploy(service, folder)
    await open('/apps/deployed/shop/production/variables')
    await page.getByLabel('Name').fill('SVC_NO')
    await page.getByText('is reserved, because the service sets it').waitFor()
    await page.getByLabel('Name').fill('TOKEN')
    await page.getByLabel('Value').fill('a secret of the test')
    await page.getByRole('button', { name: 'Set variable' }).click()
    await page.getByRole('list', { name: 'Variables' }).getByText('TOKEN').waitFor()
    await until(async () => expect(await page.getByLabel('Value').inputValue()).toBe(''))
    expect(await page.content()).not.toContain('a secret of the test')
    await page.getByRole('button', { name: 'Release with these variables' }).click()
    await page.waitForURL('**/releases?release=2')
    await page.getByRole('list', { name: 'Addresses' }).waitFor()
    const told = await service.post('/v2/tell/runsync', { input: {} })
    expect(told.output).toBe('a secret of the test'.length)
    await page.getByRole('link', { name: 'Variables', exact: true }).click()
    await page.getByRole('button', { name: 'Remove TOKEN' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove variable TOKEN' }).click()
    await page.getByText('There are no variables yet').waitFor()
    await page.getByText('Variables were removed since release 2').waitFor()
    expect(faults).toEqual([])
  })

  test('is undeployed, rolled back to life, and deleted, each after a question that names it', async () => {
    const { service, page, open } = await setupShared({}, PROCESSES)
    await deploy(service, writeApp(service, { 'greet.py': GREET }))
    await open('/apps/deployed/shop/production')
    const choose = async (item: string) => {
      await page.getByRole('button', { name: 'More for shop/production' }).click()
      await page.getByRole('menuitem', { name: item }).click()
      await page.getByRole('alertdialog').getByRole('button', { name: item }).click()
    }
    await choose('Undeploy shop/production')
    await page.getByText('No endpoint is live here').waitFor()
    await page.getByRole('link', { name: 'See releases' }).click()
    await page.getByRole('button', { name: 'Roll back to this' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Roll back to release 1' }).click()
    await page.getByRole('list', { name: 'Addresses' }).waitFor()
    await choose('Delete environment shop/production')
    await page.waitForURL('**/apps')
    expect((await service.ask('GET', '/api/apps/shop/environments/production')).status).toBe(404)
  })

  test('shows a release that somebody else makes, and gives it up', async () => {
    const { service, page, open, shoot } = await setupShared({}, PROCESSES)
    const folder = writeApp(service, { 'greet.py': GREET })
    await deploy(service, folder)
    writeApp(service, { 'greet.py': `import time\ntime.sleep(600)\n${GREET}` })
    const ended = deploy(service, folder)
    await open('/apps/deployed/shop/production/releases?release=1')
    await page.getByText('Deploying').waitFor()
    await page.getByRole('link', { name: 'Release 2' }).click()
    const steps = page.getByRole('list', { name: 'Endpoints of the release' })
    await steps.getByText('Starting').waitFor()
    await shoot('apps-releasing')
    await page.getByRole('button', { name: 'Cancel release' }).click()
    await page.getByText('Release 1 stays live').waitFor()
    await ended
    await shoot('apps-given-up')
    const job = await service.post('/v2/greet/runsync', { input: { name: 'Ada' } })
    expect(job.output).toBe('Hello, Ada!')
  })

  test('that does not exist shows a message', async () => {
    const { page, open } = await setupShared({}, PROCESSES)
    await open('/apps/deployed/nobody/nowhere')
    await page.getByText('There is no environment nobody/nowhere').waitFor()
    await open('/apps/deployed/nobody')
    await page.getByText('There is no app nobody').waitFor()
  })
})

describe('in light and dark colours', () => {
  test('lists and environment have no serious accessibility violation, wide and narrow', async () => {
    const { service, page, open, expectAccessible, shoot } = await setupShared({}, PROCESSES)
    await deploy(service, writeApp(service, { 'greet.py': GREET, 'count.py': COUNT }))
    await service.ask('PATCH', '/api/apps/shop/environments/production/variables', { set: { TOKEN: 'x', OTHER: 'y' } })
    for (const size of [undefined, NARROW, { width: 800, height: 700 }]) {
      if (size !== undefined) await page.setViewportSize(size)
      const name = `${size?.width ?? 1440}`
      await open('/apps')
      await page.getByRole('row', { name: /shop.*production/ }).waitFor()
      await expectAccessible()
      await shoot(`apps-list-${name}`)
      for (const [tab, text] of [
        ['', 'Answers'],
        ['/releases', 'Release 1'],
        ['/releases?release=1', 'live after'],
        ['/variables', 'TOKEN'],
      ] as const) {
        await open(`/apps/deployed/shop/production${tab}`)
        await page.getByText(text).first().waitFor()
        await expectAccessible()
        await shoot(`apps-environment${tab.replace(/\W/g, '-')}-${name}`)
      }
    }
  })
})
