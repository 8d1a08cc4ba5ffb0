/**
 * From the address of the pages to a list that answers, in Chromium, with nothing kept from an earlier visit; and the size
 * of what the browser loads for it.
 */
import type { Browser } from 'playwright-core'
import { launchChromium, noBrowser } from '../../support/chromium.ts'
import { readBundles } from '../../support/first-bundle.ts'
import { bounded, notMeasured, type Row, short } from '../report.ts'
import { median } from '../statistics.ts'
import { withFolder } from '../support/folders.ts'
import { type Service, startService } from '../support/service.ts'

const ENDPOINTS = 50
const VISITS = 10
const MOST_MS = 1000
const MOST_BUNDLE_KIB = 350
const WHAT = `web pages, first interactive, ${ENDPOINTS} endpoints`

// Looked at within the page, in each frame: looks from outside come too seldom.
const HEARS_KEYS = `new Promise((resolve) => {
  const look = () => {
    const list = document.querySelector('[role="grid"]:has(tbody tr)')
    list?.dispatchEvent(new KeyboardEvent('keydown', { key: 'j', bubbles: true }))
    if (document.querySelector('tr[aria-selected="true"]') === null) requestAnimationFrame(look)
    else resolve(performance.now())
  }
  look()
})`

/** Visits the list of endpoints, each time in a fresh profile. */
export async function pageStart(): Promise<readonly Row[]> {
  if (noBrowser !== undefined) return [notMeasured(WHAT, noBrowser), firstBundle()]
  const spans = await withFolder(async (folder) => {
    const service = await startService(folder)
    const browser = await launchChromium()
    try {
      for (let at = 0; at < ENDPOINTS; at++) {
        const id = `endpoint-${at}`
        await service.call('POST', '/api/endpoints', { id, name: id, command: 'true', workersMax: 0 })
      }
      const all: number[] = []
      for (let visit = 0; visit < VISITS; visit++) all.push(await visitOnce(browser, service))
      return all
    } finally {
      await browser.close()
      await service.stop()
    }
  })
  const row = bounded(WHAT, median(spans), MOST_MS, 'ms')
  return [{ ...row, figure: `${row.figure}, slowest ${short(Math.max(...spans))} ms` }, firstBundle()]
}

/** Of the section with the largest one. */
function firstBundle(): Row {
  const { sections, filesOf } = readBundles()
  const sizes = sections.map((section) => filesOf(section).compressedBytes / 1024)
  return bounded('web pages, first bundle of the largest section, gzip', Math.max(...sizes), MOST_BUNDLE_KIB, 'KiB')
}

/** @returns ms from the beginning of the visit until the list has heard a key, by the clock of the page */
async function visitOnce(browser: Browser, service: Service): Promise<number> {
  const context = await browser.newContext()
  const page = await context.newPage()
  const { url } = (await service.call('POST', '/api/session-links')) as { readonly url: string }
  await page.goto(url, { waitUntil: 'commit' })
  const ms = await page.evaluate(HEARS_KEYS)
  await context.close()
  return Number(ms)
}
