/** The pages of machines: a context of Docker that leads to the engine of the tests, and an SSH that nobody answers. */
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { noBrowser } from '../support/chromium.ts'
import { dockerEngine } from '../support/docker-engine.ts'
import { NARROW, setup, signIn } from './support.ts'

const engine = await dockerEngine()
const noEngine = 'why' in engine ? engine.why : undefined

beforeEach(({ skip }) => skip(noBrowser !== undefined, noBrowser))

/** A folder of Docker's settings that knows the engine of the tests as the context box. */
function dockerSettings(): string {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-contexts-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const meta = join(folder, 'contexts', 'meta', createHash('sha256').update('box').digest('hex'))
  mkdirSync(meta, { recursive: true })
  const host = 'dockerHost' in engine ? engine.dockerHost : ''
  writeFileSync(join(meta, 'meta.json'), JSON.stringify({ Name: 'box', Endpoints: { docker: { Host: host } } }))
  return folder
}

const withContext = () => setup({}, { env: { DOCKER_CONFIG: dockerSettings() } })

// Nothing listens there.
const NOBODY = { name: 'nobody', way: { kind: 'ssh', to: '127.0.0.1', port: 1 } }

/** A swarm of three nodes, with far too long names. */
const SWARM = {
  name: 'lab-with-a-name-as-long-as-people-give-to-machines-in-a-lab',
  way: { kind: 'ssh', to: 'ada@manager.lab.example.org', port: 2222 },
  swarm: true,
  addedAt: 1_790_000_000_000,
  state: 'connected',
  since: 1_790_000_000_000,
  facts: {
    engine: '28.0.1',
    system: 'Debian GNU/Linux 12 (bookworm)',
    cpus: 96,
    memoryBytes: 512 * 2 ** 30,
    diskFreeBytes: 800 * 2 ** 30,
    diskTotalBytes: 1800 * 2 ** 30,
    load: 12.5,
    cards: [
      { name: 'NVIDIA H100 80GB HBM3', memoryBytes: 80 * 2 ** 30, used: 1 },
      { name: 'NVIDIA H100 80GB HBM3', memoryBytes: 80 * 2 ** 30, used: 0 },
    ],
    images: Array.from({ length: 12 }, (_one, at) => ({
      name: `drydock-worker:3.11-${'0123456789abcdef'.repeat(3)}-${at}`,
      bytes: 1.2e9 + at,
    })),
    nodes: [
      { name: 'manager', role: 'manager', state: 'ready', cpus: 32, memoryBytes: 2 ** 37, cards: [], workers: 2 },
      {
        name: 'second',
        role: 'worker',
        state: 'drained',
        reason: 'drained by a person',
        cpus: 32,
        memoryBytes: 2 ** 37,
        cards: [{ name: 'NVIDIA H100 80GB HBM3' }],
        workers: 0,
      },
      {
        name: 'third',
        role: 'worker',
        state: 'down',
        reason: 'heartbeat failure',
        cpus: 32,
        memoryBytes: 2 ** 37,
        cards: [],
        workers: 0,
      },
    ],
  },
  workers: Array.from({ length: 30 }, (_one, at) => ({ workerId: `worker${at}`, endpointId: 'far-too-many' })),
  endpoints: ['far-too-many'],
  test: { isRunning: false, steps: [{ check: 'Docker engine', state: 'ok', found: '28.0.1' }] },
}

describe('where there is no machine yet', () => {
  test('the page leads from none to a first job, and is used with the keyboard alone', async () => {
    const { service, page, open, expectAccessible, shoot, faults } = await setup()
    await open('/machines')
    const steps = page.getByRole('region', { name: 'The first machine' })
    await steps.getByText('machine add gpu-box --ssh ada@gpu-box').waitFor()
    await steps.getByText('machine test gpu-box --job').waitFor()
    await expectAccessible()
    await shoot('machines-none')
    await page.keyboard.press('n')
    const panel = page.getByRole('dialog', { name: 'Add machine' })
    await panel.getByLabel('Name').and(page.locator(':focus')).waitFor()
    await page.keyboard.type('nobody')
    await panel.getByLabel('SSH address').fill('-oProxyCommand=touch x')
    await page.keyboard.press('Enter')
    await panel.getByText('must look like user@host').waitFor()
    await expectAccessible()
    await shoot('machines-add-refused')
    await panel.getByLabel('SSH address').fill('127.0.0.1')
    await panel.getByLabel('Port').fill('1')
    await page.keyboard.press('Enter')
    const test = page.getByRole('dialog', { name: 'Machine nobody' })
    await test.getByText(/SSH.*Connection refused/).waitFor()
    await test.getByText(/Make ssh 127\.0\.0\.1 work in a terminal first/).waitFor()
    await test.getByText('It cannot run workers yet: SSH failed.').waitFor()
    await expectAccessible()
    await shoot('machines-add-failed')
    await page.keyboard.press('Escape')
    await page
      .getByText(/nobody: .*ssh: .*Connection refused/)
      .first()
      .waitFor()
    await shoot('machines-unreachable')
    expect((await service.get('/api/machines')).machines).toMatchObject([NOBODY])
    expect(faults).toEqual([])
  })
})

