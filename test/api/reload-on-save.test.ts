import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { setup as setupService } from '../support/core.ts'
import type { TestWorker } from '../support/worker-client.ts'

/** A service with an endpoint whose handler a test saves. */
async function setup({ settings = {}, more = {} } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-handler-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const handler = join(folder, 'handler.py')
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
  write('handler.py', 'import part')
  write('part.py', '')
  const service = await setupService({ settings })
  await service.createEndpoint('e', { handler, ...more })
  const isWatched = () => service.log.some(({ message }) => message === 'code watched')
  if (!('reloadOnSave' in more)) await service.clock.until(isWatched)
  const endpoint = () => service.get('/api/endpoints/e')
  const change = async () => (await endpoint()).codeChange
  const workers = async () => (await service.get('/api/workers')).workers
  const stateOf = async ({ id }: TestWorker) =>
    (await workers()).find((worker: { id: string }) => worker.id === id)?.state
  const started = () => service.fleet().started.length
  /** Waits until the events and the log of the endpoint have a line. */
  const told = async (event: string, level: string, line: RegExp) => {
    const isIn = (list: readonly { readonly reason?: string; readonly line?: string }[], wanted: object) =>
      list.some(
        (one) =>
          line.test(one.reason ?? one.line ?? '') &&
          Object.entries(wanted).every(([name, value]) => Reflect.get(one, name) === value),
      )
    await service.clock.until(async () => {
      const { events } = await service.get('/api/fleet-events?endpoint=e&kinds=endpoint')
      const { lines } = await service.get('/api/endpoints/e/logs')
      return isIn(events, { event }) && isIn(lines, { level })
    })
  }
  let saves = 0
  const save = (name = 'handler.py') => {
    saves += 1
    write(name, `import part\nA = ${saves}`)
  }
  return { service, write, save, endpoint, change, workers, stateOf, started, told, isWatched }
}

test('a saved handler is live as soon as a worker with it is ready; the busy one ends its job first', async () => {
  const { service, save, change, workers, stateOf, told } = await setup()
  const { jobId, worker: old } = await service.running()
  save()
  const next = await service.worker('e', [old])
  expect(await change()).toMatchObject({ files: ['handler.py'], state: 'starting' })
  expect(await stateOf(old)).toBe('running')
  const taken = next.take()
  await service.clock.until(async () => (await stateOf(old)) === 'stopping')
  expect((await workers())[0]).toMatchObject({ reason: 'handler.py changed', jobs: [jobId] })
  const second = await service.run()
  expect((await taken)?.id).toBe(second)
  await old.done(jobId, { output: 1 })
  expect(await service.status(jobId)).toMatchObject({ status: 'COMPLETED' })
  expect(await change()).toMatchObject({ files: ['handler.py'], state: 'live', tookMs: expect.any(Number) })
  await told('reloaded', 'INFO', /^handler\.py changed: live after .+ s$/)
})

test('new code that does not start leaves the workers of before as they are, and says why', async () => {
  const { service, save, endpoint, change, workers, told } = await setup()
  const old = await service.worker()
  const waits = old.take()
  save('part.py')
  const next = await service.worker('e', [old])
  service.fleet().print(next.id, "ModuleNotFoundError: No module named 'torch'")
  service.fleet().end(next.id, { code: 1 })
  await service.clock.until(async () => (await change()).state === 'failed')
  const why = expect.stringContaining("ModuleNotFoundError: No module named 'torch'")
  expect(await change()).toMatchObject({ files: ['part.py'], why })
  expect((await endpoint()).crash).toBeUndefined()
  expect(await workers()).toMatchObject([
    { id: old.id, replacement: expect.stringMatching(/^not replaced: ModuleNot/) },
  ])
  const jobId = await service.run()
  expect((await waits)?.id).toBe(jobId)
  await told('not reloaded', 'WARN', /^part\.py changed: the new code does not start, the previous code .*torch/)
})

test('a change during the start gives it up, and one replacement remains', async () => {
  const { service, save, change, stateOf, started } = await setup()
  const old = await service.worker()
  void old.take()
  save()
  const first = await service.worker('e', [old])
  save()
  await service.clock.until(async () => (await stateOf(first)) === undefined)
  const second = await service.worker('e', [old, first])
  void second.take()
  await service.clock.until(async () => (await change()).state === 'live')
  await service.clock.until(async () => (await stateOf(old)) === undefined)
  expect(started()).toBe(3)
})

