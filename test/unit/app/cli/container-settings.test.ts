import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { containerSettings } from '../../../../src-main/contract/container.ts'
import { endpointUpdate } from '../../../../src-main/contract/endpoint.ts'
import { SETTING_SECTIONS } from '../../../../src-main/features/endpoints/rules/settings/sections.ts'
import { clearsSetting, settingAt } from '../../../../src-main/features/endpoints/rules/settings/setting.ts'
import { HELLO_VIEW, NOW, setupCli } from './support.ts'

const SETTINGS = containerSettings.parse({
  image: 'ghcr.io/ada/sdxl:2',
  entrypoint: ['python3', '-u', 'my worker.py'],
  gpu: 'ADA_24',
  gpuCount: 2,
  volumes: [
    { source: '/models', target: '/models', readOnly: true },
    { source: 'cache', target: '/cache' },
  ],
  memoryBytes: 2 * 1024 ** 3,
  keepPausedMs: 60_000,
  egress: false,
})

async function setup() {
  const { handler: _, ...view } = HELLO_VIEW
  const cli = await setupCli({
    'POST /api/endpoints': { ...HELLO_VIEW, key: 'endpoint-key' },
    'PATCH /api/endpoints/hello': HELLO_VIEW,
    'GET /api/endpoints/hello': { ...view, container: SETTINGS },
  })
  writeFileSync(join(cli.folder, 'handler.py'), '')
  mkdirSync(join(cli.folder, 'models'))
  /** The settings of containers that `endpoint create` sends for these options. */
  const sent = async (...options: string[]) => {
    const { exitCode, stderr } = await cli.run(['endpoint', 'create', 'x', ...options])
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    return (cli.service.seen[0]?.body as { container?: unknown } | undefined)?.container
  }
  return { ...cli, sent }
}