describe('a machine', () => {
  test('is added as a context, tested step by step, shown with what it has, and removed after a question', async ({
    skip,
  }) => {
    skip(noEngine !== undefined, noEngine)
    const { service, page, open, expectAccessible, shoot, faults, told } = await withContext()
    await open('/machines')
    await page.getByRole('button', { name: 'Add machine' }).click()
    const panel = page.getByRole('dialog', { name: 'Add machine' })
    await panel.getByLabel('Name').fill('box')
    await panel.getByRole('radio', { name: 'Docker context' }).click()
    await panel.getByLabel('Context', { exact: true }).fill('box')
    await panel.getByRole('button', { name: 'Add and test' }).click()
    const test = page.getByRole('dialog', { name: 'Machine box' })
    await test.getByText(/^Docker engine: /).waitFor()
    await test.getByText(/^It can run workers/).waitFor()
    await shoot('machines-add-tested')
    await test.getByRole('link', { name: 'Open box' }).click()
    await page.getByRole('heading', { level: 1, name: 'box' }).waitFor()
    await page.getByText('Connected').waitFor()
    await page.getByText(/^Docker \d+/).waitFor()
    await service.createEndpoint('far', { container: { machine: 'box' } })
    await page.getByText('Endpoints assigned to this machine:').waitFor()
    await expectAccessible()
    await shoot('machine')
    await page.setViewportSize(NARROW)
    await shoot('machine-narrow')
    await page.getByRole('button', { name: 'Test again' }).click()
    await page.getByText(/^It can run workers/).waitFor()
    await page.getByRole('button', { name: 'Remove' }).click()
    const question = page.getByRole('alertdialog')
    await question.getByText('No worker runs there now. Jobs of far wait until').waitFor()
    await expectAccessible()
    await question.getByRole('button', { name: 'Remove machine box' }).click()
    await told('Machine box is removed.')
    await page.getByRole('region', { name: 'The first machine' }).waitFor()
    expect((await service.get('/api/machines')).machines).toEqual([])
    expect(faults).toEqual([])
  })

  test('that was removed by somebody else, or never was, says so', async () => {
    const { page, open } = await setup()
    await open('/machines/gone')
    await page.getByText('There is no machine gone').waitFor()
  })

  test('may be looked at, and not changed, with a key that is no admin’s', async () => {
    const { service, page, open, expectAccessible, shoot } = await setup()
    await service.post('/api/machines', NOBODY)
    const { key } = await service.post('/api/keys', { name: 'ada', role: 'read' })
    const link = await fetch(`${service.url()}/api/session-links`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
    })
    await page.context().clearCookies()
    await signIn(page, service, (await link.json()).url)
    await open('/machines')
    await page
      .getByText(
        'Adding and removing machines needs a key with the role admin, and you are signed in with the role read.',
      )
      .waitFor()
    expect(await page.getByRole('button', { name: 'Add machine' }).isDisabled()).toBe(true)
    await open('/machines/nobody')
    await page.getByText('Testing a machine needs a key with the role deploy').waitFor()
    for (const name of ['Test again', 'Remove'])
      expect(await page.getByRole('button', { name }).isDisabled()).toBe(true)
    await expectAccessible()
    await shoot('machine-read-only')
  })
})

describe('a swarm', () => {
  test('shows its nodes with reasons, and its join command on demand, wide and narrow', async () => {
    const { page, open, expectAccessible, shoot, faults } = await setup()
    onTestFinished(() => page.unrouteAll({ behavior: 'wait' }))
    const lost = { ...SWARM, name: 'lost', swarm: false, facts: undefined, state: 'unreachable', reason: 'timed out' }
    await page.route('**/api/machines', (route) => route.fulfill({ json: { machines: [SWARM, lost] } }))
    const join = 'docker swarm join --token SWMTKN-1-not-a-token 192.168.1.20:2377'
    await page.route('**/api/machines/*/join', (route) => route.fulfill({ json: { worker: join, manager: join } }))
    await open('/machines')
    await page.getByText('2 × NVIDIA H100 80GB HBM3').waitFor()
    await expectAccessible()
    await shoot('machines')
    await page.setViewportSize(NARROW)
    await shoot('machines-narrow')
    await open(`/machines/${SWARM.name}`)
    const nodes = page.getByRole('list', { name: `Nodes of ${SWARM.name}` })
    await nodes.getByText('heartbeat failure').waitFor()
    expect(await page.content()).not.toContain('SWMTKN')
    await page.getByRole('button', { name: 'Show the join command' }).click()
    await page.getByText(join).first().waitFor()
    await expectAccessible()
    await shoot('swarm-narrow')
    await page.setViewportSize({ width: 1440, height: 900 })
    await shoot('swarm')
    expect(faults).toEqual([])
  })
})
