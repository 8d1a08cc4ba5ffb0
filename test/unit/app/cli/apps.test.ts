import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { appOf } from '../../../../src-main/features/apps/commands/deploy/app-target.ts'
import { WITH_ENDPOINTS } from '../../../../src-main/features/endpoints/rules/deletion-text.ts'
import { app, detail, environment, PLACE, release } from './deploy/support.ts'
import { type Answers, NOW, setupCli, temporaryFolder } from './support.ts'

const ENV = { SVC_APP: 'demo' }
const UNUSED = { jobs: 0, graphs: [], callers: [], schedules: [], batches: [], comparisons: [] }
const GIT = { commit: '1a2b3c4d'.repeat(5), branch: 'main', message: 'Mend it', clean: true }

async function setup(answers: Answers = {}) {
  const { run: runCommand, service } = await setupCli({
    'GET /api/apps': { apps: [app('production', 'staging')] },
    'GET /api/apps/demo': {
      ...app(),
      environments: [environment({ active: release({ number: 3, activatedAt: NOW - 14_000 }), variables: 2 })],
    },
    'DELETE /api/apps/demo': { ok: true },
    'POST /api/apps/demo/environments': environment({ name: 'staging' }),
    [`GET ${PLACE}`]: detail({
      variables: [{ name: 'TOKEN', updatedAt: NOW - 14_000 }],
      releases: [
        release({ number: 4, kind: 'variables', rollbackOf: 1, git: GIT }),
        release({ number: 3, kind: 'rollback', rollbackOf: 1 }),
        release({ number: 2, state: 'failed', reason: 'endpoint greet: no module' }),
      ],
    }),
    [`DELETE ${PLACE}`]: { ok: true },
    [`POST ${PLACE}/undeploy`]: { deleted: ['greet'] },
    'GET /api/endpoints/greet/dependents': UNUSED,
    ...answers,
  })
  const run = (argv: readonly string[], person?: { yes: boolean }) =>
    runCommand(argv, { env: ENV, ...(person === undefined ? {} : { person }) })
  return { run, lines: () => service.seen.map(({ line }) => line) }
}

test('app list is a table for people, and the answer for scripts', async () => {
  const { run } = await setup()
  expect((await run(['app', 'list'])).stdout).toBe('APP   CREATED  ENVIRONMENTS\ndemo  1 h ago  production, staging\n')
  expect((await run(['app', 'list', '--json'])).json()).toEqual({ apps: [app('production', 'staging')] })
})

test('app show, or app get, and env list are the environments of an app', async () => {
  const { run } = await setup()
  const table =
    'ENVIRONMENT  RELEASE  ACTIVE    ENDPOINTS  VARIABLES  ON            CREATED\nproduction   3        14 s ago  1          2          this machine  2 min ago\n'
  expect((await run(['app', 'show', 'demo'])).stdout).toBe(table)
  expect((await run(['app', 'get', 'demo'])).stdout).toBe(table)
  expect((await run(['env', 'list'])).stdout).toBe(table)
})

test('endpoints of the active release that were deleted are named wherever apps and environments are shown', async () => {
  const broken = environment({ missing: ['greet'] })
  const { run } = await setup({
    'GET /api/apps': { apps: [{ ...app(), environments: [broken] }] },
    'GET /api/apps/demo': { ...app(), environments: [broken] },
    [`GET ${PLACE}`]: detail({ missing: ['greet'] }),
  })
  expect((await run(['app', 'list'])).stdout).toContain('production (greet is missing: deploy again)')
  expect((await run(['app', 'show', 'demo'])).stdout).toContain('\nproduction: greet is missing: deploy again.\n')
  expect((await run(['env', 'show', 'production'])).stdout).toContain('\ngreet is missing: deploy again.\n')
})

test('env show, or env get, is endpoints, releases and names of variables', async () => {
  const { run } = await setup()
  expect((await run(['env', 'get', 'production'])).stdout).toBe(`demo/production, created 2 min ago
Workers run on this machine.

ENDPOINT  KIND         ADDRESS
greet     queue-based  http://127.0.0.1:8790/v2/greet

RELEASE  STATE   KIND       MADE       FINGERPRINT   COMMIT                 REASON
4        active  Variables  1 min ago  0123456789ab  main 1a2b3c4d Mend it
3        active  Rollback   1 min ago  0123456789ab                         back to release 1
2        failed  Deploy     1 min ago  0123456789ab                         endpoint greet: no module

VARIABLE  CHANGED
TOKEN     14 s ago
`)
})

test('env update stores where workers run, and says when they move', async () => {
  const { run, lines } = await setup({
    'GET /api/apps/demo': app('production'),
    [`PATCH ${PLACE}`]: {
      ...environment({ name: 'production' }),
      machine: 'box',
      endpoints: [],
      variables: [],
      releases: [],
    },
  })
  const { stdout } = await run(['env', 'update', '--on', 'box', '--later'])
  expect(stdout).toBe('workers of demo/production now run on box; they move with the first release\n')
  expect(lines()).toContain(`PATCH ${PLACE}`)
})

test.each([
  ['env', 'show'],
  ['env', 'unset', 'TOKEN', '--later'],
  ['undeploy', '--yes'],
])('%s %s means production where there are several environments', async (...argv) => {
  const { run, lines } = await setup({
    'GET /api/apps/demo': app('staging', 'production'),
    [`PATCH ${PLACE}/variables`]: { variables: [], changed: true, unreleased: true },
  })
  expect(await run(argv)).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('demo/production') })
  expect(lines()).toContain(`GET ${PLACE}`)
})

