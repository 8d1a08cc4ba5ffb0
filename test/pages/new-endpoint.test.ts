import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { noBrowser } from '../support/chromium.ts'
import { until } from '../support/served-service.ts'
import { NARROW, setupShared } from './support.ts'

beforeEach(({ skip }) => skip(noBrowser !== undefined, noBrowser))

const PHONE = { width: 800, height: 700 } as const
// Nothing listens there: a machine without an engine, whatever this one has.
const NO_ENGINE = { DOCKER_HOST: 'unix:///nowhere/docker.sock' } as const
const TITLE = 'New endpoint from an image'

const HUB = {
  title: 'Painter',
  description: 'Paints what a prompt says',
  type: 'serverless',
  config: {
    runsOn: 'GPU',
    gpuCount: 1,
    gpuIds: 'ADA_24',
    presets: [{ name: 'Fast', defaults: { STEPS: 4 } }],
    env: [
      {
        key: 'STEPS',
        input: { name: 'Steps', type: 'number', min: 1, max: 100, default: 20, description: 'Steps of a picture' },
      },
      {
        key: 'HALF',
        input: {
          name: 'Half precision',
          type: 'boolean',
          default: false,
          trueValue: '1',
          falseValue: '0',
          advanced: true,
        },
      },
    ],
  },
}

describe('an endpoint from an image', () => {
  test('has the settings of the form, and a name by its image', async () => {
    const { service, page, visit, expectAccessible, shoot, faults } = await setupShared({}, { env: NO_ENGINE })
    await visit('/endpoints?new=image')
    const panel = page.getByRole('dialog', { name: TITLE })
    await panel.getByText('Images need Docker').waitFor()
    await panel.getByLabel('Image').fill('ghcr.io/ada/Face_Worker:1.2')
    await panel.getByRole('radio', { name: 'Answers HTTP' }).click()
    await until(async () => expect(await panel.getByLabel('Name', { exact: true }).inputValue()).toBe('face-worker'))
    await panel.getByLabel('Port').fill('8000')
    await panel.getByLabel('GPU').fill('ADA_24')
    await panel.getByRole('button', { name: 'Add variable' }).click()
    await panel.getByLabel('Name of variable 1').fill('COLOUR')
    await panel.getByLabel('Value of COLOUR').fill('blue')
    await expectAccessible()
    await panel.getByRole('button', { name: 'Create endpoint' }).click()
    const first = panel.getByRole('status', { name: 'First worker' })
    await first.getByText('There is no capacity for the first worker').waitFor()
    await shoot('new-image-no-engine')
    expect(await service.get('/api/endpoints/face-worker')).toMatchObject({
      container: { image: 'ghcr.io/ada/Face_Worker:1.2', gpu: 'ADA_24' },
      loadBalanced: { port: 8000 },
      env: { COLOUR: 'blue' },
      workersMin: 1,
    })
    await panel.getByRole('button', { name: 'Open face-worker' }).click()
    await page.getByText('No worker can start').waitFor()
    await page.getByRole('banner').getByText('Throttled').waitFor()
    expect(faults).toEqual([])
  })

  test('asks what the hub.json of its repository asks, and has the answers', async () => {
    const { service, page, visit, expectAccessible, shoot, faults } = await setupShared({}, { env: NO_ENGINE })
    await visit('/endpoints?new=image')
    const panel = page.getByRole('dialog', { name: TITLE })
    const file = panel.getByLabel('Settings from hub.json')
    await file.setInputFiles({ name: 'hub.json', mimeType: 'application/json', buffer: Buffer.from('{}') })
    await panel.getByText('This is not a valid hub.json: title').waitFor()
    await file.setInputFiles({
      name: 'hub.json',
      mimeType: 'application/json',
      buffer: Buffer.from(JSON.stringify(HUB)),
    })
    await panel.getByLabel('Name', { exact: true }).fill('painter')
    await panel.getByLabel('Image').fill('ada/painter:1')
    expect(await panel.getByLabel('GPU').inputValue()).toBe('ADA_24')
    await panel.getByLabel('Preset').click()
    await page.getByRole('option', { name: 'Fast' }).click()
    expect(await panel.getByLabel('Steps').inputValue()).toBe('4')
    await panel.getByText('Advanced (1)').click()
    await panel.getByLabel('Half precision').click()
    await panel.getByLabel('Steps').fill('200')
    await panel.getByText('STEPS must be at most 100').waitFor()
    expect(await panel.getByRole('button', { name: 'Create endpoint' }).isDisabled()).toBe(true)
    await panel.getByLabel('Steps').fill('8')
    await expectAccessible()
    await shoot('new-image-hub')
    await panel.getByRole('button', { name: 'Create endpoint' }).click()
    await panel.getByRole('button', { name: 'Open painter' }).waitFor()
    expect(await service.get('/api/endpoints/painter')).toMatchObject({
      container: { image: 'ada/painter:1', gpu: 'ADA_24', gpuCount: 1 },
      env: { STEPS: '8', HALF: '1' },
    })
    expect(faults).toEqual([])
  })

  test('says what the service refuses, and keeps what was typed', async () => {
    const { page, visit } = await setupShared({}, { env: NO_ENGINE })
    await visit('/endpoints?new=image')
    const panel = page.getByRole('dialog', { name: TITLE })
    await panel.getByLabel('Image').fill('no image at all')
    await panel.getByLabel('Name', { exact: true }).fill('x')
    await panel.getByRole('button', { name: 'Create endpoint' }).click()
    await panel.getByRole('alert').getByText('must be the name of an image').waitFor()
    expect(await panel.getByLabel('Image').inputValue()).toBe('no image at all')
  })
})

