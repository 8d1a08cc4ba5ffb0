/** Container plans go to containers, others to processes. A worker stays with its driver, identified by its handle. */
import type { ContainerSettings } from '../../contract/container.ts'
import type { WorkerUsage } from '../../contract/endpoint.ts'
import type { Fleet, FleetWorker } from '../../runtimes/port.ts'

export function joinFleets(drivers: { readonly process: Fleet; readonly container: Fleet }): Fleet {
  const all = [drivers.process, drivers.container]
  const owners = new Map<string, Fleet>()
  const fleetOf = ({ container }: { readonly container?: ContainerSettings | undefined }) =>
    container === undefined ? drivers.process : drivers.container

  function owned(workerId: string, fleet: Fleet): Fleet {
    owners.set(workerId, fleet)
    return fleet
  }

  for (const fleet of all) fleet.onExit(({ workerId }) => owners.delete(workerId))

  return {
    ensure: (plan, watch) => fleetOf(plan).ensure(plan, watch),
    prepare: (spec) => owned(spec.workerId, fleetOf(spec)).prepare(spec),
    async start(spec) {
      const fleet = owned(spec.workerId, fleetOf(spec))
      const worker = await fleet.start(spec)
      // A stop before it ran was forgotten, and is repeated now.
      if (fleet.list().some(({ workerId }) => workerId === spec.workerId)) owned(spec.workerId, fleet)
      return worker
    },
    async stop(workerId, graceMs) {
      await owners.get(workerId)?.stop(workerId, graceMs)
      owners.delete(workerId)
    },
    pause: async (workerId) => owners.get(workerId)?.pause(workerId),
    resume: async (workerId) => owners.get(workerId)?.resume(workerId),
    list: () => all.flatMap((fleet): readonly FleetWorker[] => fleet.list()),
    isAway: (workerId) => owners.get(workerId)?.isAway(workerId) ?? false,
    awayNode: (workerId) => owners.get(workerId)?.awayNode?.(workerId),
    checkAway: async (workerId) => owners.get(workerId)?.checkAway(workerId),
    async adopt(worker) {
      const fleet = 'container' in JSON.parse(worker.handle) ? drivers.container : drivers.process
      if (!(await fleet.adopt(worker))) return false
      owned(worker.workerId, fleet)
      return true
    },
    async sweep() {
      await Promise.all(all.map((fleet) => fleet.sweep()))
    },
    drainOutput: (workerId) => owners.get(workerId)?.drainOutput(workerId),
    capacity: (plan) => fleetOf(plan).capacity(plan),
    refusal: (plan) => fleetOf(plan).refusal(plan),
    async usage(workerIds) {
      const parts = all.map((fleet) => fleet.usage(workerIds.filter((id) => owners.get(id) === fleet)))
      return new Map((await Promise.all(parts)).flatMap((part): [string, WorkerUsage][] => [...part]))
    },
    async openShell(workerId, size, listener) {
      const owner = owners.get(workerId)
      if (owner === undefined) throw new Error('it is not running yet')
      return owner.openShell(workerId, size, listener)
    },
    containerHost: drivers.container.containerHost,
    onExit: (listener) => {
      for (const fleet of all) fleet.onExit(listener)
    },
    onOutput: (listener) => {
      for (const fleet of all) fleet.onOutput(listener)
    },
    onCapacity: (listener) => {
      for (const fleet of all) fleet.onCapacity(listener)
    },
    async close() {
      await Promise.all(all.map((fleet) => fleet.close()))
    },
  }
}
