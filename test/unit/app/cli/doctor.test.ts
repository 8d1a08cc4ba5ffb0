import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { describe, expect, onTestFinished, test } from 'vitest'
import { DIFFERENCE_ROWS, PROBE_HINT } from '../../../../src-main/contract/differences.ts'
import { nodeRow, type RunProgram } from '../../../../src-main/features/system/adapters/programs.ts'
import { runChecks } from '../../../../src-main/features/system/commands/doctor.ts'
import {
  NOW,
  sendError,
  setupCli,
  startStandIn,
  surroundingsOf,
  temporaryFolder,
  writeServiceFiles,
} from './support.ts'

const PROGRAMS = { python3: '3 11 2 /usr/bin/python3' }

const info = {
  version: '0.1.0',
  pid: 7,
  url: 'http://127.0.0.1:8790',
  data: '/data',
  startedAt: NOW,
  endpoints: 0,
  jobs: { inQueue: 0, inProgress: 0 },
  lateResults: 0,
}

async function setup({
  answer = info as unknown,
  told = [] as unknown[],
  machines = [] as object[],
  runs = true,
  programs = PROGRAMS as Record<string, string>,
} = {}) {
  const folder = temporaryFolder()
  const ofMachines = machines.flatMap((machine) => {
    const { name } = machine as { readonly name: string }
    return [
      [`GET /api/machines/${name}`, machine],
      [`POST /api/machines/${name}/test`, machine],
    ]
  })
  const service = await startStandIn({
    ...{ 'GET /api/info': answer, 'GET /api/doctor': { at: NOW, rows: told }, 'GET /api/machines': { machines } },
    ...Object.fromEntries(ofMachines),
  })
  if (runs) writeServiceFiles(folder, { url: service.url })
  const runProgram: RunProgram = async (program) => {
    const stdout = programs[program]
    return stdout === undefined ? { stdout: '', stderr: '', failure: 'missing' } : { stdout, stderr: '' }
  }
  const { surroundings } = surroundingsOf(folder)
  const check = async (data = folder) => {
    const rows = await runChecks({ options: { data }, surroundings, machinesLimitMs: 1 }, runProgram)
    return Object.fromEntries(rows.map((row) => [row.check, row]))
  }
  return { folder, service, check }
}

test('without a docker command the rows on containers are those of the service, which finds an engine by itself', async () => {
  const docker = { check: 'Docker', state: 'ok', found: 'engine 28.2.2 (DOCKER_HOST unix:///run/x.sock)' }
  const { check } = await setup({ told: [docker] })
  const rows = await check()
  expect(rows.Docker).toEqual(docker)
  expect(Object.keys(rows)).not.toContain('GPUs in containers')
  const alone = await setup()
  expect((await alone.check()).Docker).toMatchObject({ state: 'warning', found: 'no docker command' })
})

test('all is well on a machine that has everything', async () => {
  const { check, folder, service } = await setup()
  const rows = await check()
  expect(rows.Python).toEqual({ check: 'Python', state: 'ok', found: '3.11.2 at /usr/bin/python3' })
  expect(rows['data folder']).toEqual({ check: 'data folder', state: 'ok', found: folder })
  expect(rows['file system']?.found).toMatch(/./)
  expect(rows.service).toEqual({
    check: 'service',
    state: 'ok',
    found: `${service.url} answers, version 0.1.0, key accepted (named by --data)`,
  })
  expect(rows.port).toMatchObject({ state: 'ok', found: expect.stringContaining(new URL(service.url).port) })
})

test('rows that only the service knows come last and say where their button is, and nothing is listed twice', async () => {
  const again = { action: 'restart-endpoint', target: 'e', label: 'Start again', effect: 'x' }
  const remove = { action: 'remove-previews', label: 'Remove', effect: 'x' }
  const told = [
    { check: 'endpoint e', state: 'warning', found: 'worker failed 3 times', fix: 'Mend it.', action: again },
    { check: 'previews', state: 'warning', found: '2 are left', fix: 'They are safe to remove.', action: remove },
    { check: 'Python', state: 'failed', found: 'of the service' },
  ]
  const { check } = await setup({ told })
  const rows = await check()
  expect(rows['endpoint e']).toEqual({
    check: 'endpoint e',
    state: 'warning',
    found: 'worker failed 3 times',
    fix: 'Mend it.',
  })
  expect(rows.previews?.fix).toBe('They are safe to remove. Or do it on the System page: `drydock open`.')
  expect(rows.Python?.state).toBe('ok')
})

