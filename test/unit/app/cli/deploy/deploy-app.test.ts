import { mkdirSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createClient } from '../../../../../src-main/app/cli/client.ts'
import { createOutput } from '../../../../../src-main/app/cli/output.ts'
import type { PlannedStep } from '../../../../../src-main/contract/app.ts'
import type { ScanDocument } from '../../../../../src-main/contract/scan.ts'
import { type DeployOptions, deployApp } from '../../../../../src-main/features/apps/commands/deploy/deploy-app.ts'
import { showDeployed } from '../../../../../src-main/features/apps/commands/deploy/show-release.ts'
import { type Answers, type Given, sendError, startStandIn, surroundingsOf, temporaryFolder } from '../support.ts'
import { app, detail, events, GREET, PLACE, planOf, progress, release, step } from './support.ts'

const SHA256 = 'a'.repeat(64)
const MANIFEST = { version: '1.0', app: 'demo' }
const ACTIVE = progress({ number: 4 })
const OLD: PlannedStep = { resource: 'old', action: 'delete', endpointId: 'old', changes: [], replacesWorkers: false }
const WITH_OLD = planOf({ steps: [...planOf().steps, OLD] })

const noApp = (response: ServerResponse) => sendError(response, 404, 'APP_NOT_FOUND', 'There is no app demo.')

/** A service with the app, and a deploy of a folder to it whose build is done. */
async function setup(
  answers: Answers = {},
  given: Given = {},
  folder = temporaryFolder(),
  scanned: readonly object[] = [],
) {
  writeFileSync(join(folder, 'artifact.tar.gz'), 'packed')
  writeFileSync(join(folder, 'svc_manifest.json'), JSON.stringify(MANIFEST))
  const service = await startStandIn({
    'GET /api/apps/demo': app('production'),
    [`POST ${PLACE}/plan`]: planOf(),
    [`GET /api/artifacts/${SHA256}`]: { state: 'missing', received: 0 },
    [`PUT /api/artifacts/${SHA256}`]: { state: 'complete', received: 6, total: 6 },
    [`POST ${PLACE}/releases`]: progress({ number: 4, state: 'preparing' }, { steps: [step({ state: 'waiting' })] }),
    [`POST ${PLACE}/releases/4/cancel`]: progress({ number: 4, state: 'preparing' }),
    [`GET ${PLACE}/releases/4`]: events(ACTIVE),
    [`GET ${PLACE}`]: detail({ active: release({ number: 3 }) }),
    ...answers,
  })
  const world = surroundingsOf(folder, { ...given, env: { SVC_APP: 'demo', NO_COLOR: '1', ...given.env } })
  const build: NonNullable<NonNullable<Parameters<typeof deployApp>[3]>['build']> = async (
    _options,
    _output,
    _surroundings,
    check,
  ) => {
    await check?.({ endpoints: scanned } as ScanDocument)
    return {
      app: 'demo',
      artifact: join(folder, 'artifact.tar.gz'),
      manifest: join(folder, 'svc_manifest.json'),
      files: 1,
      bytes: 6,
      sha256: SHA256,
      fingerprint: 'f',
      pythonVersion: '3.12',
      endpoints: [],
      tasks: [],
      packages: [],
      packagesCached: false,
      excluded: [],
      warnings: [],
      steps: [],
      tookMs: 1,
    }
  }
  const deploy = async (options: Partial<DeployOptions> = {}, json = false) => {
    const found = { url: service.url, key: 'secret-key', keyFile: '/data/account.key', by: '--url' }
    const output = createOutput(world.surroundings, json)
    const session = { client: createClient(found), output, options: {}, service: found }
    await deployApp({ images: 'specified', ...options }, session, world.surroundings, { build })
    return world.written.stdout
  }
  const lines = () => service.seen.map(({ line }) => line)
  const bodyOf = (line: string) => service.seen.find((seen) => seen.line === line)?.body
  return { ...world, url: service.url, deploy, lines, bodyOf }
}

test.each([
  ['another folder', (_here: string) => '/a/demo', true],
  ['this folder', (here: string) => here, false],
])('the plan for an app that was last deployed from %s', async (_from, last, isWarned) => {
  const here = join(temporaryFolder(), 'demo')
  mkdirSync(here)
  const project = { id: 'p1', folder: last(here), app: 'demo', isThere: true, openedAt: 0 }
  const { deploy, written } = await setup(
    { 'GET /api/projects': { projects: [project] } },
    { env: { SVC_APP: '' } },
    here,
  )
  const warning = `App demo was last deployed or opened from /a/demo; this deploys ${here} to it. If these are two different apps, rename one: SVC_APP=NAME drydock deploy`
  await deploy({ plan: true })
  expect(written.stderr).toBe(isWarned ? `warning: ${warning}\n` : '')
  const { plan } = JSON.parse((await deploy({ plan: true }, true)).slice(written.stdout.indexOf('{')))
  expect(plan.warnings).toEqual(isWarned ? [warning] : [])
})

