import { describe, expect, test } from 'vitest'
import { DAY_MS } from '../../../../src-main/lib/units.ts'
import { NOW, setupCli } from './support.ts'

const KEY = { name: 'ada', role: 'deploy', createdAt: NOW - DAY_MS, lastUsedAt: NOW - 14_000, lastUsedFrom: '10.0.0.7' }
const ENTRY = {
  id: 7,
  at: NOW - 14_000,
  key: 'ada',
  from: '10.0.0.7',
  operation: 'endpointPause',
  what: 'Pause an endpoint',
  target: 'e',
  status: 200,
}

const setup = () =>
  setupCli({
    'POST /api/keys': { ...KEY, key: 'dk_secret' },
    'GET /api/keys': { keys: [KEY, { ...KEY, name: 'late', endsAt: NOW - 14_000 }] },
    'PATCH /api/keys/ada': { ...KEY, role: 'run' },
    'POST /api/keys/ada/rotate': { ...KEY, key: 'dk_fresh' },
    'DELETE /api/keys/ada': { ok: true },
    'GET /api/audit': { entries: [ENTRY] },
  })

describe('key', () => {
  test('add prints the key alone on stdout, and sends role and end', async () => {
    const { run, service } = await setup()
    const { exitCode, stdout, stderr } = await run(['key', 'add', 'ada', '--role', 'deploy', '--days', '90'])
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'dk_secret\n' })
    expect(stderr).toMatch(/not shown again/)
    expect(service.seen).toMatchObject([
      { line: 'POST /api/keys', body: { name: 'ada', role: 'deploy', endsAt: NOW + 90 * DAY_MS } },
    ])
  })

  test.each([[[]], [['--role', 'boss']]])('add refuses %j', async (options) => {
    const { run } = await setup()
    expect(await run(['key', 'add', 'ada', ...options])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/--role/),
    })
  })

  test('list shows roles, ends and the last use', async () => {
    const { run } = await setup()
    const { stdout } = await run(['key', 'list'])
    expect(stdout).toMatch(/ada +deploy .*never .*10\.0\.0\.7/)
    expect(stdout).toMatch(/late .*expired 14 s ago/)
  })

  test('update changes role and end', async () => {
    const { run, service } = await setup()
    expect(await run(['key', 'update', 'ada', '--role', 'run', '--days', '0'])).toMatchObject({
      exitCode: 0,
      stdout: 'key ada has the role run and does not expire\n',
    })
    expect(service.seen).toMatchObject([{ line: 'PATCH /api/keys/ada', body: { role: 'run', endsAt: null } }])
  })

  test('rotate prints the new key alone on stdout', async () => {
    const { run } = await setup()
    expect(await run(['key', 'rotate', 'ada', '--yes'])).toMatchObject({ exitCode: 0, stdout: 'dk_fresh\n' })
  })

  test('revoke ends one', async () => {
    const { run } = await setup()
    expect(await run(['key', 'revoke', 'ada', '--yes'])).toMatchObject({ exitCode: 0, stdout: 'key ada revoked\n' })
  })

  test('audit lists who changed what', async () => {
    const { run, service } = await setup()
    const { stdout } = await run(['key', 'audit', '--by', 'ada', '--limit', '5'])
    expect(service.seen).toMatchObject([{ line: 'GET /api/audit?key=ada&limit=5' }])
    expect(stdout).toMatch(/14 s ago +ada +10\.0\.0\.7 +Pause an endpoint +e +200/)
  })
})
