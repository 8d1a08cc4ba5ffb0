import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Storage } from '../../src-main/app/core.ts'
import { AppError } from '../../src-main/contract/errors.ts'
import type { DiskUse, DoctorRow } from '../../src-main/contract/system.ts'
import { setup, type TestService } from '../support/core.ts'

function dataFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-system-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const rowsOf = async (service: TestService): Promise<Readonly<Record<string, DoctorRow>>> => {
  const { rows } = await service.get('/api/doctor')
  return Object.fromEntries(rows.map((row: DoctorRow) => [row.check, row]))
}

const usesOf = async (service: TestService): Promise<Readonly<Record<string, DiskUse>>> => {
  const { uses } = await service.get('/api/disk')
  return Object.fromEntries(uses.map((use: DiskUse) => [use.kind, use]))
}

describe('the checks', () => {
  test('tell what is there and how to fix what is not, without an engine or a card too', async () => {
    const service = await setup({ data: dataFolder() })
    const rows = await rowsOf(service)
    expect(rows.service).toEqual({ check: 'service', state: 'ok', found: 'answers at http://127.0.0.1:8790' })
    expect(rows.Node?.state).toBe('ok')
    expect(rows.Docker).toMatchObject({ state: 'warning', found: expect.stringContaining('without containers') })
    for (const row of Object.values(rows)) if (row.state !== 'ok') expect(row.fix).toMatch(/\.$/)
  })

  test('offer to make keys private that others can read, and then find nothing', async () => {
    const data = dataFolder()
    writeFileSync(join(data, 'account.key'), 'x')
    chmodSync(join(data, 'account.key'), 0o644)
    const service = await setup({ data })
    const { permissions } = await rowsOf(service)
    expect(permissions).toMatchObject({ state: 'warning', found: expect.stringContaining('account.key') })
    expect(await service.post('/api/doctor/fix', { action: permissions?.action?.action })).toEqual({
      done: 'Now private: account.key.',
    })
    expect(statSync(join(data, 'account.key')).mode & 0o777).toBe(0o600)
    expect((await rowsOf(service)).permissions?.state).toBe('ok')
  })

  test('offer to start an endpoint again whose workers crash', async () => {
    const service = await setup()
    await service.createEndpoint('e', { command: '[{"exit":3}]' })
    await service.clock.until(async () => (await service.get('/api/fleet-events?kinds=crash')).events.length > 0)
    const row = (await rowsOf(service))['endpoint e']
    expect(row).toMatchObject({
      state: 'warning',
      found: expect.stringContaining('worker failed'),
      action: { action: 'restart-endpoint', target: 'e' },
    })
    const started = service.fleet().started.length
    await service.post('/api/doctor/fix', { action: 'restart-endpoint', target: 'e' })
    await service.clock.until(() => service.fleet().started.length > started)
  })

  test('tell of a command whose Python reads nothing of what its worker is told', async () => {
    const service = await setup()
    await service.createEndpoint('e', { command: 'python3 worker.py', workersMin: 0 })
    const { body } = await service.ask('PATCH', '/api/endpoints/e', { body: { command: 'python3 -I worker.py' } })
    expect(body.warning).toContain('it runs Python with -I')
    await service.createEndpoint('f', { command: 'python3 worker.py', workersMin: 0 })
    const rows = await rowsOf(service)
    expect(rows['command of e']).toMatchObject({ state: 'warning', found: expect.stringContaining('with -I') })
    expect(rows['command of f']).toBeUndefined()
  })

  test('tell when secrets cannot be read any more', async () => {
    const service = await setup({ storage: (storage) => ({ ...storage, secrets: { ...storage.secrets } }) })
    expect((await rowsOf(service)).secrets).toMatchObject({ state: 'ok', found: expect.stringContaining('none') })
    await service.post('/api/registries', { name: 'work', server: 'ghcr.io', username: 'ada', password: 'x' })
    expect((await rowsOf(service)).secrets).toMatchObject({
      state: 'ok',
      found: expect.stringContaining('1 encrypted'),
    })
    const secrets = service.storage().secrets as { get: Storage['secrets']['get'] }
    secrets.get = (scope, name) => {
      throw new AppError('SECRET_LOST', { scope, name })
    }
    expect((await rowsOf(service)).secrets).toMatchObject({
      state: 'failed',
      found: expect.stringContaining('1 of 1 cannot be read'),
    })
  })

  test('refuse a fix that cannot be done with the reason, and one of an endpoint that does not exist', async () => {
    const service = await setup()
    const fix = (body: object) => service.ask('POST', '/api/doctor/fix', { body })
    expect((await fix({ action: 'make-worker-image' })).body).toMatchObject({
      code: 'NOT_DONE',
      error: 'This could not be done: this service has no Docker engine.',
    })
    expect((await fix({ action: 'restart-endpoint', target: 'nope' })).body.code).toBe('ENDPOINT_NOT_FOUND')
    expect((await fix({ action: 'restart-endpoint' })).body.code).toBe('BAD_FIELD')
    expect((await fix({ action: 'reboot' })).body.code).toBe('BAD_FIELD')
  })
})

