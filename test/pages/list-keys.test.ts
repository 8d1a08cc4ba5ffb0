import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { noBrowser } from '../support/chromium.ts'
import { createPainter, payloadText } from '../support/painter.ts'
import { type ServedService, until } from '../support/served-service.ts'
import { setupShared } from './support.ts'

beforeEach(({ skip }) => skip(noBrowser !== undefined, noBrowser))

const HANDLER = `
def handler(job):
    if job["input"].get("bad"):
        raise ValueError("executionTimeout exceeded")
    return {"echo": job["input"]}
`
const GRAPH = JSON.stringify({ 1: { class_type: 'Note', inputs: {} } })
const KEYS: Readonly<Record<string, string>> = {
  '↓': 'ArrowDown',
  '↑': 'ArrowUp',
  '→': 'ArrowRight',
  '←': 'ArrowLeft',
  Esc: 'Escape',
}

type Fill = (service: ServedService) => Promise<unknown>

const TWO = ['one', 'two'] as const
const INPUT = '{"input":{}}'

type Make = (service: ServedService, name: (typeof TWO)[number]) => unknown

/** Creates two entries of a list in order. */
const twice =
  (make: Make): Fill =>
  async (service) => {
    for (const name of TWO) await make(service, name)
  }

/** Creates an endpoint and two entries of its list. */
const twiceOfEndpoint =
  (make: Make): Fill =>
  async (service) => {
    await service.createEndpoint('held')
    await twice(make)(service)
  }

const loadTest: Make = async ({ get, post }) => {
  const plan = { operation: 'run', requests: 1, concurrency: 1, body: INPUT }
  const { id } = await post('/api/endpoints/held/load-tests', plan)
  await until(async () => expect((await get(`/api/endpoints/held/load-tests/${id}`)).state).not.toBe('running'))
}

const withAll: Fill = async (service) => {
  await service.createHandler('echo', HANDLER, { workersMin: 2, workersMax: 2 })
  for (const n of [1, 2, 3]) await service.post('/v2/echo/runsync', { input: { n, bad: n === 2 } })
  await service.createEndpoint('held')
  await service.post('/api/endpoints/held/pause')
  for (const n of [1, 2, 3]) await service.run('held', { n })
  for (const name of ['One', 'Two', 'Three']) await service.post('/api/workflows', { name, text: GRAPH, draft: true })
}

const withModels: Fill = async (service) => {
  const path = join(service.folder, 'models')
  mkdirSync(join(path, 'loras'), { recursive: true })
  for (const name of TWO) writeFileSync(join(path, 'loras', `${name}.safetensors`), name)
  await service.post('/api/models/folders', { folders: [{ path }] })
}

const withRuns: Fill = async (service) => {
  await createPainter(service)
  for (const title of TWO)
    await service.post('/api/workflow-runs', { endpointId: 'painter', payload: payloadText(), title })
}

/** Pages with a list, the name of the list, and a function that fills it. */
const LISTS: readonly (readonly [path: string, list: string, fill: Fill])[] = [
  ['/jobs', 'Jobs', withAll],
  ['/endpoints', 'Endpoints', withAll],
  ['/endpoints/echo', 'Latest jobs', withAll],
  ['/endpoints/echo/jobs', 'Jobs', withAll],
  ['/endpoints/echo/requests', 'History of requests', withAll],
  [
    '/endpoints/held/requests?view=schedules',
    'Schedules',
    twiceOfEndpoint(({ post }, name) =>
      post('/api/endpoints/held/schedules', { name, cron: '0 3 1 1 *', request: { input: {} } }),
    ),
  ],
  [
    '/endpoints/held/requests?view=batches',
    'Batches',
    twiceOfEndpoint(({ post }, name) => post('/api/endpoints/held/batches', { name, total: 1 })),
  ],
  ['/endpoints/held/requests?view=load', 'Load tests', twiceOfEndpoint(loadTest)],
  ['/endpoints/held/queue', 'Waiting jobs', withAll],
  [
    '/jobs/comparisons',
    'Comparisons',
    twiceOfEndpoint(({ post }, name) =>
      post('/api/comparisons', { name, versions: [{ endpoint: 'held' }, { endpoint: 'held' }], file: INPUT }),
    ),
  ],
  ['/workers', 'Workers', withAll],
  [
    '/machines',
    'Machines',
    // Nothing listens on that port.
    twice(({ post }, name) => post('/api/machines', { name, way: { kind: 'ssh', to: '127.0.0.1', port: 1 } })),
  ],
  [
    '/apps',
    'Projects',
    twice((service, name) => {
      mkdirSync(join(service.folder, name))
      return service.post('/api/projects', { folder: join(service.folder, name) })
    }),
  ],
  ['/models', 'Models', withModels],
  ['/workflows', 'Workflows', withAll],
  ['/workflows/gallery', 'Runs', withRuns],
  ['/catalog', 'Catalog', withAll],
  ['/system/events', 'Events', withAll],
]

/** The keys that the sheet shows for a list, by what it says of them. */
async function keysInSheet(page: Page, list: string): Promise<readonly (readonly [string, readonly string[]])[]> {
  await page.keyboard.press('?')
  const section = page
    .getByRole('dialog', { name: 'Keys' })
    .locator('section')
    .filter({ has: page.getByRole('heading', { name: `List: ${list}`, exact: true }) })
  await section.waitFor()
  const rows = await section.locator('dl > div').evaluateAll((found) =>
    found.map((row) => ({
      label: row.querySelector('dt')?.textContent ?? '',
      caps: [...row.querySelectorAll('kbd')].map(({ textContent }) => textContent ?? ''),
    })),
  )
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  return rows.map(({ label, caps }) => [
    label,
    caps[0] === 'Ctrl' ? [`Control+${caps[1]?.toLowerCase()}`] : caps.map((cap) => KEYS[cap] ?? cap),
  ])
}

