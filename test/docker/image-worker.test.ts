/** Images with the stand-in for ComfyUI and our worker: their test by `drydock test`, and jobs on both worker SDKs. */
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ContainerService, sharedContainerService } from '../support/container-service.ts'
import { dockerEngine } from '../support/docker-engine.ts'
import { STAYS_MS } from '../support/patience.ts'
import { until } from '../support/served-service.ts'
import { startedWithCommands } from './support-commands.ts'

const engine = await dockerEngine('image-runpod')
const execute = promisify(execFile)

const ROOT = join(import.meta.dirname, '../..')
const FIXTURES = join(ROOT, 'test/fixtures')
const CAT = join(FIXTURES, 'stand-in-nodes/cat.json')
const PACKAGES = ['comfyui-prompt-cards', 'comfyui-tinted-frames'] as const
const REQUIREMENTS = ['inflection==0.5.1', 'webcolors==24.11.1'] as const

const temporary = mkdtempSync(join(tmpdir(), 'drydock-image-worker-'))
const images: string[] = []
const dockerEnv = { ...process.env, DOCKER_HOST: 'why' in engine ? '' : engine.dockerHost, DOCKER_BUILDKIT: '0' }

beforeEach(({ skip }) => skip('why' in engine, 'why' in engine ? engine.why : ''))

beforeAll(async () => {
  if ('why' in engine) return
  // The pip of this machine reaches the package index as the machine is set up to; a container might not.
  for (const requirement of REQUIREMENTS)
    await execute('python3', [
      ...['-m', 'pip', 'install', '--quiet', '--no-deps', '--disable-pip-version-check'],
      ...['--target', join(temporary, 'site', requirement), requirement],
    ])
})

afterAll(async () => {
  if (images.length > 0) await execute('docker', ['image', 'rm', '--force', ...images], { env: dockerEnv })
  rmSync(temporary, { recursive: true, force: true })
})

const shared = sharedContainerService(engine)

type ImageContent = {
  readonly base?: string
  readonly requirements?: readonly string[]
  /** Names of checkpoints in it. */
  readonly models?: readonly string[]
  /** With a handler that answers any job. */
  readonly isOther?: boolean
}

const built = new Map<string, Promise<string>>()

function buildImage(content: ImageContent): Promise<string> {
  const key = JSON.stringify(content)
  const image = built.get(key) ?? build(content)
  built.set(key, image)
  return image
}

/** The layers that an image of a workflow has, without the steps that make them. */
async function build({
  base = 'python:3.11-slim-bookworm',
  requirements = REQUIREMENTS,
  models = [],
  isOther = false,
}: ImageContent): Promise<string> {
  const context = join(temporary, randomUUID())
  const home = join(context, 'comfyui')
  cpSync(join(FIXTURES, 'stand-in-comfyui'), home, { recursive: true })
  for (const name of PACKAGES)
    cpSync(join(FIXTURES, 'stand-in-nodes', name), join(home, 'custom_nodes', name), { recursive: true })
  for (const name of models) writeFileSync(join(home, 'models/checkpoints', name), `weights of ${name}`)
  mkdirSync(join(context, 'site'))
  for (const requirement of requirements)
    cpSync(join(temporary, 'site', requirement), join(context, 'site'), { recursive: true })
  const own = base.includes('runpod') ? ['comfy_worker'] : ['comfy_worker', 'svc_worker']
  for (const name of own)
    cpSync(join(ROOT, 'resources/python', name), join(context, 'drydock', name), {
      recursive: true,
      filter: (path) => !path.endsWith('__pycache__'),
    })
  const lines = [
    `FROM ${base}`,
    'COPY site /usr/local/lib/python3.11/site-packages',
    'COPY comfyui /comfyui',
    'COPY drydock /opt/drydock',
    'RUN mkdir -p -m 1777 /runpod-volume',
    `ENV PYTHONPATH=/opt/drydock PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1`,
    'RUN echo "handler = lambda job: {}" > /handler.py',
    `CMD ${JSON.stringify(isOther ? ['python3', '-m', 'svc_worker', '/handler.py'] : ['python3', '-m', 'comfy_worker'])}`,
  ]
  writeFileSync(join(context, 'Dockerfile'), `${lines.join('\n')}\n`)
  const tag = `drydock-image-worker-test:${randomUUID().slice(0, 8)}`
  await execute('docker', ['build', '--quiet', '--tag', tag, context], { env: dockerEnv })
  images.push(tag)
  return tag
}

const cat = { folder: 'checkpoints', name: 'cat.safetensors' }

