import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { app, detail, events, PLACE, progress, release } from './deploy/support.ts'
import { type Given, NOW, setupCli } from './support.ts'

const PATCH = `PATCH ${PLACE}/variables`

/** A service whose environment has an active release, unless told otherwise. */
async function setup({ isActive = true, changed = true, unreleased = true } = {}) {
  const { folder, run, service } = await setupCli({
    'GET /api/apps/demo': app('production'),
    [`GET ${PLACE}`]: detail(isActive ? { active: release() } : {}),
    [PATCH]: { variables: [{ name: 'TOKEN', updatedAt: NOW }], changed, unreleased },
    [`POST ${PLACE}/releases`]: progress({ number: 2, state: 'preparing' }),
    [`GET ${PLACE}/releases/2`]: events(progress({ number: 2 })),
  })
  const env = (argv: readonly string[], given: Given = {}) =>
    run(['env', ...argv], { ...given, env: { SVC_APP: 'demo' } })
  const bodyOf = (line: string) => service.seen.find((seen) => seen.line === line)?.body
  return { folder, env, sent: () => bodyOf(PATCH), released: () => bodyOf(`POST ${PLACE}/releases`) }
}

test('set stores values, releases the active code again, and prints no value', async () => {
  const { env, sent, released } = await setup()
  const { exitCode, stdout, stderr } = await env(['set', 'TOKEN=hunter22', 'MODEL=a=b'])
  expect(exitCode).toBe(0)
  expect(sent()).toEqual({ set: { TOKEN: 'hunter22', MODEL: 'a=b' } })
  expect(released()).toEqual({ source: { active: true } })
  expect(stdout).toContain('stored TOKEN, MODEL: demo/production has 1 variable, workers get them now\n')
  expect(stdout).toContain('Release 2 of demo/production is active.')
  expect(stdout + stderr).not.toContain('hunter22')
})

test('set to the current values makes no release, and reports it', async () => {
  const { env, released } = await setup({ changed: false, unreleased: false })
  expect(await env(['set', 'TOKEN=x'])).toMatchObject({
    exitCode: 0,
    stdout: 'nothing changed: TOKEN is up to date\n',
  })
  expect(released()).toBeUndefined()
})

test('set to a value that was stored for later releases it', async () => {
  const { env, released } = await setup({ changed: false })
  expect((await env(['set', 'TOKEN=x'])).stdout).toContain('workers get them now')
  expect(released()).toEqual({ source: { active: true } })
})

test('set --later only stores', async () => {
  const { env, released } = await setup()
  expect((await env(['set', 'TOKEN=x', '--later'])).stdout).toBe(
    'stored TOKEN: demo/production has 1 variable, workers get them with the next release\n',
  )
  expect(released()).toBeUndefined()
})

test('set before the first release makes none', async () => {
  const { env, released } = await setup({ isActive: false })
  expect((await env(['set', 'TOKEN=x'])).stdout).toBe(
    'stored TOKEN: demo/production has 1 variable, workers get them with the first release\n',
  )
  expect(released()).toBeUndefined()
})

test('machine output names variables and the release', async () => {
  const { env } = await setup()
  expect((await env(['set', 'TOKEN=x', '--json'])).json()).toMatchObject({
    variables: [{ name: 'TOKEN', updatedAt: NOW }],
    release: { number: 2 },
  })
})

test.each([
  ['standard input', { stdin: 'hunter22\n' }, []],
  ['a person', { person: { secret: 'hunter22' } }, ['TOKEN:']],
])('the value of a bare name comes from %s', async (_from, given, asked) => {
  const { env, sent } = await setup()
  expect(await env(['set', 'TOKEN'], given)).toMatchObject({ exitCode: 0, asked })
  expect(sent()).toEqual({ set: { TOKEN: 'hunter22' } })
})

test('an abandoned prompt stores nothing', async () => {
  const { env, sent } = await setup()
  expect(await env(['set', 'TOKEN'], { person: {} })).toMatchObject({
    exitCode: 1,
    stderr: 'drydock: Nothing was stored.\n',
  })
  expect(sent()).toBeUndefined()
})

test('a .env file is taken, without what the service sets itself', async () => {
  const { folder, env, sent } = await setup()
  writeFileSync(join(folder, 'my.env'), 'TOKEN="a b"\nSVC_API_KEY=k\nRUNPOD_POD_ID=1\n')
  const { stderr } = await env(['set', '--from-file', 'my.env', 'MODEL=small', '--later'])
  expect(sent()).toEqual({ set: { TOKEN: 'a b', MODEL: 'small' } })
  expect(stderr).toBe('left out, because the service sets them: SVC_API_KEY, RUNPOD_POD_ID\n')
})

test.each([
  ['nothing to set', ['set'], 'Give a variable to set: NAME=VALUE, NAME with its value on standard input'],
  ['two bare names', ['set', 'A', 'B'], 'Only one value can be read, and A, B have none.'],
  ['a name that no variable can have', ['set', 'A-B=1'], '"A-B" cannot be set: must be a variable name.'],
  ['a name of the service', ['set', 'SVC_KEY=1'], '"SVC_KEY" cannot be set: is reserved, because the service sets it.'],
  ['a file that is not there', ['set', '--from-file', 'no.env'], 'no.env cannot be read (ENOENT).'],
  ['an empty value on standard input', ['set', 'A'], 'There is no value. Pass it on standard input'],
  ['unset of a name that no variable can have', ['unset', 'A=1'], '"A=1" cannot be set'],
])('%s is a wrong use', async (_what, argv, why) => {
  const { env, sent } = await setup()
  expect(await env(argv)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(why) })
  expect(sent()).toBeUndefined()
})

test('a file without variables is a wrong use', async () => {
  const { folder, env } = await setup()
  writeFileSync(join(folder, '.env'), '# nothing\nSVC_API_KEY=k\n')
  expect(await env(['set', '--from-file', '.env'])).toMatchObject({
    exitCode: 2,
    stderr: 'drydock: .env has no variables for workers. Give lines like NAME=value.\n',
  })
})

test('unset removes variables, and workers lose them now', async () => {
  const { env, sent, released } = await setup()
  expect((await env(['unset', 'TOKEN', 'MODEL'])).stdout).toContain('removed TOKEN, MODEL: demo/production has 1')
  expect(sent()).toEqual({ remove: ['TOKEN', 'MODEL'] })
  expect(released()).toEqual({ source: { active: true } })
})
