/** Workers on the three nodes of a swarm that is reached by ssh, through a real service. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { leftoversText } from '../../src-main/features/machines/rules/left-behind.ts'
import { previewProject } from '../preview/support.ts'
import { dockerEngine } from '../support/docker-engine.ts'
import { type RemoteMachine, sshOfUser } from '../support/far-machine.ts'
import { remoteSwarm } from '../support/far-swarm.ts'
import { expectWebAnswers } from '../support/far-web.ts'
import { until } from '../support/served-service.ts'
import { removeEndpoints, sharedInFile } from '../support/shared-in-file.ts'
import { activate, expectNothingIsLeft, expectNothingRuns, swarmService } from '../support/swarm-service.ts'

const made = await remoteSwarm()

beforeEach(({ skip }) => skip('why' in made, 'why' in made ? made.why : ''))
afterAll(() => ('why' in made ? undefined : made.stop()))

const IMAGE = 'python:3.11-slim-bookworm'
const SDK_IMAGE = 'drydock-test/runpod-worker'
const ONE = { workersMin: 1, workersMax: 1 }
// How long it may take until a worker runs on another node; source: ours.
const START_MS = 300_000
vi.setConfig({ testTimeout: 10 * 60_000 })

// The connection to the nodes is made once, because it takes half a minute.
const shared = sharedInFile((whenOver) => {
  if ('why' in made) throw new Error(made.why)
  return swarmService(made, whenOver)
})

/** The shared service, which knows the swarm as `lab`. The end of a test removes its endpoints. */
async function setup() {
  if ('why' in made) throw new Error(made.why)
  const swarm = made
  const [manager, ...workers] = swarm.nodes
  const service = await shared()
  await service.reached()
  onTestFinished(() => removeEndpoints(service))
  const onLab = { container: { image: IMAGE, machine: 'lab' }, ...ONE }
  const isRunning = async (endpoint: string, job: string) =>
    expect((await service.get(`/v2/${endpoint}/status/${job}`)).status).toBe('IN_PROGRESS')
  const workersOn = (node: RemoteMachine, endpoint: string) =>
    swarm.docker(node, 'ps', '--quiet', '--filter', 'label=svc.worker', '--filter', `label=svc.endpoint=${endpoint}`)
  /** The node that runs the only worker of an endpoint. */
  const nodeOfWorker = async (endpoint: string) => {
    for (const node of swarm.nodes) if ((await workersOn(node, endpoint)) !== '') return node
    throw new Error(`no node has a worker of ${endpoint}`)
  }
  /** Waits until a job runs. @returns expects that it ends well, and only on the worker that it has now */
  const runningThere = async (endpoint: string, job: string) => {
    await until(() => isRunning(endpoint, job), START_MS)
    const node = await nodeOfWorker(endpoint)
    const before = await workersOn(node, endpoint)
    return async () => {
      expect(await service.jobEnd(endpoint, job, START_MS)).toMatchObject({ status: 'COMPLETED', output: 'done' })
      const { history } = await service.get(`/api/jobs/${job}`)
      expect({ history, workers: await workersOn(node, endpoint) }).toMatchObject({
        history: [{ event: 'submit' }, { event: 'claim' }, { event: 'complete' }],
        workers: before,
      })
    }
  }
  return { swarm, manager, workers, service, onLab, isRunning, runningThere, workersOn, nodeOfWorker }
}

const ECHO = `
import os
def handler(job):
    print("seen", flush=True)
    return {"got": job["input"], "host": os.uname().nodename, "mine": os.environ["MINE"]}
`

const WAITS = `
import time
def handler(job):
    time.sleep(job["input"]["s"])
    return "done"
`

