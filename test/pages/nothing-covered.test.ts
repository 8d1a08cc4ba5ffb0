import type { Locator } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'
import { noBrowser } from '../support/chromium.ts'
import { type ServedService, until } from '../support/served-service.ts'
import { NARROW, setup, setupShared, WIDE } from './support.ts'

beforeEach(({ skip }) => skip(noBrowser !== undefined, noBrowser))

async function withWaiting(service: ServedService, id: string, count: number): Promise<readonly string[]> {
  await service.createEndpoint(id)
  await service.post(`/api/endpoints/${id}/pause`)
  return Promise.all(Array.from({ length: count }, (_one, n) => service.run(id, { n })))
}

const boxOf = async (one: Locator) => (await one.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }

describe('jobs in a narrow window', () => {
  test('leave every action on the selected ones above the table', async () => {
    const { service, page, open, shoot } = await setupShared({ viewport: NARROW })
    const ids = await withWaiting(service, 'held', 2)
    await open('/jobs')
    for (const id of ids) await page.getByRole('row', { name: id }).locator('[data-select]').click()
    await service.run('held', {})
    const fresh = page.getByRole('button', { name: '1 new' })
    await fresh.waitFor()
    const table = await boxOf(page.getByRole('grid'))
    const { y, height } = await boxOf(fresh)
    expect(y + height).toBeLessThanOrEqual(table.y)
    await shoot('jobs-two-selected-narrow')
    await page.getByRole('button', { name: 'Clear selection' }).click()
    await page.getByText('2 jobs selected').waitFor({ state: 'detached' })
  })

  test('show the beginning of inputs by which they differ', async () => {
    const { service, page, open, shoot } = await setupShared({ viewport: NARROW })
    const [id = ''] = await withWaiting(service, 'held', 1)
    await open('/jobs')
    const input = page.getByRole('row', { name: id }).locator('td').nth(4)
    // 16 letters of the fixed-width font.
    expect((await boxOf(input)).width).toBeGreaterThan(130)
    await shoot('jobs-narrow')
  })
})

test('a search hit shows the word that was found, however narrow its column is', async () => {
  const { service, page, open, shoot } = await setupShared({ viewport: NARROW })
  const code = 'def handler(job):\n    raise ValueError("the picture has an unexpected face in it, and more")\n'
  await service.createHandler('faces', code, { workersMax: 1 })
  const id = await service.run('faces', { prompt: 'a harbour in the evening' })
  await service.jobEnd('faces', id)
  for (const [word, column] of [
    ['unexpected', 5],
    ['evening', 4],
  ] as const) {
    await open(`/jobs?q=${word}`)
    const cell = page.getByRole('row', { name: id }).locator('td').nth(column)
    const mark = cell.locator('mark')
    await mark.waitFor()
    const [frame, hit] = [await boxOf(cell), await boxOf(mark)]
    expect([hit.x >= frame.x, hit.x + hit.width <= frame.x + frame.width], word).toEqual([true, true])
    await shoot(`jobs-search-${word}`)
  }
})

test('the bar of unsaved settings covers no field that is edited', async () => {
  const { service, page, open, shoot } = await setupShared()
  await service.createEndpoint('hello')
  await open('/endpoints/hello/settings')
  const bar = page.getByRole('region', { name: 'Unsaved changes' })
  const fields = page.locator('main').getByRole('textbox')
  const height = page.viewportSize()?.height ?? 0
  for (let at = 0; at < (await fields.count()); at++) {
    const field = fields.nth(at)
    // At the lower edge, where the bar comes up.
    if ((await boxOf(field)).y < height - 160) continue
    await field.focus()
    await page.keyboard.type('1')
    await bar.waitFor()
    await until(async () => {
      const { y, height } = await boxOf(field)
      expect(y + height).toBeLessThanOrEqual((await boxOf(bar)).y)
    })
    break
  }
  for (let tabs = 0; tabs < 12; tabs++) {
    await page.keyboard.press('Tab')
    const focused = page.locator('main :focus')
    if ((await focused.count()) === 0 || (await bar.locator(':focus').count()) > 0) break
    const { y, height } = await boxOf(focused)
    expect(y + height).toBeLessThanOrEqual((await boxOf(bar)).y)
  }
  await shoot('settings-bar')
})

