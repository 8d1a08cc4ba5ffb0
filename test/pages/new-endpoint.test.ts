import { beforeEach, describe, expect, test } from 'vitest'
import { noBrowser } from '../support/chromium.ts'
import { until } from '../support/served-service.ts'
import { NARROW, setup } from './support.ts'

beforeEach(({ skip }) => skip(noBrowser !== undefined, noBrowser))

const PHONE = { width: 800, height: 700 } as const
// Nothing listens there: a machine without an engine, whatever this one has.
const NO_ENGINE = { DOCKER_HOST: 'unix:///nowhere/docker.sock' } as const
const TITLE = 'New endpoint from an image'

describe('an endpoint from an image', () => {
  test('has the settings of the form, and a name by its image', async () => {
    const { service, page, visit, expectAccessible, shoot, faults } = await setup({}, { env: NO_ENGINE })
    await visit('/endpoints?new=image')
    const panel = page.getByRole('dialog', { name: TITLE })
    await panel.getByLabel('Image').fill('ghcr.io/ada/Face_Worker:1.2')
    await panel.getByRole('radio', { name: 'Answers HTTP' }).click()
    await until(async () => expect(await panel.getByLabel('Name', { exact: true }).inputValue()).toBe('face-worker'))
    await panel.getByLabel('Port').fill('8000')
    await panel.getByLabel('Graphics card').fill('ADA_24')
    await panel.getByRole('button', { name: 'Add variable' }).click()
    await panel.getByLabel('Name of variable 1').fill('COLOUR')
    await panel.getByLabel('Value of COLOUR').fill('blue')
    await expectAccessible()
    await panel.getByRole('button', { name: 'Create endpoint' }).click()
    const first = panel.getByRole('status', { name: 'First worker' })
    await first.getByText('The first worker finds no place').waitFor()
    await shoot('new-image-no-engine')
    expect(await service.get('/api/endpoints/face-worker')).toMatchObject({
      container: { image: 'ghcr.io/ada/Face_Worker:1.2', gpu: 'ADA_24' },
      loadBalanced: { port: 8000 },
      env: { COLOUR: 'blue' },
      workersMin: 1,
    })
    await panel.getByRole('button', { name: 'Open face-worker' }).click()
    await page.getByText('A worker is to start and finds no place').waitFor()
    await page.getByRole('banner').getByText('Throttled').waitFor()
    expect(faults).toEqual([])
  })

  test('says what the service refuses, and keeps what was typed', async () => {
    const { page, visit } = await setup({}, { env: NO_ENGINE })
    await visit('/endpoints?new=image')
    const panel = page.getByRole('dialog', { name: TITLE })
    await panel.getByLabel('Image').fill('no image at all')
    await panel.getByLabel('Name', { exact: true }).fill('x')
    await panel.getByRole('button', { name: 'Create endpoint' }).click()
    await panel.getByRole('alert').getByText('must be the name of an image').waitFor()
    expect(await panel.getByLabel('Image').inputValue()).toBe('no image at all')
  })
})

describe('in light and dark colours', () => {
  test('the form has no serious fault of access, at every width', async () => {
    const { page, visit, expectAccessible, shoot } = await setup({}, { env: NO_ENGINE })
    for (const [name, size] of [
      ['wide', undefined],
      ['narrow', NARROW],
      ['800', PHONE],
    ] as const) {
      if (size !== undefined) await page.setViewportSize(size)
      await visit('/endpoints?new=image')
      await page.getByRole('radio', { name: 'Answers HTTP' }).click()
      await expectAccessible()
      await shoot(`new-image-${name}`)
    }
  })
})