test('a job runs on a node with the code of this machine, and no secret is in what a swarm shows', async () => {
  const { swarm, manager, service, onLab, nodeOfWorker, workersOn } = await setup()
  await service.createHandler('mine', ECHO, { ...onLab, env: { MINE: "it's $secret" } })
  const end = await service.jobEnd('mine', await service.run('mine', { n: 1 }), START_MS)
  expect(end).toMatchObject({ status: 'COMPLETED', output: { got: { n: 1 }, mine: "it's $secret" } })
  const node = await nodeOfWorker('mine')
  const container = await workersOn(node, 'mine')
  expect(container).toContain(end.output.host)

  const services = (await swarm.docker(manager, 'service', 'ls', '--quiet')).split('\n')
  const secrets = (await swarm.docker(manager, 'secret', 'ls', '--quiet')).split('\n')
  const shown = [
    await swarm.docker(manager, 'service', 'inspect', ...services),
    await swarm.docker(manager, 'secret', 'inspect', ...secrets),
    await swarm.docker(node, 'inspect', container),
  ].join('')
  const environment = await swarm.docker(node, 'exec', container, 'cat', '/run/secrets/environment')
  const token = /RUNPOD_WEBHOOK_GET_JOB='[^']*?\/([\w-]{20,})\//.exec(environment)?.[1] ?? environment
  expect(environment).toContain(token)
  for (const secret of ['$secret', token, service.read('data', 'account.key').trim()])
    expect(shown).not.toContain(secret)
  expect(environment).not.toContain(service.read('data', 'account.key').trim())
})

test('its page has the nodes, what was found of their network, and how another one joins', async () => {
  const { swarm, service } = await setup()
  const names = swarm.nodes.map(({ name }) => name)
  await until(async () => {
    const { facts, test: tested } = await service.get('/api/machines/lab')
    expect(facts.nodes.map(({ name }: { name: string }) => name).toSorted()).toEqual(names.toSorted())
    // A busy node may have begun its agent later than the first test looked.
    if (!tested.isRunning && JSON.stringify(tested.steps).includes('cannot be reached'))
      await service.post('/api/machines/lab/test')
    expect(tested.steps).toContainEqual({ check: 'Nodes', state: 'ok', found: '3 nodes, all ready' })
    // Whether this kernel can encrypt is found out; either way it is said.
    const network = { check: 'Network of workers', found: expect.stringMatching(/^(not )?encrypted/) }
    expect(tested.steps).toContainEqual(expect.objectContaining(network))
  }, START_MS)
  const { worker } = await service.get('/api/machines/lab/join')
  expect(worker).toMatch(/^docker swarm join --token SWMTKN-\S+ \S+:2377$/)
})

test('a drained node gives up its worker with the reason, and its job continues elsewhere without a retry', async () => {
  const { swarm, manager, service, onLab, isRunning, nodeOfWorker, workersOn } = await setup()
  const there = { ...onLab, container: { ...onLab.container, placement: ['node.role==worker'] } }
  await service.createHandler('drained', WAITS, there)
  // Much longer than its worker gets to end, in which a short job ends well.
  const job = await service.run('drained', { s: 20 })
  await until(() => isRunning('drained', job), START_MS)
  const node = await nodeOfWorker('drained')
  onTestFinished(() => activate(swarm))
  await swarm.docker(manager, 'node', 'update', '--availability', 'drain', node.name)
  expect(await service.jobEnd('drained', job, START_MS)).toMatchObject({ status: 'COMPLETED', output: 'done' })
  await until(async () => expect((await nodeOfWorker('drained')).name).not.toBe(node.name))
  expect(await workersOn(node, 'drained')).toBe('')
  const record = await service.get(`/api/jobs/${job}`)
  expect(record).not.toHaveProperty('retries')
  expect(JSON.stringify(record)).toContain(`on lab: its node ${node.name} was drained`)
})

const faults: readonly {
  readonly name: string
  readonly make: (node: RemoteMachine) => Promise<void>
  readonly mend: (node: RemoteMachine) => Promise<void>
  readonly worker: 'idle' | 'busy'
}[] = [
  { name: 'is cut off', make: ({ link }) => link('down'), mend: ({ link }) => link('up'), worker: 'idle' },
  { name: 'is cut off', make: ({ link }) => link('down'), mend: ({ link }) => link('up'), worker: 'busy' },
  { name: 'is powered off', make: ({ power }) => power('off'), mend: ({ power }) => power('on'), worker: 'busy' },
]

