import { describe, expect, test } from 'vitest'
import { EXIT_CODES } from '../../../../src-main/app/cli/cli-error.ts'
import { TOPICS } from '../../../../src-main/app/cli/commands.ts'
import { runCli } from '../../../../src-main/app/cli/run-cli.ts'
import {
  HELLO_VIEW,
  sendError,
  setupCli,
  startStandIn,
  surroundingsOf,
  temporaryFolder,
  writeServiceFiles,
} from './support.ts'

// Port 1 belongs to a service of old that no machine runs, and nobody but root may listen there.
const NOBODY = 'http://127.0.0.1:1'

async function setup(env: Record<string, string> = {}) {
  const folder = temporaryFolder()
  const run = async (...argv: string[]) => {
    const { surroundings, written } = surroundingsOf(folder, { env })
    return { exitCode: await runCli(argv, surroundings), ...written }
  }
  return { folder, run }
}

describe('the exit code', () => {
  test('is 2 with one line and the place of the help for a wrong use', async () => {
    const { run } = await setup()
    expect(await run('run', '--nope')).toEqual({
      exitCode: EXIT_CODES.usage,
      stdout: '',
      stderr: "drydock: unknown option '--nope'. See `drydock run --help`.\n",
    })
  })

  test('is 2 with the help on stderr where a command is missing', async () => {
    const { run } = await setup()
    const { exitCode, stdout, stderr } = await run('endpoint')
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    expect(stderr).toMatch(/drydock: A command is missing\. See `drydock endpoint --help`\.\n$/)
  })

  test('is 3 where no service runs on the data folder', async () => {
    const { run, folder } = await setup()
    const { exitCode, stderr } = await run('health', '--data', folder)
    expect(exitCode).toBe(3)
    expect(stderr).toContain(`No Drydock service is running on the data folder ${folder}. Start one`)
  })

  test.each([['health'], ['runsync', 'hello', '{}'], ['run', 'hello', '{}', '--wait']])(
    'is 3 where nothing listens at the address: %s',
    async (...argv) => {
      const { run } = await setup()
      expect(await run(...argv, '--url', NOBODY, '--key', 'k')).toMatchObject({
        exitCode: 3,
        stderr: `drydock: The Drydock service at ${NOBODY} does not answer: nothing listens there. Check it with \`drydock doctor\`.\n`,
      })
    },
  )

  test('is 3 where the service goes away in the middle of an answer', async () => {
    const { run } = await setupCli({
      'GET /v2/hello/health': (response: Parameters<typeof sendError>[0]) => {
        response.writeHead(200, { 'content-type': 'application/json' })
        response.write('{"jobs":')
        setImmediate(() => response.destroy())
      },
    })
    expect(await run(['health', 'hello'])).toMatchObject({ exitCode: 3, stdout: '' })
  })

  test('is 1 where the service refuses', async () => {
    const { run } = await setupCli({
      'GET /v2/hello/health': (response: Parameters<typeof sendError>[0]) =>
        sendError(response, 401, 'UNAUTHORIZED', 'No key.'),
    })
    expect(await run(['health', 'hello'])).toMatchObject({ exitCode: 1, stderr: 'drydock: No key.\n' })
  })

  test.each([
    [['health', 'none'], 'GET /v2/none/health'],
    [['compare', 'none', 'hello', '--ids', 'j1'], 'POST /api/comparisons'],
    [['compare', 'show', 'none'], 'GET /api/comparisons/none'],
  ])('is 6 where something is not found: %j', async (argv, operation) => {
    const { run } = await setupCli({
      'GET /api/endpoints': { endpoints: [] },
      [operation]: (response: Parameters<typeof sendError>[0]) =>
        sendError(response, 404, 'ENDPOINT_NOT_FOUND', 'There is no endpoint none.'),
    })
    expect(await run(argv)).toMatchObject({ exitCode: 6, stderr: 'drydock: There is no endpoint none.\n' })
  })

  test.each([
    ['text', (response: Parameters<typeof sendError>[0]) => response.end('hello')],
    ['other JSON', { some: 'thing' }],
    ['an error page', (response: Parameters<typeof sendError>[0]) => response.writeHead(502).end('<html>')],
  ])('is 1 where something that is no Drydock service answers %s', async (_name, answer) => {
    const { run } = await setupCli({ 'GET /v2/hello/health': answer })
    const { exitCode, stderr } = await run(['health', 'hello'])
    expect(exitCode).toBe(1)
    expect(stderr).toContain('it is not a Drydock service')
  })
})

