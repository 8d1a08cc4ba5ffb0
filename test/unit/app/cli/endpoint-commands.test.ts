import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { HELLO_VIEW, NOW, sendError, setupCli } from './support.ts'

async function setup() {
  const withKey = { ...HELLO_VIEW, key: 'endpoint-key' }
  const cli = await setupCli({
    'POST /api/endpoints': withKey,
    'GET /api/endpoints': { endpoints: [HELLO_VIEW] },
    'GET /api/endpoints/hello': HELLO_VIEW,
    'PATCH /api/endpoints/hello': HELLO_VIEW,
    'DELETE /api/endpoints/hello': { ok: true },
    'POST /api/endpoints/hello/pause': { ...HELLO_VIEW, paused: true },
    'POST /api/endpoints/hello/resume': HELLO_VIEW,
    'POST /api/endpoints/hello/rotate-key': withKey,
    'GET /api/endpoints/none': (response: Parameters<typeof sendError>[0]) =>
      sendError(response, 404, 'ENDPOINT_NOT_FOUND', 'There is no endpoint none.'),
  })
  writeFileSync(join(cli.folder, 'handler.py'), '')
  return cli
}

/** An entry of the catalog. */
const entry = (id: string, settings: object) => ({
  ...{ id, name: id, summary: 's', handler: `${id}.ts`, licence: 'l', settings, env: [], example: {}, missing: [] },
})

test('endpoint show tells what it knows of workflows', async () => {
  const view = (workflows: object) => ({
    ...HELLO_VIEW,
    workflows: { checkModels: true, modelFolders: true, ...workflows },
  })
  const shown = async (workflows: object) => {
    const { run } = await setupCli({ 'GET /api/endpoints/hello': view(workflows) })
    return (await run(['endpoint', 'show', 'hello'])).stdout
  }
  expect(await shown({})).toMatch(/takes workflows +on\n/)
  expect(await shown({ models: ['a.pt'], server: 'http://x' })).toMatch(
    /installed models +a\.pt\nComfyUI server +http:\/\/x\n/,
  )
})

describe('endpoint servers', () => {
  const server = (number: number, more: object) => ({
    ...{ number, address: `http://gpu${number}:8188`, state: 'ready', jobs: [], loaded: [] },
    lacks: { classes: [], models: [] },
    ...more,
  })
  const servers = [
    server(1, { jobs: ['j1'], loaded: ['a.safetensors', 'b.safetensors'] }),
    server(2, { state: 'lost', lostBecause: 'does not answer: ECONNREFUSED', lostSince: NOW - 125_000 }),
    server(3, { state: 'draining', lacks: { classes: ['A', 'B', 'C', 'D'], models: ['c.gguf'] } }),
  ]

  test('lists them with their standing, what they run, have loaded and lack', async () => {
    const { run } = await setupCli({ 'GET /api/endpoints/farm/servers': { servers } })
    const { stdout } = await run(['endpoint', 'servers', 'farm'])
    expect(stdout.split('\n').map((line) => line.trimEnd().split(/ {2,}/))).toEqual([
      ['SERVER', 'ADDRESS', 'STATE', 'RUNS', 'LOADED', 'LACKS'],
      ['1', 'http://gpu1:8188', 'takes graphs', 'j1', 'a.safetensors, b.safetensors'],
      ['2', 'http://gpu2:8188', 'lost 2 min ago: does not answer: ECONNREFUSED'],
      ['3', 'http://gpu3:8188', 'draining', 'node classes A, B, C and 1 more; model c.gguf'],
      [''],
    ])
    expect(JSON.parse((await run(['endpoint', 'servers', 'farm', '--json'])).stdout)).toEqual({ servers })
  })

  test('says that an endpoint has no servers', async () => {
    const { run } = await setupCli({ 'GET /api/endpoints/hello/servers': { servers: [] } })
    expect((await run(['endpoint', 'servers', 'hello'])).stdout).toBe('hello has no ComfyUI servers.\n')
  })

  test('changes them in the order of its options in --help, and shows them after that', async () => {
    const { run, service } = await setupCli({
      'POST /api/endpoints/farm/servers': { servers: [] },
      'GET /api/endpoints/farm/servers': { servers },
    })
    const options = ['--resume', 'http://r', '--drain', 'http://d', '--remove', 'http://m', '--add', 'http://a']
    expect((await run(['endpoint', 'servers', 'farm', ...options])).exitCode).toBe(0)
    expect(service.seen.map(({ body }) => body)).toEqual([
      { kind: 'add', address: 'http://a' },
      { kind: 'remove', address: 'http://m' },
      { kind: 'drain', address: 'http://d' },
      { kind: 'resume', address: 'http://r' },
      undefined,
    ])
  })

  test('passes on why a change is refused', async () => {
    const why = 'address: farm has no ComfyUI server c:1.'
    const { run } = await setupCli({
      'POST /api/endpoints/farm/servers': (response: Parameters<typeof sendError>[0]) =>
        sendError(response, 400, 'BAD_FIELD', why),
    })
    const refused = await run(['endpoint', 'servers', 'farm', '--drain', 'http://c:1'])
    expect([refused.exitCode === 0, refused.stderr]).toEqual([false, expect.stringContaining(why)])
  })
})

