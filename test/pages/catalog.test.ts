import { beforeEach, describe, expect, test } from 'vitest'
import { noBrowser } from '../support/chromium.ts'
import { until } from '../support/served-service.ts'
import { NARROW, setup, setupShared } from './support.ts'

beforeEach(({ skip }) => skip(noBrowser !== undefined, noBrowser))

const PHONE = { width: 800, height: 700 } as const
// Nothing listens there: a machine without an engine, whatever this one has.
const NO_ENGINE = { DOCKER_HOST: 'unix:///nowhere/docker.sock' } as const

describe('the catalog', () => {
  test('makes an endpoint of an entry that runs anywhere, which answers its example', async () => {
    const { service, page, open, expectAccessible, faults } = await setupShared()
    await open('/catalog')
    await page.getByRole('button', { name: 'Create endpoint from Test picture' }).click()
    const panel = page.getByRole('dialog', { name: 'Test picture' })
    await panel.getByText('Example request').waitFor()
    await expectAccessible()
    expect(page.url()).toContain('entry=picture')
    await panel.getByLabel('Name').fill('pictures')
    await panel.getByRole('button', { name: 'Create endpoint' }).click()
    await panel.getByText(/^dk_/).waitFor()
    const { entries } = await service.get('/api/catalog')
    const { example } = entries.find(({ id }: { id: string }) => id === 'picture')
    const job = await service.post('/v2/pictures/runsync', example)
    expect(job).toMatchObject({ status: 'COMPLETED', output: { images: [{ type: 'base64' }] } })
    expect(Buffer.from(job.output.images[0].data, 'base64').subarray(1, 4).toString()).toBe('PNG')
    await panel.getByRole('button', { name: 'Open pictures' }).click()
    await page.waitForURL('**/endpoints/pictures')
    expect(faults).toEqual([])
  })

  test('offers a name that is free', async () => {
    const { service, page, visit } = await setupShared()
    await service.createEndpoint('hello')
    await visit('/catalog?entry=hello')
    await until(async () => expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('hello-2'))
  })

  test('finds by name, model and image, and the address says so', async () => {
    const { page, open } = await setupShared()
    await open('/catalog')
    await page.keyboard.press('/')
    await page.keyboard.type('flux')
    await until(async () => expect(await page.getByRole('heading', { level: 2 }).count()).toBe(3))
    expect(page.url()).toContain('?q=flux')
    await page.reload()
    await until(async () => expect(await page.getByRole('heading', { level: 2 }).count()).toBe(3))
    await page.getByRole('searchbox').fill('nothing like this')
    await page.getByText('No entry of the catalog has').waitFor()
  })

  test('says what is missing and how to get it; what runs here comes first', async () => {
    const { page, open, expectAccessible, shoot } = await setup({}, { env: NO_ENGINE })
    await open('/catalog')
    const states = () => page.getByRole('main').getByRole('listitem').allInnerTexts()
    await until(async () =>
      expect((await states()).filter((text) => text.includes('Cannot run here yet')).length).toBe(7),
    )
    expect((await states()).findIndex((text) => text.includes('Cannot run'))).toBe(5)
    await page.getByRole('button', { name: 'Missing requirements for Stable Diffusion XL' }).click()
    const missing = page.getByRole('region', { name: 'Missing requirements' })
    await missing.getByText(/Start Docker, or set DOCKER_HOST/).waitFor()
    await page.getByRole('button', { name: 'Create anyway' }).waitFor()
    await expectAccessible()
    await shoot('catalog-missing')
    await missing.getByRole('button', { name: 'Look again' }).click()
    await missing.waitFor()
  })
})

describe('in light and dark colours', () => {
  test('the catalog has no serious accessibility violation, at every width', async () => {
    const { page, open, expectAccessible, shoot } = await setupShared({})
    for (const [name, size] of [
      ['wide', undefined],
      ['narrow', NARROW],
      ['800', PHONE],
    ] as const) {
      if (size !== undefined) await page.setViewportSize(size)
      await open('/catalog')
      await page.getByRole('heading', { name: 'Stable Diffusion XL' }).waitFor()
      await expectAccessible()
      await shoot(`catalog-${name}`)
      await page.getByRole('button', { name: 'Create endpoint from Hello' }).click()
      await page.getByText('Example request').waitFor()
      await expectAccessible()
      await shoot(`catalog-entry-${name}`)
    }
  })
})
