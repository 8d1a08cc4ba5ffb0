/**
 * The public editor's own page in a browser: documents are opened in it, and it makes the payloads that it would send.
 */
import type { Browser, Page } from 'playwright-core'
import { launchChromium } from '../support/chromium.ts'
import { type PageFiles, servePage } from './page-server.ts'

/** `errors`: lines of the page's console. */
export type PageAnswer = { readonly payload: string; readonly document: string; readonly errors: readonly string[] }

/** The page, open in a browser. */
export type RealPage = {
  /** Opens a document, and makes the payload that would be sent. @param document JSON */
  readonly open: (document: string) => Promise<PageAnswer>
  readonly close: () => Promise<void>
}

/** The part of the page's own program that is called. */
type PageWindow = {
  readonly app: {
    readonly vueAppReady?: boolean
    readonly loadGraphData: (document: unknown, clean: boolean, restoreView: boolean) => Promise<void>
    readonly graphToPrompt: () => Promise<{ readonly output: unknown; readonly workflow: unknown }>
  }
}

// The page registers a thousand classes before it is ready; ms.
const READY_MS = 120_000
// It keeps what it has opened: after a thousand documents it is ten times as slow, and has seven GB.
const DOCUMENTS_OF_A_PAGE = 100

/** Opens the page. */
export async function openRealPage(files: PageFiles): Promise<RealPage> {
  const server = await servePage(files)
  const browser = await launchChromium()
  const errors: string[] = []
  let page: Page | undefined
  let opened = 0

  async function freshPage(): Promise<Page> {
    await page?.close()
    const fresh = await newPage(browser, server.url)
    fresh.on('console', (message) => void (message.type() === 'error' && errors.push(message.text())))
    fresh.on('pageerror', (error) => void errors.push(String(error)))
    return fresh
  }

  return {
    async open(document) {
      if (page === undefined || opened % DOCUMENTS_OF_A_PAGE === 0) page = await freshPage()
      opened += 1
      errors.length = 0
      const made = await page.evaluate(async (text) => {
        const { app } = globalThis as unknown as PageWindow
        await app.loadGraphData(JSON.parse(text), true, false)
        // The first of several choices of a prompt is taken; the page needs chance for its ids.
        const { random } = Math
        Math.random = () => 0
        const { output, workflow } = await app.graphToPrompt().finally(() => Object.assign(Math, { random }))
        return { payload: JSON.stringify(output), document: JSON.stringify(workflow) }
      }, document)
      return { ...made, errors: [...errors] }
    },
    async close() {
      await browser.close()
      await server.stop()
    },
  }
}

/** Opens a tab with the page, and waits until it is ready. */
export async function newPage(browser: Browser, url: string): Promise<Page> {
  const page = await browser.newPage()
  await page.goto(url)
  await page.waitForFunction(
    () => (globalThis as unknown as Partial<PageWindow>).app?.vueAppReady === true,
    undefined,
    {
      timeout: READY_MS,
      polling: 250,
    },
  )
  return page
}
