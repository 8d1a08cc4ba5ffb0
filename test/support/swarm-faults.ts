/** The faults of nodes of a swarm, and the swarm as a place for them. Workers run on the nodes that are no managers. */
import { expect } from 'vitest'
import { type FaultPlace, type MachineFault, WORKERS } from '../safety/machine-faults.ts'
import { beginLedger, busiestOf, factsOf, LEDGER, powerOff, workersOn } from './far-faults.ts'
import type { RemoteMachine } from './far-machine.ts'
import { FAR_IMAGE } from './far-service.ts'
import type { RemoteSwarm } from './far-swarm.ts'
import { until } from './served-service.ts'
import { swarmService } from './swarm-service.ts'

// Until what ran on a node runs on another one. Source: ours.
const REPLACED_MS = 20_000
/** A service whose workers run on the swarm. */
export async function swarmPlaceOfFaults(swarm: RemoteSwarm): Promise<FaultPlace> {
  for (const node of swarm.nodes) await beginLedger(node)
  const service = await swarmService(swarm)
  return {
    service,
    container: {
      ...{ image: FAR_IMAGE, machine: 'lab', placement: ['node.role==worker'] },
      volumes: [{ source: LEDGER, target: '/ledger' }],
    },
    ...factsOf(swarm.nodes),
    // Its faults end the containers of a node, so that nothing is asked of their order.
    events: async () => [],
    reached: service.reached,
  }
}

/** The node with the most workers, and the other one that may have some. */
async function nodesOf(swarm: RemoteSwarm): Promise<{ readonly hit: RemoteMachine; readonly other: RemoteMachine }> {
  const [, one, two] = swarm.nodes
  const hit = await busiestOf([one, two])
  return { hit, other: hit === one ? two : one }
}

/** A node is drained, so that its workers go elsewhere, and is active again. */
export async function nodeDrained(swarm: RemoteSwarm): Promise<MachineFault> {
  const [manager] = swarm.nodes
  const { hit } = await nodesOf(swarm)
  const set = async (availability: string) =>
    void (await swarm.docker(manager, 'node', 'update', '--availability', availability, hit.name))
  return { make: () => set('drain'), mend: () => set('active'), lastsMs: 10_000, endsContainers: true }
}

/**
 * A node vanishes with all that ran on it, as when its power is cut, and comes back.
 * @param isReplaced looks whether its workers run on the other node in time, before the fault goes on
 */
export async function nodeCut(
  swarm: RemoteSwarm,
  { isReplaced }: { readonly isReplaced: boolean },
): Promise<MachineFault> {
  const { hit, other } = await nodesOf(swarm)
  const { make, ...fault } = powerOff(hit, 20_000)
  return {
    ...fault,
    async make() {
      await make()
      const since = Date.now()
      if (!isReplaced) return
      await until(async () => expect(await workersOn(other)).toHaveLength(WORKERS), 2 * REPLACED_MS)
      expect(Date.now() - since).toBeLessThanOrEqual(REPLACED_MS)
    },
  }
}
