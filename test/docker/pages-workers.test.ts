/** The page of workers with a real container: what it uses, and a shell in it. */
import type { Locator, Page } from 'playwright-core'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { NARROW, setup, WIDE } from '../pages/support.ts'
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
const HANDLER = `
def handler(job):
    return job["input"]
`

beforeAll(() => {
  if (why === undefined) buildAll()
}, BUILD_MS)

beforeEach(({ skip }) => skip(why !== undefined, why))

/** A page with the drawer of a worker in a container, its shell open. */
async function shellOpened() {
  const service = await startedContainerService(engine)
  const pages = await setup({}, {}, async () => service, launchCalmChromium)
  const limits = { memoryBytes: 256 * 1024 * 1024 }
  await service.createContainerHandler('work', HANDLER, { workersMin: 1, workersMax: 1 }, limits)
  const { id, container } = await service.workerIn('work', 'idle')
  const { page, visit } = pages
  const drawer = page.getByRole('dialog', { name: `Worker ${id}` })
  async function openShell() {
    await visit(`/workers?worker=${id}&part=shell`)
    await drawer.getByText('bash in its container').waitFor()
  }
  await openShell()
  return { ...pages, service, id, container, drawer, openShell }
}

async function screenText(drawer: Locator): Promise<string> {
  const lines = await drawer.locator('.xterm-rows > div').allTextContents()
  return lines.map((line) => line.replaceAll('\u00a0', ' ').trimEnd()).join('\n')
}

const expectOnScreen = (drawer: Locator, wanted: RegExp) =>
  until(async () => expect(await screenText(drawer)).toMatch(wanted))

async function type(page: Page, text: string): Promise<void> {
  await page.keyboard.type(text)
  await page.keyboard.press('Enter')
}

test('a shell runs commands, fits its panel, reports its exit, and gets all keys until Shift+Escape leaves it; it and its card have no serious accessibility fault', async () => {
  const { page, drawer, faults, visit, id, expectAccessible, shoot } = await shellOpened()
  await type(page, 'echo $((6*7))')
  await expectOnScreen(drawer, /^42$/m)
  await type(page, 'stty size')
  await expectOnScreen(drawer, /^\d+ \d+$/m)
  const [, rows, columns] = /^(\d+) (\d+)$/m.exec(await screenText(drawer)) ?? []
  await page.setViewportSize({ width: 700, height: 600 })
  await until(async () => {
    await type(page, 'clear; stty size')
    const [, rowsNow, columnsNow] = /^(\d+) (\d+)$/m.exec(await screenText(drawer)) ?? []
    expect(Number(rowsNow)).toBeLessThan(Number(rows))
    expect(Number(columnsNow)).toBeLessThan(Number(columns))
  })
  await type(page, 'exit')
  await drawer.getByText('The shell has exited.').waitFor()
  await drawer.getByRole('button', { name: 'Open another shell' }).click()
  await drawer.getByText('bash in its container').waitFor()
  await type(page, 'echo again-$((1+1))')
  await expectOnScreen(drawer, /^again-2$/m)

  await page.setViewportSize(WIDE)
  await type(
    page,
    "ls --color=always / ; printf '\\e[31mred \\e[32mgreen \\e[33myellow \\e[34mblue \\e[35mmagenta \\e[36mcyan\\e[0m\\n'",
  )
  await expectOnScreen(drawer, /red green yellow/)
  await expectAccessible()
  await shoot('worker-shell')
  await page.setViewportSize(NARROW)
  await expectAccessible()
  await shoot('worker-shell-narrow')

  // The shell gets the keyboard shortcuts of the page while it has the focus.
  await type(page, 'echo $((6*8)); cat')
  await expectOnScreen(drawer, /^48$/m)
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+k')
  await page.keyboard.press('?')
  await expectOnScreen(drawer, /^\^\[\^K\?$/m)
  expect(await page.getByRole('dialog').count()).toBe(1)
  await page.keyboard.press('Shift+Escape')
  expect(await drawer.locator('.xterm :focus').count()).toBe(0)
  await page.keyboard.press('Escape')
  await drawer.waitFor({ state: 'detached' })
  await visit('/workers')
  const card = page.getByRole('listitem').filter({ hasText: id })
  await card.getByText('of 256 MiB').waitFor()
  await expectAccessible()
  await shoot('worker-container')
  expect(faults).toEqual([])
})

test('closing the drawer ends the programs of the shell, and the drawer of a stopped worker says that it has ended', async () => {
  const { page, drawer, openShell, service, container, id } = await shellOpened()
  await type(page, 'sleep 4343')
  const programs = () => service.docker('top', container, '-eo', 'pid,args')
  await until(async () => expect(await programs()).toContain('sleep 4343'))
  await drawer.getByRole('button', { name: 'Close' }).click()
  await until(async () => expect(await programs()).not.toMatch(/bash|sleep 4343/))

  await openShell()
  await service.post(`/api/workers/${id}/stop`)
  await drawer.getByText('It has ended, so no shell can be opened.').waitFor()
})