test('with --json an error is JSON on stderr, also where the options cannot be read', async () => {
  const { run } = await setup()
  expect(JSON.parse((await run('run', '--nope', '--json')).stderr)).toEqual({
    error: "unknown option '--nope'. See `drydock run --help`.",
    code: 'USAGE',
  })
  expect(JSON.parse((await run('health', '--url', NOBODY, '--key', 'k', '--json')).stderr)).toMatchObject({
    code: 'NOT_REACHABLE',
  })
})

test('global options work before and after the command', async () => {
  const { run, folder } = await setup()
  const service = await startStandIn({ 'GET /api/workers': { workers: [] } })
  writeServiceFiles(folder, { url: service.url })
  const before = await run('--data', folder, '--json', 'workers', 'list')
  const after = await run('workers', 'list', '--json', '--data', folder)
  expect(before).toEqual({ exitCode: 0, stdout: '{"workers":[]}\n', stderr: '' })
  expect(after).toEqual(before)
})

test('every command has a description, and every one that runs has examples in its help', async () => {
  const { run } = await setup()
  const visit = async (path: readonly string[]): Promise<void> => {
    const { exitCode, stdout, stderr } = await run(...path, '--help')
    expect({ path, exitCode, stderr }).toEqual({ path, exitCode: 0, stderr: '' })
    // Those of the program stand below topics.
    const lists = path.length === 0 ? Object.keys(TOPICS) : ['Commands']
    const children = lists
      .flatMap((list) => new RegExp(`^${list}:\\n((?: .*\\n)+)`, 'm').exec(stdout)?.[1]?.match(/^ {2}\S+/gm) ?? [])
      .map((name) => name.trim().replace(/\|.*/, ''))
    if (path.length === 0) expect(children).toHaveLength(Object.values(TOPICS).flatMap(Object.keys).length + 1)
    if (path.length > 0 && children.length === 0)
      expect({ path, stdout }).toEqual({ path, stdout: expect.stringContaining('$ drydock ') })
    for (const name of children.filter((child) => child !== 'help')) await visit([...path, name])
  }
  await visit([])
})

test.each([
  [['completion', 'zork'], "unknown command 'zork'. Choose one of bash, zsh, fish. See `drydock completion --help`."],
  [['enpoint', 'list'], "unknown command 'enpoint' (Did you mean endpoint?)"],
  [['endpoint', 'lst'], "unknown command 'lst' (Did you mean list?)"],
  // Below a command that lists by itself, where the word would be one too many.
  [['jobs', 'serch'], "unknown command 'serch' (Did you mean search?). See `drydock jobs --help`."],
  [['schedule', 'create', 'x'], "unknown command 'create' (Did you mean add?). See `drydock schedule --help`."],
  [['schedule', 'create'], "unknown command 'create' (Did you mean add?). See `drydock schedule --help`."],
  [['batch', 'start', 'slow', 'in.jsonl'], "unknown command 'start' (Did you mean submit?)"],
  [['key', 'create', 'ci', '--role', 'viewer'], "unknown command 'create' (Did you mean add?)"],
  [['key', 'whatever', 'ci'], "unknown command 'whatever'. See `drydock key --help`."],
  [['jobs', '--limt', '3'], "unknown option '--limt' (Did you mean --limit?)"],
])('a mistyped word is answered with the nearest one: %j', async (argv, why) => {
  const { run } = await setup()
  const { exitCode, stderr } = await run(...argv)
  expect(exitCode).toBe(2)
  expect(stderr).toContain(why)
})