test.each([
  ['off', false, [{ name: 'report', settings: { schedule: '0 3 * * *' } }], /use the schedules of report here/],
  ['on', true, [{ name: 'report', settings: { schedule: '0 3 * * *' } }], undefined],
  ['off, without schedules', undefined, [{ name: 'report', settings: {} }], undefined],
])('schedules with the setting %s', async (_name, appSchedules, scanned, refusal) => {
  const settings = appSchedules === undefined ? {} : { 'GET /api/settings': { appSchedules } }
  const { deploy, lines } = await setup(settings, {}, temporaryFolder(), scanned)
  const deployed = deploy({ plan: true })
  if (refusal === undefined) await deployed
  else await expect(deployed).rejects.toThrow(refusal)
  expect(lines().includes(`POST ${PLACE}/plan`)).toBe(refusal === undefined)
  expect(lines().includes('GET /api/settings')).toBe(appSchedules !== undefined)
})

test('an endpoint whose id was taken is reported with the reason for its other one', () => {
  const lines: string[] = []
  const output = { line: (text = '') => lines.push(text), paint: (_colour: string, text: string) => text } as never
  showDeployed(output, [{ ...GREET, resource: 'Greet', id: 'greet-a1b2c3' }], '$KEY')
  expect(lines).toContain('\ngreet-a1b2c3 has a suffix because another endpoint had the id greet already.')
  lines.length = 0
  showDeployed(output, [GREET], '$KEY')
  expect(lines.join()).not.toContain('ending')
})

test.each([
  [
    { examples: { greet: { name: 'Ada', n: 1 } } },
    `-d '{"input": {"name": "Ada", "n": 1}}' http://127.0.0.1:8790/v2/greet/runsync`,
  ],
  [
    { loadBalanced: true, routes: ['POST /shout'], examples: { 'POST /shout': { text: "it's", tags: ['a', 'b'] } } },
    `-d '{"text": "it'\\''s", "tags": ["a", "b"]}' http://127.0.0.1:8790/v2/greet/shout`,
  ],
  [
    { loadBalanced: true, routes: ['GET /find'], examples: { 'GET /find': { text: 'a b', n: 2 } } },
    `'http://127.0.0.1:8790/v2/greet/find?text=a+b&n=2'`,
  ],
])('the request to paste has arguments made from the signature: %j', (more, request) => {
  const lines: string[] = []
  const output = { line: (text = '') => lines.push(text), paint: (_colour: string, text: string) => text } as never
  showDeployed(output, [{ ...GREET, ...more }], '$KEY')
  expect(lines.at(-1)).toContain(request)
})

test('a deploy plans, uploads, releases, and prints the endpoints with a request that can be pasted', async () => {
  const { deploy, url, lines, bodyOf, written } = await setup({
    'GET /api/apps/demo': noApp,
    [`POST ${PLACE}/plan`]: planOf({ makes: ['app', 'environment'] }),
  })
  expect(await deploy()).toBe(`
Plan for demo/production on ${url}, in processes:
  creates app demo and environment production
  + greet  create

✓ upload             0 ms  6 B
· greet  waiting
✓ greet  ready

Release 4 of demo/production is active.

queue-based
  greet  ${url}/v2/greet

Try:
  curl -H "Authorization: Bearer $(cat /data/account.key)" -H 'Content-Type: application/json' -d '{"input": {}}' ${url}/v2/greet/runsync
`)
  expect(written.stderr).toBe('')
  expect(lines()).toEqual([
    'GET /api/apps/demo',
    `POST ${PLACE}/plan`,
    `GET /api/artifacts/${SHA256}`,
    `PUT /api/artifacts/${SHA256}?offset=0&total=6`,
    `POST ${PLACE}/releases`,
    `GET ${PLACE}/releases/4?follow=true`,
  ])
  expect(bodyOf(`POST ${PLACE}/plan`)).toEqual({ manifest: MANIFEST, artifact: SHA256 })
  expect(bodyOf(`POST ${PLACE}/releases`)).toEqual({ source: { artifact: SHA256 }, deletes: [] })
})

