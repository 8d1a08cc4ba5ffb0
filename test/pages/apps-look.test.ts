/** How the pages of apps look: with nothing, a little and far too much, in both colours, at three widths. */
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, test } from 'vitest'
import { noBrowser } from '../support/chromium.ts'
import { type ServedService, until } from '../support/served-service.ts'
import { NARROW, type Pages, setupShared } from './support.ts'

beforeEach(({ skip }) => skip(noBrowser !== undefined, noBrowser))

const EXAMPLES = fileURLToPath(new URL('../../resources/examples', import.meta.url))
const SIZES = [{ width: 1440, height: 900 }, NARROW, { width: 800, height: 700 }] as const
const MANY = 30

// Workers are processes, even if an engine runs.
const PROCESSES = { env: { DOCKER_HOST: 'unix:///nowhere/docker.sock' } } as const

/** Opens a project. @returns its id */
async function openProject(service: ServedService, folder: string): Promise<string> {
  return (await service.post('/api/projects', { folder })).id
}

function copyExample(service: ServedService, name: string): string {
  const folder = join(service.folder, name)
  cpSync(join(EXAMPLES, name), folder, { recursive: true })
  return folder
}

/** An app with far too many endpoints, one after the other in a chain or alone, with long names. */
function writeLongApp(service: ServedService): string {
  const folder = join(service.folder, 'an-app-with-a-long-name-for-narrow-windows')
  mkdirSync(folder)
  for (let at = 0; at < MANY; at++) {
    const next = `step_${at + 1}_with_a_long_name`
    const calls =
      at % 3 === 2 || at === MANY - 1
        ? 'return {"at": value}'
        : `from worker_${at + 1} import ${next}; return await ${next}(value)`
    const text = `from svc import Endpoint

@Endpoint(name="step-${at}-of-a-long-chain-of-endpoints", cpu="cpu3c-1-2", workers=(0, ${at + 1}))
async def step_${at}_with_a_long_name(value: int) -> dict:
    ${calls}
`
    writeFileSync(join(folder, `worker_${at}.py`), text)
  }
  return folder
}

/** Nothing may stand out of the window at its right, where it could not be reached. */
async function expectNothingCutOff({ page }: Pages): Promise<void> {
  const over = () =>
    page.evaluate(() => {
      const main = document.querySelector('main')
      return Math.max(0, (main?.scrollWidth ?? 0) - (main?.clientWidth ?? 0))
    })
  // Scripts follow the size of the window after it has changed.
  await until(async () => expect(await over()).toBe(0))
}

/** Looks at the page as it is, in each width. */
async function look(pages: Pages, name: string): Promise<void> {
  for (const size of SIZES) {
    await pages.page.setViewportSize(size)
    await expectNothingCutOff(pages)
    await pages.expectAccessible()
    await pages.shoot(`${name}-${size.width}`)
  }
}

describe('in light and dark colours', () => {
  test('the list with nothing, and the panel that opens a folder', async () => {
    const pages = await setupShared({}, PROCESSES)
    const { page, open, service } = pages
    copyExample(service, 'mixed')
    await open('/apps')
    await page.getByRole('button', { name: 'Start with mixed' }).waitFor()
    await look(pages, `apps-empty`)
    await page.getByRole('button', { name: 'Open folder' }).click()
    await page.getByRole('combobox', { name: 'Folder' }).fill(`${service.folder}/`)
    await page.getByRole('option', { name: /mixed/ }).waitFor()
    await look(pages, `apps-open`)
  })

  test('the picture of a project', async () => {
    const pages = await setupShared({}, PROCESSES)
    const { page, open, service } = pages
    const id = await openProject(service, copyExample(service, 'mixed'))
    await open(`/apps/projects/${id}`)
    await page.locator('.react-flow__edge').first().waitFor()
    await look(pages, `apps-picture`)
    await open(`/apps/projects/${id}?endpoint=mood`)
    await page.getByRole('region', { name: 'Endpoint mood' }).waitFor()
    await look(pages, `apps-picture-chosen`)
  })

  test('a build and a plan', async () => {
    const pages = await setupShared({}, PROCESSES)
    const { page, open, service } = pages
    const id = await openProject(service, copyExample(service, 'mixed'))
    await service.post(`/api/projects/${id}/build`, {})
    await until(async () => expect((await service.get(`/api/projects/${id}/build`)).state).toBe('done'))
    await open(`/apps/projects/${id}/build`)
    await page.getByText('of 1.5 GiB').waitFor()
    await look(pages, `apps-built`)
    await open(`/apps/projects/${id}/deploy`)
    await page.getByRole('list', { name: 'Planned changes' }).waitFor()
    await look(pages, `apps-planned`)
  })

  test('a preview', async () => {
    const pages = await setupShared({}, PROCESSES)
    const { page, open, service } = pages
    const id = await openProject(service, copyExample(service, 'mixed'))
    await open(`/apps/projects/${id}/preview`)
    await page.getByText('A preview runs the app').waitFor()
    await look(pages, `apps-no-preview`)
    await page.keyboard.press('p')
    await page.getByRole('list', { name: 'Addresses' }).waitFor()
    await look(pages, `apps-preview`)
    await page.getByRole('button', { name: 'Stop preview' }).click()
    await page.getByText('Ended', { exact: true }).waitFor()
    await look(pages, `apps-preview-ended`)
  })

  test('the picture of far too many endpoints', async () => {
    const pages = await setupShared({}, PROCESSES)
    const { page, open, service } = pages
    const id = await openProject(service, writeLongApp(service))
    await open(`/apps/projects/${id}`)
    await page
      .locator('.react-flow__node')
      .nth(MANY - 1)
      .waitFor()
    await look(pages, `apps-long-picture`)
  })

  test('a plan with far too many endpoints', async () => {
    const pages = await setupShared({}, PROCESSES)
    const { page, open, service } = pages
    const id = await openProject(service, writeLongApp(service))
    await open(`/apps/projects/${id}/deploy`)
    await page.getByRole('list', { name: 'Planned changes' }).waitFor()
    await look(pages, `apps-long-plan`)
    await open('/apps')
    await page.getByRole('row', { name: /an-app-with/ }).waitFor()
    await look(pages, `apps-long-list`)
  })
})

test('with the service down a page keeps what it showed, and says why it stands still', async () => {
  const { page, open, service, shoot } = await setupShared({}, PROCESSES)
  const id = await openProject(service, copyExample(service, 'mixed'))
  await open(`/apps/projects/${id}`)
  await page.locator('.react-flow__edge').first().waitFor()
  await service.kill()
  await page
    .getByText(/The service does not answer/)
    .first()
    .waitFor()
  await page.getByRole('region', { name: 'Endpoints of mixed' }).waitFor()
  await shoot('apps-down')
})
