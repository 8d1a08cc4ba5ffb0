import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { noBrowser } from '../support/chromium.ts'
import { type ServedService, until } from '../support/served-service.ts'
import { choose, NARROW, setupShared } from './support.ts'

beforeEach(({ skip }) => skip(noBrowser !== undefined, noBrowser))

const HANDLER = `
def handler(job):
    if job["input"].get("bad"):
        raise ValueError("the picture has no face in it")
    return job["input"]
`

/** An endpoint with a job that waits. */
async function createPaused(service: ServedService, id: string): Promise<void> {
  await service.createEndpoint(id)
  await service.post(`/api/endpoints/${id}/pause`)
  await service.run(id, {})
}

describe('the list of endpoints', () => {
  test('says the first step where there is none, and the first endpoint takes its place', async () => {
    const { service, page, open, expectAccessible, faults } = await setupShared()
    await open('/')
    await page.getByText('There are no endpoints yet').waitFor()
    expect(new URL(page.url()).pathname).toBe('/endpoints')
    await expectAccessible()
    await service.createEndpoint('hello')
    await page.getByRole('row', { name: /hello/ }).waitFor()
    expect(faults).toEqual([])
  })

  test('shows state, queue, workers, times and the last error of each', async () => {
    const { service, page, open } = await setupShared()
    await service.createHandler('faces', HANDLER, { workersMax: 3, name: 'Faces' })
    await service.jobEnd('faces', await service.run('faces', { bad: true }))
    await createPaused(service, 'held')
    await open('/endpoints')
    const row = (name: RegExp) => page.getByRole('row', { name }).textContent()
    await until(async () => {
      expect(await row(/Faces/)).toMatch(/Faces *faces.*Ready.*1 of 3.*\d m?s.*no face/)
    })
    await page.getByRole('row', { name: /Faces/ }).getByRole('img', { name: 'queue, handler' }).waitFor()
    expect(await row(/held/)).toMatch(/Paused.*1.*0 of 3/)
  })

  test('follows what happens: jobs, workers, a new name, the end of an endpoint', async () => {
    const { service, page, open } = await setupShared()
    await service.createEndpoint('gated', { workersMax: 1 })
    await open('/endpoints')
    const row = page.getByRole('row', { name: /gated/ })
    const jobId = await service.run('gated', { gates: [service.gate('go')] })
    await row.getByText('Running').waitFor()
    await row.getByText('1 of 1').waitFor()
    await service.run('gated', {})
    await page.getByRole('contentinfo').getByText('1 running, 1 queued').waitFor()
    service.openGate('go')
    await service.jobEnd('gated', jobId)
    await row.getByText('Ready').waitFor()
    await page.getByRole('contentinfo').getByText('0 running, 0 queued').waitFor()
    await service.ask('PATCH', '/api/endpoints/gated', { name: 'renamed' })
    await page.getByRole('row', { name: /renamed/ }).waitFor()
    await service.ask('DELETE', '/api/endpoints/gated')
    await page.getByText('There are no endpoints yet').waitFor()
  })

  test('cuts names before figures and headers', async () => {
    const { service, page, open, shoot } = await setupShared({ viewport: NARROW })
    await service.createEndpoint('long', { name: 'summaries-of-customer-conversations-in-many-languages' })
    await page.route('**/api/figures', async (route) => {
      const figures = await (await route.fetch()).json()
      const [longest, submitted] = [594_000, Array(60).fill(9999)]
      const endpoints = figures.endpoints.map((one: object) => ({
        ...one,
        ...{ executionP50: longest, executionP99: longest, submitted },
      }))
      await route.fulfill({ json: { ...figures, endpoints } })
    })
    await open('/endpoints?sort=p50')
    await page.getByText('9.9 min').first().waitFor()
    const isCut = (cells: Element[]) =>
      cells
        .flatMap((cell) => [cell, ...cell.querySelectorAll('*')])
        .some((one) => one.scrollWidth > one.clientWidth + 1)
    expect(await page.locator('thead th').evaluateAll(isCut)).toBe(false)
    for (const column of [2, 4, 5, 6, 7])
      expect([column, await page.locator(`tbody td:nth-child(${column})`).evaluateAll(isCut)]).toEqual([column, false])
    expect(await page.locator('tbody td:first-child').evaluateAll(isCut)).toBe(true)
    await shoot('endpoints-figures-narrow')
  })

  test('has what asks for attention first, and above it as filters', async () => {
    const { service, page, open, expectAccessible, shoot } = await setupShared()
    await service.createEndpoint('all-well')
    await createPaused(service, 'held')
    await service.createHandler('broken', 'import not_there_at_all', { workersMin: 1 })
    await service.run('broken', {})
    await open('/endpoints')
    const names = () => page.locator('tbody tr td:first-child a').allInnerTexts()
    await until(async () => expect((await names())[0]).toBe('broken'))
    const strip = page.getByRole('region', { name: 'Needs attention' })
    await until(async () =>
      expect(await strip.getByRole('button').allInnerTexts()).toEqual(['1 crashing', '2 jobs queued']),
    )
    await expectAccessible()
    await shoot('endpoints-attention')
    for (const [name, address, found] of [
      ['1 crashing', 'state=crashing', ['broken']],
      ['2 jobs queued', 'jobs=queued', ['broken', 'held']],
    ] as const) {
      await strip.getByRole('button', { name }).click()
      await page.waitForURL(`**/endpoints?${address}`)
      await until(async () => expect(await names()).toEqual(found))
      await strip.getByRole('button', { name }).click()
      await page.waitForURL('**/endpoints')
    }
  })

  test('is used with the keyboard alone: search, move, open, go back', async () => {
    const { service, page, open } = await setupShared()
    for (const id of ['one', 'two', 'three']) await service.createEndpoint(id)
    await open('/endpoints')
    await page.getByRole('row', { name: /three/ }).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('t')
    await until(async () => expect(await page.getByRole('row').count()).toBe(3))
    expect(page.url()).toContain('?q=t')
    for (const key of ['Enter', 'j', 'j', 'Enter']) await page.keyboard.press(key)
    await page.waitForURL('**/endpoints/three')
    await page.goBack()
    await page.getByRole('grid').waitFor()
    expect(page.url()).toContain('/endpoints?q=t')
    // The second key counts with the first for a second only, however slow the machine is: here it does not pass.
    await page.evaluate((now) => void Object.assign(Date, { now: () => now }), Date.now())
    await page.keyboard.press('g')
    await page.keyboard.press('j')
    await page.waitForURL('**/jobs')
  })

  test('sorts by a column, and the address says so', async () => {
    const { service, page, open } = await setupShared()
    for (const id of ['b', 'a']) await service.createEndpoint(id)
    await createPaused(service, 'c')
    await open('/endpoints')
    const names = () => page.locator('tbody tr td:first-child').allInnerTexts()
    await page.getByRole('button', { name: 'Queue' }).click()
    await page.getByRole('button', { name: 'Queue' }).click()
    const first = () => until(async () => expect((await names())[0]).toBe('c'))
    await first()
    await page.reload()
    await first()
    expect(page.url()).toContain('sort=-queue')
  })

  test('tells long names apart, and a filter is saved as a view under its address', async () => {
    const { service, page, open, expectAccessible, shoot, faults } = await setupShared({ viewport: NARROW })
    const long = 'summaries-of-customer-conversations-in-many-languages'
    for (const end of ['production', 'staging']) await service.createEndpoint(`chat-${end}`, { name: `${long}-${end}` })
    await createPaused(service, 'held')
    await open('/endpoints')
    await page.getByRole('row', { name: /-staging/ }).waitFor()
    const end = page.getByText('s-production', { exact: true })
    const isInside = (element: Element) =>
      element.getBoundingClientRect().right <= (element.closest('td')?.getBoundingClientRect().right ?? 0)
    expect(await end.evaluate(isInside)).toBe(true)
    await choose(page.getByLabel('State'), 'Paused')
    await until(async () => expect(await page.getByRole('row').count()).toBe(2))
    await page.getByRole('button', { name: 'Views' }).click()
    await page.getByLabel('Name of this view').fill('Paused ones')
    await expectAccessible()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Paused ones' }).waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByRole('row', { name: /-staging/ }).waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Views' }).click()
    await page.getByRole('button', { name: 'Paused ones', exact: true }).click()
    await page.waitForURL('**/endpoints?state=paused')
    await until(async () => expect(await page.getByRole('row').count()).toBe(2))
    await shoot('endpoints-view')
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await shoot('endpoints-long-names')
    expect(faults).toEqual([])
  })
})

