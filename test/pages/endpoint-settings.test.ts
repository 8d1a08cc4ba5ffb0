import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'
import { noBrowser } from '../support/chromium.ts'
import { type ServedService, until } from '../support/served-service.ts'
import { NARROW, type Pages, setup, setupShared } from './support.ts'

beforeEach(({ skip }) => skip(noBrowser !== undefined, noBrowser))

const PHONE = { width: 800, height: 700 } as const

const bar = (page: Page) => page.getByRole('region', { name: 'Unsaved changes' })
const settings = async (service: ServedService, id = 'hello') => service.get(`/api/endpoints/${id}`)

/** The settings of a fresh endpoint. */
async function atSettings(config: object = {}, start: () => Promise<Pages> = setupShared) {
  const pages = await start()
  await pages.service.createEndpoint('hello', config)
  await pages.open('/endpoints/hello/settings')
  await pages.page.getByLabel('Maximum workers').waitFor()
  return pages
}

describe('the settings of an endpoint', () => {
  test('say before a save what changes, and what the save does; undo takes it back', async () => {
    const { service, page, faults } = await atSettings({ workersMax: 3 })
    await page.getByLabel('Maximum workers').fill('5')
    await page.getByLabel('Idle timeout').fill('1.5')
    await bar(page).getByText('Takes effect at once').waitFor()
    expect(await bar(page).getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringMatching(/Maximum workers\s*3 workers.*5 workers/s),
      expect.stringMatching(/Idle timeout\s*600 s.*1\.5 s/s),
    ])
    await bar(page).getByRole('button', { name: 'Save 2 changes' }).click()
    await bar(page).waitFor({ state: 'detached' })
    expect(await settings(service)).toMatchObject({ workersMax: 5, idleTimeoutMs: 1500 })
    await page.getByRole('button', { name: 'Undo' }).click()
    await until(async () => expect((await settings(service)).workersMax).toBe(3))
    await until(async () => expect(await page.getByLabel('Maximum workers').inputValue()).toBe('3'))
    expect(faults).toEqual([])
  })

  test('choose the handler file from a list, and refuse a missing one', async () => {
    const { service, page, expectAccessible, shoot, faults } = await atSettings()
    const { handler } = await settings(service)
    writeFileSync(join(service.folder, 'other.py'), 'def handler(job):\n    return 1\n')
    const field = page.getByRole('combobox', { name: 'Handler file' })
    await field.fill(`${service.folder}/none.py`)
    await bar(page).getByRole('button', { name: 'Save 1 change' }).click()
    await page.getByText(`there is no file ${service.folder}/none.py on the machine of the service.`).first().waitFor()
    expect((await settings(service)).handler).toBe(handler)
    expect(await page.getByRole('listbox', { name: 'Folders and files' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Browse folders' }).click()
    await field.fill(`${service.folder}/`)
    await page.getByRole('option', { name: 'other.py' }).waitFor()
    await expectAccessible()
    await shoot('settings-handler')
    await page.getByRole('option', { name: 'other.py' }).click()
    await page.getByRole('button', { name: 'Hide folders' }).click()
    await bar(page).getByRole('button', { name: 'Save 1 change' }).click()
    await bar(page).waitFor({ state: 'detached' })
    expect((await settings(service)).handler).toBe(join(service.folder, 'other.py'))
    // The browser logs the response that refused the file.
    expect(faults).toEqual([expect.stringContaining('400')])
  })

  test('say that workers are replaced, and replace them', async () => {
    const { service, page } = await atSettings({ workersMin: 1 })
    await page.getByText('1 of 3 workers').waitFor()
    await page.getByRole('button', { name: 'Add variable' }).click()
    await page.getByLabel('Name of variable 1').fill('COLOUR')
    await page.getByLabel('Value of COLOUR').fill('secret-blue')
    await bar(page).getByText('Replaces 1 worker').waitFor()
    await bar(page).getByText('adds COLOUR').waitFor()
    expect(await bar(page).textContent()).not.toContain('secret-blue')
    const before = (await service.get('/api/workers')).workers[0].id
    await bar(page).getByRole('button', { name: 'Save 1 change' }).click()
    await until(async () => expect((await settings(service)).env).toEqual({ COLOUR: 'secret-blue' }))
    await until(async () =>
      expect((await service.get('/api/workers')).workers.map(({ id }: { id: string }) => id)).not.toContain(before),
    )
  })

  test('keep unsaved changes while another tab is open, and revert a single field', async () => {
    const { service, page } = await atSettings()
    await page.getByLabel('Maximum workers').fill('7')
    await page.getByLabel('Minimum workers').fill('2')
    const tabs = page.getByRole('navigation', { name: 'Parts of hello' })
    await tabs.getByRole('link', { name: 'Overview' }).click()
    await page.getByText('Latest jobs').waitFor()
    await tabs.getByRole('link', { name: 'Settings' }).click()
    await bar(page).getByText('Minimum workers').waitFor()
    await page.getByRole('button', { name: 'Revert Minimum workers' }).click()
    await bar(page).getByRole('button', { name: 'Save 1 change' }).click()
    await until(async () => expect((await settings(service)).workersMax).toBe(7))
    expect((await settings(service)).workersMin).toBe(0)
  })

  test('say at the field what is wrong, and save nothing', async () => {
    const { service, page, expectAccessible } = await atSettings()
    await page.getByLabel('Maximum workers').fill('101')
    await page.getByText('must be at most 100 workers').waitFor()
    expect(await bar(page).getByRole('button', { name: /Save/ }).isDisabled()).toBe(true)
    await page.getByLabel('Maximum workers').fill('1')
    await page.getByLabel('Minimum workers').fill('2')
    await page.getByText('must not be above 1, the maximum').waitFor()
    await expectAccessible()
    await page.getByLabel('Minimum workers').fill('')
    await page.getByText('must not be empty').waitFor()
    await service.createEndpoint('taken')
    await bar(page).getByRole('button', { name: 'Discard all' }).click()
    await page.getByLabel('Name', { exact: true }).fill('taken')
    await bar(page).getByRole('button', { name: 'Save 1 change' }).click()
    await bar(page).getByText('An endpoint with name taken already exists').waitFor()
    expect((await settings(service)).name).toBe('hello')
  })

  test('say when somebody else changed the same setting meanwhile', async () => {
    const { service, page } = await atSettings()
    await page.getByLabel('Maximum workers').fill('5')
    await service.ask('PATCH', '/api/endpoints/hello', { workersMax: 9 })
    await page.getByText('It was set to 9 workers meanwhile').waitFor()
    expect(await bar(page).getByRole('button', { name: /Save/ }).isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Keep mine' }).click()
    await bar(page).getByRole('button', { name: 'Save 1 change' }).click()
    await until(async () => expect((await settings(service)).workersMax).toBe(5))
  })

  test('keep what is typed while the service saves', async () => {
    const { service, page } = await atSettings()
    const answer = Promise.withResolvers<void>()
    await page.route('**/api/endpoints/hello', async (route) => {
      if (route.request().method() === 'PATCH') await answer.promise
      await route.continue()
    })
    await page.getByLabel('Maximum workers').fill('5')
    await bar(page).getByRole('button', { name: 'Save 1 change' }).click()
    await bar(page).getByRole('button', { name: 'Saving' }).waitFor()
    await page.getByLabel('Maximum workers').fill('6')
    await page.getByLabel('Idle timeout').fill('1.5')
    answer.resolve()
    await bar(page).getByRole('button', { name: 'Save 2 changes' }).click()
    await until(async () => expect(await settings(service)).toMatchObject({ workersMax: 6, idleTimeoutMs: 1500 }))
  })

  test('give the endpoint a new key that is shown once', async () => {
    const { service, page } = await atSettings()
    await page.getByRole('button', { name: 'Make a new key' }).click()
    await page.getByRole('button', { name: 'Replace the key of hello' }).click()
    const key = await page.getByText(/^dk_/).textContent()
    const headers = { authorization: `Bearer ${key}` }
    expect((await fetch(`${service.url()}/v2/hello/health`, { headers })).status).toBe(200)
    await page.reload()
    await page.getByRole('button', { name: 'Make a new key' }).waitFor()
    expect(await page.content()).not.toContain(key)
  })

  test('delete it once its id was typed', async () => {
    const { service, page } = await atSettings()
    const remove = page.getByRole('button', { name: 'Delete endpoint hello' })
    await page.getByLabel('Type hello to delete this endpoint').fill('hell')
    expect(await remove.isDisabled()).toBe(true)
    await page.getByLabel('Type hello to delete this endpoint').fill('hello')
    await remove.click()
    await page.waitForURL('**/endpoints')
    expect((await service.ask('GET', '/api/endpoints/hello')).status).toBe(404)
  })

  test('switch its workers between containers and processes, each with its own settings', async () => {
    const { service, page } = await atSettings()
    await page.getByLabel('Run in containers').click()
    await page.getByLabel('Memory', { exact: true }).fill('2')
    await page.getByLabel('Volumes').fill('/models:/models:ro')
    await bar(page).getByRole('button', { name: 'Save 3 changes' }).click()
    await until(async () =>
      expect((await settings(service)).container).toMatchObject({
        memoryBytes: 2 * 1024 ** 3,
        volumes: [{ source: '/models', target: '/models', readOnly: true }],
      }),
    )
    // The service has the new value before the page does; until then, the field shows the old one.
    await bar(page).waitFor({ state: 'detached' })
    await page.getByLabel('Memory', { exact: true }).fill('')
    await bar(page).getByRole('button', { name: 'Save 1 change' }).click()
    await until(async () => expect((await settings(service)).container).not.toHaveProperty('memoryBytes'))
    await bar(page).waitFor({ state: 'detached' })
    await page.getByLabel('Run in containers').click()
    await bar(page).getByRole('button', { name: 'Save 1 change' }).click()
    await until(async () => expect(await settings(service)).not.toHaveProperty('container'))
  })
})

// An address where nothing listens, so that stopping the service does not wait for an engine.
const withoutEngine = () => setup({}, { env: { DOCKER_HOST: 'unix:///nowhere/docker.sock' } })

test('settings that cannot be saved as the service is down are kept, and saved when it is back', async () => {
  const { service, page, shoot } = await atSettings({}, withoutEngine)
  const port = Number(new URL(service.url()).port)
  await page.getByLabel('Maximum workers').fill('8')
  await service.stop()
  await page.getByRole('alert').getByText('The service does not answer').waitFor()
  await bar(page).getByRole('button', { name: 'Save 1 change' }).click()
  await bar(page).getByText('The service does not answer').waitFor()
  await shoot('settings-down')
  await service.start({ port })
  await page.getByRole('alert').waitFor({ state: 'detached' })
  await bar(page).getByRole('button', { name: 'Save 1 change' }).click()
  await until(async () => expect((await settings(service)).workersMax).toBe(8))
})

describe('the settings of an endpoint of an app', () => {
  test('come from its deploys, which they say; only fault injection can be changed', async () => {
    const { service, page, open } = await atSettings({}, withoutEngine)
    const port = Number(new URL(service.url()).port)
    await service.stop()
    const app = { name: 'shop', environment: 'production', resource: 'hello', code: 'a', variables: 0 }
    service.changeDatabase("UPDATE endpoints SET config = json_set(config, '$.app', json(?))", JSON.stringify(app))
    await service.start({ port })
    await open('/endpoints/hello/settings')
    await page.getByRole('note').getByText('These settings come from the app shop').waitFor()
    expect(await page.getByLabel('Maximum workers').isDisabled()).toBe(true)
    expect(await page.getByRole('note').getByRole('link').getAttribute('href')).toBe('/apps/deployed/shop/production')
    await page.getByLabel('Throttle').click()
    await bar(page).getByRole('button', { name: 'Save 1 change' }).click()
    await until(async () => expect((await settings(service)).faults).toEqual({ throttle: true }))
  })
})

describe('fault injection', () => {
  test('are shown on every tab and in the list, and can be turned off at once', async () => {
    const { service, page, open, expectAccessible, told } = await atSettings()
    await page.getByLabel('Delay').fill('2')
    await page.getByLabel('Fail', { exact: true }).fill('10')
    await page.getByLabel('Always cold start').click()
    await bar(page).getByRole('button', { name: 'Save 3 changes' }).click()
    await until(async () =>
      expect((await settings(service)).faults).toEqual({ delayMs: 2000, failPercent: 10, coldStart: true }),
    )
    const banner = page.getByRole('region', { name: 'Fault injection' })
    const tabs = page.getByRole('navigation', { name: 'Parts of hello' })
    for (const tab of ['Overview', 'Requests', 'Jobs', 'Workers', 'Logs', 'Settings']) {
      await tabs.getByRole('link', { name: tab }).click()
      await banner.getByText('delays each job by 2.0 s, fails 10 %').waitFor()
    }
    await expectAccessible()
    await open('/endpoints')
    await page.getByRole('img', { name: /Fault injection is on: delays/ }).waitFor()
    await open('/endpoints/hello')
    await banner.getByRole('button', { name: 'Turn all off' }).click()
    await banner.waitFor({ state: 'detached' })
    await until(async () => expect(await settings(service)).not.toHaveProperty('faults'))
    // New notices come last, and the notice of the save may still be there.
    await told('Fault injection on hello is off.')
    await page.getByRole('button', { name: 'Undo' }).last().click()
    await until(async () => expect((await settings(service)).faults).toMatchObject({ delayMs: 2000 }))
  })
})

describe('in light and dark colours', () => {
  test('settings have no serious accessibility violation, at every width', async () => {
    const env = Object.fromEntries(
      Array.from({ length: 12 }, (_value, n) => [`A_RATHER_LONG_NAME_OF_A_VARIABLE_${n}`, `${n}`]),
    )
    const config = { container: { image: 'x', gpu: 'ADA_24' }, env, faults: { delayMs: 500 } }
    const { page, expectAccessible, shoot } = await atSettings(config)
    for (const [name, size] of [
      ['wide', undefined],
      ['narrow', NARROW],
      ['800', PHONE],
    ] as const) {
      if (size !== undefined) await page.setViewportSize(size)
      await page.getByLabel('Maximum workers').fill('101')
      await page.getByLabel('Minimum workers').fill('1')
      await expectAccessible()
      await shoot(`settings-${name}`)
      await page.getByRole('link', { name: 'GPU', exact: true }).click()
      await shoot(`settings-gpu-${name}`)
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
      await page.getByRole('link', { name: 'Fault injection' }).click()
      // The content scrolls, and the frame around it stays.
      expect(
        await page.getByRole('contentinfo').evaluate((bar) => innerHeight - bar.getBoundingClientRect().bottom),
      ).toBe(0)
      await shoot(`settings-faults-${name}`)
    }
  })
})
