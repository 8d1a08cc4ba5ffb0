/**
 * The pages in a real Chromium, with a real service and real workers. `setup()` starts a service and a signed-in
 * browser for one test. `setupShared()` does so for the tests of a file, which takes a fifth of the time. Without
 * Chromium, tests skip themselves with `noBrowser` of support/chromium.ts.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { RunOptions } from 'axe-core'
import type { Browser, BrowserContextOptions, Locator, Page, Request } from 'playwright-core'
import { afterAll, expect, onTestFinished } from 'vitest'
import { inElectron, launchChromium } from '../support/chromium.ts'
import { openElectronWindow } from '../support/electron-window.ts'
import { PATIENCE_MS } from '../support/patience.ts'
import { type ServedService, type ServeOptions, startedService, until } from '../support/served-service.ts'
import { endAll } from '../support/shared-in-file.ts'
import { readSignIn, STORED_PAGE_KEY } from '../support/signed-in.ts'
import { followLink, neverIdle, readNotices, recordNotices } from './in-browser.mjs'

const AXE = readFileSync(join(import.meta.dirname, '..', '..', 'node_modules', 'axe-core', 'axe.min.js'), 'utf8')
const SCREENSHOTS = join(import.meta.dirname, 'screenshots')

// By default, axe also collects the elements that pass each rule, and reads all style sheets for a rule that is off.
const SERIOUS: RunOptions = { resultTypes: ['violations'], preload: { assets: ['media'] } }
const CONTRAST: RunOptions = { ...SERIOUS, runOnly: ['color-contrast'] }

// Chromium cancels its requests when a network comes or goes, such as those of containers in other tests. It may reload
// the page by itself, which interrupts our second try. A download fails with `canceled` only.
const OF_THE_MACHINE = /ERR_NETWORK_CHANGED|is interrupted by another navigation to/
const DOWNLOAD_BROKEN_OFF = /^canceled$|network/i

// Answers without a key, at the origin of the pages.
const NOT_THE_APP = '/simple/'

// The two sizes in which every page is checked.
/** The size of most tests. */
export const WIDE = { width: 1440, height: 900 } as const
/** The smallest width with two panes. */
export const NARROW = { width: 1024, height: 768 } as const

/** A service and a signed-in page of it. */
export type Pages = {
  readonly service: ServedService
  readonly page: Page
  /** Loads an address of the pages. */
  readonly visit: (path: string) => Promise<void>
  /**
   * Opens an address and waits until the page shows its content: as a link does, or by loading the app if the path
   * stays the same.
   */
  readonly open: (path: string) => Promise<void>
  /** Waits until a notice with this text has appeared since the app was loaded, even if it has disappeared. */
  readonly told: (text: string | RegExp) => Promise<void>
  /** Errors of the page's own code and of its content security policy. A test that expects none compares with []. */
  readonly faults: readonly string[]
  /** Expects that axe finds nothing serious on the loaded page, in light and in dark colours. */
  readonly expectAccessible: () => Promise<void>
  /**
   * Writes pictures in both colours into test/pages/screenshots, which git ignores, where the variable DRYDOCK_PICTURES
   * asks for them.
   */
  readonly shoot: (name: string) => Promise<void>
}

/**
 * Starts both for one test.
 * @param look size, colour scheme and so on of the browser
 * @param serve options of the service
 * @param start starts another kind of service, such as one with containers
 * @param launch starts a browser for the address of the service
 */
export async function setup(
  look: BrowserContextOptions = {},
  serve: ServeOptions = {},
  start: (options: ServeOptions) => Promise<ServedService> = startedService,
  launch: (address: string) => Promise<Browser> = launchShared,
): Promise<Pages> {
  const service = await start(serve)
  return pagesOf(service, await openPage(service, look, onTestFinished, launch), look)
}

/**
 * The same, but the next test of the file with the same options gets the same service and page. In between, it deletes
 * apps, projects, endpoints with their jobs, workflows, comparisons, machines and the files of the test, clears the
 * storage of the browser, and reloads the app. Everything else stays, so a test that depends on the rest uses
 * `setup()`. After a test that fails, stops the service or closes the page, the next test gets a fresh service.
 */
export async function setupShared(look: BrowserContextOptions = {}, serve: ServeOptions = {}): Promise<Pages> {
  if (inElectron) return setup(look, serve)
  const kind = JSON.stringify(serve)
  if (shared?.kind !== kind) await endShared()
  shared ??= await share(kind, serve)
  const { service, page } = shared
  const isStopped = () => service.process().exitCode !== null || service.process().signalCode !== null
  const pid = service.process().pid
  onTestFinished(async ({ task }) => {
    const isSame = service.process().pid === pid && !isStopped() && !page.isClosed()
    if (!isSame || task.result?.state === 'fail') return endShared()
    await clear(service, page).catch(async (error) => {
      await endShared()
      throw error
    })
  })
  await page.setViewportSize(look.viewport ?? WIDE)
  await page.emulateMedia({ colorScheme: look.colorScheme ?? 'light' })
  await page.context().clearPermissions()
  await page.context().grantPermissions(look.permissions ?? [])
  return pagesOf(service, page, look)
}

