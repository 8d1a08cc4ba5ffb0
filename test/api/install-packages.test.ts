import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { EnvironmentInstall } from '../../src-main/runtimes/port.ts'
import { setup as setupService } from '../support/core.ts'

const WORDS = "ModuleNotFoundError: No module named 'torch'"

/** A service with an endpoint whose handler is in a folder, and an installer that a test ends. */
async function setup(more: object = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-install-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const handler = join(folder, 'handler.py')
  writeFileSync(handler, '')
  const installs: { readonly wish: EnvironmentInstall; readonly end: (error?: Error) => void }[] = []
  const install = (wish: EnvironmentInstall) =>
    new Promise<void>((resolve, reject) => {
      wish.signal?.addEventListener('abort', () => reject(wish.signal?.reason as Error))
      installs.push({ wish, end: (error) => (error === undefined ? resolve() : reject(error)) })
    })
  const service = await setupService({ processHost: { install } })
  await service.createEndpoint('e', { handler, ...more })
  const begin = (packages: readonly unknown[], key?: string) =>
    service.ask('POST', '/api/endpoints/e/install', { body: { packages }, ...(key === undefined ? {} : { key }) })
  const endpoint = () => service.get('/api/endpoints/e')
  return { service, folder, handler, installs, begin, endpoint }
}

test('a module that is missing is named with the commands that mend it, wherever the reason stands', async () => {
  const { service, endpoint } = await setup()
  const jobId = await service.run()
  const worker = await service.worker()
  service.fleet().print(worker.id, WORDS)
  service.fleet().end(worker.id, { code: 1 })
  await service.clock.until(async () => (await endpoint()).crash !== undefined)
  const hint = 'install it: drydock endpoint install e torch; or name the environment that has it: drydock endpoint'
  expect((await endpoint()).crash.lastWords).toContain(`${WORDS} (${hint}`)
  expect((await endpoint()).waitingReason).toContain(hint)
  expect((await service.get(`/api/jobs/${jobId}`)).waitingReason).toContain(hint)
  await service.clock.until(async () => {
    const { events } = await service.get('/api/fleet-events?endpoint=e&kinds=crash')
    return events[0]?.reason?.includes(hint) === true
  })
})

test('packages are installed next to the handler, and the workers run in that environment then', async () => {
  const { service, folder, installs, begin, endpoint } = await setup()
  await service.worker()
  expect(await begin(['torch==2.5.1', 'pillow'])).toMatchObject({
    status: 200,
    body: { install: { state: 'running' } },
  })
  const environment = join(folder, '.venv')
  expect(installs[0]?.wish).toMatchObject({ environment, packages: ['torch==2.5.1', 'pillow'], python: 'python3' })
  installs[0]?.wish.onLine('Downloading torch')
  expect((await endpoint()).install).toMatchObject({ state: 'running', line: 'Downloading torch', environment })
  expect(await begin(['numpy'])).toMatchObject({ status: 409, body: { code: 'NOT_DONE' } })
  installs[0]?.end()
  await service.clock.until(async () => (await endpoint()).install.state === 'done')
  expect(await endpoint()).toMatchObject({ virtualEnv: environment })
  await service.clock.until(() => service.fleet().started.length === 2)
  expect(service.fleet().started[1]).toMatchObject({ virtualEnv: environment })

  await begin(['numpy'])
  installs[1]?.end()
  await service.clock.until(async () => (await endpoint()).install.packages[0] === 'numpy')
  await service.clock.until(() => service.fleet().started.length === 3)
})

test('an installation that fails changes nothing and says why', async () => {
  const { service, installs, begin, endpoint } = await setup()
  await begin(['no-such-thing'])
  installs[0]?.end(new Error('No matching distribution found for no-such-thing'))
  await service.clock.until(async () => (await endpoint()).install.state === 'failed')
  expect((await endpoint()).install.why).toContain('No matching distribution')
  expect(await endpoint()).not.toHaveProperty('virtualEnv')
  const said = 'Not installed: no-such-thing: No matching distribution found for no-such-thing'
  await service.clock.until(async () => (await service.get('/api/endpoints/e/logs')).lines[0]?.line === said)
})

test('only names of packages are taken, only by keys that may change endpoints, only where they help', async () => {
  const { service, installs, begin } = await setup()
  for (const text of ['-r/etc/passwd', 'https://a.b/c.whl', '../a', 1, ''])
    expect(await begin([text])).toMatchObject({ status: 400, body: { code: 'BAD_FIELD' } })
  expect((await begin([])).status).toBe(400)
  const { key } = await service.post('/api/keys', { name: 'looks', role: 'read' })
  expect((await begin(['torch'], key)).status).toBe(403)
  expect(installs).toEqual([])
  await service.createEndpoint('boxed', { command: 'a', container: { image: 'python:3.12' } })
  const refused = await service.ask('POST', '/api/endpoints/boxed/install', { body: { packages: ['torch'] } })
  expect(refused).toMatchObject({ status: 409, body: { error: expect.stringContaining('come with its image') } })
})

test('a service that stops ends the installation', async () => {
  const { service, begin } = await setup()
  await begin(['torch'])
  await service.restart('in order')
  expect(service.log.filter(({ level }) => level !== 'info')).toEqual([])
})