test('endpoint list shows machines where there are any, and why workers wait for capacity', async () => {
  const machine = { ...HELLO_VIEW, id: 'far', container: { image: 'app:1', machine: 'boxa' } }
  const throttled = { state: 'throttled', throttledReason: 'boxa: it cannot be reached' }
  const { run } = await setupCli({
    'GET /api/endpoints': { endpoints: [HELLO_VIEW, { ...machine, ...throttled }] },
    'GET /api/endpoints/far': { ...machine, ...throttled },
  })
  const { stdout } = await run(['endpoint', 'list'])
  expect(stdout).toMatch(/WORKERS +MACHINE +RUNS/)
  expect(stdout).toMatch(/hello .* this machine /)
  expect(stdout).toMatch(/^far .*Throttled .* boxa .* ago$/m)
  expect(stdout).toMatch(/\n\nfar: boxa: it cannot be reached\n$/)
  expect((await run(['endpoint', 'show', 'far'])).stdout).toMatch(/workers wait +boxa: it cannot be reached\n/)
})

test('endpoint list names a missing module without the install hint, which endpoint show has', async () => {
  const cause = "ModuleNotFoundError: No module named 'a_module_with_a_long_name'"
  const hint = 'install it: drydock endpoint install hello a-module-with-a-long-name'
  const crash = { pool: 'main', count: 7, lastWords: `${cause} (${hint})`, since: 0, lastAt: NOW, needsChange: true }
  const crashing = { ...HELLO_VIEW, state: 'crashing', crash }
  const { run } = await setupCli({
    'GET /api/endpoints': { endpoints: [crashing] },
    'GET /api/endpoints/hello': crashing,
  })
  const { stdout } = await run(['endpoint', 'list'])
  expect(stdout).toContain(`: ${cause}\n`)
  expect(stdout).toMatch(/More: drydock endpoint show hello\n$/)
  expect((await run(['endpoint', 'show', 'hello'])).stdout).toContain(hint)
})

test('a published graph whose endpoint was deleted is broken', async () => {
  const graph = { behind: 'sketch', version: 1 }
  const broken = { ...HELLO_VIEW, graph, state: 'broken', brokenReason: 'endpoint sketch was deleted.' }
  const { run } = await setupCli({
    'GET /api/endpoints': { endpoints: [broken] },
    'GET /api/endpoints/hello': broken,
  })
  const { stdout } = await run(['endpoint', 'list'])
  expect(stdout).toMatch(/^hello .* Broken /m)
  expect(stdout).toMatch(/\n\nhello: endpoint sketch was deleted\.\n$/)
  expect((await run(['endpoint', 'show', 'hello'])).stdout).toMatch(/state +Broken: endpoint sketch was deleted\.\n/)
})

