import type { Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { noBrowser } from '../support/chromium.ts'
import { chooseByKeys, setupShared } from './support.ts'

beforeEach(({ skip }) => skip(noBrowser !== undefined, noBrowser))

type Case = { readonly path: string; readonly act?: (page: Page) => Promise<void>; readonly says: readonly string[] }

const CASES: readonly Case[] = [
  { path: '/endpoints?new=image', says: ['Settings from hub.json', 'For a private registry; add them with'] },
  { path: '/endpoints/held/requests?view=batches', says: ['File of inputs'] },
  {
    path: '/endpoints/held/what-if',
    act: (page) => chooseByKeys(page.getByRole('combobox', { name: 'Load' }), 'Rec'),
    says: ['Last N hours'],
  },
  {
    path: '/settings',
    act: (page) => page.getByRole('button', { name: 'Add key' }).click(),
    says: ['Days until it expires', 'a key that does not expire'],
  },
  { path: '/apps', says: ['The template of'] },
]

test.each(CASES)('$path says $says, shows no backticks, and has file fields in our style', async (one) => {
  const { service, page, visit } = await setupShared()
  await service.createEndpoint('held')
  await visit(one.path)
  await one.act?.(page)
  for (const text of one.says) await page.getByText(text).first().waitFor()
  expect(await page.locator('body').textContent()).not.toContain('`')
  const borders = await page
    .locator('input[type=file]')
    .evaluateAll((fields) => fields.map((field) => getComputedStyle(field, '::file-selector-button').borderStyle))
  // The border of the browser's own buttons is outset.
  expect(borders.filter((style) => style !== 'solid')).toEqual([])
})
