/** When a machine is reached, leftover workers end first; until then it has no room. */
import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import type { MachineCreate, MachineFacts, MachineView } from '../../contract/machines.ts'
import type { DoctorRow } from '../../contract/system.ts'
import type { Clock, Log, NewId } from '../../lib/clock.ts'
import { createEmitter } from '../../lib/emitter.ts'
import { wait, waitAtMost } from '../../lib/wait.ts'
import type { Room } from '../../runtimes/rules/choose-machine.ts'
import type { Machine, Storage } from '../../storage/storage.ts'
import { loadFeature } from '../load-feature.ts'
import { createRemains } from './leftovers.ts'
import type { MachineDriver, MachineFleets } from './ports.ts'
import type { LeftBehind } from './rules/left-behind.ts'

export type OpenMachine = Machine & {
  readonly driver: MachineDriver
  readonly problem: () => Room | undefined
  readonly facts: () => MachineFacts | undefined
  readonly test: () => MachineView['test']
}

export type Machines = ReturnType<typeof createMachines>

// Age of facts before a re-read, ms; source: ours, the page asks every 2 s.
const FACTS_MS = 5000
// Wait for an unresponsive machine at its removal, ms; source: ours.
const CLEAR_MS = 10_000
const TEST_MS = 120_000

type State = {
  facts: MachineFacts | undefined
  factsAt: number
  isReading: boolean
  isSwept: boolean
  isRetired: boolean
  wasConnected: boolean
  wasReached: boolean
  test: { isRunning: boolean; steps: DoctorRow[] }
}