test('without a worker the next one has the new code, and a crash loop is over', async () => {
  const { service, save, endpoint, change, started } = await setup({ more: { workersMin: 0 } })
  save()
  await service.clock.until(async () => (await change())?.state === 'next')
  expect(started()).toBe(0)
  await service.run()
  const worker = await service.worker()
  service.fleet().end(worker.id, { code: 1 })
  await service.clock.until(async () => (await endpoint()).crash !== undefined)
  save()
  await service.clock.until(async () => (await endpoint()).crash === undefined)
  await service.clock.until(() => started() === 2)
})

test('new code is live when the first worker that started after the save is ready', async () => {
  const { service, save, change, told } = await setup({ more: { workersMin: 0 } })
  save()
  await service.clock.until(async () => (await change())?.state === 'next')
  await service.run()
  const next = await service.worker()
  await service.clock.advance(3000)
  expect(await change()).toMatchObject({ state: 'next' })
  void next.take()
  await service.clock.until(async () => (await change()).state === 'live')
  expect((await change()).tookMs).toBeGreaterThanOrEqual(3000)
  await told('reloaded', 'INFO', /^handler\.py changed: live after/)
})

test('new code that did not start is live when it does, once no worker from before is left', async () => {
  const { service, save, change, stateOf } = await setup()
  const old = await service.worker()
  void old.take()
  save()
  const broken = await service.worker('e', [old])
  service.fleet().end(broken.id, { code: 1 })
  await service.clock.until(async () => (await change()).state === 'failed')
  await service.ask('POST', `/api/workers/${old.id}/stop`)
  await service.clock.until(async () => (await stateOf(old)) === undefined)
  expect(await change()).toMatchObject({ state: 'failed' })
  const next = await service.worker('e', [old, broken])
  void next.take()
  await service.clock.until(async () => (await change()).state === 'live')
})

test('where there is no slot for one more the old one leaves first', async () => {
  const { service, save, change, stateOf } = await setup({ settings: { maxWorkers: 1 } })
  const { jobId, worker: old } = await service.running()
  save()
  await service.clock.until(async () => (await stateOf(old)) === 'stopping')
  await old.done(jobId, { output: 1 })
  const next = await service.worker('e', [old])
  void next.take()
  await service.clock.until(async () => (await change()).state === 'live')
})

test('where the only worker left for new code that does not start, nothing is said to serve', async () => {
  const { service, save, change, told } = await setup({ settings: { maxWorkers: 1 } })
  const old = await service.worker()
  void old.take()
  save()
  const next = await service.worker('e', [old])
  service.fleet().print(next.id, 'SyntaxError: invalid syntax')
  service.fleet().end(next.id, { code: 1 })
  await service.clock.until(async () => (await change()).state === 'failed')
  await told('not reloaded', 'WARN', /^handler\.py changed: the new code does not start: .*invalid syntax/)
})

test('it can be switched off and on, and other files of the folder change nothing', async () => {
  const { service, write, save, change, started, isWatched } = await setup({ more: { reloadOnSave: false } })
  const old = await service.worker()
  void old.take()
  save()
  write('other.py', 'A = 1')
  await service.ask('PATCH', '/api/endpoints/e', { body: { reloadOnSave: true } })
  expect((await service.get('/api/endpoints/e')).reloadOnSave).toBe(true)
  await service.clock.until(isWatched)
  save('part.py')
  await service.clock.until(async () => (await change()) !== undefined)
  expect(await change()).toMatchObject({ files: ['part.py'] })
  const next = await service.worker('e', [old])
  void next.take()
  await service.clock.until(async () => (await change()).state === 'live')
  expect(started()).toBeGreaterThanOrEqual(2)
})

test('a service that stops gives up what is under way', async () => {
  const { service, save } = await setup()
  const old = await service.worker()
  save()
  await service.worker('e', [old])
  await service.restart('in order')
  expect(service.log.filter(({ level }) => level !== 'info')).toEqual([])
})