describe('machines that were added', () => {
  const machine = (name: string, more: object) => ({
    ...{ name, way: { kind: 'ssh', to: name }, swarm: false, addedAt: NOW, state: 'connected', since: NOW },
    ...{ workers: [], endpoints: [], test: { isRunning: false, steps: [] } },
    ...more,
  })
  const step = { check: 'GPUs', state: 'warning', found: 'no node offers GPUs', fix: 'Configure it.' }

  test('are tested, and each step is a row', async () => {
    const { check } = await setup({ machines: [machine('lab', { test: { isRunning: false, steps: [step] } })] })
    expect((await check())['lab: GPUs']).toEqual({ ...step, check: 'lab: GPUs' })
  })

  test('that are not reached are one line, and are not tested', async () => {
    const machines = [machine('box', { state: 'unreachable', reason: 'No route to host' })]
    const { check } = await setup({ machines })
    expect((await check())['machine box']).toEqual({
      ...{ check: 'machine box', state: 'warning', found: 'it cannot be reached: No route to host' },
      fix: 'See `drydock machine test box`; jobs of its endpoints wait until then.',
    })
  })

  test('whose test does not end are not waited for', async () => {
    const { check } = await setup({ machines: [machine('lab', { test: { isRunning: true, steps: [step] } })] })
    const rows = await check()
    expect(rows['lab: GPUs']?.state).toBe('warning')
    expect(rows['machine lab']).toMatchObject({ state: 'warning', found: 'its test did not finish in time' })
  })
})

test('missing parts have a fix, and only required ones fail', async () => {
  const { check } = await setup({ programs: {} })
  const rows = await check()
  expect([rows.Python?.state, rows.Docker?.state, rows.GPU?.state]).toEqual(['failed', 'warning', 'warning'])
  for (const row of Object.values(rows)) if (row.state !== 'ok') expect(row.fix).toMatch(/\.$/)
})

test.each([
  ['3 9 18', 'failed'],
  ['3 10 0', 'ok'],
  ['3 14 1', 'ok'],
  ['2 7 18', 'failed'],
])('Python %s is %s', async (version, state) => {
  const { check } = await setup({ programs: { python3: `${version} /usr/bin/python3` } })
  expect((await check()).Python?.state).toBe(state)
})

test.each([
  ['23.11.0', 'failed'],
  ['24.0.0', 'ok'],
  ['26.1.0', 'ok'],
])('Node %s is %s', (version, state) => {
  expect(nodeRow(version).state).toBe(state)
})

test('a data folder that is not made yet is fine where it can be made', async () => {
  const { check, folder } = await setup({ runs: false })
  const data = join(folder, 'not', 'yet')
  expect((await check(data))['data folder']).toEqual({
    check: 'data folder',
    state: 'ok',
    found: `${data} (not made yet)`,
  })
})

describe('the service row', () => {
  test('is a warning where none runs', async () => {
    const { check } = await setup({ runs: false })
    expect((await check()).service).toEqual({
      check: 'service',
      state: 'warning',
      found: 'none is running',
      fix: 'Start one with `drydock start`.',
    })
  })

  test('fails where the key is not accepted', async () => {
    const answer = (response: Parameters<typeof sendError>[0]) =>
      sendError(response, 401, 'UNAUTHORIZED', 'The key is wrong.')
    const { check } = await setup({ answer })
    expect((await check()).service).toMatchObject({
      state: 'failed',
      found: 'The key is wrong. (named by --data)',
      fix: expect.stringContaining('account.key'),
    })
  })
})

test('a damaged database has a command that can be pasted, also for a folder with a space', async () => {
  const { folder, check } = await setup({ runs: false })
  const data = join(folder, 'Application Support')
  mkdirSync(data)
  writeFileSync(join(data, 'drydock.db'), 'no database at all'.repeat(1000))
  const { state, fix } = (await check(data)).database ?? {}
  expect([state, fix]).toEqual(['failed', expect.stringContaining(`drydock recover NEW_FOLDER --data '${data}'`)])
})

test('a database that is locked is one row, and the other checks go on', async () => {
  const { folder, check } = await setup({ runs: false })
  const holder = new BetterSqlite(join(folder, 'drydock.db'))
  onTestFinished(() => void holder.close())
  holder.exec('CREATE TABLE t (a); BEGIN EXCLUSIVE')
  const rows = await check()
  expect(rows.database).toMatchObject({ state: 'warning', found: 'cannot be read: database is locked' })
  expect(rows.Node).toBeDefined()
})

test('--production lists the differences from the platform in 80 columns, or as a document, without a service', async () => {
  const { run } = await setupCli()
  const shown = await run(['doctor', '--production'])
  expect(Math.max(...shown.stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
  expect(shown.stdout).toContain('setting          emptyInput: refuse')
  expect(shown.stdout.replaceAll('\n', ' ')).toContain(PROBE_HINT)
  const { differences } = JSON.parse((await run(['doctor', '--production', '--json'])).stdout)
  expect(differences).toEqual(DIFFERENCE_ROWS)
})
