/** Apps whose workers run on a machine that is reached by ssh: code of svc and of SDK 2.0, changed and taken back. */
import { execFile } from 'node:child_process'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { appProject } from '../apps/support.ts'
import { previewProject } from '../preview/support.ts'
import { CACHE } from '../sdk/support-packages.ts'
import { PREPARE_LIMIT_MS, prepareBuildWheels, preparePublicApps } from '../sdk/support-python.ts'
import { dockerEngine } from '../support/docker-engine.ts'
import { remoteMachine, sshOfUser } from '../support/far-machine.ts'
import { remoteService } from '../support/far-service.ts'
import { until } from '../support/served-service.ts'
import { onlyWheelsOf } from '../support/wheels.ts'

const made = await remoteMachine()
const why = 'why' in made ? made.why : undefined
// A build installs some forty packages, in ms.
const LIMIT_MS = 600_000
const STOP_LIMIT_MS = 60_000
const ON_BOX = ['--on', 'box']

beforeEach(({ skip }) => skip(why !== undefined, why))
afterAll(() => ('why' in made ? undefined : made.stop()))

/**
 * A service that knows the machine, and an app of `init`.
 * @param env variables of the app's commands
 * @param serviceEnv variables of the service; without any, it finds no engine on this machine
 */
async function setup(
  init: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
  serviceEnv: Readonly<Record<string, string>> = {},
) {
  if ('why' in made) throw new Error(why)
  const service = await remoteService(made, { env: serviceEnv })
  // The engine of this machine is shared by all tests, and keeps what a killed service leaves.
  onTestFinished(async () => void (await service.stop()), STOP_LIMIT_MS)
  const app = await appProject(service, init, env)
  const expectOnBox = async () => {
    const { workers } = await app.service.get('/api/workers')
    expect(workers.length).toBeGreaterThan(0)
    expect(workers).toMatchObject(workers.map(() => ({ machine: 'box' })))
  }
  return { ...app, expectOnBox }
}

test(
  'queues and apis of an app answer there, also where one calls another; a change goes there, and a rollback takes it back',
  async () => {
    const { service, deploy, run, edit, runsync, keepOnly, expectOnBox } = await setup()
    keepOnly('cpu_worker.py', 'lb_worker.py', 'pipeline.py')
    await deploy(...ON_BOX)
    await expectOnBox()
    expect(await runsync('welcome', { names: ['Ada'] })).toEqual({ welcome: ['Hello, Ada!'] })
    expect(await service.post('/lb/api/shout', { text: 'hi' })).toEqual({ text: 'HI!' })
    edit('cpu_worker.py', 'Hello', 'Good day')
    await deploy()
    expect(await runsync('greet', { name: 'Ada' })).toEqual({ greeting: 'Good day, Ada!' })
    expect(await run('rollback')).toMatchObject({ exitCode: 0 })
    expect(await runsync('greet', { name: 'Ada' })).toEqual({ greeting: 'Hello, Ada!' })
    await expectOnBox()
  },
  LIMIT_MS,
)

test(
  'a running app moves there from containers of this machine',
  async ({ skip }) => {
    const engine = await dockerEngine()
    if ('why' in engine) return skip(true, engine.why)
    const { service, deploy, runsync, keepOnly, expectOnBox } = await setup([], {}, { DOCKER_HOST: engine.dockerHost })
    keepOnly('cpu_worker.py')
    expect(await deploy()).toMatchObject({ release: { state: 'active', runsOn: 'containers' } })
    const { workers } = await service.get('/api/workers')
    expect(workers).toMatchObject([{ container: expect.any(String) }])
    expect(workers[0]).not.toHaveProperty('machine')
    await deploy(...ON_BOX)
    await until(expectOnBox)
    expect(await runsync('greet', { name: 'Ada' })).toEqual({ greeting: 'Hello, Ada!' })
  },
  LIMIT_MS,
)

test(
  'a preview runs there, follows a save, and leaves nothing there',
  async () => {
    if ('why' in made) throw new Error(why)
    const user = sshOfUser([made])
    onTestFinished(user.remove)
    const app = await previewProject({ PATH: user.searchPath, DOCKER_HOST: 'unix:///nowhere/docker.sock' })
    const docker = async (...argv: readonly string[]) =>
      (await promisify(execFile)('docker', ['-H', made.dockerHost, ...argv])).stdout.trim()
    // The machine is one of the user's own service, which runs meanwhile.
    const service = await remoteService(made, { data: app.data })
    const volumes = await docker('volume', 'ls', '--quiet')
    const preview = app.start({ args: ['--on', 'box'] })
    expect(await preview.event('live')).toMatchObject({ runsOn: 'containers', warnings: [] })
    expect(await preview.output('welcome', { names: ['Ada'] })).toEqual({ welcome: ['Hello, Ada!'] })
    expect(await docker('ps', '--quiet', '--filter', 'label=svc.worker')).not.toBe('')
    app.edit('cpu_worker.py', 'Hello', 'Hi')
    expect(await preview.event('live', 2)).toMatchObject({ changed: 2 })
    expect(await preview.output('greet')).toEqual({ greeting: 'Hi, world!' })
    preview.pressCtrlC()
    expect(await preview.ended).toMatchObject({ exitCode: 0 })
    expect(await docker('ps', '--all', '--quiet', '--filter', 'label=svc.app')).toBe('')
    expect(await docker('volume', 'ls', '--quiet')).toBe(volumes)
    expect(await service.get('/api/workers')).toEqual({ workers: [] })
  },
  LIMIT_MS,
)

const TALLY = `from main import Words, app


@app.queue(name="tally", cpu="cpu3c-1-2")
def tally(text: str = "an old lamp"):
    return Words.post("/count", {"text": text})
`

test(
  'an app of SDK 2.0 answers there, and a worker calls an api of it over https through the tunnel',
  async ({ skip }) => {
    const tools = await preparePublicApps()
    const wheels = await prepareBuildWheels(tools)
    skip(!wheels.ready, wheels.reason)
    skip(!tools.folder.includes('python3.11'), 'the tools are of another Python than the image')
    // If uv is there, it installs these packages in a tenth of the time that pip takes.
    const PATH = [join(CACHE, 'uv', 'bin'), process.env.PATH].join(delimiter)
    const { service, deploy, write, runsync, expectOnBox } = await setup(['--sdk', '2'], {
      ...onlyWheelsOf(wheels.folder),
      PATH,
    })
    write('tally.py', TALLY)
    await deploy(...ON_BOX)
    await expectOnBox()
    expect(await runsync('greet', { name: 'Ada' })).toEqual({ greeting: 'Hello, Ada!' })
    expect(await service.post('/lb/words/count', { text: 'the old lamp' })).toEqual({ words: 2 })
    expect(await runsync('tally', {})).toEqual({ words: 2 })
  },
  LIMIT_MS + PREPARE_LIMIT_MS,
)
