import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'
import { noBrowser } from '../support/chromium.ts'
import { type ServedService, until } from '../support/served-service.ts'
import { choose, chooseByKeys, NARROW, setupShared } from './support.ts'

beforeEach(({ skip }) => skip(noBrowser !== undefined, noBrowser))

const versionCode = (answer: string) => `
import random
def handler(job):
    n = job["input"]["n"]
    return {"meta": {"seed": random.random()}, "answer": ${answer}}
`

/** Two versions that differ for one input of four, which have run on the first. */
async function withVersions(service: ServedService): Promise<readonly string[]> {
  await service.createHandler('old', versionCode('n * 2'))
  await service.createHandler('new', versionCode('n * 2 if n != 3 else 7'))
  const ids: string[] = []
  for (const n of [1, 2, 3, 4]) ids.push(await service.run('old', { n }))
  for (const id of ids) await service.jobEnd('old', id)
  return ids
}

const startButton = (page: Page) => page.getByRole('button', { name: 'Start comparison' })

describe('a comparison of versions', () => {
  test('is started from selected jobs by the keyboard alone, and shows the largest difference first', async () => {
    const { service, page, open, expectAccessible, shoot, faults } = await setupShared()
    const [, , third = ''] = await withVersions(service)
    await open('/jobs/comparisons')
    await page.getByText('There are no comparisons yet').waitFor()
    await expectAccessible()

    await open('/jobs?endpoint=old')
    await page.getByText('4 match').waitFor()
    await page.getByRole('checkbox', { name: 'Select all' }).press('Space')
    await page.getByRole('button', { name: 'Compare versions' }).press('Enter')
    const panel = page.getByRole('dialog', { name: 'New comparison' })
    await panel.getByText('4 jobs, 2,000 at most').waitFor()
    await expectAccessible()
    await shoot('comparison-new')
    await chooseByKeys(panel.getByRole('combobox', { name: 'Endpoint of version 2' }), 'ne')
    await panel.getByText('Outputs must be identical.').waitFor()
    await panel.getByRole('radio', { name: 'Custom' }).press('Enter')
    await panel.getByLabel('Relative tolerance').fill('many')
    await panel.getByLabel('Ignored paths').fill('**.seed')
    await page.keyboard.press('Enter')
    await panel.getByText('A number, like 0.01.').waitFor()
    await panel.getByLabel('Relative tolerance').fill('0')
    await page.keyboard.press('Enter')

    await page.getByRole('heading', { name: 'old, new' }).waitFor()
    const versions = page.getByRole('grid', { name: 'Versions' })
    await versions.getByRole('row', { name: /new .*3 1 0/ }).waitFor()
    const inputs = page.getByRole('grid', { name: 'Inputs' })
    await until(async () => expect(await inputs.getByRole('row').nth(1).textContent()).toContain(third))
    await page.getByRole('list', { name: 'Differences' }).getByText('answer').waitFor()
    await expectAccessible()
    await shoot('comparison')
    await page.setViewportSize(NARROW)
    await shoot('comparison-narrow')
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(NARROW.width)

    await page.getByRole('button', { name: 'Side by side' }).press('Enter')
    await page.waitForURL(`**/jobs/compare?a=*&b=*`)
    await page.getByRole('table', { name: 'Facts' }).waitFor()
    await page.goBack()
    await inputs.focus()
    await page.keyboard.press('End')
    await page.keyboard.press('Enter')
    await page.getByText('No difference.').waitFor()
    expect(faults).toEqual([])
  })

  test('starts from an endpoint with its last jobs', async () => {
    const { service, page, open, expectAccessible, shoot, faults } = await setupShared()
    await withVersions(service)
    await open('/endpoints/old')
    await page.getByRole('button', { name: 'More for old' }).click()
    await page.getByRole('menuitem', { name: /^Compare versions/ }).click()
    const panel = page.getByRole('dialog', { name: 'New comparison' })
    await panel.getByText('All 4 jobs of old.').waitFor()
    await choose(panel.getByRole('combobox', { name: 'Endpoint of version 2' }), 'new')
    await panel.getByText('Close', { exact: true }).click()
    await panel.getByLabel('Ignored paths').fill('**.seed')
    await expectAccessible()
    await shoot('comparison-from-endpoint')
    await startButton(page).click()
    await page
      .getByRole('grid', { name: 'Versions' })
      .getByRole('row', { name: /new .*3 1 0/ })
      .waitFor()
    expect(faults).toEqual([])
  })

  test('bisects a file of inputs, is listed with its result, and deleted', async () => {
    const { service, page, open, expectAccessible, shoot, faults } = await setupShared()
    await withVersions(service)
    const file = join(service.folder, 'inputs.jsonl')
    writeFileSync(file, '{"input": {"n": 3}}\n{"input": {"n": 4}}\n')
    await open('/jobs/comparisons')
    await page.keyboard.press('n')
    const panel = page.getByRole('dialog', { name: 'New comparison' })
    await panel.getByText(/^(All|The newest) .* of /).waitFor()
    await panel.getByText('File', { exact: true }).click()
    await panel.getByLabel('File of inputs').setInputFiles(file)
    await panel.getByText('Bisect', { exact: true }).click()
    await panel.getByRole('button', { name: 'Add version' }).click()
    for (const [at, endpoint] of ['old', 'old', 'new'].entries())
      await choose(panel.getByRole('combobox', { name: `Endpoint of version ${at + 1}` }), endpoint)
    await panel.getByRole('textbox', { name: 'Changed input values' }).nth(1).fill('nonsense')
    await panel.getByLabel('Ignored paths').fill('**.seed')
    await panel.getByLabel('Name').fill('Which one')
    await startButton(page).click()
    await panel.getByText('Line 1 must be NAME=VALUE, like 3.cfg=7.').waitFor()
    await panel.getByRole('textbox', { name: 'Changed input values' }).nth(1).fill('note=second')
    await startButton(page).click()

    await page.getByRole('heading', { name: 'Which one' }).waitFor()
    await page.getByRole('row', { name: /new First that differs/ }).waitFor()
    await shoot('comparison-bisect')
    await open('/jobs/comparisons')
    const row = page.getByRole('row', { name: /Which one Bisection Differs/ })
    await row.waitFor()
    await expectAccessible()
    await shoot('comparisons')
    await row.getByRole('link').click()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('button', { name: 'Delete comparison Which one' }).click()
    await page.getByText('There are no comparisons yet').waitFor()
    expect(faults).toEqual([])
  })
})
