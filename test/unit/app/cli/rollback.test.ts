import { expect, test } from 'vitest'
import { app, detail, events, PLACE, planOf, progress, release } from './deploy/support.ts'
import { sendError, setupCli } from './support.ts'

const ENV = { SVC_APP: 'demo' }
const BACK = {
  resource: 'greet',
  action: 'update' as const,
  changes: [{ setting: 'code', from: 'b'.repeat(12), to: 'a'.repeat(12) }],
  replacesWorkers: true,
}

async function setup(fields: Parameters<typeof detail>[0] = {}) {
  const { run, service } = await setupCli({
    'GET /api/apps/demo': app('production'),
    [`GET ${PLACE}`]: detail({
      active: release({ number: 4 }),
      releases: [
        release({ number: 5, state: 'failed' }),
        release({ number: 4 }),
        release({ number: 3, state: 'superseded', fingerprint: 'c'.repeat(64) }),
        release({ number: 2, state: 'superseded', fingerprint: 'b'.repeat(64) }),
      ],
      ...fields,
    }),
    [`GET ${PLACE}/releases/1/plan`]: planOf(),
    [`GET ${PLACE}/releases/2/plan`]: planOf(),
    [`GET ${PLACE}/releases/3/plan`]: planOf({ steps: [BACK] }),
    [`POST ${PLACE}/releases`]: progress({ number: 6, state: 'preparing' }),
    [`GET ${PLACE}/releases/6`]: events(progress({ number: 6, rollbackOf: 3 })),
  })
  const source = () => service.seen.find(({ line }) => line === `POST ${PLACE}/releases`)?.body
  return { service, source, rollback: (...argv: string[]) => run(['rollback', ...argv], { env: ENV }), run }
}

test('a person is asked after the plan, and a no changes nothing', async () => {
  const { run, source } = await setup()
  const asked = ['Roll back to release 3?']
  expect(await run(['rollback'], { env: ENV, person: { yes: false } })).toMatchObject({
    exitCode: 1,
    asked,
    stdout: expect.stringContaining('rolls back from release 4 to release 3.'),
    stderr: 'drydock: Nothing was changed.\n',
  })
  expect(source()).toBeUndefined()
  expect(await run(['rollback'], { env: ENV, person: { yes: true } })).toMatchObject({ exitCode: 0, asked })
  expect(source()).toEqual({ source: { release: 3 } })
})

test.each([['--yes'], ['-y']])('with %s a person is not asked', async (yes) => {
  const { run } = await setup()
  expect(await run(['rollback', yes], { env: ENV, person: {} })).toMatchObject({ exitCode: 0, asked: [] })
})

test('rollback goes back to the release before the active one', async () => {
  const { rollback, source } = await setup()
  const { exitCode, stdout } = await rollback()
  expect(exitCode).toBe(0)
  expect(stdout).toContain('demo/production rolls back from release 4 to release 3.\n')
  expect(stdout).toContain('~ greet  update     code bbbbbbbbbbbb -> aaaaaaaaaaaa\n')
  expect(stdout).toContain('Release 6 of demo/production is active. It has the code of release 3.\n')
  expect(source()).toEqual({ source: { release: 3 } })
})

test('rollback passes over releases that had the code of the active one, as a change of variables makes them', async () => {
  const { rollback, source } = await setup({
    releases: [
      release({ number: 4 }),
      release({ number: 3, state: 'superseded' }),
      release({ number: 2, state: 'superseded', fingerprint: 'b'.repeat(64) }),
    ],
  })
  await rollback()
  expect(source()).toEqual({ source: { release: 2 } })
})

test('rollback goes to the release that is named', async () => {
  const { rollback, source } = await setup()
  expect((await rollback('2', '--json')).json()).toMatchObject({ release: { number: 6, rollbackOf: 3 } })
  expect(source()).toEqual({ source: { release: 2 } })
})

test('rollback of an environment that is not deployed brings the last release back', async () => {
  const { rollback, source } = await setup({
    active: undefined,
    releases: [release({ number: 1, state: 'superseded' })],
  })
  expect((await rollback()).stdout).toContain('demo/production rolls back to release 1.\n')
  expect(source()).toEqual({ source: { release: 1 } })
})

test.each([
  [
    'goes further back than the first',
    [
      { number: 1, code: 'c' },
      { number: 2, code: 'b' },
    ],
    1,
  ],
  ['has nowhere to go after the first release', [{ number: 2, code: 'b' }], undefined],
])('a second rollback %s', async (_how, superseded, to) => {
  const { rollback, source } = await setup({
    active: release({ number: 4, rollbackOf: 2, kind: 'rollback', fingerprint: 'b'.repeat(64) }),
    releases: [
      release({ number: 4, rollbackOf: 2, fingerprint: 'b'.repeat(64) }),
      release({ number: 3, state: 'superseded', fingerprint: 'd'.repeat(64) }),
      ...superseded
        .map(({ number, code }) => release({ number, state: 'superseded', fingerprint: code.repeat(64) }))
        .reverse(),
    ],
  })
  const { stdout, stderr } = await rollback()
  const from = 'release 4 (the code of release 2)'
  expect(stdout).toContain(to === undefined ? '' : `demo/production rolls back from ${from} to release ${to}.\n`)
  expect(stderr).toContain(to === undefined ? `no earlier release with other code to go back to from ${from}.` : '')
  expect(source()).toEqual(to === undefined ? undefined : { source: { release: to } })
})

test('a change of variables alone leaves nothing to go back to', async () => {
  const { rollback, source } = await setup({
    releases: [release({ number: 4, kind: 'variables' }), release({ number: 2, state: 'superseded' })],
  })
  expect(await rollback()).toMatchObject({ exitCode: 1 })
  expect(source()).toBeUndefined()
})

test('without an earlier release there is nothing to go back to', async () => {
  const { rollback, source } = await setup({ releases: [release(), release({ number: 2, state: 'failed' })] })
  expect(await rollback()).toMatchObject({
    exitCode: 1,
    stderr:
      'drydock: demo/production has no earlier release with other code to go back to from release 4. `drydock env show production` lists all; `drydock rollback NUMBER` goes to any of them, or retries one that failed.\n',
  })
  expect(source()).toBeUndefined()
})

test('a release that does not exist is not announced', async () => {
  const { rollback, source } = await setup()
  expect(await rollback('99')).toMatchObject({ exitCode: 1, stdout: '' })
  expect(source()).toBeUndefined()
})

test.each([['0x3'], ['-1'], ['three']])('%s is no number of a release', async (number) => {
  const { rollback } = await setup()
  expect(await rollback(number)).toMatchObject({ exitCode: 2 })
})

test('an app that is not deployed says what to do', async () => {
  const { run, service } = await setupCli({
    'GET /api/apps/demo': (response: Parameters<typeof sendError>[0]) =>
      sendError(response, 404, 'APP_NOT_FOUND', 'There is no app demo.'),
  })
  expect(await run(['rollback'], { env: ENV })).toMatchObject({
    exitCode: 6,
    stderr: `drydock: App demo has no environment on ${service.url}. Deploy it with \`drydock deploy\`, or create one with \`drydock env create production\`.\n`,
  })
})
