/** Containers go where their settings say, others run here. A worker stays on its machine, recorded in its handle. */
import { z } from 'zod'
import type { ContainerSettings } from '../../contract/container.ts'
import type { WorkerUsage } from '../../contract/endpoint.ts'
import { ANY_MACHINE, THIS_MACHINE } from '../../contract/machines.ts'
import { createEmitter } from '../../lib/emitter.ts'
import type { Fleet, FleetWorker, WorkerExit, WorkerPlan } from '../../runtimes/port.ts'
import {
  findRoom,
  lacksMemory,
  type MachineCandidate,
  machineWithRoom,
  mayRunOn,
  reasonsText,
  wantedMachine,
} from '../../runtimes/rules/choose-machine.ts'
import type { WorkerRegistry } from '../workers/registry/worker-registry.ts'
import type { Machines, OpenMachine } from './machines.ts'
import type { LeftBehind } from './rules/left-behind.ts'

export type PlacedFleet = Omit<Fleet, 'close'> & {
  readonly close: () => Promise<readonly LeftBehind[]>
  readonly lookAround: (plan: WorkerPlan) => Promise<void>
  /**
   * Decides a worker's machine and records it in the plan. Call before `ensure`, as each machine has another route
   * back.
   * @param workerId id of a possibly prepared worker
   */
  readonly place: (plan: WorkerPlan, workerId: string) => WorkerPlan
}

const ofMachine = z.object({ machine: z.string() })

