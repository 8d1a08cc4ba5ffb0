/** A real service that was told of a swarm as `lab`; its workers can run there alone, as no engine is on this machine. */
import { expect, onTestFinished } from 'vitest'
import { type ContainerService, containerService } from './container-service.ts'
import { sshOfUser } from './far-machine.ts'
import type { RemoteSwarm } from './far-swarm.ts'
import { until, type WhenOver } from './served-service.ts'

/** A service whose containers are those of the manager, as the test sees them. */
export type SwarmService = ContainerService & {
  /** Adds the swarm if the service does not know it, and waits until the service reaches all nodes. */
  readonly reached: () => Promise<void>
}

const REACHED_MS = 300_000

/**
 * Starts the service. The end of the test removes its machine, if the service still runs, and makes all nodes active.
 * @param whenOver registers clean-ups; a service for several tests ends later
 */
export async function swarmService(
  swarm: RemoteSwarm,
  whenOver: WhenOver = (end) => onTestFinished(end),
): Promise<SwarmService> {
  const [manager] = swarm.nodes
  const user = sshOfUser([manager])
  whenOver(async () => user.remove())
  const service = containerService({ dockerHost: manager.dockerHost }, undefined, whenOver)
  const env = { PATH: user.searchPath, DOCKER_HOST: 'unix:///nowhere/docker.sock' }
  const start = () => service.start({ env })
  const reached = async () => {
    if ((await service.ask('GET', '/api/machines/lab')).status !== 200)
      await service.post('/api/machines', { name: 'lab', way: { kind: 'ssh', to: manager.name }, swarm: true })
    await until(async () => {
      const { state, facts } = await service.get('/api/machines/lab')
      const ready = swarm.nodes.map(() => expect.objectContaining({ state: 'ready' }))
      expect({ state, nodes: facts?.nodes }).toMatchObject({ state: 'connected', nodes: ready })
    }, REACHED_MS)
  }
  await start()
  await reached()
  whenOver(async () => {
    await service.ask('DELETE', '/api/machines/lab').catch(() => undefined) // it was stopped by the test
    await activate(swarm)
  })
  return { ...service, start, reached }
}

/** Lets all nodes take workers again. */
export async function activate({ nodes, docker }: RemoteSwarm): Promise<void> {
  for (const { name } of nodes) await docker(nodes[0], 'node', 'update', '--availability', 'active', name)
}

/** Waits until nothing of a service runs in the swarm. */
export async function expectNothingRuns({ nodes, docker }: RemoteSwarm): Promise<void> {
  await until(async () => {
    expect(await docker(nodes[0], 'service', 'ls', '--quiet')).toBe('')
    for (const node of nodes)
      expect(await docker(node, 'ps', '--all', '--quiet', '--filter', 'label=svc.service')).toBe('')
  })
}

/** Waits until the swarm has nothing of a service, running or stored, but the volumes of its endpoints. */
export async function expectNothingIsLeft(swarm: RemoteSwarm): Promise<void> {
  const { nodes, docker } = swarm
  await expectNothingRuns(swarm)
  await until(async () => {
    for (const what of ['secret', 'config']) expect(await docker(nodes[0], what, 'ls', '--quiet')).toBe('')
    for (const node of nodes)
      expect(await docker(node, 'network', 'ls', '--quiet', '--filter', 'name=drydock')).toBe('')
  })
}