test('the options of the caller reach plan and release', async () => {
  const staging = '/api/apps/demo/environments/staging'
  const { deploy, bodyOf } = await setup({
    [`POST ${staging}/plan`]: planOf({ environment: 'staging' }),
    [`POST ${staging}/releases`]: progress({ number: 4, state: 'preparing', environment: 'staging' }),
    [`GET ${staging}/releases/4`]: events(progress({ number: 4, environment: 'staging' })),
  })
  expect(await deploy({ env: 'staging', runsOn: 'containers' })).toContain('Release 4 of demo/staging is active.')
  expect(bodyOf(`POST ${staging}/plan`)).toMatchObject({ runsOn: 'containers' })
  expect(bodyOf(`POST ${staging}/releases`)).toMatchObject({ runsOn: 'containers' })
})

test('without --env it goes to production, however many environments there are', async () => {
  const { deploy, lines } = await setup({ 'GET /api/apps/demo': app('staging', 'production') })
  expect(await deploy()).toContain('Release 4 of demo/production is active.')
  expect(lines()).toContain(`POST ${PLACE}/releases`)
})

test('a name that no environment can have is a wrong use', async () => {
  const { deploy, lines } = await setup()
  await expect(deploy({ env: 'a/b' })).rejects.toMatchObject({
    exitCode: 2,
    message: expect.stringMatching(/^"a\/b" is not a valid environment name: it must be letters/),
  })
  expect(lines()).toEqual([])
})

test('--plan stops after the plan, and --json prints it as a document', async () => {
  const { deploy, lines } = await setup()
  expect(JSON.parse(await deploy({ plan: true }, true))).toEqual({ plan: planOf() })
  expect(lines()).toEqual(['GET /api/apps/demo', `POST ${PLACE}/plan`])
})

test('machine output is one document with plan, release, steps and endpoints', async () => {
  const { deploy, url } = await setup()
  expect(JSON.parse(await deploy({}, true))).toEqual({
    plan: planOf(),
    ...ACTIVE,
    endpoints: [{ ...GREET, url: `${url}/v2/greet` }],
  })
})

describe('a deploy without a change', () => {
  const UNCHANGED = planOf({ steps: [{ resource: 'greet', action: 'unchanged', changes: [], replacesWorkers: false }] })
  const activeWith = (artifact: string) => {
    const active = release({ number: 3, artifact })
    return {
      [`POST ${PLACE}/plan`]: UNCHANGED,
      [`GET ${PLACE}`]: detail({ active, releases: [active] }),
      [`GET ${PLACE}/releases/3`]: progress({ number: 3 }),
    }
  }

  test('of the active code makes no release, and uploads nothing', async () => {
    const { deploy, lines } = await setup(activeWith(SHA256))
    expect(await deploy()).toContain(
      'Nothing changed, so no release was made. Release 3 of demo/production is active.\n',
    )
    expect(lines().filter((line) => /^(?:PUT|POST) .*(?:artifacts|releases)/.test(line))).toEqual([])
  })

  test('answers a program with the plan and the active release', async () => {
    const { deploy, url } = await setup(activeWith(SHA256))
    expect(JSON.parse(await deploy({}, true))).toEqual({
      plan: UNCHANGED,
      ...progress({ number: 3 }),
      endpoints: [{ ...GREET, url: `${url}/v2/greet` }],
    })
  })

  test('is made if a file changed that no endpoint loads', async () => {
    const unchanged = step({ action: 'unchanged' })
    const { deploy } = await setup({
      ...activeWith('b'.repeat(64)),
      [`GET /api/artifacts/${SHA256}`]: { state: 'complete', received: 6, total: 6 },
      [`GET ${PLACE}/releases/4`]: events(progress({ number: 4 }, { steps: [unchanged] })),
    })
    const shown = await deploy()
    expect(shown).toContain('✓ upload             0 ms  is there already\n')
    expect(shown).toContain('Nothing changed, and nothing was restarted. Release 4 of demo/production is active.\n')
  })

  test('is made if its workers are to move', async () => {
    const { deploy, bodyOf } = await setup(activeWith(SHA256))
    expect(await deploy({ on: 'gpu-box' })).toContain('Release 4 of demo/production is active.')
    expect(bodyOf(`POST ${PLACE}/releases`)).toMatchObject({ machine: 'gpu-box' })
  })
})

test('a release that fails ends the command with the endpoint, the reason and what stays', async () => {
  const why = "endpoint greet: ModuleNotFoundError: No module named 'torch'"
  const failed = progress({ number: 4, state: 'failed', reason: why }, { steps: [step({ state: 'failed' })] })
  const { deploy } = await setup({ [`GET ${PLACE}/releases/4`]: events(failed) })
  const message = `Release 4 of demo/production failed: ${why}. Nothing changed: release 3 of demo/production stays active.`
  await expect(deploy()).rejects.toMatchObject({
    exitCode: 1,
    message,
    body: { error: message, code: 'DEPLOY_FAILED', progress: failed },
  })
})

