import { mkdirSync, mkdtempSync, renameSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { until } from '../support/served-service.ts'
import { previewProject, type RunningPreview } from './support.ts'

/** A program of this name that never ends, before all others on the PATH. */
function hangingProgram(name: string): Record<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-hangs-'))
  writeFileSync(join(folder, name), '#!/bin/sh\nexec sleep 1000\n', { mode: 0o755 })
  return { PATH: `${folder}${delimiter}${process.env.PATH}` }
}

const HANGS = 'import time\n\ntime.sleep(1000)\n\n'

async function leavesNothing(preview: RunningPreview, exitCode = 0): Promise<void> {
  expect(await preview.ended).toMatchObject({ exitCode })
  expect(preview.processes()).toEqual([])
}

test('Ctrl+C during the first build ends it with what it started', async () => {
  const app = await previewProject()
  const preview = app.start({ env: hangingProgram('python3') })
  // The command itself, and its scanner.
  await until(() => expect(preview.processes().length).toBeGreaterThan(2))
  preview.signal('SIGINT')
  await leavesNothing(preview)
  expect(app.folders()).toEqual([])
})

test('Ctrl+C while the first release gets ready ends it with its workers', async () => {
  const app = await previewProject()
  app.keepOnly('cpu_worker.py')
  app.edit('cpu_worker.py', 'from svc', `${HANGS}from svc`)
  const preview = app.start()
  await preview.event('preparing')
  preview.signal('SIGINT')
  await leavesNothing(preview)
  expect(preview.told().map(({ event }) => event)).not.toContain('release failed')
  expect(app.folders()).toEqual([])
})

test('a second Ctrl+C waits for no running job, and leaves nothing', async () => {
  const app = await previewProject()
  app.keepOnly('cpu_worker.py')
  app.edit('cpu_worker.py', '    return', '    import time\n\n    time.sleep(1000)\n    return')
  const first = app.start()
  await first.event('live')
  const { body: job } = await first.ask('POST', '/v2/greet/run', { input: {} })
  await until(async () =>
    expect((await first.ask('GET', `/v2/greet/status/${job.id}`)).body.status).toBe('IN_PROGRESS'),
  )
  first.signal('SIGINT')
  await first.event('stopping')
  const firstAt = performance.now()
  // Within 300 ms it would be the same press.
  await until(() => expect(performance.now() - firstAt).toBeGreaterThan(300))
  first.signal('SIGINT')
  expect(await first.ended).toMatchObject({ exitCode: 0 })
  expect(first.processes()).toEqual([])
  expect(app.folders()).toEqual([])
})

test('the remains of a killed preview are swept by the next one, and one that runs is left alone', async () => {
  const app = await previewProject()
  app.keepOnly('cpu_worker.py')
  const [killed, running] = [app.start(), app.start()]
  await Promise.all([killed.event('live'), running.event('live')])
  killed.signal('SIGKILL')
  await killed.ended
  expect(killed.processes().length).toBeGreaterThan(0)
  expect(app.folders()).toHaveLength(2)

  const next = app.start()
  await next.event('live')
  expect(killed.processes()).toEqual([])
  expect(app.folders()).toHaveLength(2)
  expect(await running.output('greet')).toEqual({ greeting: 'Hello, world!' })
})

test('two previews of one app run side by side and end by themselves', async () => {
  const app = await previewProject()
  app.keepOnly('cpu_worker.py')
  const [one, other] = [app.start(), app.start()]
  const places = await Promise.all([one.event('up'), other.event('up')])
  await Promise.all([one.event('live'), other.event('live')])
  for (const part of ['url', 'environment', 'data']) expect(new Set(places.map((place) => place[part])).size).toBe(2)
  app.edit('cpu_worker.py', 'Hello', 'Hi')
  await Promise.all([one.event('live', 2), other.event('live', 2)])
  one.signal('SIGINT')
  await leavesNothing(one)
  expect(await other.output('greet')).toEqual({ greeting: 'Hi, world!' })
})

test('a port that is taken is reported, and nothing is left', async () => {
  const app = await previewProject()
  const server = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await until(() => expect(server.listening).toBe(true))
  const { port } = server.address() as { readonly port: number }
  const { exitCode, stderr } = await app.start({ args: ['--port', String(port)] }).ended
  expect(exitCode).not.toBe(0)
  expect(JSON.parse(stderr)).toEqual({
    error: `Port ${port} is taken by another program. Choose another one with --port, or 0 for any free one.`,
    code: 'PORT_TAKEN',
  })
  expect(app.folders()).toEqual([])
})

test('containers that are asked for and are not there end the command with the reason', async () => {
  const app = await previewProject()
  const preview = app.start({ args: ['--runs-on', 'containers'] })
  const { exitCode, stderr } = await preview.ended
  expect(exitCode).not.toBe(0)
  expect(JSON.parse(stderr)).toMatchObject({ error: expect.stringContaining('no Docker engine answers') })
  await leavesNothing(preview, exitCode ?? 0)
  expect(app.folders()).toEqual([])
})

test('a project that goes away is not built, and followed again when it is back', async () => {
  const app = await previewProject()
  app.keepOnly('cpu_worker.py')
  const preview = app.start()
  await preview.event('live')
  const elsewhere = `${app.project}-elsewhere`
  renameSync(app.project, elsewhere)
  expect((await preview.event('warning')).message).toContain('is gone')
  expect(await preview.output('greet')).toEqual({ greeting: 'Hello, world!' })
  renameSync(elsewhere, app.project)
  expect((await preview.event('warning', 2)).message).toContain('is back')
  app.edit('cpu_worker.py', 'Hello', 'Hi')
  await preview.event('live', 2)
  expect(await preview.output('greet')).toEqual({ greeting: 'Hi, world!' })
})

test('a worker that dies is replaced by one with the same code', async () => {
  const app = await previewProject()
  app.keepOnly('lb_worker.py')
  const preview = app.start()
  await preview.event('live')
  const pidOf = async () => {
    const { body } = await preview.ask('GET', '/api/workers?endpoint=api')
    return body.workers.find(({ state }: { readonly state: string }) => state === 'idle')?.pid
  }
  const before = await until(async () => {
    const pid = await pidOf()
    expect(pid).toEqual(expect.any(Number))
    return pid
  })
  process.kill(before, 'SIGKILL')
  await until(async () => expect((await pidOf()) ?? before).not.toBe(before))
  expect(await preview.ask('GET', '/lb/api/health')).toEqual({ status: 200, body: { status: 'ok' } })
})

test('a folder next to the others that no service ever used is not taken for a preview that starts', async () => {
  const app = await previewProject()
  app.keepOnly('cpu_worker.py')
  const fresh = join(app.project, '..', 'data', 'previews', 'demo-fresh1')
  mkdirSync(fresh, { recursive: true })
  await app.start().event('up')
  expect(app.folders()).toContain('demo-fresh1')
})
