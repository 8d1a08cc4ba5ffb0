import { AppError } from '../../contract/errors.ts'
import type { MachineView } from '../../contract/machines.ts'
import { DONE, type ManagementOperations } from '../../http/operation.ts'
import { present } from '../../lib/json/plain.ts'
import { waitAtMost } from '../../lib/wait.ts'
import { wantedMachine } from '../../runtimes/rules/choose-machine.ts'
import type { ServiceBase, ServiceContext } from '../service-context.ts'
import type { OpenMachine } from './machines.ts'
import type { LeftBehind } from './rules/left-behind.ts'

type Services = ServiceBase & Pick<ServiceContext, 'machines' | 'registry' | 'supervisor'>

export const MACHINE_OPERATIONS = {
  machineList: (_request, service) => ({
    machines: service.machines
      .open()
      .map((machine) => viewNow(service, machine))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  }),
  machineAdd: async ({ body }, service) => viewNow(service, await service.machines.add(body)),
  machineGet: ({ path }, service) => viewNow(service, machineOf(path, service)),
  machineTest({ path }, service) {
    const machine = machineOf(path, service)
    service.machines.beginTest(machine)
    return viewNow(service, machine)
  },
  async machineRemove({ path }, service) {
    const left = await removeMachine(service, machineOf(path, service))
    return left === undefined ? DONE : { ...DONE, left }
  },
  async machineRemains({ path, body }, service) {
    await service.machines.noteRemains(machineOf(path, service), body.id)
    return DONE
  },
  async machineJoin({ path }, service) {
    const { name, driver } = machineOf(path, service)
    const commands = driver.joinCommands?.() ?? Promise.reject(new Error('it is not a swarm manager'))
    return await commands.catch((error: Error) => {
      throw new AppError('MACHINE_REFUSED', { machine: name, why: error.message })
    })
  },
} as const satisfies Partial<ManagementOperations<Services>>

function viewNow({ machines, registry, storage }: Services, machine: OpenMachine): MachineView {
  machines.refresh(machine)
  const { name, way, swarm, addedAt, driver } = machine
  const { state, reason, since } = driver.status()
  const facts = machine.facts()
  return {
    ...{ name, way, swarm, addedAt, state, since },
    ...present({ reason, facts }),
    workers: registry
      .all()
      .filter(({ machine: on }) => on === name)
      .map(({ id, endpointId }) => ({ workerId: id, endpointId })),
    endpoints: storage.endpoints
      .all()
      .filter(({ config }) => config.container !== undefined && wantedMachine(config.container) === name)
      .map(({ id }) => id),
    test: machine.test(),
  }
}

// Wait for workers of an unresponsive machine, ms; source: ours.
const END_MS = 10_000

/**
 * Ends everything on a machine and forgets it, without a grace period; endpoints that name it stay and wait.
 * @returns what could not be cleaned up
 */
async function removeMachine(
  { machines, registry, supervisor, clock }: Services,
  machine: OpenMachine,
): Promise<LeftBehind | undefined> {
  machines.retire(machine)
  const reason = `machine ${machine.name} is removed`
  const workers = registry.all().filter((worker) => worker.machine === machine.name)
  const ended = Promise.allSettled(workers.map((worker) => supervisor.stopWorker(worker, reason, 0)))
  await waitAtMost(clock, { ms: END_MS, signal: undefined }, ended)
  return machines.remove(machine)
}

function machineOf({ machine: name }: { readonly machine: string }, { machines }: Services): OpenMachine {
  const machine = machines.get(name)
  if (machine === undefined) throw new AppError('MACHINE_NOT_FOUND', { machine: name.slice(0, 100) })
  return machine
}
