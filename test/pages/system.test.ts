import { chmodSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserContextOptions } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'
import { noBrowser } from '../support/chromium.ts'
import { until } from '../support/served-service.ts'
import { NARROW, type Pages, setup as setupPages, setupShared as setupSharedPages } from './support.ts'

beforeEach(({ skip }) => skip(noBrowser !== undefined, noBrowser))

// A service without an engine or GPUs, even if this machine has them.
const BARE = { env: { DOCKER_HOST: 'unix:///nowhere/docker.sock' } } as const
const setup = (look?: BrowserContextOptions) => setupPages(look, BARE)
const setupShared = (look?: BrowserContextOptions) => setupSharedPages(look, BARE)

const row = ({ page }: Pages, name: string) =>
  page.getByRole('listitem').filter({ has: page.getByRole('heading', { level: 2, name, exact: true }) })

describe('the checks', () => {
  test('say what is there, and how to fix what is not, on a machine without an engine and without cards', async () => {
    const pages = await setupShared()
    const { page, open, expectAccessible, faults, shoot } = pages
    await open('/system')
    await row(pages, 'Docker').getByText('no Docker engine answers').waitFor()
    await row(pages, 'Docker').getByText('Workers that are processes do not need it').waitFor()
    await row(pages, 'Node').getByText(process.versions.node).waitFor()
    await page
      .getByRole('banner')
      .getByText(/warning/)
      .waitFor()
    await expectAccessible()
    await shoot('system-checks-light-1440')
    expect(faults).toEqual([])
  })

  test('list next to them where the platform differs, also in a narrow window', async () => {
    const { page, open, expectAccessible, faults } = await setupShared({ viewport: NARROW })
    await open('/system/production')
    await page.getByText('emptyInput: refuse').waitFor()
    await expectAccessible()
    expect(faults).toEqual([])
  })

  test('make keys private with a press, and the row is well again', async () => {
    const pages = await setupShared()
    const { service, open } = pages
    chmodSync(join(service.data, 'account.key'), 0o644)
    await open('/system')
    const permissions = row(pages, 'permissions')
    await permissions.getByText('other users of this machine can reach account.key').waitFor()
    await permissions.getByRole('button', { name: 'Make private' }).click()
    // Told for ten seconds; the checks that follow may take longer.
    await pages.told('Now private: account.key.')
    await permissions.getByText('only you can read keys and data').waitFor()
  })

  test('start an endpoint again whose workers crash, and say why they do', async () => {
    const pages = await setup()
    const { service, page, open, shoot, told } = pages
    await service.createHandler('broken', 'import nothing_like_it\n', { workersMin: 1 })
    await until(async () => {
      const { rows } = await service.get('/api/doctor')
      expect(rows.map(({ check }: { check: string }) => check)).toContain('endpoint broken')
    })
    await open('/system')
    const broken = row(pages, 'endpoint broken')
    await broken.getByText(/No module named 'nothing_like_it'/).waitFor()
    await shoot('system-checks-crash-1440')
    await broken.getByRole('link', { name: 'Open its log' }).click()
    await page.waitForURL('**/endpoints/broken/logs')
    await page.goBack()
    // Last: an endpoint that is started again has no row until it has crashed again.
    await broken.getByRole('button', { name: 'Start again' }).click()
    await told('broken starts its next worker now.')
  })

  test('offer to remove what killed previews left', async () => {
    const pages = await setupShared()
    const { service, open, told } = pages
    const left = join(service.data, 'previews', 'shop-x1')
    mkdirSync(left, { recursive: true })
    utimesSync(left, 1, 1)
    await open('/system')
    await row(pages, 'previews').getByRole('button', { name: 'Remove them' }).click()
    await told('Leftovers of killed previews are removed.')
    await row(pages, 'previews').waitFor({ state: 'detached' })
  })
})

describe('the machine', () => {
  test('tells versions and copies a report without keys and paths', async () => {
    const pages = await setupShared({ permissions: ['clipboard-read', 'clipboard-write'] })
    const { service, page, open, expectAccessible, shoot, told } = pages
    await open('/system/machine')
    await page
      .getByText('This machine has no NVIDIA GPU')
      .or(page.getByText('there is no NVIDIA GPU'))
      .first()
      .waitFor()
    await page.getByText('Not found', { exact: true }).waitFor()
    await page.getByText(process.versions.node).waitFor()
    await page.getByRole('button', { name: 'Copy report' }).click()
    await told('The report is on the clipboard.')
    const report = await page.evaluate(() => navigator.clipboard.readText())
    expect(report).toContain(`Node: ${process.versions.node}`)
    expect(report).not.toContain(service.folder)
    expect(report).not.toContain('127.0.0.1')
    await expectAccessible()
    await shoot('system-machine-light-1440')
  })
})

describe('the disk', () => {
  test('is reported by kind, and cleaned up after saying what goes and how much that frees', async () => {
    const pages = await setupShared()
    const { service, page, open, expectAccessible, shoot, told } = pages
    mkdirSync(join(service.data, 'volumes', 'models'), { recursive: true })
    writeFileSync(join(service.data, 'volumes', 'models', 'weights'), Buffer.alloc(3 * 1024 * 1024))
    await service.createEndpoint('hello')
    await open('/system/disk')
    await row(pages, 'Network volumes').getByText('3.0 MiB').waitFor()
    await row(pages, 'Worker images').getByText('not known').waitFor()
    await shoot('system-disk-light-1440')
    await row(pages, 'Logs').getByRole('button', { name: 'Clean up logs' }).click()
    const question = page.getByRole('alertdialog', { name: 'Clean up logs?' })
    await question.getByText(/empties the log of the service.*frees about/).waitFor()
    await expectAccessible()
    await question.getByRole('button', { name: 'Clean up logs' }).click()
    await told(/^Logs: .* are free again\.$/)
  })
})

