import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { HELLO_HANDLER, serve, startCommand, temporaryFolder } from './support-cli.ts'

/** A service on a fresh data folder, and a function that runs a command against it. */
async function setup() {
  const folder = temporaryFolder()
  const { ready } = await serve(folder)
  const run = async (...argv: string[]) => startCommand([...argv, '--data', 'data'], { cwd: folder }).ended
  const create = async (id: string, ...argv: string[]) => {
    const created = await run('endpoint', 'create', id, '--id', id, ...argv)
    expect(created.exitCode).toBe(0)
  }
  return { folder, url: ready.url, run, create }
}

type Scaler = {
  readonly kind: string
  readonly spec: { readonly triggers: readonly { readonly name: string; readonly metadata: Record<string, string> }[] }
}

const read = (text: string) => parseAllDocuments(text, { version: '1.1' }).map((document) => document.toJS())
const kinds = (text: string) => read(text).map(({ kind }) => kind)

/** What KEDA reads by a trigger: the figure at its place in what the address answers. */
async function figureOf({ url = '', valueLocation = '' }: Record<string, string>, key: string): Promise<unknown> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } })
  expect(response.status).toBe(200)
  return valueLocation
    .split('.')
    .reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], await response.json())
}

test('a queue is exported, and its scaler reads the queue with a key that may only read', async () => {
  const { run, create, url } = await setup()
  // No engine has this image, so the job waits.
  await create(
    'sdxl',
    '--image',
    'registry.invalid/sdxl:2',
    '--pull',
    'never',
    '--workers',
    '0,4',
    '--env',
    'HF_TOKEN=hush',
  )
  expect((await run('run', 'sdxl', '{"prompt": "a cat"}')).exitCode).toBe(0)

  const { exitCode, stdout, stderr } = await run('export', 'kubernetes', 'sdxl')
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  expect(stdout).toMatch(/^# Endpoint sdxl of Drydock, for Kubernetes\.\n#\n# What has to be there first:\n/)
  expect(stdout).not.toContain('hush')
  expect(kinds(stdout)).toEqual(['Deployment', 'TriggerAuthentication', 'ScaledObject'])

  const key = JSON.parse((await run('key', 'add', 'keda', '--role', 'read', '--json')).stdout).key
  const { triggers } = (read(stdout) as Scaler[])[2]?.spec ?? { triggers: [] }
  expect(triggers.map(({ metadata }) => metadata.url)).toEqual([`${url}/v2/sdxl/health`, `${url}/v2/sdxl/health`])
  const figures = await Promise.all(triggers.map(async ({ name, metadata }) => [name, await figureOf(metadata, key)]))
  expect(Object.fromEntries(figures)).toEqual({ queued: 1, running: 0 })
})

test('a load-balanced endpoint is exported into a file; as JSON it is the same', async () => {
  const { run, create, folder } = await setup()
  await create('web', '--image', 'registry.invalid/web:1', '--load-balanced')
  const written = await run('export', 'kubernetes', 'web', '-o', 'web.yaml')
  const file = join(folder, 'web.yaml')
  expect(written).toMatchObject({
    exitCode: 0,
    stdout: `2 manifests written to ${file}; its first lines say what they need\n`,
  })
  const { manifests } = JSON.parse((await run('export', 'kubernetes', 'web', '--json')).stdout)
  expect(read(readFileSync(file, 'utf8'))).toEqual(manifests)
  expect(manifests.map(({ kind }: { kind: string }) => kind)).toEqual(['Service', 'Deployment'])
})

test('options say where the cluster reaches the service, and how large volumes are', async () => {
  const { run, create } = await setup()
  await create('sdxl', '--image', 'registry.invalid/sdxl:2', '--volume', 'cache:/cache')
  const given = ['--service-url', 'http://drydock.tools.svc:8790/', '--volume-size', '50g']
  const { stdout } = await run('export', 'kubernetes', 'sdxl', ...given)
  expect(stdout).toContain('url: http://drydock.tools.svc:8790/v2/sdxl/health\n')
  expect(stdout).toContain('storage: 50Gi\n')
  const refused = await run('export', 'kubernetes', 'sdxl', '--service-url', 'drydock.tools.svc')
  expect(refused).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining('must be an address like') })
})

test('an endpoint of processes is refused, and the error says what to do', async () => {
  const { run, create } = await setup()
  await create('hello', '--handler', HELLO_HANDLER)
  const { exitCode, stdout, stderr } = await run('export', 'kubernetes', 'hello')
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
  expect(stderr).toMatch(
    /^drydock: Endpoint hello cannot be exported: its workers are processes.*endpoint create NAME --image IMAGE/,
  )
})
