import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator } from 'playwright-core'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { noBrowser } from '../support/chromium.ts'
import { type ServedService, until } from '../support/served-service.ts'
import { choose, NARROW, type Pages, setup, setupShared } from './support.ts'

beforeEach(({ skip }) => skip(noBrowser !== undefined, noBrowser))

const CRASHING = `
import sys
def handler(job):
    print("the last thing it said", flush=True)
    if job["input"].get("die"):
        import os
        os._exit(3)
    return job["input"]
`

const LOUD = `
print("\\x1b[32mmodel loaded\\x1b[0m", flush=True)
def handler(job):
    return 1
`

/** A handler file that is loaded until a file is there, and fails then. */
const failing = (gate: string) => `
import os, time
while not os.path.exists(${JSON.stringify(gate)}):
    time.sleep(0.005)
raise RuntimeError("no model")
`

type Worker = { readonly id: string; readonly state: string; readonly jobs: readonly string[] }

/** Waits for this many workers in a state. */
function workersIn(service: ServedService, state: string, count = 1): Promise<readonly Worker[]> {
  return until(async () => {
    const { workers } = (await service.get('/api/workers')) as { workers: readonly Worker[] }
    const found = workers.filter((worker) => worker.state === state)
    expect(found).toHaveLength(count)
    return found
  })
}

async function workerIn(service: ServedService, state: string): Promise<Worker> {
  const [worker] = await workersIn(service, state)
  if (worker === undefined) throw new Error('there is none')
  return worker
}

/** Goes to the drawer of a worker; what is behind it is no part of the page then. */
async function openDrawer({ page, visit }: Pages, search: string): Promise<Locator> {
  await visit(`/workers?${search}`)
  const drawer = page.getByRole('dialog')
  await drawer.waitFor()
  return drawer
}

// A page shows workers for ten minutes after their end: tests that count them start a service of their own.
describe('the page of workers', () => {
  test('says why there is none, and what would start one', async () => {
    const { service, page, open, expectAccessible, shoot, faults } = await setupShared()
    await open('/workers')
    await page.getByText('there are no endpoints yet').waitFor()
    await expectAccessible()
    await service.createEndpoint('asleep', { idleTimeoutMs: 5000 })
    await page.getByText('No workers are running: no endpoint has work.').waitFor()
    await shoot('workers-none-light')
    await choose(page.getByLabel('Endpoint', { exact: true }), 'asleep')
    await page.getByText('a worker starts when a job arrives, and stops after 5.0 s without one').waitFor()
    expect(new URL(page.url()).search).toBe('?endpoint=asleep')
    await service.post('/api/endpoints/asleep/pause')
    await page.getByText('no worker starts until it is resumed').waitFor()
    await page.getByRole('button', { name: 'Resume asleep' }).click()
    await page.getByText('Idle: a worker starts').waitFor()
    await service.ask('PATCH', '/api/endpoints/asleep', { workersMax: 0, workersMin: 0 })
    await page.getByText('maximum of 0 workers').waitFor()
    expect(faults).toEqual([])
  })

  test('shows each worker with its state, its job, and what its process uses, and follows them', async () => {
    const { service, page, open, faults } = await setupShared()
    await service.createEndpoint('gated', { workersMax: 1, name: 'Gated' })
    const jobId = await service.run('gated', { gates: [service.gate('go')] })
    await open('/workers')
    const group = page.getByRole('region', { name: 'Workers of Gated' })
    const card = group.getByRole('listitem')
    await card.getByText('Running').waitFor()
    await card.getByRole('link', { name: jobId }).waitFor()
    await card.getByText(/up \d+ s · process \d+/).waitFor()
    await card.getByText(/^\d+ MiB$/).waitFor()
    await card.getByText(/^\d+(\.\d)? %$/).waitFor()
    expect(await card.getByRole('img', { name: /GPU/ }).count()).toBe(0)
    service.openGate('go')
    await card.getByText('Idle', { exact: true }).waitFor()
    await card.getByText('1 done').waitFor()
    expect(faults).toEqual([])
  })

  test('keeps a worker that crashed in sight, with its last words and its log', async () => {
    const { service, page, open, shoot } = await setup()
    for (const id of ['calm', 'also-calm']) await service.createEndpoint(id, { workersMin: 1 })
    await service.createHandler('fragile', CRASHING, { redispatches: 0 })
    await service.jobEnd('fragile', await service.run('fragile', { die: true }))
    await open('/workers')
    const card = page.getByRole('listitem').filter({ hasText: 'Crashed' }).first()
    await card.getByText('the last thing it said').waitFor()
    const groups = page.getByRole('region', { name: /^Workers of / })
    await until(async () => expect(await groups.count()).toBe(3))
    expect(await groups.first().getAttribute('aria-label')).toBe('Workers of fragile')
    await shoot('workers-crashed-first')
    await page.setViewportSize(NARROW)
    await shoot('workers-crashed-first-narrow')
    await card.getByText(/was up/).waitFor()
    await card.getByRole('link').click()
    const drawer = page.getByRole('dialog')
    await drawer.getByText('Crashed').waitFor()
    await shoot('worker-crashed-light')
    await drawer.getByRole('link', { name: 'See its log' }).click()
    await drawer.getByRole('log').getByText('the last thing it said').first().waitFor()
    await page.goBack()
    await drawer.getByText('It ended unexpectedly').waitFor()
  })

  test('is filtered by endpoint and state, in the address, and used with the keyboard', async () => {
    const { service, page, open } = await setupShared()
    for (const id of ['one', 'two']) await service.createEndpoint(id, { workersMin: 2, workersMax: 2 })
    await workersIn(service, 'idle', 4)
    await service.run('two', { gates: [service.gate('go')] })
    const running = await workerIn(service, 'running')
    await open('/workers?state=running')
    await page.getByRole('listitem').filter({ hasText: running.id }).waitFor()
    expect(await page.locator('[data-card]').count()).toBe(1)
    await choose(page.getByLabel('State'), 'All states')
    await until(async () => expect(await page.locator('[data-card]').count()).toBe(4))
    await choose(page.getByLabel('State'), 'Unhealthy')
    await page.getByText('No worker is in the state “Unhealthy” now.').waitFor()
    await page.getByRole('button', { name: 'Show all workers' }).click()
    await page.locator('[data-card]').first().focus()
    const focused = () => page.evaluate(() => document.activeElement?.textContent)
    const first = await focused()
    await page.keyboard.press('ArrowRight')
    expect(await focused()).not.toBe(first)
    await page.keyboard.press('k')
    expect(await focused()).toBe(first)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    expect(page.url()).toContain('?worker=')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(new URL(page.url()).search).toBe('')
  })
})