describe('the events', () => {
  test('come as they happen, lead to what they are of, and are narrowed by the address', async () => {
    const pages = await setup()
    const { service, page, open, expectAccessible, shoot, faults } = pages
    await open('/system/events')
    await page.getByText('There are no events yet').waitFor()
    await shoot('system-events-none-1440')
    await service.createEndpoint('hello', { workersMax: 1 })
    await page.getByRole('row', { name: /Created hello/ }).waitFor()
    await service.jobEnd('hello', await service.run('hello', {}))
    await page.getByRole('row', { name: /Starts hello/ }).waitFor()
    await expectAccessible()
    await shoot('system-events-few-1440')
    await page.getByRole('radio', { name: 'endpoints' }).click()
    await page.getByRole('row', { name: /Starts hello/ }).waitFor({ state: 'detached' })
    expect(page.url()).toMatch(/\/system\/events\?kind=endpoints$/)
    await page.reload()
    await page.getByRole('row', { name: /Created hello/ }).waitFor()
    await page.getByRole('radio', { name: 'crashes' }).click()
    await page.getByText('There are no events of this kind').waitFor()
    await page.getByRole('button', { name: 'Show all events' }).click()
    await page
      .getByRole('row', { name: /Starts hello/ })
      .getByRole('link', { name: 'hello' })
      .click()
    await page.waitForURL('**/endpoints/hello')
    expect(faults).toEqual([])
  })

  test('wait while somebody reads them', async () => {
    const { service, page, open } = await setup()
    await service.createEndpoint('one', { workersMin: 0 })
    await open('/system/events')
    await page.getByRole('row', { name: /Created one/ }).hover()
    await service.createEndpoint('two', { workersMin: 0 })
    await page.getByRole('button', { name: 'Show new ones' }).waitFor()
    expect(await page.getByRole('row', { name: /Created two/ }).count()).toBe(0)
    // By its key: where the pointer leaves the rows they come by themselves, and the button is gone before it is there.
    await page.getByRole('button', { name: 'Show new ones' }).press('Enter')
    await page.getByRole('row', { name: /Created two/ }).waitFor()
  })

  test('are read page by page where there are thousands', async () => {
    const { service, page, open, shoot } = await setup()
    await service.stop()
    const insert = `INSERT INTO events (at, type, endpoint_id, worker_id, event, kind, reason)
      SELECT ${Date.now() - 3_600_000} + value * 1000, 'worker', 'an-endpoint-with-a-rather-long-name-of-40', 'w' || value, 'stopping', 'scale',
        'idle for longer than its idle timeout, and nothing waits in the queue of its endpoint for it to do at all'
      FROM generate_series(1, 3000)`
    service.changeDatabase(insert.replace('generate_series(1, 3000)', NUMBERS))
    await service.start()
    const { url } = await service.post('/api/session-links')
    await page.goto(url)
    await open('/system/events')
    await page.getByRole('row', { name: /w3000/ }).waitFor()
    await shoot('system-events-many-1440')
    await page.getByRole('button', { name: 'Show older ones' }).click()
    const grid = page.getByRole('grid', { name: 'Events' })
    await until(async () => expect(await grid.getAttribute('aria-rowcount')).toBe('1001'))
  })
})

const NUMBERS =
  '(WITH RECURSIVE numbers (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM numbers WHERE value < 3000) SELECT value FROM numbers)'

describe('every tab', () => {
  test('is well in light and dark, narrow and very narrow', async () => {
    const pages = await setup({ viewport: NARROW })
    const { page, service, open, expectAccessible, shoot } = pages
    await service.createHandler('broken', 'import nothing_like_it\n', { workersMin: 1 })
    for (const tab of ['', '/machine', '/disk', '/events']) {
      await open(`/system${tab}`)
      await page
        .getByRole('main')
        .getByText(/Docker|broken|Database/)
        .first()
        .waitFor()
      await expectAccessible()
      await shoot(`system${tab.replace('/', '-')}-1024`)
    }
    await page.setViewportSize({ width: 800, height: 700 })
    for (const tab of ['', '/machine', '/disk', '/events']) {
      await open(`/system${tab}`)
      await page
        .getByRole('main')
        .getByText(/Docker|broken|Database/)
        .first()
        .waitFor()
      await until(async () =>
        expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(
          0,
        ),
      )
      await shoot(`system${tab.replace('/', '-')}-800`)
    }
  })

  test('keeps what it showed when the service is down, and says what to do', async () => {
    const { service, page, open, shoot } = await setup()
    await open('/system')
    await page.getByRole('heading', { name: 'Docker', exact: true }).waitFor()
    await page.getByRole('link', { name: 'Endpoints', exact: true }).click()
    await service.stop()
    await page.getByRole('alert').getByText('The service does not answer').waitFor()
    await page.getByRole('link', { name: 'System', exact: true }).click()
    await page.getByRole('heading', { name: 'Docker', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Check again' }).click()
    await page.getByText(/Start it with .*drydock.* start/).waitFor()
    await shoot('system-down-1440')
  })
})
