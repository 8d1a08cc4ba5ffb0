import type { MachineView } from '../../contract/machines.ts'
import { wantedMachine } from '../../runtimes/rules/choose-machine.ts'
import type { Storage } from '../../storage/storage.ts'
import type { WorkerRegistry } from '../workers/registry/worker-registry.ts'
import type { OpenMachine } from './machines.ts'

export function viewMachine(
  {
    storage,
    registry,
  }: { readonly storage: Pick<Storage, 'endpoints'>; readonly registry: Pick<WorkerRegistry, 'all'> },
  machine: OpenMachine,
): MachineView {
  const { name, way, swarm, addedAt, driver } = machine
  const { state, reason, since } = driver.status()
  const facts = machine.facts()
  return {
    ...{ name, way, swarm, addedAt, state, since },
    ...(reason === undefined ? {} : { reason }),
    ...(facts === undefined ? {} : { facts }),
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