type Shared = {
  readonly kind: string
  readonly service: ServedService
  readonly page: Page
  readonly ends: readonly (() => Promise<void>)[]
}
let shared: Shared | undefined

async function share(kind: string, serve: ServeOptions): Promise<Shared> {
  const ends: (() => Promise<void>)[] = []
  const whenOver = (end: () => Promise<void>) => void ends.push(end)
  const service = await startedService(serve, whenOver)
  return { kind, service, page: await openPage(service, {}, whenOver), ends }
}

async function endShared(): Promise<void> {
  const { ends = [] } = shared ?? {}
  shared = undefined
  await endAll(ends)
}

// Removes the traces of a test from the service, its folder and the browser.
async function clear(service: ServedService, page: Page): Promise<void> {
  for (const event of ['console', 'pageerror', 'request', 'requestfinished', 'requestfailed'])
    page.removeAllListeners(event)
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  // An address of the same origin: another one would cost the next test a new browser process.
  await goTo(page, service.url() + NOT_THE_APP)
  for (const other of page.context().pages()) if (other !== page) await other.close()
  const browser = await page.context().newCDPSession(page)
  const storageTypes = 'local_storage,indexeddb'
  await browser.send('Storage.clearDataForOrigin', { origin: new URL(service.url()).origin, storageTypes })
  await browser.detach()
  for (const list of ['apps', 'projects', 'endpoints', 'workflows', 'comparisons', 'machines'])
    for (const { name, id = name } of (await service.get(`/api/${list}`))[list])
      expect(await service.ask('DELETE', `/api/${list}/${id}`)).toMatchObject({ status: 200 })
  await until(async () => expect((await service.get('/api/workers')).workers).toEqual([]))
  for (const name of readdirSync(service.folder))
    if (name !== 'data') rmSync(join(service.folder, name), { recursive: true, force: true, maxRetries: 5 })
}

async function pagesOf(service: ServedService, page: Page, look: BrowserContextOptions): Promise<Pages> {
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error' && !OF_THE_MACHINE.test(message.text())) faults.push(message.text())
  })
  const loading = followLoading(page)
  // The desktop has signed in its window.
  if (!inElectron) await signIn(page, service, (await service.post('/api/session-links')).url)
  async function showsWhatIs(): Promise<void> {
    await page.getByRole('contentinfo').getByText('service').waitFor()
    await page.getByRole('heading', { level: 1 }).waitFor()
    // The page handles keys only after its effects have run, one of which sets the title.
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
    visit: (path) => goTo(page, service.url() + path),
    async open(path) {
      const isHere = page.url().startsWith(`${service.url()}/`)
      if (isHere && (await page.evaluate(followLink, service.url() + path))) await showsWhatIs()
      else await goTo(page, service.url() + path, showsWhatIs)
    },
    told: (text) =>
      until(async () => {
        const told = await page.evaluate(readNotices)
        const isThis = (notice: string) => (typeof text === 'string' ? notice.includes(text) : text.test(notice))
        expect(told, `notices, of which one has ${text}`).toSatisfy((all: readonly string[]) => all.some(isThis))
      }),
    async expectAccessible() {
      await until(async () => {
        expect(loading()).toEqual([])
        expect(await page.locator('[aria-busy=true], [role=status][aria-label=Loading]').count()).toBe(0)
      })
      expect(await accessFaults(page, SERIOUS)).toEqual([])
      // The other colours can only change the contrast.
      await inOtherColours(async () => expect(await accessFaults(page, CONTRAST)).toEqual([]))
    },
    async shoot(name) {
      if (!process.env.DRYDOCK_PICTURES) return // A normal run needs no pictures, and they take time.
      mkdirSync(SCREENSHOTS, { recursive: true })
      const picture = (colours: string) => page.screenshot({ path: join(SCREENSHOTS, `${name}${colours}.png`) })
      await picture('')
      await inOtherColours(() => picture('-other'))
    },
  }
}

/** Signs a page in by a link without loading the app, which is faster; window.test.ts opens the link itself. */
export async function signIn(page: Page, service: ServedService, link: string): Promise<void> {
  const response = await page.context().request.get(link)
  const { pageKey } = await readSignIn(new Response(await response.text()))
  await goTo(page, service.url() + NOT_THE_APP)
  await page.evaluate(([name, key]) => localStorage.setItem(name, key), [STORED_PAGE_KEY, pageKey] as const)
}