describe('the drawer of a worker', () => {
  test('shows what it is, its log with colours, and where its folder is for a shell', async () => {
    const { service, page, open, expectAccessible, shoot, faults } = await setupShared()
    await service.createHandler('loud', LOUD, { workersMin: 1, workersMax: 1, env: { MODEL: 'hush', TOKEN: 'hush' } })
    const { id } = await workerIn(service, 'idle')
    await open('/endpoints/loud/workers')
    await page.getByText(/^\d+ MiB$/).waitFor()
    await shoot('endpoint-workers-light')
    await page.getByRole('link', { name: id }).click()
    const drawer = page.getByRole('dialog', { name: `Worker ${id}` })
    for (const fact of ['MODEL', 'TOKEN', 'Process', 'Folder', service.folder])
      await drawer.getByText(fact, { exact: true }).first().waitFor()
    expect(await drawer.textContent()).not.toContain('hush')
    await drawer.getByText(/^\d+ MiB$/).waitFor()
    await expectAccessible()
    await drawer.getByRole('link', { name: 'Log' }).click()
    expect(page.url()).toContain('part=log')
    await drawer.getByRole('log').getByText('model loaded').waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('Open a shell in it')
    await page.keyboard.press('Enter')
    await page.waitForURL('**part=shell')
    expect(await drawer.getByRole('button', { name: 'Open a shell' }).isDisabled()).toBe(true)
    await drawer.getByText(`It runs as a process on this machine, so you can use any terminal. Its folder is`).waitFor()
    await drawer.getByText(`cd ${service.folder}`).waitFor()
    await expectAccessible()
    await page.reload()
    await drawer.getByRole('button', { name: 'Open a shell' }).waitFor()
    expect(faults).toEqual([])
  })

  test('stops a worker, after a question where it runs jobs', async () => {
    const pages = await setup()
    const { service, page } = pages
    await service.createEndpoint('gated', { workersMax: 1, stopGraceMs: 0 })
    const jobId = await service.run('gated', { gates: [service.gate('go')] })
    const { id } = await workerIn(service, 'running')
    const drawer = await openDrawer(pages, `worker=${id}`)
    await drawer.getByRole('button', { name: 'Stop worker' }).click()
    const question = page.getByRole('alertdialog')
    await question.getByText('It runs 1 job').waitFor()
    await question.getByRole('button', { name: 'Cancel' }).click()
    expect((await workerIn(service, 'running')).id).toBe(id)
    await drawer.getByRole('button', { name: 'Stop worker' }).click()
    await question.getByRole('button', { name: `Stop worker ${id}` }).click()
    await drawer.getByText('Stopped by a person.').waitFor()
    await until(async () => expect((await service.get('/api/workers')).workers).not.toMatchObject([{ id }]))
    service.openGate('go')
    expect((await service.jobEnd('gated', jobId)).workerId).not.toBe(id)
    await page.keyboard.press('Escape')
    const folded = page.getByRole('button', { name: '1 ended in the last ten minutes' })
    const old = page.getByRole('listitem').filter({ hasText: id })
    await folded.waitFor()
    expect(await old.count()).toBe(0)
    await folded.press('Enter')
    await old.getByText('Stopped by a person.').waitFor()
    expect(await folded.getAttribute('aria-expanded')).toBe('true')
    await page.goto(`${service.url()}/workers?state=ended`)
    await old.getByText('Stopped by a person.').waitFor()
  })

  test('replaces a worker: the new one is ready before the old one goes, and the reason is shown', async () => {
    const { service, page, open, told } = await setup()
    await service.createEndpoint('calm', { workersMin: 1, workersMax: 1 })
    const { id } = await workerIn(service, 'idle')
    await open(`/workers`)
    await page.getByRole('button', { name: `More for worker ${id}` }).click()
    await page.getByRole('menuitem', { name: 'Replace' }).click()
    await told('A new worker starts.')
    const old = page.getByRole('listitem').filter({ hasText: id })
    // It says why while it goes; then it is folded away with the others that ended.
    await page.getByRole('button', { name: '1 ended in the last ten minutes' }).click()
    await old.getByText('Replaced by hand.').waitFor()
    await old.getByText('Ended', { exact: true }).waitFor()
    const next = await workerIn(service, 'idle')
    expect(next.id).not.toBe(id)
    await page.getByRole('listitem').filter({ hasText: next.id }).getByText('Idle', { exact: true }).waitFor()
  })

  test('that ended while the page was cut off is folded away with its reason when the page is back', async () => {
    const { service, page, open } = await setup()
    await service.createEndpoint('echo', { workersMin: 1, workersMax: 1 })
    const { id } = await workerIn(service, 'idle')
    // Requests are answered, but no events come through.
    await page.route('**/events*', (route) => route.abort())
    await open('/workers')
    await page.getByText('The service does not answer').waitFor()
    await service.post(`/api/workers/${id}/replace`)
    await until(async () => {
      const { workers } = await service.get('/api/workers')
      expect(workers.map((worker: Worker) => worker.id)).not.toContain(id)
    })
    await page.unroute('**/events*')
    await page.getByRole('button', { name: '1 ended in the last ten minutes' }).click()
    await page.getByRole('listitem').filter({ hasText: id }).getByText('Replaced by hand.').waitFor()
  })

  test('a new worker that does not become ready leaves the old one, and says why', async () => {
    const pages = await setupShared()
    const { service } = pages
    await service.createHandler('fragile', LOUD, { workersMin: 1, workersMax: 1 })
    const { id } = await workerIn(service, 'idle')
    writeFileSync(join(service.folder, 'fragile.py'), failing(service.gate('end')))
    const drawer = await openDrawer(pages, `worker=${id}`)
    await drawer.getByRole('button', { name: 'Replace' }).click()
    await drawer.getByText('Is being replaced.').waitFor()
    service.openGate('end')
    await drawer.getByText('Not replaced: RuntimeError: no model.').waitFor()
    expect((await workerIn(service, 'idle')).id).toBe(id)
  })

  test('of a worker that never was says so', async () => {
    const drawer = await openDrawer(await setupShared(), 'worker=nobody')
    await drawer.getByText('or never existed').waitFor()
  })
})