export function createMachines(deps: {
  readonly storage: Pick<Storage, 'machines' | 'state' | 'write'>
  readonly loadFleets: () => Promise<MachineFleets>
  readonly clock: Clock
  readonly newId: Pick<NewId, 'worker'>
  readonly log: Log
}) {
  const { storage, clock, newId, log } = deps
  const loadFleets = () => loadFeature(log, 'other machines', deps.loadFleets)
  const opened = new Map<string, OpenMachine>()
  const states = new WeakMap<OpenMachine, State>()
  const closing = new AbortController()
  const remains = createRemains({ storage, clock })
  const clearing = new Set<string>()
  const startedAt = clock.now()
  const openings = createEmitter<[OpenMachine]>()
  const closings = createEmitter<[OpenMachine]>()
  const changes = createEmitter()
  const stateOf = (machine: OpenMachine) => states.get(machine) as State

  function openMachine({ open }: MachineFleets, stored: Machine): OpenMachine {
    const driver = open(stored)
    const state: State = {
      ...{ facts: undefined, factsAt: Number.NEGATIVE_INFINITY, isReading: false, isSwept: false, isRetired: false },
      ...{ wasConnected: false, wasReached: false, test: { isRunning: false, steps: [] } },
    }
    const machine: OpenMachine = {
      ...stored,
      driver,
      problem: () => problemOf(driver, state),
      facts: () => state.facts,
      test: () => ({ isRunning: state.test.isRunning, steps: [...state.test.steps] }),
    }
    states.set(machine, state)
    opened.set(stored.name, machine)
    openings.emit(machine)
    driver.onChange(() => follow(machine))
    follow(machine)
    return machine
  }

  function follow(machine: OpenMachine): void {
    const state = stateOf(machine)
    const { state: connection, reason } = machine.driver.status()
    const isConnected = connection === 'connected'
    if (isConnected !== state.wasConnected) {
      log.info(isConnected ? 'machine reached' : 'machine lost', { machine: machine.name, reason })
      state.wasConnected = isConnected
      state.isSwept = false
      if (isConnected && isStarted) sweep(machine)
    }
    changes.emit()
  }

  let isStarted = false // before that, workers of an earlier run wait for adoption

  function sweep(machine: OpenMachine): void {
    const state = stateOf(machine)
    machine.driver.fleet
      .sweep()
      .then(() => {
        state.isSwept = machine.driver.status().state === 'connected'
        if (state.isSwept) clearRemains(machine)
        refresh(machine)
        changes.emit()
      })
      .catch((error) => log.warn('workers of before not ended', { machine: machine.name, error }))
  }

  function clearRemains(machine: OpenMachine): void {
    const state = stateOf(machine)
    const own = remains.get(machine.id)
    if (own !== undefined && own.notedAt < startedAt && !state.wasReached)
      log.info('workers that an earlier run left on a machine were ended or taken over', { machine: machine.name })
    state.wasReached = true
    const inUse = new Set([...opened.values()].map(({ id }) => id)) // one machine may be added under two names
    for (const { id } of remains.at(machine.way)) if (!inUse.has(id)) void clearOther(machine, id)
  }

  async function clearOther(machine: OpenMachine, id: string): Promise<void> {
    const { name } = machine
    if (clearing.has(id)) return
    clearing.add(id)
    const driver = (await loadFleets()).open({ ...machine, id })
    try {
      await untilConnected(driver)
      await driver.clear()
      await remains.forget(id)
      log.info('what was left on a machine was removed', { machine: name, id })
    } catch (error) {
      log.warn('what was left on a machine was not removed', { machine: name, id, error })
    }
    await closeDriver({ driver, name })
    clearing.delete(id)
  }

  async function untilConnected(driver: MachineDriver): Promise<void> {
    const isConnected = () => driver.status().state === 'connected'
    const { promise, resolve } = Promise.withResolvers<void>()
    driver.onChange(() => isConnected() && resolve())
    if (!isConnected()) await waitAtMost(clock, { ms: limit('machineReachedMs'), signal: closing.signal }, promise)
    if (!isConnected()) throw new Error(driver.status().reason ?? 'it cannot be reached')
  }

  function refresh(machine: OpenMachine): void {
    const state = stateOf(machine)
    if (state.isReading || clock.steady() - state.factsAt < FACTS_MS) return
    if (machine.driver.status().state !== 'connected') return
    state.isReading = true
    machine.driver
      .facts()
      .then((facts) => Object.assign(state, { facts, factsAt: clock.steady() }))
      .catch((error) => log.warn('facts of a machine not read', { machine: machine.name, error }))
      .finally(() => {
        state.isReading = false
        changes.emit()
      })
  }

  function beginTest(machine: OpenMachine): void {
    const state = stateOf(machine)
    if (state.test.isRunning) return
    const test = { isRunning: true, steps: [] as DoctorRow[] }
    state.test = test
    const report = (step: DoctorRow) => {
      test.steps.push(step)
      changes.emit()
    }
    const giveUp = new AbortController()
    const cancel = clock.after(TEST_MS, () => giveUp.abort(new Error('it took too long')))
    machine.driver
      .test({ report, signal: AbortSignal.any([closing.signal, giveUp.signal]) })
      .catch((error) => report({ check: 'Test', state: 'failed', found: (error as Error).message }))
      .finally(() => {
        cancel()
        test.isRunning = false
        changes.emit()
      })
  }

  async function remove(machine: OpenMachine): Promise<LeftBehind | undefined> {
    const { driver, name, swarm, id } = machine
    let why: string | undefined = driver.status().reason ?? 'it does not answer'
    const cleared = driver.clear().then(
      () => {
        why = undefined
      },
      (error: Error) => {
        why = error.message
        log.warn('machine not cleared', { machine: name, error })
      },
    )
    await waitAtMost(clock, { ms: CLEAR_MS, signal: closing.signal }, cleared)
    await storage.write(() => storage.machines.remove(name))
    opened.delete(name)
    await closeDriver(machine)
    if (why === undefined) await remains.forget(id)
    closings.emit(machine)
    changes.emit()
    return why === undefined || remains.get(id) === undefined ? undefined : { machine: name, swarm, id, why }
  }

  async function closeDriver({ driver, name }: Pick<OpenMachine, 'driver' | 'name'>): Promise<string | undefined> {
    return driver.close().catch((error: Error) => {
      log.warn('machine not closed', { machine: name, error })
      return error.message
    })
  }

  return {
    open: (): readonly OpenMachine[] => [...opened.values()],
    get: (name: string): OpenMachine | undefined => opened.get(name),
    onOpen(listener: (machine: OpenMachine) => void) {
      openings.on(listener)
      for (const machine of opened.values()) listener(machine)
    },
    onClosed: closings.on,
    onChange: changes.on,
    async start() {
      const stored = storage.machines.all()
      if (stored.length === 0) return
      const fleets = await loadFleets().catch(() => undefined) // failures were already logged
      if (fleets !== undefined) for (const machine of stored) openMachine(fleets, machine)
    },
    sweep() {
      isStarted = true
      for (const machine of opened.values()) if (stateOf(machine).wasConnected) sweep(machine)
    },
    async whenReached(names: readonly string[]) {
      const waited = names.flatMap((name) => opened.get(name) ?? [])
      const isReached = () => waited.every(({ driver }) => driver.status().state === 'connected')
      const until = clock.steady() + limit('machineReachedMs')
      while (!isReached() && clock.steady() < until && !closing.signal.aborted)
        await wait(clock, {
          ms: until - clock.steady(),
          signal: closing.signal,
          listen: changes.on,
        })
    },
    async add(create: MachineCreate): Promise<OpenMachine> {
      if (storage.machines.all().length >= limit('machines'))
        throw new AppError('TOO_MANY_MACHINES', { limit: limit('machines') })
      const fleets = await loadFleets()
      const machine = { ...create, id: newId.worker(), addedAt: clock.now() }
      const isNew = await storage.write(() => storage.machines.add(machine))
      if (!isNew) throw new AppError('MACHINE_EXISTS', { machine: create.name })
      const added = openMachine(fleets, machine)
      beginTest(added)
      return added
    },
    beginTest,
    refresh,
    retire(machine: OpenMachine) {
      stateOf(machine).isRetired = true
      changes.emit()
    },
    /** Await this before creating anything there, so that a later run knows of it. */
    noteUse: ({ id, way }: OpenMachine): Promise<void> => remains.note(id, way),
    /** Records leftovers of another service of this user, like a preview, for later removal. */
    async noteRemains(machine: OpenMachine, id: string) {
      await remains.note(id, machine.way)
      if (stateOf(machine).isSwept) clearRemains(machine)
    },
    /**
     * Cleans it up as far as reachable, closes its driver and forgets it.
     * @returns what stays there
     */
    remove,
    async close(): Promise<readonly LeftBehind[]> {
      closing.abort(new Error('the service stops'))
      const closed = [...opened.values()].map(async (machine): Promise<readonly LeftBehind[]> => {
        const { name, swarm, id } = machine
        const why = await closeDriver(machine)
        if (why === undefined) await remains.forget(id)
        if (why === undefined || remains.get(id) === undefined) return []
        log.warn('workers were left on a machine', { machine: name, why })
        return [{ machine: name, swarm, id, why }]
      })
      return (await Promise.all(closed)).flat()
    },
  }
}

function problemOf(driver: MachineDriver, { isSwept, isRetired }: State): Room | undefined {
  if (isRetired) return { free: 0, reason: 'it is being removed', isAway: true }
  const { state, reason: cause } = driver.status()
  if (state === 'connected') return isSwept ? undefined : { free: 0, reason: 'workers of before are ended there first' }
  const why = cause === undefined ? '' : `: ${cause}`
  const reason = state === 'connecting' ? `connecting${why}` : `it cannot be reached${why}`
  return { free: 0, reason, isAway: true }
}