export function joinMachines(
  local: Fleet,
  machines: Machines,
  registry: Pick<WorkerRegistry, 'all' | 'get'>,
): PlacedFleet {
  const owners = new Map<string, OpenMachine>()
  let hasEngine = true
  const exits = createEmitter<[WorkerExit]>()
  const outputs = createEmitter<Parameters<Parameters<Fleet['onOutput']>[0]>>()
  const capacityChanges = createEmitter()
  const ownerOf = (workerId: string): Fleet => owners.get(workerId)?.driver.fleet ?? local

  function report(exit: WorkerExit): void {
    owners.delete(exit.workerId)
    exits.emit(exit)
  }

  machines.onOpen((machine) => {
    const { fleet } = machine.driver
    fleet.onExit((exit) => report(named(exit, machine.name)))
    fleet.onOutput(outputs.emit)
    fleet.onCapacity(capacityChanges.emit)
  })
  machines.onChange(capacityChanges.emit)
  machines.onClosed((machine) => {
    for (const [workerId, owner] of owners)
      if (owner === machine) {
        const reason = `machine ${machine.name} was removed`
        report({ workerId, code: undefined, signal: undefined, reason, blameless: true })
      }
  })

  function factsFor(plan: Parameters<Fleet['capacity']>[0]): readonly MachineCandidate[] {
    const facts: MachineCandidate[] = []
    if (mayRunOn(plan.container, THIS_MACHINE))
      facts.push({ name: THIS_MACHINE, room: local.capacity(plan), workers: workersOn(undefined) })
    for (const machine of machines.open()) {
      if (!mayRunOn(plan.container, machine.name)) continue
      const workers = workersOn(machine.name)
      const room = machine.problem() ?? machine.driver.fleet.capacity(plan)
      facts.push({ name: machine.name, room, memoryBytes: machine.facts()?.memoryBytes, workers })
    }
    return facts
  }

  const workersOn = (name: string | undefined) => registry.all().filter(({ machine }) => machine === name).length
  const roomFor = (plan: Parameters<Fleet['capacity']>[0]) => findRoom(plan.container ?? {}, factsFor(plan))

  async function refusalOf(
    { name, driver, problem, facts }: OpenMachine,
    plan: Parameters<Fleet['refusal']>[0],
  ): Promise<string | undefined> {
    const lacks = lacksMemory(plan.container ?? {}, { name, memoryBytes: facts()?.memoryBytes })
    return problem()?.reason ?? lacks ?? driver.fleet.refusal(plan)
  }

  // Until it starts elsewhere, its owner is the machine that it was prepared on.
  function machineOfWorker(workerId: string): OpenMachine | undefined {
    const placed = registry.get(workerId)?.machine
    return placed === undefined ? undefined : machines.get(placed)
  }

  function chooseMachine(container: ContainerSettings): string {
    const facts = factsFor({ container })
    const others = facts.filter(({ name }) => name !== THIS_MACHINE || hasEngine)
    return machineWithRoom(container, others) ?? machineWithRoom(container, facts) ?? wantedMachine(container)
  }

  function machineOf({ container }: Pick<WorkerPlan, 'container'>): OpenMachine | undefined {
    const name = wantedMachine(container)
    if (name === THIS_MACHINE) return undefined
    const machine = machines.get(name)
    if (machine === undefined) throw new Error(roomFor({ container }).reason ?? `there is no machine ${name}`)
    return machine
  }

  async function onMachine<T>({ name }: OpenMachine, work: Promise<T>): Promise<T> {
    try {
      return await work
    } catch (error) {
      throw new Error(`on ${name}: ${(error as Error).message}`, { cause: error })
    }
  }

  return {
    async lookAround({ container }) {
      if (wantedMachine(container) !== ANY_MACHINE) return
      const engine = await local.containerHost?.engine()
      hasEngine = engine === undefined || engine.state === 'connected'
    },
    place(plan, workerId) {
      const { container } = plan
      if (container === undefined) return plan
      const on = (machine: string) => ({ ...plan, container: { ...container, machine } })
      const prepared = owners.get(workerId)
      if (prepared !== undefined && prepared.problem() === undefined) return on(prepared.name)
      owners.delete(workerId)
      prepared?.driver.fleet.stop(workerId, 0).catch(() => undefined) // the machine removes it when it is reached again
      return on(chooseMachine(container))
    },
    async ensure(plan, watch) {
      const machine = machineOf(plan)
      if (machine === undefined) return local.ensure(plan, watch)
      const { name, driver } = machine
      await machines.noteUse(machine)
      const onIt = { ...watch, report: (progress: string) => watch.report(`${progress} on ${name}`) }
      return onMachine(machine, driver.fleet.ensure(plan, onIt))
    },
    async prepare(spec) {
      const machine = machineOf(spec)
      if (machine === undefined) return local.prepare(spec)
      owners.set(spec.workerId, machine)
      await onMachine(machine, machine.driver.fleet.prepare(spec))
    },
    async start(spec) {
      const machine = machineOf(spec)
      if (machine === undefined) return local.start(spec)
      owners.set(spec.workerId, machine)
      const started = await onMachine(machine, machine.driver.fleet.start(spec))
      if (machine.driver.fleet.list().some(({ workerId }) => workerId === spec.workerId))
        owners.set(spec.workerId, machine)
      return namedWorker(started, machine.name)
    },
    async stop(workerId, graceMs) {
      const owner = ownerOf(workerId)
      await owner.stop(workerId, graceMs)
      if (!owner.list().some((worker) => worker.workerId === workerId)) owners.delete(workerId)
    },
    pause: (workerId) => ownerOf(workerId).pause(workerId),
    resume: (workerId) => ownerOf(workerId).resume(workerId),
    list: () => [
      ...local.list(),
      ...machines.open().flatMap(({ name, driver }) => driver.fleet.list().map((worker) => namedWorker(worker, name))),
    ],
    isAway: (workerId) => machineOfWorker(workerId)?.problem()?.isAway === true || ownerOf(workerId).isAway(workerId),
    awayNode: (workerId) => ownerOf(workerId).awayNode?.(workerId),
    checkAway: (workerId) => ownerOf(workerId).checkAway(workerId),
    async adopt(worker) {
      const { machine: name, ...handle } = JSON.parse(worker.handle)
      if (name === undefined) return local.adopt(worker)
      const machine = machines.get(name)
      if (machine?.driver.status().state !== 'connected') return false
      if (!(await machine.driver.fleet.adopt({ ...worker, handle: JSON.stringify(handle) }))) return false
      owners.set(worker.workerId, machine)
      return true
    },
    // Leftovers are removed when a machine is reached, before anything starts there.
    async sweep() {
      machines.sweep()
      await local.sweep()
    },
    drainOutput: (workerId) => ownerOf(workerId).drainOutput(workerId),
    capacity: (plan) => roomFor(plan),
    async refusal(plan) {
      const { container } = plan
      const asked = [
        ...(mayRunOn(container, THIS_MACHINE) ? [{ name: THIS_MACHINE, why: local.refusal(plan) }] : []),
        ...machines
          .open()
          .filter(({ name }) => mayRunOn(container, name))
          .map((machine) => ({ name: machine.name, why: refusalOf(machine, plan) })),
      ]
      if (asked.length === 0) return roomFor(plan).reason
      const answers = await Promise.all(asked.map(async ({ name, why }) => ({ name, reason: await why })))
      const refused = answers.flatMap(({ name, reason }) => (reason === undefined ? [] : [{ name, reason }]))
      return refused.length < answers.length ? undefined : reasonsText(refused)
    },
    async usage(workerIds) {
      const fleets = [local, ...machines.open().map(({ driver }) => driver.fleet)]
      const parts = fleets.map((fleet) => fleet.usage(workerIds.filter((id) => ownerOf(id) === fleet)))
      return new Map((await Promise.all(parts)).flatMap((part): [string, WorkerUsage][] => [...part]))
    },
    openShell: (workerId, size, listener) => ownerOf(workerId).openShell(workerId, size, listener),
    get containerHost() {
      return local.containerHost
    },
    onExit(listener) {
      local.onExit(listener)
      exits.on(listener)
    },
    onOutput(listener) {
      local.onOutput(listener)
      outputs.on(listener)
    },
    onCapacity(listener) {
      local.onCapacity(listener)
      capacityChanges.on(listener)
    },
    async close() {
      const [, left] = await Promise.all([local.close(), machines.close()])
      return left
    },
  }
}

function named(exit: WorkerExit, machine: string): WorkerExit {
  return exit.reason === undefined ? exit : { ...exit, reason: `on ${machine}: ${exit.reason}` }
}

function namedWorker(worker: FleetWorker, machine: string): FleetWorker {
  return { ...worker, machine, handle: JSON.stringify({ ...JSON.parse(worker.handle), machine }) }
}

export function machinesOfWorkers(workers: readonly { readonly handle: string }[]): readonly string[] {
  return [...new Set(workers.flatMap(({ handle }) => machineIn(handle) ?? []))]
}

function machineIn(handle: string): string | undefined {
  return ofMachine.safeParse(JSON.parse(handle)).data?.machine
}
