import type { Clock } from '../../lib/clock.ts'
import { waitAtMost } from '../../lib/wait.ts'
import type { LiveWorker, WorkerRegistry } from '../workers/registry/worker-registry.ts'
import type { Machines, OpenMachine } from './machines.ts'
import type { LeftBehind } from './rules/left-behind.ts'

// Wait for workers of an unresponsive machine, ms; source: ours.
const END_MS = 10_000

/**
 * Ends everything on a machine and forgets it, without a grace period; endpoints that name it stay and wait with that
 * reason.
 * @returns what could not be cleaned up
 */
export async function removeMachine(
  {
    machines,
    registry,
    supervisor,
    clock,
  }: {
    readonly machines: Machines
    readonly registry: Pick<WorkerRegistry, 'all'>
    readonly supervisor: {
      readonly stopWorker: (worker: LiveWorker, reason: string, graceMs: number) => Promise<void>
    }
    readonly clock: Clock
  },
  machine: OpenMachine,
): Promise<LeftBehind | undefined> {
  machines.retire(machine)
  const reason = `machine ${machine.name} is removed`
  const workers = registry.all().filter((worker) => worker.machine === machine.name)
  const ended = Promise.allSettled(workers.map((worker) => supervisor.stopWorker(worker, reason, 0)))
  await waitAtMost(clock, { ms: END_MS, signal: undefined }, ended)
  return machines.remove(machine)
}
