import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { containerSettings } from '../../src-main/contract/container.ts'
import { freePort } from '../../src-main/http/server/listen.ts'
import { createSshLink } from '../../src-main/runtimes/remote/ssh-link.ts'
import { createSwarmFleet } from '../../src-main/runtimes/swarm/swarm-fleet.ts'
import { createSwarmConnection, createWorkerPorts } from '../../src-main/runtimes/swarm/swarm-machine.ts'
import { sshOfUser } from '../support/far-machine.ts'
import { type RemoteSwarm, remoteSwarm } from '../support/far-swarm.ts'
import { inContainers, noTunnel } from './docker-place.ts'
import { describeFleet, type FleetPlace, specOf, until, watched } from './fleet.ts'
import { realClock, scriptOf, silent } from './process-place.ts'

const RESOURCES = fileURLToPath(new URL('../../resources', import.meta.url))
const made = await remoteSwarm()

beforeEach(({ skip }) => skip('why' in made, 'why' in made ? made.why : ''))

const way = 'why' in made ? undefined : openWay(made)
// The way to the nodes takes a while: what it costs is no matter of the first test.
if (way !== undefined) await way.to.swarm.ensure(await way.to.engine.connect())
afterAll(async () => {
  await way?.close()
  if (!('why' in made)) await made.stop()
})

/** The way to the swarm, which the drivers of all tests share. */
function openWay({ nodes: [manager] }: RemoteSwarm) {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-swarm-'))
  const user = sshOfUser([manager])
  const env = { ...process.env, PATH: user.searchPath }
  const link = createSshLink({
    ...{ target: { to: manager.name }, env, clock: realClock, log: silent },
    folder: join(folder, 's'),
  })
  const options = {
    ...{ machine: manager.name, id: 'suite', link, clock: realClock, log: silent, freePort },
    ...{ resources: RESOURCES, pythonPath: join(RESOURCES, 'python'), version: '0', registryAuth: () => undefined },
    ...{ networkVolumes: join(folder, 'volumes'), bundle: async () => '' },
    surroundings: { env, home: folder, platform: process.platform },
    tunnel: { open: noTunnel, answerTo: () => undefined },
  }
  const to = createSwarmConnection(options)
  return {
    options,
    to,
    async close() {
      const { docker } = await to.engine.connect()
      await to.files.removeAll({ report: () => undefined, signal: new AbortController().signal })
      await to.parts.remove(docker)
      to.nodes.close()
      to.engine.close()
      await link.close()
      user.remove()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function makePlace() {
  if ('why' in made || way === undefined) throw new Error('there is no swarm')
  const { options, to } = way
  const serviceId = `t${randomBytes(5).toString('hex')}`
  const folder = mkdtempSync(join(tmpdir(), 'drydock-swarm-'))
  let used = false
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const of = (container: string) => {
    const node = made.nodes.find((one) =>
      made.dockerNow(one, 'ps', '--all', '--quiet', '--no-trunc').includes(container),
    )
    if (node === undefined) throw new Error(`no node has ${container}`)
    return node
  }
  const driver = (maxWorkers = () => 10) =>
    createSwarmFleet({
      ...options,
      ...to,
      // The suite closes each driver; the engine stays for the next.
      engine: { ...to.engine, close: () => undefined },
      ...createWorkerPorts({ ...options, ...to }),
      reach: { workerUrl: to.reach.workerUrl, serviceUrl: to.reach.serviceUrl },
      folder,
      maxWorkers,
      state: {
        serviceId: () => serviceId,
        used: () => used,
        setUsed: async () => {
          used = true
        },
      },
    })
  const place: FleetPlace = {
    driver: (maxWorkers) => inContainers(driver(maxWorkers)),
    command: (steps) => `/bin/sh -c '${scriptOf(steps).replaceAll("'", `'\\''`)}'`,
    // Past the engine, which would wake a frozen container to give it a signal.
    poke({ container = '' }) {
      const node = of(container)
      node.runNow('kill', '-s', 'USR1', made.dockerNow(node, 'inspect', '--format', '{{.State.Pid}}', container))
    },
    kill: ({ container = '' }) => void made.dockerNow(of(container), 'kill', '--signal', 'KILL', container),
    lives: ({ container = '' }) =>
      made.nodes.some((one) => made.dockerNow(one, 'ps', '--quiet', '--no-trunc').includes(container)),
  }
  return { place, driver, swarm: made }
}

describeFleet('docker swarm', () => makePlace().place)

test('a worker starts although its image is no longer on any node that may run it', async () => {
  const { driver, swarm } = makePlace()
  const { fleet, lines } = watched(driver())
  const [manager, ...workers] = swarm.nodes
  const changed = await swarm.docker(manager, 'create', 'busybox')
  await swarm.docker(manager, 'commit', changed, 'only-here')
  await swarm.docker(manager, 'rm', changed)
  const settings = { image: 'only-here', pull: 'never', placement: ['node.role==worker'] }
  const spec = specOf("/bin/sh -c 'echo up; sleep 1000'", { container: containerSettings.parse(settings) })
  await fleet.ensure(spec, { report: () => undefined, signal: new AbortController().signal })
  const id = await swarm.docker(manager, 'image', 'inspect', '--format', '{{.Id}}', 'only-here')
  for (const node of workers) await swarm.docker(node, 'rmi', '--force', id)
  const { workerId } = await fleet.start(spec)
  await until(() => expect(lines(workerId)).toEqual(['up']))
})
