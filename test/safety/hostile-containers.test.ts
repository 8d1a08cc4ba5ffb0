import { beforeEach, test } from 'vitest'
import { dockerEngine } from '../support/docker-engine.ts'
import { forkInContainers, printInContainers } from './hostile-containers.ts'
import { probeTheGateway } from './probe-the-gateway.ts'

const engine = await dockerEngine()

beforeEach(({ skip }) => skip('why' in engine, 'why' in engine ? engine.why : ''))

test('a container that prints without end neither stops the service nor fills the disk', async () => {
  await printInContainers(engine, { runs: 1, lines: 2000 })
})

test('a container that forks without end is held at its limit and ended as a whole', async () => {
  await forkInContainers(engine, { runs: 1 })
})

test('a container that probes the gateway finds the routes for workers alone, and no neighbour', async () => {
  await probeTheGateway(engine, { runs: 1 })
})
