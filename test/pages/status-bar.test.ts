import { dirname } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { noBrowser } from '../support/chromium.ts'
import { dockerEngine } from '../support/docker-engine.ts'
import { RECORDED_NVIDIA_SMI } from '../support/recorded-gpus.ts'
import { until } from '../support/served-service.ts'
import { setup } from './support.ts'

beforeEach(({ skip }) => skip(noBrowser !== undefined, noBrowser))

test('tells how the service does, and each piece leads to its page', async () => {
  const { service, page, open, expectAccessible, faults } = await setup(
    {},
    { env: { DOCKER_HOST: 'unix:///nowhere/docker.sock' } },
  )
  await service.createEndpoint('hello', { workersMin: 1, workersMax: 1 })
  await open('/endpoints')
  const bar = page.getByRole('contentinfo')
  await bar.getByText('workers 1 of 32').waitFor()
  await bar.getByText('jobs: 0 running, 0 queued').waitFor()
  expect(await bar.getByText('GPU').count()).toBe(0)
  const docker = bar.getByRole('link', { name: /^no docker\. Workers run as processes\. .*no NVIDIA GPU/ })
  await docker.hover()
  await page.getByRole('tooltip').getByText('Workers run as processes').waitFor()
  await expectAccessible()
  for (const [piece, path] of [
    [/^service/, '/system'],
    [/^no docker/, '/system/machine'],
    [/^workers/, '/workers'],
    [/^jobs/, '/jobs'],
  ] as const) {
    await bar.getByRole('link', { name: piece }).click()
    await page.waitForURL(`**${path}`)
  }
  expect(faults).toEqual([])
})

test('says that the Docker engine is there, by which name it was found, and its version on the page of the machine', async ({
  skip,
}) => {
  const engine = await dockerEngine()
  if (!('dockerHost' in engine)) return skip(true, engine.why)
  const { page, open } = await setup({}, { env: { DOCKER_HOST: engine.dockerHost } })
  await open('/endpoints')
  const docker = page
    .getByRole('contentinfo')
    .getByRole('link', { name: /^docker ok\. Engine \S+, named by DOCKER_HOST/ })
  await docker.click()
  await page.getByText('Connected').waitFor()
  await page.getByRole('link', { name: 'Checks' }).click()
  await page.getByRole('heading', { name: 'worker image', exact: true }).waitFor()
})

/** The environment of a service on a recorded machine. */
const onMachine = (machine: string) => ({
  DOCKER_HOST: 'unix:///nowhere/docker.sock',
  PATH: `${dirname(RECORDED_NVIDIA_SMI)}:${process.env.PATH}`,
  RECORDED_GPUS: machine,
})

test('counts the graphics cards, and the page of the machine tells their memory and who holds them', async () => {
  const { page, open, expectAccessible, shoot } = await setup({}, { env: onMachine('two-l40s-one-a100') })
  await open('/endpoints')
  await page
    .getByRole('contentinfo')
    .getByRole('link', { name: /^GPU 0 of 3 used/ })
    .click()
  const cards = page.getByRole('listitem').filter({ hasText: /free|outside of containers/ })
  await until(async () => expect(await cards.count()).toBe(3))
  await cards
    .filter({ hasText: 'A100' })
    .getByText(/of 80 GiB/)
    .waitFor()
  await expectAccessible()
  await shoot('system-machine-cards-1440')
})

test.each([
  ['driver-mismatch', /driver was updated/, /Restart the machine/],
  ['lost-card', /does not answer any more/, /Restart the machine/],
])('a card that fails says why and what to do: %s', async (machine, found, fix) => {
  const { page, open } = await setup({}, { env: onMachine(machine) })
  await open('/system')
  const row = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'GPU', exact: true }) })
  await row.getByText(found).first().waitFor()
  expect(await row.textContent()).toMatch(fix)
})
