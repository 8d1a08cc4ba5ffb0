/**
 * The pages in a real Chromium, from a real service with real workers. One `setup()` starts a service, signs a browser
 * in by a link, and ends both with the test. Where there is no Chromium, tests skip themselves with `noBrowser` of
 * support/chromium.ts.
 */
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RunOptions } from 'axe-core'
import type { Browser, BrowserContextOptions, Locator, Page, Request } from 'playwright-core'
import { afterAll, expect, onTestFinished } from 'vitest'
import { launchChromium } from '../support/chromium.ts'
import { electronProgram, openElectronWindow } from '../support/electron-window.ts'
import { PATIENCE_MS } from '../support/patience.ts'
import { type ServedService, type ServeOptions, startedService, until } from '../support/served-service.ts'

const AXE = readFileSync(join(import.meta.dirname, '..', '..', 'node_modules', 'axe-core', 'axe.min.js'), 'utf8')
const SCREENSHOTS = join(import.meta.dirname, 'screenshots')

const CONTRAST: RunOptions = { runOnly: ['color-contrast'] }

// Chromium breaks off what it loads when a network comes or goes, as those of containers of other tests do.
const OF_THE_MACHINE = /ERR_NETWORK_CHANGED/

// The two sizes that every page is looked at in.
const WIDE = { width: 1440, height: 900 } as const
/** The smallest width with two panes. */
export const NARROW = { width: 1024, height: 768 } as const

/** A service and a signed-in page of it. */
export type Pages = {
  readonly service: ServedService
  readonly page: Page
  /** Goes to an address of the pages. */
  readonly visit: (path: string) => Promise<void>
  /** Goes there and waits until the pages show what is. */
  readonly open: (path: string) => Promise<void>
  /** Errors of the page's own code, and what its policy refused. A test that expects none compares with []. */
  readonly faults: readonly string[]
  /** Expects that axe finds nothing serious on the page as it is, in light and in dark colours. */
  readonly expectAccessible: () => Promise<void>
  /**
   * Writes pictures in both colours into test/pages/screenshots, which git ignores, where the variable DRYDOCK_PICTURES
   * asks for them.
   */
  readonly shoot: (name: string) => Promise<void>
}

/**
 * Starts both. @param look size, colour scheme and so on of the browser @param serve how the service is started
 * @param start starts a service of another kind, like one with containers
 */
export async function setup(
  look: BrowserContextOptions = {},
  serve: ServeOptions = {},
  start: (options: ServeOptions) => Promise<ServedService> = startedService,
): Promise<Pages> {
  const service = await start(serve)
  const page = await openPage(service, { viewport: WIDE, reducedMotion: 'reduce', ...look })
  // What does not come within this time fails with its name, and not with that of the test.
  page.context().setDefaultTimeout(PATIENCE_MS)
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error' && !OF_THE_MACHINE.test(message.text())) faults.push(message.text())
  })
  // The desktop has signed its window in. The link is followed beside the page, which need not load the pages for it:
  // what a person sees of it has tests of its own.
  if (electronProgram === undefined)
    await page.context().request.get((await service.post('/api/session-links')).url, { maxRedirects: 0 })
  const visit = (path: string) => goTo(page, service.url() + path)
  async function showsWhatIs(): Promise<void> {
    await page.getByRole('contentinfo').getByText('service').waitFor()
    await page.getByRole('heading', { level: 1 }).waitFor()
    // It hears keys a little after it is seen: by the effects of what was drawn, one of which names the window.
    await until(async () => expect(await page.title()).toContain(' · Drydock'))
  }

  const colours = look.colorScheme === 'dark' ? (['dark', 'light'] as const) : (['light', 'dark'] as const)
  async function inOtherColours(work: () => Promise<unknown>): Promise<void> {
    await page.emulateMedia({ colorScheme: colours[1] })
    await work()
    await page.emulateMedia({ colorScheme: colours[0] })
  }

  return {
    service,
    page,
    faults,
    visit,
    open: (path) => goTo(page, service.url() + path, showsWhatIs),
    async expectAccessible() {
      expect(await accessFaults(page, {})).toEqual([])
      // In the other colours all is the same but contrast.
      await inOtherColours(async () => expect(await accessFaults(page, CONTRAST)).toEqual([]))
    },
    async shoot(name) {
      if (!process.env.DRYDOCK_PICTURES) return // Nobody looks at those of a usual run, and each takes its time.
      mkdirSync(SCREENSHOTS, { recursive: true })
      const picture = (colours: string) => page.screenshot({ path: join(SCREENSHOTS, `${name}${colours}.png`) })
      await picture('')
      await inOtherColours(() => picture('-other'))
    },
  }
}

/** Chooses in a list that opens below a field. @param choice the words of the choice */
export async function choose(field: Locator, choice: string | RegExp): Promise<void> {
  await field.click()
  await field.page().getByRole('option', { name: choice, exact: true }).first().click()
}

// Goes there and waits until what is wanted is seen; once more where a network that came or went broke off the page or
// one of its files, without which nothing is drawn.
async function goTo(page: Page, address: string, seen: () => Promise<void> = async () => {}): Promise<void> {
  const fileLost = Promise.withResolvers<boolean>()
  const note = (request: Request) => {
    const isFile = ['document', 'script', 'stylesheet'].includes(request.resourceType())
    if (isFile && OF_THE_MACHINE.test(request.failure()?.errorText ?? '')) fileLost.resolve(true)
  }
  page.on('requestfailed', note)
  const isBrokenOff = (error: unknown) => {
    if (!OF_THE_MACHINE.test(String(error))) throw error
    return true
  }
  try {
    // The way there ends first: another one before that would be broken off by it.
    if (await page.goto(address).then(() => false, isBrokenOff)) fileLost.resolve(true)
    if (!(await Promise.race([fileLost.promise, seen().then(() => false)]))) return
  } finally {
    page.off('requestfailed', note)
  }
  await goTo(page, address, seen)
}

// A page of Chromium; of the desktop's own window, where a variable names Electron's program.
async function openPage(service: ServedService, look: BrowserContextOptions): Promise<Page> {
  if (electronProgram !== undefined) return openElectronWindow(electronProgram, service.data, look)
  sharedBrowser ??= launchChromium()
  const context = await (await sharedBrowser).newContext(look)
  onTestFinished(() => context.close())
  return context.newPage()
}

// One for the tests of a file: each has a context of its own, with cookies and pages of its own, and a start takes
// longer.
let sharedBrowser: Promise<Browser> | undefined
afterAll(async () => (await sharedBrowser)?.close())

/** Starts a browser that nobody is signed in to; it ends with the test. */
export async function launch(): Promise<Browser> {
  const browser = await launchChromium()
  onTestFinished(() => browser.close())
  return browser
}

// What axe calls serious or critical; each with the places where it is.
async function accessFaults(page: Page, options: RunOptions): Promise<readonly string[]> {
  // By the debugger, which the policy of the page does not bind.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE)
  const violations = await page.evaluate(async (wanted) => {
    const { axe } = globalThis as unknown as { axe: typeof import('axe-core') }
    return (await axe.run(wanted)).violations.map(({ id, impact, nodes }) => ({
      id,
      impact,
      at: nodes.map(({ target, failureSummary }) => `${target.join(' ')} ${failureSummary}`),
    }))
  }, options)
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, at }) => `${id}: ${at.join('\n')}`)
}