test.for(faults)(
  'the $worker worker of a node that $name is replaced at once; jobs bound to the node wait, and the reason names it',
  async ({ make, mend, worker }, { annotate }) => {
    const { workers, service, onLab, isRunning, workersOn, nodeOfWorker } = await setup()
    const create = async (id: string, settings: object) => {
      await service.createHandler(id, WAITS, { ...onLab, ...settings })
      await service.jobEnd(id, await service.run(id, { s: 0 }), START_MS)
      await service.workerIn(id, 'idle')
    }
    const on = (constraint: string) => ({ container: { ...onLab.container, placement: [constraint] } })
    await create('moves', on('node.role==worker'))
    const node = await nodeOfWorker('moves')
    const other = workers.find(({ name }) => name !== node.name)
    if (other === undefined) throw new Error('there is no other node')
    await create('stays', on(`node.hostname==${node.name}`))

    let isMended = false
    const mendOnce = async () => {
      if (!isMended) await mend(node)
      isMended = true
    }
    onTestFinished(async () => {
      await mendOnce()
      await service.reached()
    })
    const held = worker === 'busy' ? [await service.run('moves', { s: 5 })] : []
    for (const job of held) await until(() => isRunning('moves', job))
    await make(node)
    const since = performance.now()
    const seconds = () => ((performance.now() - since) / 1000).toFixed(1)
    const sent = await Promise.all([1, 2, 3].map(() => service.run('moves', { s: 0 })))
    const waiting = await service.run('stays', { s: 0 })
    const [replaced] = await Promise.all([
      until(async () => expect(await workersOn(other, 'moves')).not.toBe(''), START_MS).then(seconds),
      ...[...held, ...sent].map(async (job) =>
        expect(await service.jobEnd('moves', job, START_MS)).toMatchObject({ status: 'COMPLETED' }),
      ),
    ])
    await annotate(`replaced after ${replaced} s, all results after ${seconds()} s`)
    expect((await service.get('/api/workers?endpoint=moves')).workers).toMatchObject([{ state: 'idle' }])
    await until(async () => {
      const { waitingReason } = await service.get(`/api/jobs/${waiting}`)
      expect(waitingReason).toContain(`node ${node.name}`)
    })
    for (const endpoint of ['moves', 'stays'])
      expect((await service.get(`/api/fleet-events?endpoint=${endpoint}&kinds=crash`)).events).toEqual([])

    await mendOnce()
    await service.jobEnd('stays', waiting, START_MS)
    await until(async () => expect(await workersOn(node, 'moves')).toBe(''), START_MS)
  },
)

test('workers on nodes are kept while the sshd of the manager is down', async () => {
  const { manager, service, onLab, runningThere } = await setup()
  await service.createHandler('kept', WAITS, onLab)
  const expectKept = await runningThere('kept', await service.run('kept', { s: 8 }))
  await manager.killSshd()
  await until(async () => expect(await service.get('/api/machines/lab')).toMatchObject({ state: 'unreachable' }))
  await manager.startSshd()
  await expectKept()
})

test('a worker that starts while the agents of the nodes begin again waits for them, and is no crash', async () => {
  const { swarm, service, onLab } = await setup()
  for (const node of swarm.nodes)
    await swarm.docker(node, 'rm', '--force', await swarm.docker(node, 'ps', '--quiet', '--filter', 'name=-agents.'))
  await service.createHandler('again', ECHO, { ...onLab, env: { MINE: 'yes' } })
  const end = await service.jobEnd('again', await service.run('again', { n: 1 }), START_MS)
  expect(end).toMatchObject({ status: 'COMPLETED' })
  const { events } = await service.get('/api/fleet-events?endpoint=again&kinds=crash')
  expect(events).toEqual([])
})