test('a first release that fails leaves nothing deployed', async () => {
  const { deploy } = await setup({
    [`GET ${PLACE}/releases/4`]: events(progress({ number: 4, state: 'failed', reason: 'endpoint greet: no' })),
    [`GET ${PLACE}`]: detail(),
  })
  await expect(deploy()).rejects.toMatchObject({
    message: 'Release 4 of demo/production failed: endpoint greet: no. Nothing is deployed.',
  })
})

test('Ctrl+C gives the release up, and what was active stays', async () => {
  const failed = progress({ number: 4, state: 'failed', reason: 'it was cancelled' })
  const { deploy, signal, exits, lines, written } = await setup({
    [`GET ${PLACE}/releases/4`]: (response: ServerResponse) => {
      signal('SIGINT')
      events(failed)(response)
    },
  })
  await expect(deploy()).rejects.toMatchObject({
    exitCode: 1,
    message: 'Release 4 was cancelled. Nothing changed: release 3 of demo/production stays active.',
  })
  expect(written.stderr).toBe('cancelling the release ...\n')
  expect(lines()).toContain(`POST ${PLACE}/releases/4/cancel`)
  expect(exits).toEqual([])
})

test('a second Ctrl+C ends the command at once', async () => {
  const { deploy, signal, exits } = await setup({
    [`GET ${PLACE}/releases/4`]: (response: ServerResponse) => {
      signal('SIGINT')
      signal('SIGINT')
      events(ACTIVE)(response)
    },
  })
  await deploy()
  expect(exits).toEqual([130])
})

test('a release that was active before it could be given up says how to go back', async () => {
  const { deploy, signal, written } = await setup({
    [`GET ${PLACE}/releases/4`]: (response: ServerResponse) => {
      signal('SIGTERM')
      events(ACTIVE)(response)
    },
  })
  expect(await deploy()).toContain('Release 4 of demo/production is active.')
  expect(written.stderr).toContain('became active before it could be cancelled. `drydock rollback` goes back.')
})

test('without a terminal nothing is deleted unasked, and nothing was uploaded by then', async () => {
  const { deploy, lines } = await setup({ [`POST ${PLACE}/plan`]: WITH_OLD })
  await expect(deploy({}, true)).rejects.toMatchObject({
    exitCode: 5,
    message:
      'The app no longer has endpoint old, and the deletion was not confirmed. Nothing was uploaded or changed. Deploy with --yes to delete, or with --keep to keep what is there.',
    body: { code: 'DELETES_UNCONFIRMED', plan: WITH_OLD },
  })
  expect(lines()).toEqual(['GET /api/apps/demo', `POST ${PLACE}/plan`])
})

test.each([
  ['--yes deletes', { yes: true }, ['old']],
  ['--keep leaves', { keep: true }, []],
] as const)('%s what the app no longer has', async (_what, options, deletes) => {
  const { deploy, bodyOf, asked } = await setup({ [`POST ${PLACE}/plan`]: WITH_OLD })
  await deploy(options)
  expect(bodyOf(`POST ${PLACE}/releases`)).toMatchObject({ deletes })
  expect(asked).toEqual([])
})

test('a person is asked about each endpoint that goes', async () => {
  const plan = planOf({ steps: [OLD, { ...OLD, resource: 'older' }] })
  const { deploy, bodyOf, asked } = await setup({ [`POST ${PLACE}/plan`]: plan }, { person: { yes: true } })
  await deploy()
  expect(asked).toEqual([
    'The app no longer has endpoints old, older. Delete them with all jobs, results, logs, metrics, schedules, batches, load tests and saved requests?',
  ])
  expect(bodyOf(`POST ${PLACE}/releases`)).toMatchObject({ deletes: ['old', 'older'] })
})

test('a person who says no deploys nothing', async () => {
  const { deploy, lines } = await setup({ [`POST ${PLACE}/plan`]: WITH_OLD }, { person: { yes: false } })
  await expect(deploy()).rejects.toMatchObject({
    exitCode: 1,
    message: 'Nothing was uploaded or changed. `drydock deploy --keep` deploys and keeps endpoint old.',
  })
  expect(lines()).toEqual(['GET /api/apps/demo', `POST ${PLACE}/plan`])
})

test('the key of the caller is in nothing that is printed', async () => {
  const { deploy, written } = await setup()
  await deploy()
  expect(written.stdout + written.stderr).not.toContain('secret-key')
})
