import type { LocalMachineView } from '../../contract/system.ts'
import { present } from '../../lib/json/plain.ts'
import type { ContainerHost, Fleet, ServiceHost, ToolVersion } from '../../runtimes/port.ts'
import type { GpuInventory } from '../../runtimes/rules/gpu-list.ts'
import type { Storage } from '../../storage/storage.ts'
import type { Settings } from '../settings/settings.ts'
import type { WorkerRegistry } from '../workers/registry/worker-registry.ts'

export type MachineDeps = {
  readonly fleet: Pick<Fleet, 'containerHost'>
  readonly registry: Pick<WorkerRegistry, 'all'>
  readonly settings: Pick<Settings, 'get'>
}

export async function readMachine(
  { fleet, registry, settings }: MachineDeps,
  fresh: boolean,
): Promise<LocalMachineView> {
  const workers = { used: registry.all().length, limit: settings.get().maxWorkers }
  const { containerHost } = fleet
  if (containerHost === undefined) return { engine: { state: 'absent', reason: NO_ENGINE }, gpus: [], workers }
  const [reported, cards] = await Promise.all([containerHost.engine(), containerHost.gpus(fresh)])
  const { info: _info, platform: _platform, ...engine } = reported
  const { fault } = cards.inventory
  return { engine, gpus: viewCards(cards), ...(fault === undefined ? {} : { gpuFault: fault }), workers }
}

const NO_ENGINE = 'this service runs its workers without containers'

function viewCards({ inventory, holds }: Awaited<ReturnType<ContainerHost['gpus']>>): LocalMachineView['gpus'] {
  return inventory.cards.map((card) => ({
    ...viewCard(card),
    heldBy: holds
      .filter(({ gpuId }) => gpuId === card.id)
      .map(({ workerId, endpointId, shared }) => ({ workerId, endpointId, shared })),
  }))
}

function viewCard({ id, index, name, driver, memoryBytes, usedBytes }: GpuInventory['cards'][number]) {
  return {
    id,
    index,
    name,
    driver,
    ...present({ memoryBytes, usedBytes }),
  }
}

export async function readVersions(
  facts: Pick<MachineDeps, 'fleet' | 'settings'> & {
    readonly host: Pick<ServiceHost, 'versions'>
    readonly storage: Pick<Storage, 'engineVersion'>
    readonly own: string
  },
): Promise<readonly ToolVersion[]> {
  const { host, fleet, storage, settings, own } = facts
  const [tools, engine] = await Promise.all([host.versions(settings.get().python), fleet.containerHost?.engine()])
  return [
    { name: 'Drydock', version: own },
    ...tools,
    { name: 'SQLite', version: storage.engineVersion },
    { name: 'Docker engine', version: engine?.version },
  ]
}