test('an address that leads to nothing shows a page with the way to what there is', async () => {
  const { service, page, open, visit, shoot } = await setupShared()
  await visit('/nowhere')
  await page.getByText('There is no page at this address.').waitFor()
  await shoot('not-found')
  await open('/jobs/gone')
  await page.getByRole('link', { name: 'All jobs' }).click()
  await page.waitForURL(`${service.url()}/jobs`)
})

test('a job that streams says so, and charts and files of inputs are drawn', async () => {
  const { service, page, open, shoot } = await setupShared()
  const code = [
    'import os, time',
    'def handler(job):',
    '    for gate in job["input"]["gates"]:',
    '        yield {"before": gate}',
    '        while not os.path.exists(gate):',
    '            time.sleep(0.01)',
  ].join('\n')
  await service.createHandler('words', code, { workersMax: 1 })
  const gates = [service.gate('half'), service.gate('end')]
  const id = await service.run('words', { gates })
  await open(`/jobs/${id}`)
  await page.getByText('It is running and has streamed 1 chunk: see Stream.').waitFor()
  service.openGate('half')
  await page.getByText('It is running and has streamed 2 chunks: see Stream.').waitFor()
  await page.getByText(/^running for /).waitFor()
  await shoot('job-streams')
  service.openGate('end')
  await service.jobEnd('words', id)
  for (let n = 0; n < 4; n++) await service.jobEnd('words', await service.run('words', { gates }))
  await open('/endpoints/words')
  await page.getByText('Waiting time').first().waitFor()
  await shoot('charts')
  await open('/endpoints/words/requests?view=batches')
  await shoot('requests-batches')
})

test('the table of jobs stays where it is while filters are set, and names endpoints next to the preview', async () => {
  const { service, page, open, shoot } = await setupShared()
  const [id = ''] = await withWaiting(service, 'held', 2)
  await open('/jobs')
  await page.getByText('2 jobs', { exact: true }).waitFor()
  const before = await boxOf(page.getByRole('grid'))
  await page.getByRole('toolbar', { name: 'States' }).getByText('Queued').click()
  await page.getByRole('button', { name: 'Clear filters' }).waitFor()
  await page.getByText('2 match', { exact: true }).waitFor()
  expect(await boxOf(page.getByRole('grid'))).toEqual(before)
  await page.getByRole('row', { name: id }).locator('[data-select]').click()
  await page.getByRole('complementary', { name: 'Preview' }).waitFor()
  await page.getByRole('row', { name: id }).getByRole('link', { name: 'held' }).waitFor()
  await shoot('jobs-filtered-preview')
})

test('a name that differs from its id is read from its beginning, and the id gives way to it', async () => {
  const { service, page, open, shoot } = await setupShared()
  const name = 'Stable Diffusion XL turbo'
  await service.createEndpoint('stable-diffusion-xl-turbo', { name })
  for (const size of [NARROW, WIDE]) {
    await page.setViewportSize(size)
    await open('/endpoints')
    const cell = page
      .getByRole('row', { name: /Stable/ })
      .locator('td')
      .first()
    const shown = await cell.evaluate((td) => {
      const frame = td.getBoundingClientRect()
      const isSeen = (range: Range) => {
        const box = range.getBoundingClientRect()
        return box.right <= frame.right && box.bottom <= frame.bottom && box.width > 0
      }
      const texts = document.createTreeWalker(td, NodeFilter.SHOW_TEXT)
      let seen = ''
      for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
        const range = document.createRange()
        range.selectNodeContents(text)
        const cuts = text.parentElement
        if (isSeen(range) && (cuts === null || cuts.scrollWidth <= cuts.clientWidth || cuts.clientWidth === 0))
          seen += text.textContent
      }
      return seen
    })
    expect(shown).toBe(size === NARROW ? name : `${name}stable-diffusion-xl-turbo`)
    await shoot(`endpoints-name-${size.width}`)
  }
})

test('the notice that the service does not answer covers no row', async () => {
  const { service, page, open, shoot } = await setup()
  await withWaiting(service, 'held', 40)
  await open('/jobs')
  await page.getByText('40 jobs', { exact: true }).waitFor()
  await service.kill()
  const notice = page.getByRole('alert').filter({ hasText: 'The service does not answer' })
  await notice.waitFor()
  const frame = page.getByRole('grid').locator('..')
  await until(async () => {
    const { y, height } = await boxOf(frame)
    expect(y + height).toBeLessThanOrEqual((await boxOf(notice)).y)
  })
  await shoot('jobs-down')
})
