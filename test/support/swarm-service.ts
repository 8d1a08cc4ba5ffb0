/** A real service that was told of a swarm as `lab`; its workers can run there alone, as no engine is on this machine. */
import { expect, onTestFinished } from 'vitest'
import { type ContainerService, containerService } from './container-service.ts'
import { sshOfUser } from './far-machine.ts'
import type { FarSwarm } from './far-swarm.ts'
import { until } from './served-service.ts'

/** A service whose containers are those of the manager, as the test sees them. */
export type SwarmService = ContainerService & {
  /** Waits until the service reaches the manager, and knows of all nodes that they are ready. */
  readonly reached: () => Promise<void>
}

const REACHED_MS = 120_000

/** Starts it; its machine is removed at the end of the test, if it runs then, and all nodes are active again. */
export async function swarmService(swarm: FarSwarm): Promise<SwarmService> {
  const [manager] = swarm.nodes
  const user = sshOfUser([manager])
  onTestFinished(user.remove)
  const service = containerService({ dockerHost: manager.dockerHost })
  const env = { PATH: user.searchPath, DOCKER_HOST: 'unix:///nowhere/docker.sock' }
  const start = () => service.start({ env })
  const reached = async () => {
    await until(async () => {
      const { state, facts } = await service.get('/api/machines/lab')
      const ready = swarm.nodes.map(() => expect.objectContaining({ state: 'ready' }))
      expect({ state, nodes: facts?.nodes }).toMatchObject({ state: 'connected', nodes: ready })
    }, REACHED_MS)
  }
  await start()
  await service.post('/api/machines', { name: 'lab', way: { kind: 'ssh', to: manager.name }, swarm: true })
  await reached()
  onTestFinished(async () => {
    await service.ask('DELETE', '/api/machines/lab').catch(() => undefined) // it was stopped by the test
    for (const { name } of swarm.nodes) await swarm.docker(manager, 'node', 'update', '--availability', 'active', name)
  })
  return { ...service, start, reached }
}
