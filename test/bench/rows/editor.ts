/**
 * The canvas of the workflow editor in Chromium, which draws by software here: how soon a large graph is there, against
 * a bare React Flow with the same nodes and their sizes in the same page, how it moves, and how it takes
 * keys.
 */
import type { Page } from 'playwright-core'
import { launchChromium, noBrowser } from '../../support/chromium.ts'
import { inTurn } from '../in-turn.ts'
import { bounded, compared, notMeasured, type Row, short } from '../report.ts'
import { median, percentile } from '../statistics.ts'
import { startEditorPage } from '../support/editor-page.ts'
import { withFolder } from '../support/folders.ts'

const NODES = 5000
const MOST_OF_BARE = 0.5
const MOST_PAN_MS = 33
const MOST_KEY_MS = 16
const MOVES = 120
// From 30 % on, the fields of all nodes in sight are drawn: no view has more elements than one a little above it.
const WAYS = ['all in sight', 'at 35 %', 'from near'] as const
const KEYS = 60

// From the call to the frame after the last node is there: as an element, or drawn on the canvas of a graph from far
// away.
const ready = (bare: boolean) => `new Promise((resolve) => {
  close()
  requestAnimationFrame(() => requestAnimationFrame(() => {
    const { start } = open(${NODES}, ${bare})
    const isThere = () => Number(document.querySelector('canvas[data-nodes]')?.dataset.nodes ?? 0) >= ${NODES} ||
      document.querySelectorAll('.react-flow__node').length >= ${NODES}
    const look = () => requestAnimationFrame(() => isThere() ? resolve(performance.now() - start) : look())
    look()
  }))
})`

const RECORD = `globalThis.frames = []; globalThis.recording = true
{ const next = (before) => requestAnimationFrame((now) => {
  frames.push(now - before)
  if (recording) next(now)
}); requestAnimationFrame(next) }`
const FRAMES = 'globalThis.recording = false, globalThis.frames.slice(2)'

const ZOOM = `new DOMMatrixReadOnly(getComputedStyle(document.querySelector('.react-flow__viewport')).transform).a`
const NEXT_FRAME = 'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))'

// From a key to the end of what the page does about it, before the browser draws.
const TYPE = `(async () => {
  const field = document.querySelector('.react-flow__node textarea')
  field.focus()
  const spans = []
  const set = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value').set
  for (let at = 0; at < ${KEYS}; at++) {
    const start = performance.now()
    set.call(field, field.value + 'a')
    field.dispatchEvent(new Event('input', { bubbles: true }))
    await new Promise((resolve) => { const { port1, port2 } = new MessageChannel(); port1.onmessage = resolve; port2.postMessage(0) })
    spans.push(performance.now() - start)
    await new Promise(requestAnimationFrame)
  }
  return spans
})()`

/** Measures all. */
export async function editorCanvas(rounds: number): Promise<readonly Row[]> {
  if (noBrowser !== undefined) return [notMeasured('editor canvas', noBrowser)]
  return await withFolder(async (folder) => {
    const served = await startEditorPage(folder)
    const browser = await launchChromium()
    try {
      const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
      const fresh = async () => void (await page.goto(served.url))
      await fresh()
      const rows = [await readiness(page, rounds)]
      for (const where of WAYS) {
        await fresh()
        rows.push(await panning(page, where))
      }
      return [...rows, await typing(page)]
    } finally {
      await browser.close()
      await served.stop()
    }
  })
}

async function readiness(page: Page, rounds: number): Promise<Row> {
  const measure = (bare: boolean) => async () => Number(await page.evaluate(ready(bare)))
  const { ours, other } = await inTurn(rounds, measure(false), measure(true))
  const what = `editor, ${NODES.toLocaleString('en-US')} nodes ready`
  return compared(what, median(ours), median(other), { unit: 'ms', against: 'bare React Flow', most: MOST_OF_BARE })
}

async function panning(page: Page, where: (typeof WAYS)[number]): Promise<Row> {
  await page.evaluate(ready(false))
  if (where === 'at 35 %') await zoomTo(page, 0.35)
  if (where === 'from near') await comeNear(page)
  const at = (step: number) => [720 + Math.sin(step / 12) * 300, 450 + Math.cos(step / 9) * 200] as const
  await page.mouse.move(...at(0))
  await page.mouse.down({ button: 'middle' })
  await page.evaluate(RECORD)
  for (let step = 0; step < MOVES; step++) await page.mouse.move(...at(step))
  const frames = (await page.evaluate(FRAMES)) as readonly number[]
  await page.mouse.up({ button: 'middle' })
  const row = bounded(`editor, ${NODES} nodes moved ${where}, p95 frame`, percentile(frames, 0.95), MOST_PAN_MS, 'ms')
  return { ...row, figure: `${row.figure}, p50 ${short(percentile(frames, 0.5))} ms of ${frames.length}` }
}

// With the wheel, as a person does, until the zoom is within a fiftieth of this one.
async function zoomTo(page: Page, zoom: number): Promise<void> {
  await page.mouse.move(720, 450)
  for (;;) {
    const now = Number(await page.evaluate(ZOOM))
    if (Math.abs(now / zoom - 1) < 0.02) return
    // The zoom doubles with 500 px of the wheel. Source: d3-zoom, 3.
    await page.mouse.wheel(0, Math.max(-200, Math.min(200, -500 * Math.log2(zoom / now))))
    await page.evaluate(NEXT_FRAME)
  }
}

// By the node that stands first, so that there is something to see and to type into.
async function comeNear(page: Page): Promise<void> {
  await page.evaluate(`bench.reveal(['3'])`)
  await page.locator('.react-flow__node textarea').first().waitFor()
}

async function typing(page: Page): Promise<Row> {
  const spans = (await page.evaluate(TYPE)) as readonly number[]
  const row = bounded(`editor, typing with ${NODES} nodes, p95`, percentile(spans, 0.95), MOST_KEY_MS, 'ms')
  return { ...row, figure: `${row.figure}, p50 ${short(percentile(spans, 0.5))} ms` }
}
