/** `drydock workflow deploy` with real images: deployed, called, changed under load, rolled back, and mounted models. */
import { createHash, randomUUID } from 'node:crypto'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { stringify } from 'yaml'
import { startCommand } from '../e2e/support-cli.ts'
import { startedContainerService } from '../support/container-service.ts'
import { dockerEngine } from '../support/docker-engine.ts'

const engine = await dockerEngine()

beforeEach(({ skip }) => skip('why' in engine, 'why' in engine ? engine.why : ''))

const WORKER = fileURLToPath(new URL('../../resources/python/svc_worker', import.meta.url))

const HANDLER = (version: string) => `
import os

def handler(job):
    graph = job["input"]["workflow"]
    models = [os.path.join(folder, name) for folder, _, names in os.walk("/opt/drydock/models") for name in names]
    return {"image": "${version}", "text": graph["1"]["inputs"]["text"], "models": sorted(models)}
`

const GRAPH = {
  1: { class_type: 'Text', inputs: { text: 'a cat' } },
  2: { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'cat' } },
}

async function setup() {
  const service = await startedContainerService(engine)
  const project = join(service.folder, 'cat')
  mkdirSync(project)
  const repository = `drydock-test/cat-${randomUUID()}`
  const graph = JSON.stringify(GRAPH)
  writeFileSync(join(project, 'cat.json'), graph)

  /** Builds an image whose handler names its version, and writes the lock that it would have. */
  async function build(version: string, more: object = {}) {
    const context = join(service.folder, `context-${version}`)
    mkdirSync(context)
    cpSync(WORKER, join(context, 'svc_worker'), { recursive: true })
    writeFileSync(join(context, 'handler.py'), HANDLER(version))
    writeFileSync(
      join(context, 'Dockerfile'),
      'FROM python:3.11-slim-bookworm\nCOPY . /worker\nWORKDIR /worker\nCMD ["python3", "-m", "svc_worker", "handler.py"]\n',
    )
    const image = `${repository}:${version}`
    await service.docker('build', '--quiet', '--tag', image, context)
    onTestFinished(async () => void (await service.docker('rmi', '--force', image)))
    const lock = {
      schema: 'drydock-workflow-lock/1',
      comfyui: { repository: 'https://example.com/comfyui', commit: 'a'.repeat(40) },
      base: { image: 'python:3.11-slim-bookworm', python: '3.11' },
      nodes: [{ name: 'kit', source: { registry: 'kit', version: `1.0.${version}` } }],
      workflow: { file: 'cat.json', sha256: createHash('sha256').update(graph).digest('hex') },
      ...more,
    }
    writeFileSync(join(project, 'cat.lock.yaml'), stringify(lock))
    return image
  }

  const run = (...argv: readonly string[]) => startCommand([...argv, '--data', service.data], { cwd: project }).ended
  const deploy = (image: string, ...more: readonly string[]) =>
    run('workflow', 'deploy', 'cat.lock.yaml', '--image', image, '--expose', '1.text=prompt', '--yes', ...more)
  const draw = async (prompt?: string) =>
    (await service.post('/v2/cat/runsync', { input: prompt === undefined ? {} : { prompt } })).output
  return { service, project, build, run, deploy, draw }
}

test('an image is deployed and called, changed without a failed job, and rolled back with its graph', async () => {
  const { service, build, run, deploy, draw } = await setup()
  const first = await deploy(await build('1'))
  expect(first).toMatchObject({ exitCode: 0 })
  expect(first.stdout).toMatch(/Release 1 of cat\/production is active/)
  expect(first.stdout).toMatch(/curl .*"prompt": "a cat".*\/v2\/cat\/runsync/)
  expect(await draw('a lamp')).toMatchObject({ image: '1', text: 'a lamp' })
  const document = await service.get('/v2/cat/openapi')
  expect(document.paths['/runsync']).toBeDefined()

  const second = await build('2')
  const plan = await run(
    'workflow',
    'deploy',
    'cat.lock.yaml',
    '--image',
    second,
    '--expose',
    '1.text=prompt',
    '--plan',
  )
  expect(plan.stdout).toMatch(/~ nodes kit {2}version 1\.0\.1 -> version 1\.0\.2/)
  expect(plan.stdout).toMatch(/cold start: about .*pull 0\.0 s, start \d+\.\d s, first picture/)
  expect(await draw()).toMatchObject({ image: '1' })

  const seen = new Set<string>()
  let going = true
  const asking = (async () => {
    while (going) seen.add((await draw()).image)
  })()
  expect(await deploy(second)).toMatchObject({ exitCode: 0 })
  await expect.poll(() => [...seen].sort()).toEqual(['1', '2'])
  const back = await run('rollback', '--app', 'cat', '--yes')
  expect(back).toMatchObject({ exitCode: 0 })
  expect(back.stdout).toMatch(/Release 3 of cat\/production is active.* code of release 1/)
  seen.clear()
  await expect.poll(() => [...seen].at(-1)).toBe('1')
  going = false
  await asking
})

test('models of the lock are mounted from the model folders of this machine, and missing ones are named', async () => {
  const { service, build, deploy, draw } = await setup()
  const folder = join(service.folder, 'models')
  mkdirSync(join(folder, 'checkpoints'), { recursive: true })
  writeFileSync(join(folder, 'checkpoints', 'cat.safetensors'), 'not a model')
  expect((await service.ask('POST', '/api/models/folders', { folders: [{ path: folder }] })).status).toBe(200)
  const models = [
    { folder: 'checkpoints', name: 'cat.safetensors', sizeBytes: 11, delivery: 'mounted' },
    { folder: 'loras', name: 'ink.safetensors', delivery: 'mounted' },
  ]
  const deployed = await deploy(await build('1', { models }))
  expect(deployed).toMatchObject({ exitCode: 0 })
  expect(deployed.stdout).toContain(`checkpoints/cat.safetensors, 11 B, from ${folder}`)
  expect(deployed.stderr).toContain('loras/ink.safetensors is in none of the model folders')
  expect((await draw()).models).toEqual([expect.stringMatching(/checkpoints\/cat\.safetensors$/)])
})

test('an image that does not start leaves the active release as it is', async () => {
  const { service, build, deploy, draw } = await setup()
  expect(await deploy(await build('1'))).toMatchObject({ exitCode: 0 })
  await build('2')
  const broken = await deploy('python:3.11-slim-bookworm')
  expect(broken.exitCode).toBe(1)
  expect(broken.stderr).toMatch(/release 1 of cat\/production stays active/i)
  expect(await draw()).toMatchObject({ image: '1' })
  expect((await service.get('/api/apps/cat/environments/production')).active).toMatchObject({ number: 1 })
})
