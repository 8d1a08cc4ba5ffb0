/** The palette of all actions with real keys: what it finds on each page, in which order, and where it leads. */
import type { Locator, Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { PAGE_SECTIONS } from '../../src-main/contract/pages.ts'
import { noBrowser } from '../support/chromium.ts'
import { until } from '../support/served-service.ts'
import { NARROW, setupShared } from './support.ts'

beforeEach(({ skip }) => skip(noBrowser !== undefined, noBrowser))

// Workers are processes, even if an engine runs.
const PROCESSES = { env: { DOCKER_HOST: 'unix:///nowhere/docker.sock' } } as const

const ECHO = 'def handler(job):\n    return job["input"]\n'
const GRAPH = JSON.stringify({
  last_node_id: 7,
  last_link_id: 0,
  nodes: [
    { id: 3, type: 'PrimitiveNode', title: 'Far harbour', pos: [9000, 9000], size: [210, 80], flags: {}, mode: 0 },
    { id: 7, type: 'PrimitiveNode', title: 'Near quay', pos: [0, 0], size: [210, 80], flags: {}, mode: 0 },
  ],
  links: [],
  groups: [],
  config: {},
  extra: {},
  version: 0.4,
})

const palette = (page: Page) => page.getByRole('dialog', { name: 'All actions' })

/** Opens it, and types. */
async function ask(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Control+k')
  await palette(page).getByRole('combobox').and(page.locator(':focus')).waitFor()
  await page.keyboard.type(text)
}

/** The headings of what it shows, from above. */
const groupsOf = (page: Page) => palette(page).locator('[cmdk-group-heading]').allTextContents()

const chosen = (page: Page) => palette(page).getByRole('option', { selected: true })

test('"new" finds on every page all that can be made', async () => {
  const { service, page, open, faults } = await setupShared({}, PROCESSES)
  await service.createHandler('echo', ECHO)
  const makes = [
    'New endpoint from a command',
    'New workflow from a template',
    'New empty workflow',
    'New app from the template',
    'New registry credentials',
    'New account key',
    'New key for echo',
    'New saved request for echo',
  ]
  for (const section of PAGE_SECTIONS) {
    await open(`/${section}`)
    await ask(page, 'new')
    // On its own page some are said in other words.
    const shown = async () => (await palette(page).getByRole('option').allTextContents()).join()
    await until(async () => expect(await shown()).toContain('New saved request for echo'))
    const text = await shown()
    const missing = makes.filter((label) => !text.includes(label))
    expect([section, missing]).toEqual([section, section === 'settings' ? ['New registry credentials'] : []])
    if (section === 'settings') expect(text).toContain('Add registry credentials')
    await page.keyboard.press('Escape')
  }
  await ask(page, 'new key echo')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/endpoints/echo/settings?section=key')
  await page.getByRole('button', { name: 'Make a new key' }).waitFor()
  await ask(page, 'new empty workflow')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/workflows/edit/*')
  expect((await service.get('/api/workflows')).workflows).toHaveLength(1)
  expect(faults).toEqual([])
})

test('endpoints, jobs, workflows and settings are found by the keyboard, and what was opened and used comes first', async () => {
  const { service, page, open, expectAccessible, shoot, faults } = await setupShared({}, PROCESSES)
  await service.createHandler('echo', ECHO)
  await service.createHandler('echo-two', ECHO)
  await service.post('/api/workflows', { name: 'Lighthouse at dusk', text: GRAPH, draft: true })
  const input = { prompt: `a lighthouse in fog ${'and the sea around it '.repeat(9)}` }
  const job = await service.post('/v2/echo/runsync', { input })
  await open('/endpoints')
  await ask(page, 'lighthouse')
  // By its text, which stands in its input alone.
  await palette(page).getByRole('option', { name: job.id }).waitFor()
  // Searches come a moment later.
  await until(async () => expect(await groupsOf(page)).toEqual(['Jobs', 'Search', 'Workflows']))
  const row = palette(page).getByRole('option', { name: job.id })
  const endOf = async (one: Locator) => {
    const { x, width } = (await one.boundingBox()) ?? { x: Number.NaN, width: 0 }
    return x + width
  }
  expect(await endOf(row.getByText('Completed'))).toBeLessThanOrEqual(await endOf(row))
  await shoot('palette-jobs')
  // Results come from several places, and the field names the selected one after the last has come.
  const named = (role: 'combobox' | 'listbox') => palette(page).getByRole(role).getAttribute('aria-activedescendant')
  await until(async () => {
    const selected = await chosen(page).getAttribute('id')
    expect([await named('combobox'), await named('listbox')]).toEqual([selected, selected])
  })
  await expectAccessible()
  await page.keyboard.press('Escape')
  await ask(page, 'fog')
  await until(async () => expect(await chosen(page).textContent()).toContain(job.id))
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/jobs?q=fog')
  await ask(page, job.id)
  await until(async () => expect(await chosen(page).textContent()).toContain(job.id))
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/jobs/${job.id}`)
  await page.getByRole('heading', { name: job.id }).waitFor()

  // Recently opened pages are offered at once, from any page.
  await ask(page, 'echo-two')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/endpoints/echo-two')
  await page.getByRole('heading', { name: 'echo-two' }).waitFor()
  await ask(page, '')
  const groups = await groupsOf(page)
  expect(groups[0]).toBe('Endpoint echo-two')
  expect(groups.slice(groups.indexOf('New'))).toEqual(['New', 'Recent', 'Endpoints', 'Workflows', 'Go to', 'Window'])
  await palette(page).getByRole('group', { name: 'Recent' }).getByRole('option', { name: job.id }).waitFor()
  await shoot('palette')
  await page.setViewportSize(NARROW)
  await shoot('palette-narrow')
  await page.keyboard.press('Escape')

  // A setting of this endpoint, then one of the service; its field has the focus.
  await ask(page, 'execution timeout')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/settings?section=limits&field=executionTimeoutMs')
  const focused = () =>
    page.evaluate(() => (document.activeElement as HTMLInputElement | null)?.labels?.[0]?.textContent)
  await until(async () => expect(await focused()).toBe('Execution timeout'))
  await ask(page, 'log retention')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/settings?setting=logRetentionDays')
  await until(async () => expect(await focused()).toBe('Log retention (days)'))

  // Used entries come first the next time, also in another window.
  await ask(page, 'theme:')
  expect(await chosen(page).textContent()).toContain('system')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await palette(page).waitFor({ state: 'detached' })
  await open('/models')
  await ask(page, 'theme:')
  expect(await chosen(page).textContent()).toContain('dark')
  await page.keyboard.press('Escape')
  await palette(page).waitFor({ state: 'detached' })
  expect(faults).toEqual([])
})

test('nodes of the open graph are found by their titles, and come into sight', async () => {
  const { service, page, visit, faults } = await setupShared({}, PROCESSES)
  const { id } = await service.post('/api/workflows', { name: 'Harbour', text: GRAPH, draft: true })
  await visit(`/workflows/edit/${id}`)
  await page.getByRole('heading', { name: 'Harbour' }).waitFor({ state: 'attached' })
  await ask(page, 'far harb')
  await palette(page)
    .getByRole('option', { name: /Far harbour/ })
    .waitFor()
  // Searches come a moment later.
  expect((await groupsOf(page)).filter((group) => group !== 'Search')).toEqual(['Nodes of this graph'])
  await page.keyboard.press('Enter')
  await page.locator('.react-flow__node.selected[data-id="3"]').waitFor()
  expect(faults).toEqual([])
})