const SIZES = [
  [undefined, ''],
  [NARROW, '-narrow'],
  [{ width: 800, height: 700 }, '-800'],
] as const

/** The live state with far too many workers, in all states; the service has none of them. */
function crowd() {
  const states = ['running', 'idle', 'initializing', 'unhealthy', 'paused', 'stopping'] as const
  const now = Date.now()
  return (live: { readonly endpoints: readonly { readonly id: string }[] }) => ({
    ...live,
    workers: Array.from({ length: 200 }, (_one, at) => ({
      id: `worker${String(at).padStart(8, '0')}`,
      endpointId: live.endpoints[at % live.endpoints.length]?.id,
      state: states[at % states.length],
      ...(at % 6 > 1
        ? { reason: 'pulls registry.example.com/a/very/long/name/of/an/image:with-a-tag (42 %, 12 of 31 layers)' }
        : {}),
      container: 'f00dfeed'.repeat(8),
      gpus: ['GPU-0'],
      startedAt: now - at * 60_000,
      jobs: at % 6 === 0 ? Array.from({ length: (at % 5) + 1 }, (_job, n) => `${at}-job-${n}-of-many-jobs`) : [],
      jobsDone: at * 1234,
    })),
  })
}

const USED = { cpuPercent: 312.4, memoryBytes: 7.6e9, memoryLimitBytes: 8e9, gpuPercent: 97, gpuMemoryBytes: 22e9 }

