import { beforeEach, describe, expect, test } from 'vitest'
import { noBrowser } from '../support/chromium.ts'
import { until } from '../support/served-service.ts'
import { chooseByKeys, cutOf, NARROW, setup } from './support.ts'

beforeEach(({ skip }) => skip(noBrowser !== undefined, noBrowser))

describe('the what-if tab of an endpoint', () => {
  test('compares settings by the keyboard alone, and writes the one that is chosen', async () => {
    const { service, page, open, expectAccessible, shoot, faults, told } = await setup()
    await service.createEndpoint('gated', { workersMax: 1, idleTimeoutMs: 5000 })
    await open('/endpoints/gated/what-if')
    await expectAccessible()
    await shoot('what-if-empty')
    await page.getByText('More settings').waitFor()
    expect(await page.locator('form').getByRole('textbox').filter({ visible: true }).count()).toBe(2)
    await page.getByRole('button', { name: 'Simulate' }).click()
    await page
      .getByRole('alert')
      .getByText(/no worker of this endpoint was seen to start/)
      .waitFor()

    await chooseByKeys(page.getByRole('combobox', { name: 'Load' }), 'St')
    await page.getByLabel('Jobs per second').fill('x')
    await page.getByLabel('Cold start, seconds').fill('3')
    await page.getByLabel('Execution, seconds').fill('0.9')
    await page.keyboard.press('Enter')
    await page.getByText('Enter a number, 0 or more.').waitFor()
    await page.getByLabel('Jobs per second').fill('1')
    await page.getByLabel('Duration, hours').fill('0.2')
    await page.getByLabel('Price per second').fill('0.0003')
    await page.keyboard.press('Enter')

    const table = page.getByRole('grid', { name: 'Settings' })
    await table.getByRole('row', { name: /^now/ }).waitFor()
    await page.getByText(/further settings are left out/).waitFor()
    expect(await table.getByRole('row', { name: /^frontier/ }).count()).toBe((await table.getByRole('row').count()) - 2)
    await expectAccessible()
    await shoot('what-if')
    expect(await cutOf(table)).toBe(0)
    await page.setViewportSize(NARROW)
    await shoot('what-if-narrow')
    await until(async () => expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(NARROW.width))
    expect(await cutOf(table)).toBe(0)

    const use = table.getByRole('button', { name: /^Use this/ }).first()
    const name = (await use.getAttribute('aria-label')) ?? ''
    await use.focus()
    await page.keyboard.press('Enter')
    await told(`gated now has ${name.slice('Use this: '.length)}.`)
    expect((await service.get('/api/endpoints/gated')).idleTimeoutMs).not.toBe(5000)
    // The answer to the first question.
    expect(faults).toEqual([expect.stringContaining('400')])
  })
})