test('cancel of a handler that blocks, memory, logs and a shell work as on this machine', async () => {
  const { service, onLab, isRunning } = await setup()
  await service.createHandler('echo', ECHO, { ...onLab, env: { MINE: '' } })
  await service.jobEnd('echo', await service.run('echo', {}), START_MS)
  await until(async () => expect(JSON.stringify(await service.get('/api/endpoints/echo/logs'))).toContain('seen'))
  const [worker] = (await service.get('/api/workers?endpoint=echo')).workers
  const { shellId } = await service.post(`/api/workers/${worker.id}/shell`, { columns: 80, rows: 24 })
  await service.post(`/api/shells/${shellId}/input`, { text: 'echo $((6*7))\n' })
  await until(async () => {
    const { data } = await service.get(`/api/shells/${shellId}/output`)
    expect(Buffer.from(data, 'base64').toString()).toContain('42')
  })

  const blocks = 'import time\ndef handler(job):\n    time.sleep(1000)\n'
  await service.createHandler('blocks', blocks, onLab)
  const blocked = await service.run('blocks', {})
  await until(() => isRunning('blocks', blocked), START_MS)
  await service.post(`/v2/blocks/cancel/${blocked}`)
  expect(await service.jobEnd('blocks', blocked)).toMatchObject({ status: 'CANCELLED' })

  const eats = 'def handler(job):\n    return len(b"x" * (1 << 30))\n'
  const small = { ...onLab, container: { ...onLab.container, memoryBytes: 128 * 1024 ** 2 } }
  await service.createHandler('eats', eats, small)
  const eaten = await service.jobEnd('eats', await service.run('eats', {}), START_MS)
  expect(JSON.stringify(eaten)).toContain('out of memory')
})

test('a load-balanced worker on a node answers requests, streams and WebSockets here', async () => {
  const { swarm, service, onLab, nodeOfWorker, workersOn } = await setup()
  const touch = async (path: string) => {
    const node = await nodeOfWorker('web')
    await swarm.docker(node, 'exec', await workersOn(node, 'web'), 'touch', path)
  }
  await expectWebAnswers(service, { machines: swarm.nodes, container: onLab.container, touch, startMs: START_MS })
})

test('a resource that no node has is the waiting reason, in the words of the scheduler', async () => {
  const { service, onLab } = await setup()
  const nowhere = { ...onLab.container, placement: ['node.labels.zone==nowhere'] }
  await service.createHandler('nowhere', WAITS, { ...onLab, container: nowhere })
  const job = await service.run('nowhere', { s: 0 })
  await until(async () => {
    const said = JSON.stringify([await service.get('/api/endpoints/nowhere'), await service.get(`/api/jobs/${job}`)])
    expect(said).toContain('no suitable node (scheduling constraints not satisfied on 3 nodes)')
  }, START_MS)
})

test('a service that was killed finds its workers on the nodes again', async () => {
  const { service, onLab, runningThere } = await setup()
  await service.createHandler('found', WAITS, onLab)
  const expectKept = await runningThere('found', await service.run('found', { s: 8 }))
  await service.kill()
  await service.start()
  await expectKept()
})

const KEEPS = `
import os, runpod
def handler(job):
    with open("/kept/file", "a") as file:
        file.write("x")
    return {"doubled": job["input"]["n"] * 2, "size": os.path.getsize("/kept/file"), "user": os.getuid()}
runpod.serverless.start({"handler": handler})
`