test('two hundred workers with graphics cards are shown and reached', async () => {
  const { service, page, open, shoot, faults } = await setup()
  for (const id of ['one', 'two']) await service.createEndpoint(id)
  const change = crowd()
  // Requests in flight end before the page does.
  onTestFinished(() => page.unrouteAll({ behavior: 'wait' }))
  await page.route('**/api/live', async (route) => {
    const answer = await route.fetch()
    await route.fulfill({ response: answer, json: change(await answer.json()) })
  })
  await page.route('**/api/workers/usage*', async (route) => {
    const { workers } = change(await service.get('/api/live'))
    const events = [0, 2, 4, 6].map((seconds) => {
      const at = Date.now() - 6000 + seconds * 1000
      const readings = workers.map(({ id, endpointId }) => ({ workerId: id, endpointId, ...USED }))
      return `id: ${at}\nevent: usage\ndata: ${JSON.stringify({ at, workers: readings })}\n\n`
    })
    await route.fulfill({ contentType: 'text/event-stream', body: events.join('') })
  })
  await open('/workers')
  await page.getByText('of 7.5 GiB').first().waitFor()
  expect(await page.locator('[data-card]').count()).toBe(200)
  await shoot('workers-200')
  await page.setViewportSize({ width: 800, height: 700 })
  await shoot('workers-200-800')
  await page.locator('[data-card]').first().focus()
  await page.keyboard.press('End')
  const last = await page.locator('[data-card]').last().textContent()
  await until(async () => expect(await page.evaluate(() => document.activeElement?.textContent)).toBe(last))
  expect(faults).toEqual([])
})

describe('in light and dark colours', () => {
  test('the cards of six workers have no serious accessibility violation, wide and narrow, and with the service down', async () => {
    const { service, page, open, expectAccessible, shoot } = await setupShared({})
    const name = 'An endpoint whose name is longer than what a narrow window has room for'
    await service.createEndpoint('gated', { workersMin: 4, workersMax: 5, name })
    await service.createHandler('loud', LOUD, { workersMin: 1, workersMax: 3 })
    await service.createHandler('fragile', CRASHING, { redispatches: 0, idleTimeoutMs: 1000 })
    await workersIn(service, 'idle', 5)
    await service.run('gated', { gates: [service.gate('go')] })
    await service.jobEnd('fragile', await service.run('fragile', { die: true }))
    await workerIn(service, 'running')
    for (const [size, suffix] of SIZES) {
      if (size !== undefined) await page.setViewportSize(size)
      await open('/workers')
      await page.getByText('Crashed').first().waitFor()
      await page
        .getByText(/^\d+ MiB$/)
        .first()
        .waitFor()
      await expectAccessible()
      await shoot(`workers${suffix}`)
    }
    await service.kill()
    await page.getByText('The service does not answer').waitFor()
    await expectAccessible()
    await shoot(`workers-down`)
  })

  test('the drawer has no serious accessibility violation, wide and narrow', async () => {
    const pages = await setupShared({})
    const { service, page, expectAccessible, shoot } = pages
    await service.createHandler('loud', LOUD, { workersMin: 1, workersMax: 1, env: { MODEL: 'small', TOKEN: 'x' } })
    const { id } = await workerIn(service, 'idle')
    for (const [size, suffix] of SIZES) {
      if (size !== undefined) await page.setViewportSize(size)
      const drawer = await openDrawer(pages, `worker=${id}`)
      await drawer.getByText('Process', { exact: true }).waitFor()
      await expectAccessible()
      await shoot(`worker-about${suffix}`)
      await openDrawer(pages, `worker=${id}&part=log`)
      await page.getByText('model loaded').waitFor()
      await expectAccessible()
      await shoot(`worker-log${suffix}`)
    }
  })
})
