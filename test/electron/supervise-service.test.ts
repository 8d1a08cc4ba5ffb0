import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createClient } from '../../src-main/app/cli/client.ts'
import { planRestart, ServiceSupervisor } from '../../src-main/app/desktop/supervise-service.ts'
import { signal } from '../support/process-table.ts'
import { servedService } from '../support/served-service.ts'
import { place, supervised } from './support.ts'

const clientOf = (url: string, data: string) =>
  createClient({ url, key: readFileSync(join(data, 'account.key'), 'utf8').trim() })
const infoOf = (url: string, data: string) => clientOf(url, data).call('info')

/** Causes of a failed start. A data folder in use is not one: the desktop then uses the service that runs on it. */
const REFUSALS = {
  async 'its port is in use'() {
    const other = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void other.close())
    await once(other, 'listening')
    return { data: place().data, port: (other.address() as AddressInfo).port, why: /^Port \d+ / }
  },
  async 'its folder cannot be created'() {
    const { data } = place()
    writeFileSync(data, 'no folder')
    return { data, port: 0, why: /cannot be used/ }
  },
  async 'its database is damaged'() {
    const { data } = place()
    mkdirSync(data)
    writeFileSync(join(data, 'drydock.db'), 'no database, but a text of more than a hundred bytes '.repeat(100))
    return { data, port: 0, why: /drydock\.db cannot be opened: file is not a database/ }
  },
}

describe('the service of the desktop', () => {
  test('starts with an endpoint for image workflows, responds, and stops without leaving processes', async () => {
    const { supervisor, reached, data, marked } = supervised()
    supervisor.start()
    const { url, own, restarted } = await reached('up')
    expect({ own, restarted }).toEqual({ own: true, restarted: false })
    expect(await infoOf(url, data)).toMatchObject({ url })
    const { endpoints } = await clientOf(url, data).call('endpointList')
    expect(endpoints).toMatchObject([{ id: 'sketch', handler: expect.stringContaining('resources/node/sketch') }])
    await supervisor.stop()
    expect(supervisor.state).toEqual({ kind: 'stopped' })
    expect(marked()).toEqual([])
  })

  test('reports that it was killed, and restarts on the same address', async () => {
    // A service of another test could take the default port before the restart.
    const { supervisor, reached, pid, data } = supervised({ port: 0 })
    supervisor.start()
    const before = await reached('up')
    signal(pid(), 'SIGKILL')
    expect(await reached('down')).toEqual({
      kind: 'down',
      why: 'it was killed',
      restartInMs: 500,
      crashes: 1,
      looping: false,
    })
    const after = await reached('up', 2)
    expect(after).toEqual({ kind: 'up', url: before.url, own: true, restarted: true })
    expect(await infoOf(after.url, data)).toMatchObject({ url: before.url })
  })

  test('reports the signal that terminated it, and restarts', async () => {
    const { supervisor, reached, pid } = supervised({ port: 0 })
    supervisor.start()
    await reached('up')
    signal(pid(), 'SIGSEGV')
    expect((await reached('down')).why).toBe('it was terminated by SIGSEGV')
    await reached('up', 2)
  })

  test('loses no output when it is killed, even after writing a lot', async () => {
    const { folder } = place()
    const program = join(folder, 'talks.mjs')
    const lines = 'the last words of a service\n'.repeat(10_000)
    writeFileSync(program, `process.stderr.write(${JSON.stringify(lines)}); process.kill(process.pid, 'SIGKILL')`)
    const { supervisor, reached, log } = supervised({ program })
    supervisor.start()
    expect((await reached('down')).why).toBe('it was killed')
    await supervisor.stop()
    expect(readFileSync(log, 'utf8').startsWith(lines)).toBe(true)
  })

  test.each(Object.entries(REFUSALS))('reports why it cannot start (%s)', async (_kind, refuse) => {
    const { data, port, why } = await refuse()
    const { supervisor, reached, marked } = supervised({ data, port })
    supervisor.start()
    expect((await reached('refused')).why).toMatch(why)
    expect(marked()).toEqual([])
  })

  test('reports the error that it exited with, and keeps its output', async () => {
    const { folder } = place()
    const program = join(folder, 'broken.mjs')
    writeFileSync(program, 'throw new TypeError("the disk is made of cheese")')
    const { supervisor, reached, log } = supervised({ program })
    supervisor.start()
    expect((await reached('down')).why).toBe('TypeError: the disk is made of cheese')
    expect(readFileSync(log, 'utf8')).toContain('made of cheese')
    await reached('down', 2)
    await supervisor.stop()
    await supervisor.stop()
  })

  test('uses a service that already runs on the folder, and starts its own when that one exits', async () => {
    const other = servedService()
    await other.start()
    const { supervisor, reached } = supervised({ data: other.data })
    supervisor.start()
    expect(await reached('up')).toEqual({ kind: 'up', url: other.url(), own: false, restarted: false })
    await other.stop()
    expect(await reached('up', 2)).toMatchObject({ own: true, restarted: true })
    await supervisor.stop()
  })

  test('that the desktop did not start keeps running', async () => {
    const other = servedService()
    await other.start()
    const { supervisor, reached } = supervised({ data: other.data })
    supervisor.start()
    await reached('up')
    await supervisor.stop()
    expect(await other.get('/api/info')).toMatchObject({ url: other.url() })
  })

  test('reports why it cannot start, and retries on request', async () => {
    const { supervisor, reached, data } = supervised()
    writeFileSync(data, 'no folder')
    supervisor.start()
    expect((await reached('refused')).why).toContain(`The data folder ${data} cannot be used`)
    rmSync(data)
    supervisor.retry()
    await reached('up')
  })
})

test('a stopping service has enough time on a busy machine, and is killed afterwards', async () => {
  const timers: { readonly ms: number; readonly run: () => void }[] = []
  const exit = Promise.withResolvers<void>()
  const supervisor = new ServiceSupervisor({
    data: '/nowhere',
    time: {
      monotonic: () => 0,
      after(ms, run) {
        timers.push({ ms, run })
        return () => undefined
      },
    },
    startChild: () => ({
      pid: 1,
      stop: () => undefined,
      kill: exit.resolve,
      onReady: () => undefined,
      onExit: (listener) => void exit.promise.then(() => listener({ code: null, signal: 'SIGKILL', output: '' })),
    }),
    findOther: async () => undefined,
    onChange: () => undefined,
  })
  supervisor.start()
  const stopped = supervisor.stop()
  // The service waits 10 s for jobs and 2 s for responses.
  expect(timers[0]?.ms).toBeGreaterThanOrEqual(2 * 12_000)
  timers[0]?.run()
  await stopped
  expect(supervisor.state).toEqual({ kind: 'stopped' })
})

describe('the pause before a restart', () => {
  test('doubles with each crash up to a limit, and ignores old crashes', () => {
    const crashes = (count: number, at: number) => Array.from({ length: count }, () => at)
    expect([1, 2, 3, 4, 20].map((count) => planRestart(crashes(count, 1000), 1000))).toEqual([
      { pauseMs: 500, crashes: 1, looping: false },
      { pauseMs: 1000, crashes: 2, looping: false },
      { pauseMs: 2000, crashes: 3, looping: false },
      { pauseMs: 4000, crashes: 4, looping: true },
      { pauseMs: 30_000, crashes: 20, looping: true },
    ])
    expect(planRestart([0, 0, 0, 300_000], 300_000)).toEqual({ pauseMs: 500, crashes: 1, looping: false })
  })
})