describe('the program of a command', () => {
  async function withProgram() {
    const cli = await setup()
    mkdirSync(join(cli.folder, 'env', 'bin'), { recursive: true })
    writeFileSync(join(cli.folder, 'env', 'bin', 'uvicorn'), '#!/bin/sh', { mode: 0o755 })
    const env = { PATH: `${cli.folder}/env/bin:/nowhere`, VIRTUAL_ENV: `${cli.folder}/env` }
    const create = (command: string, ...more: string[]) =>
      cli.run(['endpoint', 'create', 'web', '--command', command, ...more, '--json'], { env })
    return { ...cli, env, create, sent: () => cli.service.seen.at(-1)?.body }
  }

  test('is looked for where it is typed, and PATH and the virtual environment stay with the endpoint', async () => {
    const { create, sent, env, folder } = await withProgram()
    expect((await create('uvicorn app:app --port $PORT')).exitCode).toBe(0)
    const place = { searchPath: env.PATH, virtualEnv: env.VIRTUAL_ENV }
    expect(sent()).toEqual({ name: 'web', command: 'uvicorn app:app --port $PORT', cwd: folder, ...place })
  })

  test.each(['uvicorm app:app', "'no such' x", './env/bin/none', '/nowhere/uvicorn'])(
    'that does not exist is refused: %s',
    async (command) => {
      const { create, service } = await withProgram()
      expect(await create(command)).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining('There is no program'),
      })
      expect(service.seen).toEqual([])
    },
  )

  test.each(['./env/bin/uvicorn x', '"uvicorn" x', '$UVICORN x', 'A=1 uvicorn'])(
    'that is there, or that the shell alone can tell, is taken: %s',
    async (command) => {
      const { create } = await withProgram()
      expect((await create(command)).exitCode).toBe(0)
    },
  )

  test('of a container is not looked for here', async () => {
    const { create, sent } = await withProgram()
    await create('serve', '--image', 'x')
    expect(sent()).not.toHaveProperty('searchPath')
  })

  test('is looked for on the PATH that is given, also when the endpoint is changed', async () => {
    const { create, run, sent, env } = await withProgram()
    expect((await create('uvicorn x', '--search-path', '/nowhere')).exitCode).toBe(2)
    const update = (command: string) => run(['endpoint', 'update', 'hello', '--command', command, '--json'], { env })
    expect((await update('uvicorm x')).exitCode).toBe(2)
    expect((await update('uvicorn x')).exitCode).toBe(0)
    expect(sent()).toMatchObject({ command: 'uvicorn x', searchPath: env.PATH })
  })

  test('of a virtual environment that is named is looked for, and kept by its whole path', async () => {
    const { run, sent, folder } = await withProgram()
    const create = (name: string) => run(['endpoint', 'create', 'h', '--handler', 'handler.py', '--virtual-env', name])
    expect(await create('.venv')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(`${join(folder, '.venv')} is not a virtual environment: it has no bin/python.`),
    })
    mkdirSync(join(folder, '.venv', 'bin'), { recursive: true })
    writeFileSync(join(folder, '.venv', 'bin', 'python'), '', { mode: 0o755 })
    expect((await create('.venv')).exitCode).toBe(0)
    expect(sent()).toMatchObject({ virtualEnv: join(folder, '.venv') })
  })

  test('of a handler in an active virtual environment is the Python of that', async () => {
    const { run, sent, env } = await withProgram()
    await run(['endpoint', 'create', 'h', '--handler', 'handler.py', '--json'], { env })
    expect(sent()).toMatchObject({ searchPath: env.PATH, virtualEnv: env.VIRTUAL_ENV })
    await run(['endpoint', 'create', 'h', '--handler', 'handler.py', '--json'], { env: { PATH: env.PATH } })
    expect(sent()).not.toHaveProperty('searchPath')
  })
})

test('a warning of the service is printed with the endpoint, on create and on update', async () => {
  const warning = 'This machine cannot run its workers at the moment: this machine has no NVIDIA GPU.'
  const { run } = await setupCli({
    'POST /api/endpoints': { ...HELLO_VIEW, key: 'k', warning },
    'GET /api/endpoints/hello': HELLO_VIEW,
    'PATCH /api/endpoints/hello': { ...HELLO_VIEW, warning },
  })
  for (const words of [
    ['create', 'x', '--image', 'i'],
    ['update', 'hello'],
  ])
    expect((await run(['endpoint', ...words, '--gpu', 'ANY'])).stderr).toBe(`warning: ${warning}\n`)
})