describe('endpoint create with an image', () => {
  test('sends everything the options say', async () => {
    const { run, service, folder } = await setup()
    const options = [
      ...[
        '--image',
        'ghcr.io/ada/sdxl:2',
        '--entrypoint',
        'python3 -u worker.py',
        '--args',
        '--fast',
        '--pull',
        'always',
      ],
      ...['--gpu', 'ADA_24', '--gpu-count', '2', '--gpu-shared', '--cpu', 'cpu3c-2-4', '--memory', '2g'],
      ...['--disk', '10g', '--shm', '512m', '--volume', './models:/models:ro', '--volume', 'cache:/cache'],
      ...['--publish', '8080', '--publish', '9000', '--profile', 'trusted', '--cap-add', 'sys_nice', '--cap-add'],
      ...['CAP_NET_RAW', '--no-egress', '--registry-auth', 'work', '--keep-paused', '90', '--prepared', '2'],
      ...['--workers', '0,2', '--env', 'A=1'],
    ]
    expect(await run(['endpoint', 'create', 'sdxl', ...options])).toMatchObject({ exitCode: 0, stderr: '' })
    expect(service.seen[0]?.body).toEqual({
      name: 'sdxl',
      workersMin: 0,
      workersMax: 2,
      env: { A: '1' },
      container: {
        image: 'ghcr.io/ada/sdxl:2',
        entrypoint: ['python3', '-u', 'worker.py'],
        args: ['--fast'],
        pull: 'always',
        gpu: 'ADA_24',
        gpuCount: 2,
        gpuShared: true,
        cpu: 'cpu3c-2-4',
        memoryBytes: 2 * 1024 ** 3,
        diskBytes: 10 * 1024 ** 3,
        shmBytes: 512 * 1024 ** 2,
        volumes: [
          { source: join(folder, 'models'), target: '/models', readOnly: true },
          { source: 'cache', target: '/cache', readOnly: false },
        ],
        ports: [8080, 9000],
        profile: 'trusted',
        capabilities: ['SYS_NICE', 'CAP_NET_RAW'],
        egress: false,
        registryAuth: 'work',
        keepPausedMs: 90_000,
        prepared: 2,
      },
    })
    const body = service.seen[0]?.body as { container: unknown }
    expect(() => containerSettings.parse(body.container)).not.toThrow()
  })

  test('of a handler without a word about containers makes processes', async () => {
    const { sent } = await setup()
    expect(await sent('--handler', 'handler.py')).toBeUndefined()
  })

  test.each([
    [['--container'], {}],
    [['--placement', 'node.labels.zone==lab'], { placement: ['node.labels.zone==lab'] }],
    [['--memory', '1.5g'], { memoryBytes: 1.5 * 1024 ** 3 }],
    [['--no-egress'], { egress: false }],
  ])('makes containers of a handler with %j', async (options, container) => {
    const { sent } = await setup()
    expect(await sent('--handler', 'handler.py', ...options)).toEqual(container)
  })

  test.each([
    [
      ['--entrypoint', 'python3', 'worker.py'],
      ['python3', 'worker.py'],
    ],
    [
      ['--entrypoint', 'python3', '--entrypoint', 'worker.py'],
      ['python3', 'worker.py'],
    ],
    [
      ['--entrypoint', `sh -c "echo 'a  b'" c\\ d ''`],
      ['sh', '-c', "echo 'a  b'", 'c d', ''],
    ],
  ])('cuts %j into words', async (options, entrypoint) => {
    const { sent } = await setup()
    expect(await sent('--image', 'x', ...options)).toEqual({ image: 'x', entrypoint })
  })

  test.each([
    ['/data:/data', '/data'],
    ['models/a:/data', 'FOLDER/models/a'],
    ['../b:/data', 'FOLDER/../b'],
    ['~/m:/data', 'FOLDER/m'], // the home of the test is its folder
    ['.:/data', 'FOLDER'],
    ['my-volume.1:/data', 'my-volume.1'],
    ['/with:colon:/data', '/with:colon'],
  ])('reads the volume %s', async (text, source) => {
    const { sent, folder } = await setup()
    expect(await sent('--image', 'x', '--volume', text)).toMatchObject({
      volumes: [
        { source: source.startsWith('FOLDER') ? join(source.replace('FOLDER', folder)) : source, target: '/data' },
      ],
    })
  })

  test.each([
    ['a volume without a place', ['--volume', '/data'], /--volume .*HOST:CONTAINER/],
    ['a volume at a relative place', ['--volume', '/data:data'], /--volume .*HOST:CONTAINER/],
    ['a size that is none', ['--memory', 'much'], /--memory .*like 512m or 2g/],
    ['a profile that is none', ['--profile', 'root'], /--profile .*safe, strict, trusted/],
    ['a time to pull that is none', ['--pull', 'often'], /--pull .*missing, always, never/],
    ['a quotation mark that stays open', ['--args', '"a'], /quotation mark is not closed/],
    ['a port that is no number', ['--publish', 'http'], /--publish .*whole number/],
  ])('refuses %s before anything is sent', async (_name, options, message) => {
    const { run, service } = await setup()
    const { exitCode, stderr } = await run(['endpoint', 'create', 'x', '--image', 'x', ...options])
    expect({ exitCode, sent: service.seen.length }).toEqual({ exitCode: 2, sent: 0 })
    expect(stderr).toMatch(message)
  })

  test('sends the Python and the packages that the worker image of a handler gets', async () => {
    const { sent } = await setup()
    const options = ['--python', '3.12', '--package', 'torch>=2.5', '--system-package', 'ffmpeg']
    const more = ['--package', 'numpy', '--system-package', 'libsndfile1']
    const container = await sent('--handler', 'handler.py', ...options, ...more)
    expect(container).toEqual({
      python: '3.12',
      packages: ['torch>=2.5', 'numpy'],
      systemPackages: ['ffmpeg', 'libsndfile1'],
    })
    expect(() => containerSettings.parse(container)).not.toThrow()
  })

  test('refuses containers with nothing to run', async () => {
    const { run } = await setup()
    expect(await run(['endpoint', 'create', 'x', '--container'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('or --image IMAGE'),
    })
  })
})

test('endpoint update sends the changed settings of containers alone', async () => {
  const { run, service } = await setup()
  const { stderr } = await run(['endpoint', 'update', 'hello', '--memory', '4g', '--volume', '/m:/m'])
  expect(stderr).toBe('')
  expect(service.seen.at(-1)).toMatchObject({
    line: 'PATCH /api/endpoints/hello',
    body: { container: { memoryBytes: 4 * 1024 ** 3, volumes: [{ source: '/m', target: '/m', readOnly: false }] } },
  })
})

describe('endpoint update of an endpoint whose workers are processes', () => {
  async function update(...options: string[]) {
    const moves = options.some((option) => option === '--gpu' || option === '--cpu') && !options.includes('')
    const { run, service } = await setupCli({
      'GET /api/endpoints/hello': HELLO_VIEW,
      'PATCH /api/endpoints/hello': moves ? { ...HELLO_VIEW, container: SETTINGS } : HELLO_VIEW,
    })
    const result = await run(['endpoint', 'update', 'hello', ...options])
    return { ...result, sent: service.seen.find(({ line }) => line.startsWith('PATCH'))?.body }
  }

  test.each([[['--gpu', 'ADA_24']], [['--cpu', 'cpu3c-2-4']]])(
    'says that %j makes them containers, and how to go back',
    async (options) => {
      expect((await update(...options)).stderr).toMatch(
        /Workers now run in containers\. Go back to processes with `drydock endpoint update hello --no-container`\.\n$/,
      )
      expect((await update(...options, '--json')).stderr).toBe('')
    },
  )

  test.each([
    [undefined, /Workers still run in containers\. .* --no-container`\.\n$/],
    ['paint:1', /^$/],
  ])(
    'says that they stay containers of their handler without the option that made them so (image %s)',
    async (image, note) => {
      const boxed = { ...HELLO_VIEW, container: { ...SETTINGS, image } }
      const { run } = await setupCli({ 'GET /api/endpoints/hello': boxed, 'PATCH /api/endpoints/hello': boxed })
      expect((await run(['endpoint', 'update', 'hello', '--gpu', 'none'])).stderr).toMatch(note)
      expect((await run(['endpoint', 'update', 'hello', '--gpu', 'ANY'])).stderr).toBe('')
    },
  )

  test('makes them processes again with --no-container', async () => {
    expect(await update('--no-container')).toMatchObject({ exitCode: 0, stderr: '', sent: { container: null } })
    expect(await update('--no-container', '--gpu', 'ANY')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('--no-container makes workers processes'),
      sent: undefined,
    })
  })
})

describe('an empty value', () => {
  const OPTIONS = SETTING_SECTIONS.flatMap(({ fields }) =>
    fields.flatMap((field) =>
      field.option !== undefined && field.input.kind !== 'lines' && clearsSetting(field, '')
        ? [{ name: field.option.flags.split(' ')[0] ?? '', path: field.path }]
        : [],
    ),
  )

  test.each(OPTIONS)('of $name removes the setting', async ({ name, path }) => {
    const { run, service } = await setup()
    expect(await run(['endpoint', 'update', 'hello', name, ''])).toMatchObject({ exitCode: 0, stderr: '' })
    const body = service.seen.at(-1)?.body
    expect(body).toEqual(settingAt(path, null))
    expect(() => endpointUpdate.parse(body)).not.toThrow()
  })

  test('of --gpu may be written as none', async () => {
    const { run, service } = await setup()
    await run(['endpoint', 'update', 'hello', '--gpu', 'none'])
    expect(service.seen.at(-1)?.body).toEqual({ container: { gpu: null } })
  })

  test('is left out of a new endpoint, whose workers stay processes', async () => {
    const { sent } = await setup()
    expect(await sent('--handler', 'handler.py', '--gpu', 'none', '--cpu', '', '--on', '')).toBeUndefined()
  })
})

test('endpoint show prints a value whose text is the word none', async () => {
  const { run } = await setupCli({
    'GET /api/endpoints/hello': { ...HELLO_VIEW, container: { ...SETTINGS, gpu: 'none' } },
  })
  expect((await run(['endpoint', 'show', 'hello'])).stdout).toMatch(/^GPU +none$/m)
})

test('endpoint show prints the settings of containers', async () => {
  const { run } = await setup()
  const { stdout } = await run(['endpoint', 'show', 'hello'])
  const shown = stdout.split('\n').map((line) => line.replace(/ {2,}/, ': '))
  expect(shown).toEqual(
    expect.arrayContaining([
      'image: ghcr.io/ada/sdxl:2',
      'entry point: python3, -u, my worker.py',
      'volumes: /models:/models:ro, cache:/cache',
      'memory: 2 GiB',
      'security profile: Safe',
      'keep paused for: 60 s',
      'prepared: 1 container',
      'GPU: ADA_24',
      'GPUs per worker: 2 GPUs',
      'network access: off',
    ]),
  )
})

test('endpoint show prints what the worker image holds', async () => {
  const settings = { python: '3.12', packages: ['torch>=2.5', 'numpy'], systemPackages: ['ffmpeg'] }
  const { run } = await setupCli({
    'GET /api/endpoints/hello': { ...HELLO_VIEW, container: containerSettings.parse(settings) },
  })
  const { stdout } = await run(['endpoint', 'show', 'hello'])
  expect(stdout).toMatch(/Python +3\.12\nPython packages +torch>=2\.5, numpy\nDebian packages +ffmpeg\n/)
})

test('workers shows the container and why it is not there yet', async () => {
  const worker = { endpointId: 'sdxl', startedAt: NOW - 3000, jobs: [], jobsDone: 0 }
  const reason = 'pulling ghcr.io/ada/sdxl:2: 45 %, 120 of 260 MB'
  const { run } = await setupCli({
    'GET /api/workers': {
      workers: [
        { ...worker, id: 'w1', state: 'idle', container: '0123456789abcdef0123456789abcdef' },
        { ...worker, id: 'w2', state: 'initializing', reason },
      ],
    },
  })
  expect((await run(['workers'])).stdout).toBe(
    'WORKER  ENDPOINT  STATE         STARTED  JOBS  DONE  CONTAINER     REASON\n' +
      'w1      sdxl      idle          3 s ago  0     0     0123456789ab\n' +
      `w2      sdxl      initializing  3 s ago  0     0                   ${reason}\n`,
  )
})