test('an endpoint whose workers crash says so in list, head, palette and status bar, with the last words', async () => {
  const { service, page, open, expectAccessible, shoot, faults } = await setupShared()
  await service.createHandler('broken', 'import not_there_at_all', { workersMin: 1 })
  await open('/endpoints')
  const row = page.getByRole('row', { name: /broken/ })
  await row.getByText('Crashing').waitFor()
  await row.getByText("No module named 'not_there_at_all'").waitFor()
  await row.getByText(/^[3-9] ×$/).waitFor()
  await page
    .getByRole('contentinfo')
    .getByRole('link', { name: /Crashing *1 endpoint/ })
    .waitFor()
  await shoot('crashing-list')
  await page.keyboard.press('Control+k')
  await page.getByRole('option', { name: /broken.*Crashing/ }).waitFor()
  await shoot('crashing-palette')
  await page.keyboard.press('Escape')
  await open('/endpoints/broken')
  await page
    .getByText(/^[3-9] times, next try in \d+ s$/)
    .first()
    .waitFor()
  const banner = page.getByRole('region', { name: 'Crashes' })
  await banner.getByText("No module named 'not_there_at_all'").waitFor()
  await expectAccessible()
  await shoot('crashing-endpoint')
  await page.setViewportSize(NARROW)
  await shoot('crashing-endpoint-narrow')
  // Mended only while the service is asked: a try of its own in between would end the crashes, and with them the button.
  await page.route('**/api/endpoints/broken/resume', async (route) => {
    writeFileSync(join(service.folder, 'broken.py'), HANDLER)
    await route.continue()
  })
  await banner.getByRole('button', { name: 'Try now' }).click()
  await banner.waitFor({ state: 'detached' })
  await page.getByText('1 of 3 workers').waitFor()
  expect(faults).toEqual([])
})