describe('endpoint create', () => {
  test('sends everything the options say, with the handler path made absolute', async () => {
    const { run, service, folder } = await setup()
    const options = [
      ...[
        '--id',
        'hello',
        '--handler',
        'handler.py',
        '--workers',
        '1,4',
        '--idle-timeout',
        '2.5',
        '--concurrency',
        '8',
      ],
      ...['--env', 'A=1', '--env', 'B=x=y', '--execution-timeout', '60000', '--calls-others', '--scale-by-jobs', '2'],
    ]
    const { exitCode, json } = await run(['endpoint', 'create', 'Hello', ...options, '--json'])
    expect(exitCode).toBe(0)
    expect(json()).toEqual({ ...HELLO_VIEW, key: 'endpoint-key' })
    expect(service.seen).toEqual([
      {
        line: 'POST /api/endpoints',
        key: 'Bearer account-key',
        body: {
          name: 'Hello',
          id: 'hello',
          handler: join(folder, 'handler.py'),
          workersMin: 1,
          workersMax: 4,
          idleTimeoutMs: 2500,
          concurrency: 8,
          env: { A: '1', B: 'x=y' },
          executionTimeoutMs: 60_000,
          callsOthers: true,
          scaler: { type: 'REQUEST_COUNT', value: 2 },
        },
      },
    ])
  })

  test.each([
    [['--workflows'], {}],
    [['--models', 'a.safetensors, b.pt', '--models', 'c.ckpt'], { models: ['a.safetensors', 'b.pt', 'c.ckpt'] }],
    [['--models', 'a.pt', '--no-check-models'], { models: ['a.pt'], checkModels: false }],
    [['--workflow-server', 'http://127.0.0.1:8188'], { server: 'http://127.0.0.1:8188' }],
    [['--models', 'a.pt', '--workflow-server', 'http://x'], { models: ['a.pt'], server: 'http://x' }],
  ])('with %j its workers take workflows', async (options, workflows) => {
    const { run, service } = await setup()
    const { exitCode } = await run(['endpoint', 'create', 'Hello', '--handler', 'handler.py', ...options])
    expect(exitCode).toBe(0)
    expect(service.seen[0]?.body).toMatchObject({ workflows })
  })

  test('a ComfyUI server is enough: the bridge is its program, and its classes of nodes are read at once', async () => {
    const bridge = { handler: '/d/comfyui/handler.ts', workersMax: 1, workflows: { server: 'http://127.0.0.1:8188' } }
    const answers = {
      'POST /api/endpoints': { ...HELLO_VIEW, key: 'k' },
      'GET /api/catalog': { entries: [entry('sketch', {}), entry('bridge', bridge)] },
      'POST /api/node-types/hello/fetch': { text: '{"A": {}, "B": {}}', source: 'server', server: 'http://h:1' },
    }
    const command = ['endpoint', 'create', 'comfy', '--workflow-server', 'http://h:1', '--workers', '0,2']
    const { run, service } = await setupCli(answers)
    const { exitCode, stderr } = await run(command)
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '2 node classes read from http://h:1\n' })
    expect(service.seen.find(({ line }) => line === 'POST /api/endpoints')?.body).toEqual({
      ...{ name: 'comfy', handler: bridge.handler, workersMin: 0, workersMax: 2, workflows: { server: 'http://h:1' } },
    })

    const why = 'The node classes could not be read from http://h:1: ECONNREFUSED.'
    const away = await setupCli({
      ...answers,
      'POST /api/node-types/hello/fetch': (response: Parameters<typeof sendError>[0]) =>
        sendError(response, 502, 'NODE_TYPES_UNREADABLE', why),
    })
    const made = await away.run(command)
    expect(made.exitCode).toBe(0)
    expect(made.stderr).toBe(`${why} They are read as soon as the server answers.\n`)
  })

  test('starts a worker command in the folder of the caller', async () => {
    const { run, service, folder } = await setup()
    await run(['endpoint', 'create', 'mine', '--command', 'python3 my_worker.py --fast'])
    expect(service.seen[0]?.body).toEqual({ name: 'mine', command: 'python3 my_worker.py --fast', cwd: folder })
  })

  test.each([
    [['--without-worker', '503'], { noWorkerIs503: true }],
    [['--without-worker', '400'], { noWorkerIs503: false }],
    [['--cancel-on-disconnect', 'never'], { cancelOnDisconnect: false }],
    [['--cancel-on-disconnect', 'always'], { cancelOnDisconnect: true }],
  ])('says what clients meet: %j', async (words, settings) => {
    const { run, service } = await setup()
    await run(['endpoint', 'create', 'web', '--command', 'x', ...words])
    expect(service.seen[0]?.body).toMatchObject(settings)
    expect((await run(['endpoint', 'create', 'web', '--command', 'x', words[0] ?? '', 'soon'])).exitCode).not.toBe(0)
  })

  test('makes an endpoint load-balanced, and shows both of its addresses', async () => {
    const { run, service } = await setup()
    const command = ['--command', 'uvicorn app:app', '--load-balanced', '--port', '8000']
    await run(['endpoint', 'create', 'web', ...command])
    expect(service.seen[0]?.body).toMatchObject({ name: 'web', loadBalanced: { port: 8000 } })
    await run(['endpoint', 'create', 'web', '--command', 'x', '--load-balanced'])
    expect(service.seen[1]?.body).toMatchObject({ loadBalanced: {} })
    const view = {
      ...HELLO_VIEW,
      loadBalanced: { port: 80 },
      url: 'http://h/lb/web',
      hostUrl: 'http://web.localhost:1',
    }
    const shown = await setupCli({ 'GET /api/endpoints/web': view })
    const { stdout } = await shown.run(['endpoint', 'show', 'web'])
    expect(stdout).toMatch(/^address +http:\/\/h\/lb\/web\nor +http:\/\/web\.localhost:1$/m)
  })

  test('tells a person the key and that it is shown this once', async () => {
    const { run } = await setup()
    const { stdout } = await run(['endpoint', 'create', 'Hello', '--handler', 'handler.py'])
    expect(stdout).toMatch(/^key +endpoint-key {2}\(shown only once\)$/m)
  })

  test.each([
    ['nothing to run', [], /--handler FILE\.py or --command/],
    ['two things to run', ['--handler', 'handler.py', '--command', 'x'], /not both/],
    ['workers out of order', ['--handler', 'handler.py', '--workers', '3,1'], /--workers .*must not be above/],
    ['workers that are no numbers', ['--handler', 'handler.py', '--workers', 'many'], /two whole numbers/],
    ['a variable without a value', ['--handler', 'handler.py', '--env', 'A'], /NAME=VALUE/],
    [
      'an idle timeout that is no duration',
      ['--handler', 'handler.py', '--idle-timeout', 'soon'],
      /must be a duration/,
    ],
  ])('refuses %s before anything is sent', async (_name, options, message) => {
    const { run, service } = await setup()
    const { exitCode, stderr, stdout } = await run(['endpoint', 'create', 'x', ...options])
    expect({ exitCode, stdout, sent: service.seen.length }).toEqual({ exitCode: 2, stdout: '', sent: 0 })
    expect(stderr).toMatch(message)
    expect(stderr.split('\n')).toHaveLength(2)
  })
})