/** The px of a table that its frame hides, or those that a cell hides of a button or a mark. */
export function cutOf(table: Locator): Promise<number> {
  return table.evaluate((grid) => {
    const marks = [...grid.querySelectorAll('td')].filter((cell) => cell.querySelector('button, .border') !== null)
    return Math.max(...[grid.parentElement ?? grid, ...marks].map((one) => one.scrollWidth - one.clientWidth))
  })
}

/** The bytes of an asset. */
export async function readAsset(service: ServedService, assetId: string): Promise<Buffer> {
  const headers = { authorization: `Bearer ${service.read('data', 'account.key').trim()}` }
  return Buffer.from(await (await fetch(`${service.url()}/api/assets/${assetId}`, { headers })).arrayBuffer())
}

// The addresses of the page's pending GET requests. Streams are left out, because they never end.
function followLoading(page: Page): () => readonly string[] {
  const loading = new Set<Request>()
  const end = (request: Request) => loading.delete(request)
  page.on('request', (request) => {
    if (request.method() === 'GET' && request.resourceType() !== 'eventsource') loading.add(request)
  })
  page.on('requestfinished', end)
  page.on('requestfailed', end)
  return () => [...loading].map((request) => request.url())
}

/**
 * Presses a button that saves a file, and presses it again if a network change cancelled the download.
 * @returns the name of the saved file, and its bytes
 */
export async function download(
  page: Page,
  press: () => Promise<void>,
  tries = 2,
): Promise<{ name: string; bytes: Buffer }> {
  const coming = page.waitForEvent('download')
  await press()
  const saved = await coming
  const failure = await saved.failure()
  if (failure === null) return { name: saved.suggestedFilename(), bytes: readFileSync(await saved.path()) }
  if (tries === 1 || !DOWNLOAD_BROKEN_OFF.test(failure)) throw new Error(`the download failed: ${failure}`)
  return download(page, press, tries - 1)
}

/** Chooses in a list that opens below a field. @param choice the words of the choice */
export async function choose(field: Locator, choice: string | RegExp): Promise<void> {
  await field.click()
  await field.page().getByRole('option', { name: choice, exact: true }).first().click()
}

/** Chooses from a list by the first letters of a choice. The focus follows the keys with a delay, at the next timer. */
export async function chooseByKeys(field: Locator, letters: string): Promise<void> {
  const focused = field.page().locator('[role=option]:focus')
  await field.press('Enter')
  await focused.waitFor()
  await field.page().keyboard.type(letters)
  await focused.filter({ hasText: new RegExp(`^${letters}`) }).press('Enter')
}

// Opens an address and waits for `seen`; tries again if a network change cancelled the page. It asks for its files again.
async function goTo(page: Page, address: string, seen: () => Promise<void> = async () => {}): Promise<void> {
  const isBrokenOff = await page.goto(address).then(
    () => false,
    (error) => {
      if (!OF_THE_MACHINE.test(String(error))) throw error
      return true
    },
  )
  await (isBrokenOff ? goTo(page, address, seen) : seen())
}

// A page of Chromium, or the desktop's own window if a variable names Electron's program.
async function openPage(
  service: ServedService,
  look: BrowserContextOptions,
  whenOver: (end: () => Promise<void>) => void,
  launch: (address: string) => Promise<Browser> = launchShared,
): Promise<Page> {
  const asked = { viewport: WIDE, reducedMotion: 'reduce', ...look } as const
  const page = await newPage()
  // A wait that times out then fails with its own name, and not with that of the test.
  page.context().setDefaultTimeout(PATIENCE_MS)
  await page.context().addInitScript(neverIdle)
  await page.context().addInitScript(recordNotices)
  if (inElectron) {
    // The window loads its first page by itself, and its sign-in link works once.
    await page.waitForURL(({ pathname }) => pathname !== '/sign-in')
    await page.reload()
  }
  return page

  async function newPage(): Promise<Page> {
    if (inElectron) return openElectronWindow(service.data, asked)
    const context = await (await launch(service.url())).newContext(asked)
    whenOver(() => context.close())
    return context.newPage()
  }
}

// One for the tests of a file: each has a context of its own, with cookies and pages of its own, and a start takes
// longer.
let sharedBrowser: Promise<Browser> | undefined
function launchShared(): Promise<Browser> {
  sharedBrowser ??= launchChromium()
  return sharedBrowser
}
afterAll(async () => {
  await endShared()
  await (await sharedBrowser)?.close()
})

/** Starts a browser that nobody is signed in to; it ends with the test. */
export async function launch(): Promise<Browser> {
  const browser = await launchChromium()
  onTestFinished(() => browser.close())
  return browser
}

// Faults that axe calls serious or critical, each with its places.
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
