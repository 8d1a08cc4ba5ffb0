/**
 * The table of jobs in Chromium: how long the longest frame is while 100,000 jobs scroll by, and how soon the page
 * answers while 200 jobs' events come each second. Both are measured within the page, by its own clock.
 */
import type { Page } from 'playwright-core'
import { launchChromium, noBrowser } from '../../support/chromium.ts'
import { bounded, notMeasured, type Row, short } from '../report.ts'
import { percentile } from '../statistics.ts'
import { withFolder } from '../support/folders.ts'
import { seedFolder } from '../support/seed.ts'
import { type Service, startService } from '../support/service.ts'

const JOBS = 100_000
const MOST_FRAME_MS = 50
const MOST_ANSWER_MS = 100
// Three notches of a wheel at once, as fast as the page takes them: quicker than a hand.
const SCROLLS = 400
const SCROLL_PX = 360
const EVENTS_PER_SECOND = 200
const LOAD_SECONDS = 10
const CLICKS = 12
const SCROLLED = `table of ${JOBS.toLocaleString('en-US')} jobs scrolls, longest frame`
const LIVE = `jobs page answers a click at ${EVENTS_PER_SECOND} events/s`

// Told apart from a frame that nothing was drawn in: two frames that follow each other.
const RECORD_FRAMES = `
  globalThis.frames = []
  globalThis.recording = true
  const next = (before) => requestAnimationFrame((now) => {
    globalThis.frames.push(now - before)
    if (globalThis.recording) next(now)
  })
  requestAnimationFrame(next)`
const FRAMES = `globalThis.recording = false, globalThis.frames`

// From the press of a state of the filter to the frame that shows it pressed, as the address and the list follow it.
const CLICK_AND_SEE = `new Promise((resolve) => {
  const button = document.querySelector('[aria-label="States"] button:nth-child(3)')
  const want = button.getAttribute('aria-pressed') === 'true' ? 'false' : 'true'
  const from = performance.now()
  button.click()
  const look = () => requestAnimationFrame(() => {
    if (button.getAttribute('aria-pressed') === want) resolve(performance.now() - from)
    else look()
  })
  look()
})`

const PLAIN_PAGE = `<div style="height: ${JOBS * 32}px">nothing</div>`

/** Measures both. */
export async function jobsTable(): Promise<readonly Row[]> {
  if (noBrowser !== undefined) return [notMeasured(SCROLLED, noBrowser), notMeasured(LIVE, noBrowser)]
  return await withFolder(async (folder) => {
    await seedFolder(folder, { endpointId: 'ended', command: 'true', jobs: JOBS, ended: true })
    const service = await startService(folder)
    const browser = await launchChromium()
    try {
      const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
      const { url } = (await service.call('POST', '/api/session-links')) as { readonly url: string }
      await page.goto(url)
      return [await scrolled(page, service), await live(page, service)]
    } finally {
      await browser.close()
      await service.stop()
    }
  })
}

async function openJobs(page: Page, service: Service): Promise<void> {
  await page.goto(`http://127.0.0.1:${service.port}/jobs`)
  await page.locator('tbody tr a').first().waitFor()
  await page.getByText(`${JOBS.toLocaleString('en-US')} jobs`).waitFor()
}

async function scrolled(page: Page, service: Service): Promise<Row> {
  // Frames of a page that does nothing: where that is slow, the table cannot be quick.
  await page.setContent(PLAIN_PAGE)
  const floor = await framesOfScrolling(page)
  await openJobs(page, service)
  const frames = await framesOfScrolling(page)
  const row = bounded(SCROLLED, Math.max(...frames), MOST_FRAME_MS, 'ms')
  const p99 = (all: readonly number[]) => `p99 ${short(percentile(all, 0.99))} ms of ${all.length}`
  return {
    ...row,
    figure: `${row.figure}, ${p99(frames)}`,
    against: `${short(Math.max(...floor))} ms, ${p99(floor)}, plain page`,
  }
}

async function framesOfScrolling(page: Page): Promise<readonly number[]> {
  await page.mouse.move(700, 500)
  await page.evaluate(RECORD_FRAMES)
  for (let at = 0; at < SCROLLS; at++) await page.mouse.wheel(0, SCROLL_PX)
  return (await page.evaluate(FRAMES)) as readonly number[]
}

async function live(page: Page, service: Service): Promise<Row> {
  await service.call('POST', '/api/endpoints', { id: 'live', name: 'live', command: 'true' })
  await service.call('POST', '/api/endpoints/live/pause')
  await openJobs(page, service)
  const end = performance.now() + LOAD_SECONDS * 1000
  const answers: number[] = []
  const load = submitUntil(service, end)
  for (let click = 0; click < CLICKS; click++) {
    answers.push(Number(await page.evaluate(CLICK_AND_SEE)))
    await page.waitForTimeout((end - performance.now()) / (CLICKS - click + 1))
  }
  const sent = await load
  const row = bounded(LIVE, Math.max(...answers), MOST_ANSWER_MS, 'ms')
  return { ...row, figure: `${row.figure}, p50 ${short(percentile(answers, 0.5))} ms, ${sent} events` }
}

// A job that is submitted and cancelled is two events.
async function submitUntil(service: Service, end: number): Promise<number> {
  const everyMs = 2000 / EVENTS_PER_SECOND
  let sent = 0
  let at = performance.now()
  const open: Promise<unknown>[] = []
  while (performance.now() < end) {
    open.push(submitAndCancel(service))
    sent += 2
    at += everyMs
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, at - performance.now())))
  }
  await Promise.all(open)
  return sent
}

async function submitAndCancel(service: Service): Promise<void> {
  const { id } = (await service.call('POST', '/v2/live/run', { input: {} })) as { readonly id: string }
  await service.call('POST', `/v2/live/cancel/${id}`)
}