/** Where the cursor of the list is. */
const cursor = (page: Page) =>
  page.evaluate(() => {
    const { activeElement } = document
    const row = activeElement?.getAttribute('aria-activedescendant')
    if (row !== null && row !== undefined) return row
    const cards = [...document.querySelectorAll('[data-card]')]
    const at = activeElement === null ? -1 : cards.indexOf(activeElement)
    return at < 0 ? undefined : `card ${at}`
  })

test.each(LISTS)('on %s, the keys that the sheet shows for %s do what it says', async (path, list, fill) => {
  const { service, page, open, faults } = await setupShared()
  await fill(service)
  await open(path)
  await until(async () => expect(await page.locator('tbody tr, [data-card]').count()).toBeGreaterThan(1))
  const rows = await keysInSheet(page, list)
  expect(rows.map(([label]) => label)).toContain('Next, previous')
  // From the first press, whatever has the focus.
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
  await page.keyboard.press('j')
  await until(async () => expect(await cursor(page)).not.toBe(undefined))
  const first = await cursor(page)
  for (const [label, keys] of rows) {
    if (['Open', 'Run again as a new job', 'Cancel', 'Select all', 'Clear the selection'].includes(label)) continue
    if (label.startsWith('Select')) {
      for (const key of keys) {
        await page.keyboard.press(key)
        await page.getByText('1 job selected').waitFor()
        await page.keyboard.press(key)
        await page.getByText('1 job selected').waitFor({ state: 'detached' })
      }
      continue
    }
    // From the first row, the first key moves on and the second back.
    const [on = '', back = ''] = label === 'First, last' ? keys.toReversed() : keys
    await page.keyboard.press('Home')
    await until(async () => expect(await cursor(page)).toBe(first))
    const isRow = ['Down, up', 'Right, left'].includes(label) && (await page.locator('[data-card]').count()) > 0
    await page.keyboard.press(on)
    // Cards of one row have none below.
    if (!isRow) await until(async () => expect([label, await cursor(page)]).not.toEqual([label, first]))
    await page.keyboard.press(back)
    if (!isRow) await until(async () => expect([label, await cursor(page)]).toEqual([label, first]))
  }
  const says = (label: string) => rows.some(([one]) => one === label)
  if (says('Select all')) {
    await page.keyboard.press('Control+a')
    await page.getByText(/^All \d+ jobs|^All \d+ match/).waitFor()
    await page.keyboard.press('Escape')
    await page.getByText(/^All \d+ jobs|^All \d+ match/).waitFor({ state: 'detached' })
    await page.keyboard.press('j')
  }
  if (says('Run again as a new job')) {
    // The newest job is one that waits or has ended.
    await page.keyboard.press('r')
    await page
      .getByText(/runs again as|has not ended yet/)
      .first()
      .waitFor()
  }
  if (says('Cancel')) {
    await page.keyboard.press('c')
    await page.getByRole('alertdialog').or(page.getByText('has already ended')).first().waitFor()
    if ((await page.getByRole('alertdialog').count()) > 0) {
      await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel', exact: true }).click()
      await page.getByRole('alertdialog').waitFor({ state: 'detached' })
    }
  }
  if (says('Open') || (await page.locator('[data-card]').count()) > 0) {
    const before = page.url()
    await page.keyboard.press('Enter')
    await until(async () => {
      const isOpened = page.url() !== before || (await page.getByRole('dialog').count()) > 0
      // A press in the history puts the input into the editor.
      expect(isOpened || list === 'History of requests').toBe(true)
    })
  }
  expect(faults).toEqual([])
})

test('the preview shows the active job, a search its words, and a list its faces, at both widths', async () => {
  const { service, page, open, shoot, expectAccessible, faults } = await setupShared()
  await withAll(service)
  await open('/jobs')
  await page.getByRole('row', { name: /Failed/ }).waitFor()
  await page.keyboard.press('j')
  await page.getByRole('complementary', { name: 'Preview' }).waitFor()
  await expectAccessible()
  await shoot('jobs-preview')
  await open('/jobs?q=timeout')
  await page.locator('mark').first().waitFor()
  expect(await page.locator('mark').allTextContents()).toEqual(['Timeout'])
  await shoot('jobs-found')
  await open('/endpoints/held/queue')
  await page.getByText('{"n":1}').waitFor()
  await shoot('queue-faces')
  await open('/endpoints/echo')
  await page.getByRole('grid', { name: 'Latest jobs' }).scrollIntoViewIfNeeded()
  // A selection copies the whole id.
  const link = page.locator('tbody tr a').first()
  const copied = await link.evaluate((element) => {
    getSelection()?.selectAllChildren(element)
    return getSelection()?.toString()
  })
  expect(await link.getAttribute('href')).toBe(`/jobs/${copied}`)
  await shoot('overview-faces')
  await page.setViewportSize({ width: 1024, height: 768 })
  for (const [path, name] of [
    ['/jobs', 'jobs-faces-small'],
    ['/endpoints/echo/requests', 'history-faces-small'],
    ['/workers', 'workers-faces-small'],
  ] as const) {
    await open(path)
    await shoot(name)
  }
  expect(faults).toEqual([])
})