describe('drydock test', () => {
  test('an image starts, loads all classes and validates the graph, with a stand-in for its model', async () => {
    const { drydock, containers } = await startedWithCommands(engine)
    const { stdout } = await drydock(['test', '--image', await buildImage({}), '--workflow', CAT])
    expect(stdout.replaceAll(/\([^()]* m?s\)/g, '(time)').split('\n')).toEqual([
      'passed  starts (time): ComfyUI 0.3.64 on cpu',
      'passed  loads all node classes (time): 8 classes of the graph, 15 in all',
      'passed  validates the graph (time): the server accepts it; stand-ins for 1 of its models',
      'The graph was not run. With a GPU, or with --full, it is.',
      '',
    ])
    await until(async () => expect(await containers()).toEqual([]))
  })

  test('a package whose requirement is missing is named, with the end of its import error', async () => {
    const service = await shared()
    const image = await buildImage({ requirements: ['inflection==0.5.1'] })
    const lock = join(service.folder, 'cat.lock.yaml')
    writeFileSync(lock, lockText())
    copyFileSync(CAT, join(service.folder, 'cat.json'))
    const { exitCode, stdout, stderr } = await service.command('test', lock, '--image', image, '--no-gpu')
    const { steps } = JSON.parse(stdout)
    expect([exitCode, steps.length]).toEqual([1, 2])
    expect(steps[1].text).toMatch(
      /^TintedFrame: comfyui-tinted-frames could not be imported:\n[\s\S]*\nModuleNotFoundError: No module named 'webcolors'$/,
    )
    expect(stderr).toContain('1 of 2 steps failed.')
  })

  test('a graph whose model is in the image runs to its picture; a document is converted by the classes of the image', async () => {
    const service = await shared()
    const image = await buildImage({ models: ['cat.safetensors', 'stand-in.safetensors'] })
    const template = join(ROOT, 'resources/workflows/text-to-picture.json')
    for (const graph of [CAT, template]) {
      const args = ['--image', image, '--workflow', graph, '--full', '--no-gpu']
      const { exitCode, stdout } = await service.command('test', ...args)
      expect({ exitCode, ...JSON.parse(stdout) }).toMatchObject({
        exitCode: 0,
        full: true,
        steps: [{ name: 'starts' }, {}, {}, { name: 'runs the graph', passed: true, text: '1 result' }],
      })
    }
  })

  test('an image that does not start is reported with the last lines of its log', async () => {
    const service = await shared()
    const args = [
      '--image',
      await buildImage({}),
      '--workflow',
      CAT,
      '--no-gpu',
      '--env',
      'COMFY_ARGS=--no-such-option',
    ]
    const { exitCode, stdout } = await service.command('test', ...args)
    const { steps } = JSON.parse(stdout)
    expect([exitCode, steps.length, steps[0].name]).toEqual([1, 1, 'starts'])
    expect(steps[0].text).toMatch(/It ended with exit code 2[\s\S]*unrecognized arguments: --no-such-option$/)
  })

  test('an image with another worker runs the graph as a job', async () => {
    const service = await shared()
    const { stdout } = await service.command('test', '--image', await buildImage({ isOther: true }), '--workflow', CAT)
    expect(JSON.parse(stdout).steps).toEqual([
      {
        name: 'runs the graph',
        passed: true,
        text: 'as a job: the worker of this image does not test step by step',
        seconds: expect.any(Number),
      },
    ])
  })
})

function lockText(): string {
  const lock = {
    schema: 'drydock-workflow-lock/1',
    comfyui: { repository: 'https://git.example/comfyui', commit: '0'.repeat(40) },
    base: { image: 'python:3.11-slim-bookworm', python: '3.11' },
    nodes: [
      { name: PACKAGES[0], source: { path: PACKAGES[0] }, classes: ['PromptCard'] },
      { name: PACKAGES[1], source: { path: PACKAGES[1] }, classes: ['TintedFrame'] },
    ],
    models: [cat],
    workflow: { file: 'cat.json', sha256: '0'.repeat(64) },
  }
  return JSON.stringify(lock)
}

/** An endpoint that runs an image as it is. */
const endpointOf = (service: ContainerService, image: string, settings: object = {}) =>
  service.createEndpoint('cat', {
    handler: undefined,
    workersMax: 1,
    idleTimeoutMs: STAYS_MS,
    container: { image, prepared: 0, pull: 'never' },
    ...settings,
  })

describe.each([
  ['svc_worker', 'python:3.11-slim-bookworm'],
  ['the public SDK', 'drydock-test/runpod-worker'],
])('on %s', (_sdk, base) => {
  test('jobs give pictures, a cancel ends a prompt, and the next job runs on the same server', async () => {
    const service = await shared()
    const image = await buildImage({ base, models: ['cat.safetensors'] })
    await endpointOf(service, image, { env: { STAND_IN_STEP_SECONDS: '0.05' } })
    const { default: workflow } = await import(CAT, { with: { type: 'json' } })
    const first = await service.jobEnd('cat', await service.run('cat', { workflow }))
    expect(first).toMatchObject({
      status: 'COMPLETED',
      output: { images: [{ filename: 'cat_00001_.png', type: 'base64', node: '9', mediaType: 'image/png' }] },
    })

    const endless = structuredClone(workflow)
    endless['6'].inputs.steps = 10_000
    const cancelled = await service.run('cat', { workflow: endless })
    await until(async () =>
      expect(await service.get(`/api/jobs/${cancelled}`)).toMatchObject({ output: { node: '6', steps: 10_000 } }),
    )
    await service.post(`/v2/cat/cancel/${cancelled}`, {})
    const [worker] = await service.workers('cat')
    const again = await service.jobEnd('cat', await service.run('cat', { workflow }))
    expect(again).toMatchObject({ status: 'COMPLETED', output: { images: [{ data: first.output.images[0].data }] } })
    expect((await service.workers('cat')).map(({ id }) => id)).toEqual([worker?.id])
  })

  test('a refused graph fails with the sentence of the public image worker', async () => {
    const service = await shared()
    await endpointOf(service, await buildImage({ base }))
    const { default: workflow } = await import(CAT, { with: { type: 'json' } })
    const job = await service.jobEnd('cat', await service.run('cat', { workflow }))
    expect(job.status).toBe('FAILED')
    expect(JSON.parse(job.error).message).toMatch(/^Workflow validation failed:\n• Node 1 \(errors\): /)
  })
})