test('a missing argument is named, with its meaning and an example', async () => {
  const { run } = await setup()
  expect(await run('schedule', 'add', 'hello')).toMatchObject({
    exitCode: 2,
    stderr: `drydock: missing required argument 'name': name of the schedule, unique for the endpoint. Example: \`drydock schedule add hello nightly '{"name": "Ada"}' --cron '0 3 * * *' --time-zone Europe/Berlin\`. See \`drydock schedule add --help\`.\n`,
  })
})

test('a missing option is named with an example', async () => {
  const { run } = await setup()
  expect((await run('workflow', 'sweep', 'lamp.json', '--endpoint', 'sketch')).stderr).toBe(
    "drydock: required option '--over <node.input=values>' not specified. Example: `drydock workflow sweep lamp.json --endpoint sketch --over 3.seed=1..4 --over 3.cfg=4,7,10 -o out/`. See `drydock workflow sweep --help`.\n",
  )
})

test('the argument of a list may be an endpoint named like a command', async () => {
  const { run, service } = await setupCli({ 'GET /api/schedules': { schedules: [] } })
  expect(await run(['schedule', 'list', 'create'])).toMatchObject({ exitCode: 0 })
  expect(service.seen.at(-1)?.line).toBe('GET /api/schedules?endpoint=create')
})

describe('an endpoint that does not exist', () => {
  const answers = (others: unknown) => ({
    'GET /v2/helo/health': (response: Parameters<typeof sendError>[0]) =>
      sendError(response, 404, 'ENDPOINT_NOT_FOUND', 'There is no endpoint helo.'),
    'GET /api/endpoints': others,
  })

  test('is answered with the nearest one', async () => {
    const { run } = await setupCli(answers({ endpoints: [{ ...HELLO_VIEW, id: 'other' }, HELLO_VIEW] }))
    expect(await run(['health', 'helo'])).toMatchObject({
      exitCode: 6,
      stderr: 'drydock: There is no endpoint helo. Did you mean hello?\n',
    })
    expect(JSON.parse((await run(['health', 'helo', '--json'])).stderr)).toMatchObject({
      code: 'ENDPOINT_NOT_FOUND',
      error: 'There is no endpoint helo. Did you mean hello?',
    })
  })

  test('is answered with all endpoints of apps whose handler has that name', async () => {
    const ofApp = (id: string, name: string) => {
      const app = { name, environment: 'production', resource: 'helo', code: 'c', variables: 0 }
      return { ...HELLO_VIEW, id, app }
    }
    const shop = ofApp('helo-1', 'shop')
    const both = await setupCli(answers({ endpoints: [shop, ofApp('helo-2', 'blog'), HELLO_VIEW] }))
    expect((await both.run(['health', 'helo'])).stderr).toBe(
      'drydock: There is no endpoint helo. Give one of these ids: helo-1 (shop/production/helo), helo-2 (blog/production/helo).\n',
    )
    const one = await setupCli(answers({ endpoints: [shop, HELLO_VIEW] }))
    expect((await one.run(['health', 'helo'])).stderr).toBe(
      'drydock: There is no endpoint helo. Its id is helo-1 (shop/production/helo).\n',
    )
  })

  test.each([
    ['where none is near', { endpoints: [{ ...HELLO_VIEW, id: 'text-to-picture' }] }],
    [
      'with a key that may not list them',
      (response: Parameters<typeof sendError>[0]) => sendError(response, 403, 'KEY_NOT_ALLOWED', 'no'),
    ],
  ])('is answered without one %s', async (_why, others) => {
    const { run } = await setupCli(answers(others))
    expect((await run(['health', 'helo'])).stderr).toBe('drydock: There is no endpoint helo.\n')
  })
})

test('--version prints the version and nothing else', async () => {
  const { run } = await setup()
  expect(await run('--version')).toEqual({
    exitCode: 0,
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    stderr: '',
  })
})