describe('endpoint update', () => {
  test('sends only what is to change', async () => {
    const { run, service } = await setup()
    await run(['endpoint', 'update', 'hello', '--workers', '0,1', '--name', 'New'])
    expect(service.seen).toMatchObject([
      { line: 'PATCH /api/endpoints/hello', body: { name: 'New', workersMin: 0, workersMax: 1 } },
    ])
  })

  test('refuses to change nothing', async () => {
    const { run } = await setup()
    expect(await run(['endpoint', 'update', 'hello'])).toMatchObject({ exitCode: 2 })
  })
})

describe('the other endpoint commands', () => {
  test.each([
    [['show', 'hello'], 'GET /api/endpoints/hello', HELLO_VIEW],
    [['list'], 'GET /api/endpoints', { endpoints: [HELLO_VIEW] }],
    [['delete', 'hello', '--yes'], 'DELETE /api/endpoints/hello', { ok: true }],
    [['pause', 'hello'], 'POST /api/endpoints/hello/pause', { ...HELLO_VIEW, paused: true }],
    [['resume', 'hello'], 'POST /api/endpoints/hello/resume', HELLO_VIEW],
    [['rotate-key', 'hello', '--yes'], 'POST /api/endpoints/hello/rotate-key', { ...HELLO_VIEW, key: 'endpoint-key' }],
  ])('endpoint %j calls %s and prints the answer', async (words, line, answer) => {
    const { run, service } = await setup()
    const { exitCode, json } = await run(['endpoint', ...words, '--json'])
    expect(exitCode).toBe(0)
    expect(json()).toEqual(answer)
    expect(service.seen.map((request) => request.line)).toEqual([line])
  })

  test('list and show name the app that an endpoint belongs to', async () => {
    const membership = { name: 'demo', environment: 'staging', resource: 'greet', code: 'c', variables: 0 }
    const view = { ...HELLO_VIEW, app: membership }
    const { run } = await setupCli({ 'GET /api/endpoints': { endpoints: [view] }, 'GET /api/endpoints/hello': view })
    expect((await run(['endpoint', 'list'])).stdout).toContain('hello     Hello  demo/staging/greet  Asleep')
    expect((await run(['endpoint', 'show', 'hello'])).stdout).toMatch(/^app +demo\/staging, as greet$/m)
  })

  test('list and show tell of crashes: how often, the next try, the last words', async () => {
    const crash = {
      pool: 'main',
      count: 7,
      lastWords: 'KeyError: 1',
      since: NOW - 9000,
      lastAt: NOW - 1000,
      needsChange: true,
    }
    const crashing = { ...HELLO_VIEW, state: 'crashing', crash: { ...crash, nextTryAt: NOW + 11_500 } }
    const { run } = await setupCli({
      'GET /api/endpoints': { endpoints: [crashing, { ...HELLO_VIEW, id: 'b', crash }] },
      'GET /api/endpoints/hello': crashing,
    })
    const { stdout } = await run(['endpoint', 'list'])
    expect(stdout).toMatch(/^hello .* Crashing .* ago$/m)
    expect(stdout).toMatch(
      /\n\nhello: 7 times, next try in 12 s: KeyError: 1\nb: crashed 7 times, last 1 s ago: KeyError: 1\n$/,
    )
    expect((await run(['endpoint', 'show', 'hello'])).stdout).toMatch(
      /^state +Crashing\n+crashes +7 times, next try in 12 s\n +KeyError: 1$/m,
    )
  })

  test('install says where packages are now, and why they are not', async () => {
    const install = { packages: ['torch'], environment: '/app/.venv', state: 'done' }
    const failed = { ...install, state: 'failed', why: 'No matching distribution found for torch' }
    const { run, service } = await setupCli({
      'POST /api/endpoints/hello/install': {
        ...HELLO_VIEW,
        install: { ...install, state: 'running', line: 'Collecting' },
      },
      'GET /api/endpoints/hello': { ...HELLO_VIEW, install },
      'POST /api/endpoints/b/install': { ...HELLO_VIEW, install: failed },
    })
    expect(await run(['endpoint', 'install', 'hello', 'torch', 'a[b]>=1'])).toMatchObject({
      exitCode: 0,
      stdout: 'torch, a[b]>=1 installed into /app/.venv; workers of hello are replaced\n',
      stderr: expect.stringContaining('Collecting'),
    })
    expect(service.seen[0]).toMatchObject({ body: { packages: ['torch', 'a[b]>=1'] } })
    expect(await run(['endpoint', 'install', 'b', 'torch'])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('Not installed: torch. No matching distribution found for torch'),
    })
  })

  test('list and show say that the code changed, and why it does not start', async () => {
    const change = { files: ['hello.py'], at: NOW - 4000, state: 'live', tookMs: 420 }
    const failed = { ...change, at: NOW - 400_000, state: 'failed', why: 'KeyError: 1' }
    const old = { ...change, at: NOW - 400_000 }
    const views = [change, failed, old].map((codeChange, at) => ({ ...HELLO_VIEW, id: `e${at}`, codeChange }))
    const { run } = await setupCli({ 'GET /api/endpoints': { endpoints: views }, 'GET /api/endpoints/e2': views[2] })
    const { stdout } = await run(['endpoint', 'list'])
    expect(stdout).toMatch(/^e0: hello\.py changed 4 s ago: live after 420 ms$/m)
    const why = 'the new code does not start, the previous code continues to serve: KeyError: 1.'
    expect(stdout).toMatch(new RegExp(`^e1: hello\\.py changed 6 min ago: ${why}$`, 'm'))
    expect(stdout).toMatch(/^e2 .* ago$/m)
    expect((await run(['endpoint', 'show', 'e2'])).stdout).toMatch(
      /^code +hello\.py changed 6 min ago: live after 420 ms$/m,
    )
  })

  test('reasons that name a command name it as the caller calls it, wherever they are printed', async () => {
    const wanted = 'install it: drydock endpoint install hello tqdm'
    const crash = {
      pool: 'main',
      count: 2,
      lastWords: wanted,
      since: NOW - 9000,
      lastAt: NOW - 1000,
      needsChange: true,
    }
    const crashing = { ...HELLO_VIEW, state: 'crashing', crash, waitingReason: wanted }
    const worker = { id: 'w1', endpointId: 'hello', state: 'unhealthy', startedAt: NOW, jobs: [], jobsDone: 0 }
    const { run } = await setupCli({
      'GET /api/endpoints': { endpoints: [crashing] },
      'GET /api/endpoints/hello': crashing,
      'GET /api/workers': { workers: [{ ...worker, reason: wanted }] },
    })
    for (const words of [
      ['endpoint', 'list'],
      ['endpoint', 'show', 'hello'],
      ['workers', 'list'],
    ]) {
      const { stdout } = await run(words, { env: { npm_command: 'exec' } })
      expect([words, stdout.match(/(\S+ )?drydock endpoint install/g)]).toEqual([
        words,
        expect.arrayContaining(['npx drydock endpoint install']),
      ])
      expect(stdout).not.toMatch(/(?<!npx )drydock endpoint/)
    }
  })

  test('list cuts long notes below its table, and says where they are whole', async () => {
    const lastWords = `ModuleNotFoundError: ${'x'.repeat(300)} the end`
    const crash = { pool: 'main', count: 7, lastWords, since: NOW - 9000, lastAt: NOW - 1000, needsChange: true }
    const { run } = await setupCli({
      'GET /api/endpoints': { endpoints: [{ ...HELLO_VIEW, state: 'crashing', crash }] },
    })
    const { stdout } = await run(['endpoint', 'list'])
    expect(Math.max(...stdout.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(120)
    expect(stdout).toMatch(/^hello: 7 times, .*: ModuleNotFound.* … x+ the end$/m)
    expect(stdout).toMatch(/\nMore: drydock endpoint show hello\n$/)
  })

  test('list is a table for people', async () => {
    const { run } = await setup()
    expect((await run(['endpoint', 'list'])).stdout).toBe(
      'ENDPOINT  NAME   APP  STATE   WORKERS  RUNS      CHANGED\n' +
        'hello     Hello       Asleep  0,3      hello.py  14 s ago\n',
    )
  })

  test('an error of the service is one line, and its body with --json', async () => {
    const { run } = await setup()
    const forPeople = await run(['endpoint', 'show', 'none'])
    expect(forPeople).toMatchObject({ exitCode: 6, stdout: '', stderr: 'drydock: There is no endpoint none.\n' })
    const forScripts = await run(['endpoint', 'show', 'none', '--json'])
    expect(JSON.parse(forScripts.stderr)).toMatchObject({ code: 'ENDPOINT_NOT_FOUND', status: 404 })
    expect(forScripts).toMatchObject({ exitCode: 6, stdout: '' })
  })
})
