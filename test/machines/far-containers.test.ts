/** Containers on a machine that is reached by ssh: their secrets, images, volumes and models. */
import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { startRegistry } from '../support/fake-registry.ts'
import { remoteMachine, sshOfUser } from '../support/far-machine.ts'
import { remoteService } from '../support/far-service.ts'
import { until } from '../support/served-service.ts'
import { removeEndpoints, sharedInFile } from '../support/shared-in-file.ts'

const made = await remoteMachine()

// An image is made there, ms.
const LIMIT_MS = 600_000

beforeEach(({ skip }) => skip('why' in made, 'why' in made ? made.why : ''))
afterAll(() => ('why' in made ? undefined : made.stop()))

const shared = sharedInFile((whenOver) => {
  if ('why' in made) throw new Error(made.why)
  return remoteService(made, {}, whenOver)
})

async function setup() {
  const service = await shared()
  onTestFinished(() => removeEndpoints(service))
  return { machine: service.machine, service }
}

const PROBES = [
  '/',
  '/api/endpoints',
  '/v2/asks/health',
  '/lb/asks/x',
  '/events',
  '/graphql',
  '/openapi.json',
  '/simple/',
]
// Asks the service with a key that it was sent, as a worker that wants more than its own would.
const ASKS = `
import os, urllib.request, urllib.error

def status(url, key):
    request = urllib.request.Request(url, headers={"Authorization": "Bearer " + key})
    try:
        return urllib.request.urlopen(request, timeout=60).status
    except urllib.error.HTTPError as error:
        return error.code

def handler(job):
    base = os.environ["RUNPOD_WEBHOOK_GET_JOB"].split("/v2/")[0]
    wants = job["input"]
    return {"answers": [status(base + path, wants["key"]) for path in wants["paths"]],
            "files": sorted(os.listdir("/app")), "env": dict(os.environ)}
`

test('no key of the service is there, and nothing of it answers there but what workers need', async () => {
  const { service } = await setup()
  const key = service.read('data', 'account.key').trim()
  const { key: named } = await service.post('/api/keys', { name: 'x', role: 'admin' })
  await service.createHandler('asks', ASKS, service.onBox)
  for (const asked of [key, named]) {
    const record = await service.jobEnd('asks', await service.run('asks', { key: asked, paths: PROBES }))
    expect(record).toMatchObject({
      status: 'COMPLETED',
      output: { answers: PROBES.map(() => 404), files: ['asks.py'] },
    })
    expect(Object.values(record.output.env)).not.toContain(asked)
  }
  // Inspecting a container that ends meanwhile fails.
  const seen = await until(async () => {
    const all = (await service.docker('ps', '--all', '--quiet')).split('\n')
    return service.docker('inspect', ...all)
  })
  expect(seen).toContain('RUNPOD_WEBHOOK_GET_JOB')
  for (const secret of [key, named]) expect(seen).not.toContain(secret)
})

test('an image is pulled there, with its progress here', async () => {
  const { machine, service } = await setup()
  const registry = await startRegistry({ layerBytes: 20_000_000 })
  const user = sshOfUser([machine])
  onTestFinished(user.remove)
  // The engine there has it on its own loopback, where it needs no certificate.
  const tunnel = spawn('ssh', ['-N', '-R', `${registry.host}:${registry.host}`, machine.name], {
    env: { ...process.env, PATH: user.searchPath },
  })
  onTestFinished(() => void tunnel.kill())
  const port = registry.host.split(':')[1]
  await until(() => machine.run('sh', '-c', `grep -qi ":$(printf %04X ${port}) .* 0A " /proc/net/tcp`))
  registry.hold()
  await service.createEndpoint('pulls', {
    handler: undefined,
    command: 'true',
    workersMin: 1,
    container: { image: registry.image, machine: 'box' },
  })
  await until(async () => {
    const { workers } = await service.get('/api/workers?endpoint=pulls')
    expect(workers).toMatchObject([{ machine: 'box', reason: expect.stringMatching(/^pulling .*: \d+ %, .* on box$/) }])
  })
  registry.release()
  await until(async () => expect(await service.docker('images', '--quiet', registry.image)).not.toBe(''))
})

const VOLUMES = `
import os

def handler(job):
    with open("/runpod-volume/notes", "a") as notes:
        notes.write(job["input"]["text"])
    models = "/opt/drydock/models"
    return {"notes": open("/runpod-volume/notes").read(),
            "models": {name: os.listdir(f"{models}/{name}") for name in os.listdir(models)},
            "paths": os.path.exists("/comfyui/extra_model_paths.yaml")}
`

test(
  'a network volume is one of that engine, and of the folders of models those are offered that are there',
  async () => {
    const { machine, service } = await setup()
    const [there, here] = [join(service.folder, 'models'), join(service.folder, 'others')]
    for (const folder of [there, here]) mkdirSync(folder)
    // The temporary folders of that machine are its own.
    await machine.run('sh', '-c', `mkdir -p ${there}/loras && touch ${there}/loras/far.safetensors`)
    await service.post('/api/models/folders', { folders: [{ path: there }, { path: here }] })
    const volumes = [{ source: join(service.data, 'volumes', 'shared'), target: '/runpod-volume' }]
    // Of the worker image, whose user is not root.
    await service.createHandler('keeps', VOLUMES, { workflows: {}, container: { machine: 'box', volumes } })
    const first = await service.jobEnd('keeps', await service.run('keeps', { text: 'one' }), 120_000)
    expect(first).toMatchObject({
      status: 'COMPLETED',
      output: { notes: 'one', models: { 1: ['loras'] }, paths: true },
    })
    await service.post(`/api/workers/${first.workerId}/stop`)
    const second = await service.jobEnd('keeps', await service.run('keeps', { text: ' two' }), 120_000)
    expect(second).toMatchObject({ status: 'COMPLETED', output: { notes: 'one two' } })
    expect(await service.docker('volume', 'ls', '--quiet')).toContain('drydock-volume-shared')
  },
  LIMIT_MS,
)