describe('the disk', () => {
  test('is reported by kind, and what is left of it', async () => {
    const data = dataFolder()
    writeFileSync(join(data, 'drydock.db'), 'x'.repeat(1000))
    writeFileSync(join(data, 'drydock.db-wal'), 'x'.repeat(24))
    mkdirSync(join(data, 'volumes', 'models', 'deep'), { recursive: true })
    writeFileSync(join(data, 'volumes', 'models', 'deep', 'weights'), 'x'.repeat(300))
    const service = await setup({ data })
    const answer = await service.get('/api/disk')
    expect(answer.freeBytes).toBeGreaterThan(0)
    expect(answer.totalBytes).toBeGreaterThan(answer.freeBytes)
    const uses = await usesOf(service)
    expect(uses.database).toMatchObject({ bytes: 1024, count: 2 })
    expect(uses.volumes).toMatchObject({ bytes: 300, count: 1 })
    expect(uses.payloads).toMatchObject({ bytes: 0, count: 0 })
    expect(Object.values(uses).filter((use) => use.clean !== undefined)).toEqual([])
  })

  test('is cleaned of old log lines and the log of the service, and of nothing that is new', async () => {
    const data = dataFolder()
    writeFileSync(join(data, 'drydock.log'), 'x'.repeat(500))
    const service = await setup({ data })
    await service.createEndpoint()
    const line = (n: number) => ({ endpointId: 'e', workerId: 'w', jobId: undefined, level: 'info', line: `${n}` })
    const { logs } = service.storage()
    await service.storage().write(() => logs.append([1, 2, 3].map((n) => ({ ...line(n), at: service.clock.wall() }))))
    await service.clock.leap(25 * 3_600_000)
    await service.storage().write(() => logs.append([{ ...line(4), at: service.clock.wall() }]))
    const { clean } = (await usesOf(service)).logs ?? {}
    expect(clean?.effect).toBe('Deletes 3 log lines older than a day, and empties the log of the service.')
    const { freedBytes } = await service.post('/api/disk/clean', { kind: 'logs' })
    expect(freedBytes).toBe(clean?.bytes)
    expect(statSync(join(data, 'drydock.log')).size).toBe(0)
    expect((await service.get('/api/endpoints/e/logs')).lines).toMatchObject([{ line: '4' }])
    expect((await usesOf(service)).logs?.clean).toBeUndefined()
  })

  test('is not cleaned of what is in use, or of volumes', async () => {
    const service = await setup({ data: dataFolder() })
    for (const kind of ['volumes', 'database', 'payloads', 'packages', 'images'])
      expect((await service.ask('POST', '/api/disk/clean', { body: { kind } })).body.code).toBe('NOT_DONE')
  })
})

test('the machine tells its engine, its cards and how many workers run', async () => {
  const service = await setup({ settings: { maxWorkers: 7 } })
  await service.createEndpoint()
  await service.worker()
  expect(await service.get('/api/machine')).toEqual({
    engine: { state: 'absent', reason: expect.stringContaining('containers') },
    gpus: [],
    workers: { used: 1, limit: 7 },
  })
})

test('versions name what there is and what there is not', async () => {
  const service = await setup()
  const { versions } = await service.get('/api/versions')
  const byName = Object.fromEntries(
    versions.map(({ name, version }: { name: string; version?: string }) => [name, version]),
  )
  expect(byName).toMatchObject({ Drydock: '0.0.1', Node: process.versions.node, SQLite: expect.stringMatching(/^3\./) })
  expect(byName['Docker engine']).toBeUndefined()
  expect(Object.keys(byName)).toContain('Docker engine')
})

test('all browsers are signed out at once, also the one that asks', async () => {
  const service = await setup()
  const browsers = [await service.signIn(), await service.signIn()]
  expect(await service.get('/api/sessions')).toEqual({ open: 2, keyFile: '/data/account.key' })
  const answer = await service.ask('DELETE', '/api/sessions')
  expect(answer.headers.get('set-cookie')).toMatch(/Max-Age=0|Expires/i)
  expect(await service.get('/api/sessions')).toMatchObject({ open: 0 })
  for (const { headers } of browsers)
    expect(await service.ask('GET', '/api/info', { key: null, headers })).toMatchObject({ status: 401 })
})