describe('a new endpoint', () => {
  test('is made from a handler file, and its key is shown once', async () => {
    const { service, page, open, expectAccessible, shoot } = await setupShared()
    await service.createHandler('other', HANDLER)
    await open('/endpoints')
    await page.keyboard.press('n')
    const panel = page.getByRole('dialog', { name: 'New endpoint from a handler file' })
    const file = panel.getByRole('combobox', { name: 'Handler file' })
    await file.fill(`${service.folder}/none.py`)
    const name = panel.getByLabel('Name', { exact: true })
    expect(await name.inputValue()).toBe('none')
    await panel.getByRole('button', { name: 'Create endpoint' }).click()
    await panel.getByRole('alert').getByText('there is no file').waitFor()
    await file.fill(`${service.folder}/oth`)
    await panel.getByRole('option', { name: 'other.py handler' }).waitFor()
    await expectAccessible()
    await shoot('new-handler')
    await file.focus()
    for (const key of ['ArrowDown', 'Enter']) await page.keyboard.press(key)
    expect(await file.inputValue()).toBe(`${service.folder}/other.py`)
    expect(await name.inputValue()).toBe('other')
    await name.fill('Not a name')
    await panel.getByRole('button', { name: 'Create endpoint' }).click()
    await panel.getByRole('alert').getByText('Name: must be a-z').waitFor()
    await name.fill('faces')
    await panel.getByRole('button', { name: 'Create endpoint' }).click()
    const key = await panel.getByText(/^dk_/).textContent()
    await expectAccessible()
    await panel.getByRole('button', { name: 'Open faces' }).click()
    await page.waitForURL('**/endpoints/faces')
    const headers = { authorization: `Bearer ${key}` }
    expect((await fetch(`${service.url()}/v2/faces/health`, { headers })).status).toBe(200)
    await page.goBack()
    expect(await page.content()).not.toContain(key)
  })
})