test('the public worker SDK runs unmodified on a node that got its image from the manager alone, and writes to a new named volume without being root', async ({
  skip,
}) => {
  const engine = await dockerEngine('image-runpod')
  if ('why' in engine) return skip(engine.why)
  const { swarm, manager, workers, service, onLab, nodeOfWorker } = await setup()
  const load = `docker -H '${engine.dockerHost}' save ${SDK_IMAGE} | docker -H '${manager.dockerHost}' load`
  await promisify(execFile)('sh', ['-c', load])
  const base = await swarm.docker(manager, 'create', SDK_IMAGE)
  await swarm.docker(manager, 'commit', '--change', 'USER 1000:1000', base, 'not-root')
  await swarm.docker(manager, 'rm', base)
  const container = {
    ...{ machine: 'lab', image: 'not-root', pull: 'never', placement: ['node.role==worker'] },
    ...{ entrypoint: ['python3', '-u'], args: ['-c', KEEPS], volumes: [{ source: 'fresh', target: '/kept' }] },
  }
  await service.createEndpoint('sdk', { ...onLab, handler: undefined, container })
  const end = await service.jobEnd('sdk', await service.run('sdk', { n: 21 }), START_MS)
  expect(end).toMatchObject({ status: 'COMPLETED', output: { doubled: 42, size: 1, user: 1000 } })
  const node = await nodeOfWorker('sdk')
  expect(workers.map(({ name }) => name)).toContain(node.name)
  const id = await swarm.docker(manager, 'image', 'inspect', '--format', '{{.Id}}', 'not-root')
  expect(await swarm.docker(node, 'image', 'inspect', '--format', '{{.Id}}', id)).toBe(id)
})

test('a service that is interrupted in its terminal leaves nothing running in the swarm', async () => {
  const { swarm, service, onLab } = await setup()
  await service.createHandler('left', ECHO, { ...onLab, env: { MINE: '' } })
  await service.jobEnd('left', await service.run('left', {}), START_MS)
  expect(await service.interrupt()).toMatchObject({ exitCode: 0, stderr: expect.not.stringContaining('may still run') })
  await expectNothingRuns(swarm)
  await service.start()
  await service.reached()
})

test('a preview that is interrupted in its terminal leaves nothing in the swarm', async () => {
  const { swarm, manager, service } = await setup()
  const user = sshOfUser([manager])
  onTestFinished(user.remove)
  const app = await previewProject({ PATH: user.searchPath, DOCKER_HOST: 'unix:///nowhere/docker.sock' })
  app.keepOnly('cpu_worker.py')
  const inSwarm = async () => [
    ...(await Promise.all(
      ['service', 'secret', 'config'].map((what) => swarm.docker(manager, what, 'ls', '--quiet').then(sorted)),
    )),
    ...(await Promise.all(
      swarm.nodes.flatMap((node) =>
        [
          ['ps', '--all', '--quiet', '--filter', 'label=svc.app'],
          ['volume', 'ls', '--quiet'],
        ].map((argv) => swarm.docker(node, ...argv).then(sorted)),
      ),
    )),
  ]
  const before = await inSwarm()
  const preview = app.start({ args: ['--on', 'lab', '--data', service.data] })
  await preview.event('live')
  expect(await preview.output('greet')).toEqual({ greeting: 'Hello, world!' })
  expect(await inSwarm()).not.toEqual(before)
  preview.pressCtrlC()
  expect(await preview.ended).toMatchObject({ exitCode: 0 })
  await until(async () => expect(await inSwarm()).toEqual(before))
})

const sorted = (lines: string) => lines.split('\n').toSorted()

// The last test, because the others need the connection that it removes.
test('the commands that are printed for a removed machine that does not answer leave nothing in the swarm', async () => {
  const { swarm, manager, service, onLab } = await setup()
  await service.createHandler('left', ECHO, { ...onLab, env: { MINE: '' } })
  await service.jobEnd('left', await service.run('left', {}), START_MS)
  await manager.killSshd()
  onTestFinished(manager.startSshd)
  const { left } = (await service.ask('DELETE', '/api/machines/lab')).body
  const [, inSwarm = '', onNode = ''] =
    /run on its manager: (.+); and then on each node: (.+)$/.exec(leftoversText(left)) ?? []
  await manager.run('sh', '-c', inSwarm)
  for (const node of swarm.nodes) await node.run('sh', '-c', onNode)
  await expectNothingIsLeft(swarm)
})
