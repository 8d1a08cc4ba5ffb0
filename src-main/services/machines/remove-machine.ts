import type { LeftBehind } from '../../domain/machines/left-behind.ts'
import type { Clock } from '../ports/system.ts'
import { waitAtMost } from '../wait.ts'
import type { LiveWorker, WorkerRegistry } from '../worker-registry.ts'
import type { Machines, OpenMachine } from './machines.ts'

// How long workers of a machine that does not answer are waited for, ms; source: ours.
const END_MS = 10_000

/**
 * Ends what runs on a machine and forgets it. Its workers get the grace time of nobody: whoever wants their jobs to end
 * first moves the endpoints elsewhere before. Endpoints that name the machine stay, and wait with the reason.
 * @returns what stays there, as the machine could not be cleaned up
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