describe('an endpoint from a web app', () => {
  test('is a process that answers requests', async () => {
    const { service, page, open, expectAccessible, shoot, faults } = await setupShared({}, { env: NO_ENGINE })
    mkdirSync(join(service.folder, 'site'))
    for (const name of ['ping', 'hello']) writeFileSync(join(service.folder, 'site', name), `this is ${name}`)
    await open('/endpoints')
    await page.getByRole('button', { name: 'New endpoint' }).click()
    await page.getByRole('menuitem', { name: /^Web app/ }).click()
    const panel = page.getByRole('dialog', { name: 'New endpoint from a web app' })
    await panel.getByLabel('Command').fill('python3 -m http.server --bind 127.0.0.1 $PORT')
    await panel.getByRole('combobox', { name: 'Working folder' }).fill(`${service.folder}/site`)
    expect(await panel.getByLabel('Name', { exact: true }).inputValue()).toBe('site')
    await expectAccessible()
    await shoot('new-web')
    await panel.getByRole('button', { name: 'Create endpoint' }).click()
    await panel.getByText('The first worker is ready').waitFor()
    const key = await panel.getByText(/^dk_/).textContent()
    const headers = { authorization: `Bearer ${key}` }
    expect(await (await fetch(`${service.url()}/lb/site/hello`, { headers })).text()).toBe('this is hello')
    expect(faults).toEqual([])
  })
})

describe('the page for an empty folder', () => {
  test('serves the sample, and shows the answer to its first job', async () => {
    const { page, open, expectAccessible, shoot, faults } = await setupShared({}, { env: NO_ENGINE })
    await open('/')
    const steps = page.getByRole('region', { name: 'First steps' })
    await steps.getByRole('heading', { name: 'Deploy an app' }).waitFor()
    await expectAccessible()
    await shoot('first-page')
    await page.setViewportSize(NARROW)
    await expectAccessible()
    await shoot('first-page-narrow')
    await steps.getByRole('button', { name: 'Serve the sample' }).click()
    await page.waitForURL('**/jobs/*')
    await page.getByRole('banner').getByText('Completed').waitFor()
    await page.getByRole('region', { name: 'Output' }).getByText('greeting').waitFor()
    await open('/')
    await page.waitForURL('**/endpoints/hello/requests?focus=body')
    const body = page.getByRole('textbox', { name: 'Body of the request' })
    await until(async () => expect(await body.evaluate((element) => element === document.activeElement)).toBe(true))
    await page.keyboard.type(' again')
    await body.getByText('world again').waitFor()
    await expectAccessible()
    await shoot('first-requests')
    await open('/endpoints')
    await page.getByRole('row', { name: /hello/ }).waitFor()
    await steps.getByText('These are the samples').waitFor()
    expect(faults).toEqual([])
  })

  test('opens a workflow that runs to a picture, and a sample app for a folder of ours', async () => {
    const { page, open, faults } = await setupShared({}, { env: NO_ENGINE })
    await open('/endpoints')
    await page.getByRole('button', { name: 'Open a sample workflow' }).click()
    await page.waitForURL('**/workflows/edit/*')
    const bar = page.getByRole('region', { name: 'Run', exact: true })
    await bar.getByRole('combobox', { name: 'Endpoint' }).getByText('sketch').waitFor()
    await bar.getByRole('button', { name: 'Run', exact: true }).click()
    await bar.getByRole('status', { name: 'Last run' }).getByText('1 result').waitFor()
    await open('/endpoints')
    await page.getByRole('link', { name: 'Start with the sample app' }).click()
    await page.getByRole('dialog', { name: 'Start with hello' }).waitFor()
    expect(faults).toEqual([])
  })
})

describe('in light and dark colours', () => {
  test('the form has no serious accessibility violation, at every width', async () => {
    const { page, visit, expectAccessible, shoot } = await setupShared({}, { env: NO_ENGINE })
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