test('with several others and no production, the command names them', async () => {
  const { run } = await setup({ 'GET /api/apps/demo': app('staging', 'qa') })
  expect(await run(['undeploy', '--yes'])).toMatchObject({
    exitCode: 2,
    stderr: 'drydock: App demo has no environment production, the default. Choose one of these: qa, staging.\n',
  })
})

test('env create makes an environment', async () => {
  const { run, lines } = await setup()
  expect((await run(['env', 'create', 'staging'])).stdout).toBe('environment demo/staging created\n')
  expect(lines()).toEqual(['POST /api/apps/demo/environments'])
  expect(await run(['env', 'create', '.hidden'])).toMatchObject({ exitCode: 2 })
})

describe.each([
  {
    argv: ['app', 'delete', 'demo'],
    deletes: 'DELETE /api/apps/demo',
    what: `app demo with environment production, endpoint greet, 3 releases, 1 variable, and all ${WITH_ENDPOINTS}`,
    done: 'app demo deleted\n',
  },
  {
    argv: ['env', 'delete', 'production'],
    deletes: `DELETE ${PLACE}`,
    what: `environment demo/production with endpoint greet, 3 releases, 1 variable, and all ${WITH_ENDPOINTS}`,
    done: 'environment demo/production deleted\n',
  },
  {
    argv: ['undeploy'],
    deletes: `POST ${PLACE}/undeploy`,
    what: `endpoint greet of demo/production with all ${WITH_ENDPOINTS}`,
    stays: ' Releases and variables are kept: a rollback recreates the endpoints with new keys.',
    done: 'deleted greet of demo/production\n',
  },
])('$argv', ({ argv, deletes, what, stays = '', done }) => {
  const question = `Delete ${what}?${stays}`

  test('refuses where nobody can be asked, and says what would go', async () => {
    const { run, lines } = await setup()
    expect(await run(argv)).toMatchObject({
      exitCode: 5,
      stderr: `drydock: Nothing was deleted. This would delete ${what}; confirm it with --yes.\n`,
    })
    expect(lines()).not.toContain(deletes)
  })

  test('asks a person', async () => {
    const { run, lines } = await setup()
    expect(await run(argv, { yes: true })).toMatchObject({ exitCode: 0, stdout: done, asked: [question] })
    expect(lines()).toContain(deletes)
  })

  test('names what breaks with it, before and after', async () => {
    const release = { number: 3, endpoint: 'demo/greet' }
    const used = { ...UNUSED, jobs: 2, graphs: ['cat', 'greet'], callers: ['greet'], schedules: ['nightly'], release }
    const { run } = await setup({ 'GET /api/endpoints/greet/dependents': used })
    const breaks = '2 unfinished jobs, published graph cat, schedule nightly'
    expect((await run(argv, { yes: false })).asked).toEqual([`This breaks: ${breaks}. ${question}`])
    expect((await run(argv)).stderr).toContain(`delete ${what}, and break the following: ${breaks}; confirm it`)
    expect(await run([...argv, '--yes'])).toMatchObject({
      stdout: done,
      stderr: `The following no longer works: ${breaks}.\n`,
    })
  })

  test('deletes nothing after a no', async () => {
    const { run, lines } = await setup()
    expect(await run(argv, { yes: false })).toMatchObject({
      exitCode: 1,
      stderr: 'drydock: Nothing was deleted.\n',
    })
    expect(lines()).not.toContain(deletes)
  })

  test('with --yes asks nothing', async () => {
    const { run, lines } = await setup()
    expect(await run([...argv, '--yes'])).toMatchObject({ exitCode: 0, stdout: done, asked: [] })
    expect(lines()).toContain(deletes)
  })
})

describe('the app of a command', () => {
  const place = (cwd: string, env = {}) => ({ cwd, env })

  test('is the one that is named, else that of SVC_APP', () => {
    expect(appOf('mine', place('/work/shop', { SVC_APP: 'other' }))).toBe('mine')
    expect(appOf(undefined, place('/work/shop', { SVC_APP: 'other' }))).toBe('other')
  })

  test.each([['.svc'], ['pyproject.toml']])('is that of the nearest folder upward with %s', (mark) => {
    const folder = temporaryFolder()
    const inner = join(folder, 'shop', 'src', 'deep')
    mkdirSync(inner, { recursive: true })
    expect(appOf(undefined, place(inner))).toBe('deep')
    if (mark === '.svc') mkdirSync(join(folder, 'shop', mark))
    else writeFileSync(join(folder, 'shop', mark), '')
    expect(appOf(undefined, place(inner))).toBe('shop')
  })

  test('is that of the folder itself without any mark', () => {
    const folder = temporaryFolder()
    expect(appOf(undefined, place(folder))).toBe(basename(folder))
  })

  test.each([['a/b'], ['..'], ['x'.repeat(101)]])('is not called %s', (name) => {
    expect(() => appOf(name, place('/'))).toThrow(/is not a valid app name/)
  })
})

test.each([
  ['app', 'show', '..'],
  ['app', 'delete', '..', '--yes'],
  ['app', 'delete', 'a/b', '--yes'],
  ['env', 'show', '..'],
  ['env', 'delete', '..', '--yes'],
])(
  'drydock %s %s %s is refused before anything is asked, as in an address it would mean something else',
  async (...argv) => {
    const { run, service } = await setupCli({})
    expect(await run(argv, { env: { SVC_APP: 'demo' } })).toMatchObject({ exitCode: 2 })
    expect(service.seen).toEqual([])
  },
)
