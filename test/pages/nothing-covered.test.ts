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

test('the table of jobs stays where it is while filters are set, and names endpoints beside the preview', async () => {
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
