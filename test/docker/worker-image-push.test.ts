/** An image of this machine, pushed to a registry with stored credentials and deployed to another service. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { stringify } from 'yaml'
import { startCommand } from '../e2e/support-cli.ts'
import { startedContainerService } from '../support/container-service.ts'
import { dockerEngine } from '../support/docker-engine.ts'
import { startRegistry } from '../support/fake-registry.ts'
import { until } from '../support/served-service.ts'

const engine = await dockerEngine()

beforeEach(({ skip }) => skip('why' in engine, 'why' in engine ? engine.why : ''))

const WORKER = fileURLToPath(new URL('../../resources/python/svc_worker', import.meta.url))
const ACCESS = { kind: 'token', username: 'ada', password: 'secret-word' } as const
const HANDLER = 'def handler(job):\n    return {"drawn": job["input"]["text"]}\n'
const LOCK = {
  schema: 'drydock-workflow-lock/1',
  comfyui: { repository: 'https://example.com/comfyui', commit: 'a'.repeat(40) },
  base: { image: 'python:3.11-slim-bookworm', python: '3.11' },
}

const keyOf = (data: string) => readFileSync(join(data, 'account.key'), 'utf8').trim()

async function setup() {
  const registry = await startRegistry({ access: ACCESS })
  const service = await startedContainerService(engine)
  const image = `${registry.host}/ada/cat:1`
  const context = join(service.folder, 'context')
  mkdirSync(context)
  cpSync(WORKER, join(context, 'svc_worker'), { recursive: true })
  writeFileSync(join(context, 'handler.py'), HANDLER)
  writeFileSync(
    join(context, 'Dockerfile'),
    'FROM python:3.11-slim-bookworm\nCOPY . /worker\nWORKDIR /worker\nCMD ["python3", "-m", "svc_worker", "handler.py"]\n',
  )
  await service.docker('build', '--quiet', '--tag', image, context)
  onTestFinished(async () => void (await service.docker('rmi', '--force', image).catch(() => undefined)))
  writeFileSync(join(service.folder, 'cat.lock.yaml'), stringify(LOCK))
  const run = (...argv: readonly string[]) =>
    startCommand([...argv, '--data', service.data], { cwd: service.folder }).ended
  const store = (password: string) =>
    service.post('/api/registries', { name: 'work', server: registry.host, username: ACCESS.username, password })
  return { registry, service, image, run, store }
}

test('a push with wrong credentials fails with the reason of the registry and the fix', async () => {
  const { service, image, store } = await setup()
  await store('wrong')
  const { id } = await service.post('/api/image-pushes', { image, registryAuth: 'work' })
  const ended = await until(async () => {
    const push = await service.get(`/api/image-pushes/${id}`)
    expect(push.state).not.toBe('running')
    return push
  })
  expect(ended).toMatchObject({
    state: 'failed',
    reason: expect.stringMatching(/could not be pushed: .*drydock registry add/),
  })
  expect(ended.reason).not.toContain('wrong')
})

test('deploy --target pushes the image, and the target pulls it by its digest and runs it', async () => {
  const { registry, service, image, run, store } = await setup()
  const target = await startedContainerService(engine)
  await store(ACCESS.password)
  await service.post('/api/targets', { name: 'box', url: target.url(), key: keyOf(target.data) })
  const deployed = await run(
    ...['workflow', 'deploy', 'cat.lock.yaml', '--image', image, '--target', 'box', '--registry-auth', 'work', '--yes'],
  )
  expect(deployed).toMatchObject({ exitCode: 0 })
  expect(deployed.stdout).toMatch(/Pushed .*\/ada\/cat:1 \(sha256:[0-9a-f]{64}\)/)
  expect(deployed.stdout).toMatch(/curl .*\/v2\/cat-production\/runsync/)
  const { container } = await target.get('/api/endpoints/cat-production')
  expect(container.image).toMatch(new RegExp(`^${registry.host}/ada/cat@sha256:`))

  await service.docker('rmi', '--force', image, container.image)
  const pulls = registry.seen.length
  const { output } = await target.post('/v2/cat-production/runsync', { input: { text: 'a cat' } })
  expect(output).toEqual({ drawn: 'a cat' })
  expect(registry.seen.slice(pulls)).toContainEqual(expect.stringMatching(/^GET \/v2\/ada\/cat\/blobs\//))
  onTestFinished(async () => void (await service.docker('rmi', '--force', container.image).catch(() => undefined)))

  const again = await run('workflow', 'deploy', 'cat.lock.yaml', '--image', image, '--target', 'box', '--plan')
  expect(again.stdout).toMatch(/same lock as release 1|changes since release 1/)
})