describe('an endpoint', () => {
  test('shows its charts and its latest jobs, which change in place', async () => {
    const { service, page, open, faults } = await setupShared()
    await service.createEndpoint('gated', { workersMax: 1 })
    const jobId = await service.run('gated', { gates: [service.gate('go')] })
    await open('/endpoints/gated')
    for (const chart of ['Jobs', 'Workers', 'Waiting time', 'Execution time'])
      await page.locator('figure', { hasText: chart }).first().locator('canvas').waitFor()
    const row = page.getByRole('row', { name: jobId })
    await row.getByText('Running').waitFor()
    service.openGate('go')
    await row.getByText('Completed').waitFor()
    const next = await service.run('gated', {})
    await page.getByRole('row', { name: next }).waitFor()
    expect(faults).toEqual([])
  })

  test('says why jobs wait, and what to do', async () => {
    const { service, page, open } = await setupShared()
    await createPaused(service, 'gated')
    await open('/endpoints/gated')
    const notice = page.getByRole('status').filter({ hasText: '1 job waits. The endpoint is paused.' })
    await notice.getByRole('button', { name: 'Resume' }).click()
    await notice.waitFor({ state: 'detached' })
    await page.getByRole('row', { name: /Completed/ }).waitFor()
  })

  test('is paused by a key, and the notice takes it back', async () => {
    const { service, page, open, told } = await setupShared()
    await service.createEndpoint('hello')
    await open('/endpoints/hello')
    const paused = async () => (await service.get('/api/endpoints/hello')).paused
    await page.getByText('Latest jobs').waitFor()
    await page.keyboard.press('p')
    await told('hello is paused')
    expect(await paused()).toBe(true)
    await page.getByRole('button', { name: 'Undo' }).click()
    await told('hello takes jobs again')
    expect(await paused()).toBe(false)
  })

  test('is deleted after a question that names it', async () => {
    const { service, page, open, expectAccessible } = await setupShared()
    await service.createEndpoint('hello')
    await open('/endpoints/hello')
    const ask = async () => {
      await page.getByRole('button', { name: 'More for hello' }).click()
      await page.getByRole('menuitem', { name: 'Delete endpoint hello' }).click()
    }
    await ask()
    await expectAccessible()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'More for hello' }).and(page.locator(':focus')).waitFor()
    expect((await service.ask('GET', '/api/endpoints/hello')).status).toBe(200)
    await ask()
    await page.getByRole('button', { name: 'Delete endpoint hello' }).click()
    await page.waitForURL('**/endpoints')
    expect((await service.ask('GET', '/api/endpoints/hello')).status).toBe(404)
  })

  test('that does not exist shows a message', async () => {
    const { page, open } = await setupShared()
    await open('/endpoints/nobody')
    await page.getByText('There is no endpoint nobody').waitFor()
  })
})

describe('in light and dark colours', () => {
  test('list and overview have no serious accessibility violation, wide and narrow', async () => {
    const { service, page, open, expectAccessible, shoot } = await setupShared({})
    await service.createHandler('faces', HANDLER, {
      name: 'A name that is longer than what a narrow window has room for',
    })
    await service.jobEnd('faces', await service.run('faces', { bad: true }))
    await createPaused(service, 'held')
    for (const size of [undefined, NARROW]) {
      if (size !== undefined) await page.setViewportSize(size)
      const name = size === undefined ? 'wide' : 'narrow'
      await open('/endpoints')
      await page.getByRole('row', { name: /held/ }).waitFor()
      await expectAccessible()
      await shoot(`endpoints-${name}`)
      await open('/endpoints/faces')
      await page.getByRole('row', { name: /Failed/ }).waitFor()
      await expectAccessible()
      await shoot(`overview-${name}`)
    }
  })
})
