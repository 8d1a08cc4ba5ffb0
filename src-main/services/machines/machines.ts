/**
 * The machines that were added: their drivers, and what is known of each. When a machine is reached, also again after it
 * was away, what workers of before are left there are ended first; until then it has no room.
 */
import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import type { MachineCreate, MachineFacts, MachineView } from '../../contract/machines.ts'
import type { DoctorRow } from '../../contract/system.ts'
import { createEmitter } from '../../domain/emitter.ts'
import type { LeftBehind } from '../../domain/machines/left-behind.ts'
import type { Room } from '../../domain/worker/place.ts'
import type { MachineDriver, MachineFleets } from '../ports/machines.ts'
import type { Machine, Storage } from '../ports/storage.ts'
import type { Clock, Log, NewId } from '../ports/system.ts'
import { wait, waitAtMost } from '../wait.ts'
import { createRemains } from './remains.ts'

/** A machine with its driver. */
export type OpenMachine = Machine & {
  readonly driver: MachineDriver
  /** Why nothing can be started there now; undefined: its driver says how much. */
  readonly problem: () => Room | undefined
  /** What it has, as last read; undefined before it was reached. */
  readonly facts: () => MachineFacts | undefined
  readonly test: () => MachineView['test']
}

/** The machines that were added: reached, tested, removed. */
export type Machines = {
  readonly open: () => readonly OpenMachine[]
  readonly get: (name: string) => OpenMachine | undefined
  /** Notified of each machine when its driver is made, also of those that are there. */
  readonly onOpen: (listener: (machine: OpenMachine) => void) => void
  readonly onClosed: (listener: (machine: OpenMachine) => void) => void
  /** Is notified when a machine came, went or was reached or lost. */
  readonly onChange: (listener: () => void) => void
  /** Makes the drivers of those that are stored. Workers of an earlier run wait there to be adopted. */
  readonly start: () => void
  /** Ends what nobody adopted, on those that are reached now and on others when they are. */
  readonly sweep: () => void
  /** Waits until the named machines are reached, but not for long. */
  readonly whenReached: (names: readonly string[]) => Promise<void>
  /** Adds a machine and begins to test it. @throws AppError MACHINE_EXISTS, TOO_MANY_MACHINES */
  readonly add: (machine: MachineCreate) => Promise<OpenMachine>
  /** Begins a test; where one runs, it goes on. */
  readonly beginTest: (machine: OpenMachine) => void
  /** Reads again what a machine has, where that is old; whoever asks next sees it. */
  readonly refresh: (machine: OpenMachine) => void
  /** Cordons the host until it is removed. */
  readonly retire: (machine: OpenMachine) => void
  /** Await this before creating anything there, so that a later run knows of it. */
  readonly noteUse: (machine: OpenMachine) => Promise<void>
  /** Notes what another service of this user, as of a preview, left there under an id; it is removed when that can be. */
  readonly noteRemains: (machine: OpenMachine, id: string) => Promise<void>
  /** Clears it as far as it can be reached, closes its driver and forgets it. @returns what stays there */
  readonly remove: (machine: OpenMachine) => Promise<LeftBehind | undefined>
  /** @returns what stays on machines that could not be cleaned up */
  readonly close: () => Promise<readonly LeftBehind[]>
}

// How old facts may be before they are read again, ms; source: ours, the page asks every 2 s.
const FACTS_MS = 5000
// How long a removal waits for a machine that does not answer, ms; source: ours.
const CLEAR_MS = 10_000
const TEST_MS = 120_000

type State = {
  facts: MachineFacts | undefined
  factsAt: number
  isReading: boolean
  /** Of the connection that is there now, what was left by others has been ended. */
  isSwept: boolean
  isRetired: boolean
  wasConnected: boolean
  /** It was reached and swept in this run. */
  wasReached: boolean
  test: { isRunning: boolean; steps: DoctorRow[] }
}

/** Makes the machines; no driver is made yet. */
export function createMachines({
  storage,
  fleets,
  clock,
  newId,
  log,
}: {
  readonly storage: Pick<Storage, 'machines' | 'state' | 'write'>
  readonly fleets: MachineFleets
  readonly clock: Clock
  readonly newId: Pick<NewId, 'worker'>
  readonly log: Log
}): Machines {
  const opened = new Map<string, OpenMachine>()
  const states = new WeakMap<OpenMachine, State>()
  const closing = new AbortController()
  const remains = createRemains({ storage, clock })
  const clearing = new Set<string>() // ids under which something is being removed
  const startedAt = clock.now()
  const openings = createEmitter<[OpenMachine]>()
  const closings = createEmitter<[OpenMachine]>()
  const changes = createEmitter()
  const stateOf = (machine: OpenMachine) => states.get(machine) as State // each has one from the start

  function openMachine(stored: Machine): OpenMachine {
    const driver = fleets.open(stored)
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

  /** Acts on what the driver says of its connection. */
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

  let isStarted = false // before, workers of an earlier run wait to be adopted

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

  /** Begins to remove what was left there under other ids; what an earlier run left has just been ended. */
  function clearRemains(machine: OpenMachine): void {
    const state = stateOf(machine)
    const own = remains.get(machine.id)
    if (own !== undefined && own.notedAt < startedAt && !state.wasReached)
      log.info('workers that an earlier run left on a machine were ended or taken over', { machine: machine.name })
    state.wasReached = true
    const inUse = new Set([...opened.values()].map(({ id }) => id)) // one machine may be there under two names
    for (const { id } of remains.at(machine.way)) if (!inUse.has(id)) void clearOther(machine, id)
  }

  /** Never rejects. */
  async function clearOther(machine: OpenMachine, id: string): Promise<void> {
    const { name } = machine
    if (clearing.has(id)) return
    clearing.add(id)
    const driver = fleets.open({ ...machine, id })
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
    const { driver, name, id } = machine
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
    return why === undefined || remains.get(id) === undefined ? undefined : { machine: name, id, why }
  }

  /** @returns why not all could be removed */
  async function closeDriver({ driver, name }: Pick<OpenMachine, 'driver' | 'name'>): Promise<string | undefined> {
    return driver.close().catch((error: Error) => {
      log.warn('machine not closed', { machine: name, error })
      return error.message
    })
  }

  return {
    open: () => [...opened.values()],
    get: (name) => opened.get(name),
    onOpen(listener) {
      openings.on(listener)
      for (const machine of opened.values()) listener(machine)
    },
    onClosed: closings.on,
    onChange: changes.on,
    start() {
      for (const stored of storage.machines.all()) openMachine(stored)
    },
    sweep() {
      isStarted = true
      for (const machine of opened.values()) if (stateOf(machine).wasConnected) sweep(machine)
    },
    async whenReached(names) {
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
    async add(create) {
      if (storage.machines.all().length >= limit('machines'))
        throw new AppError('TOO_MANY_MACHINES', { limit: limit('machines') })
      const machine = { ...create, id: newId.worker(), addedAt: clock.now() }
      const isNew = await storage.write(() => storage.machines.add(machine))
      if (!isNew) throw new AppError('MACHINE_EXISTS', { machine: create.name })
      const added = openMachine(machine)
      beginTest(added)
      return added
    },
    beginTest,
    refresh,
    retire(machine) {
      stateOf(machine).isRetired = true
      changes.emit()
    },
    noteUse: ({ id, way }) => remains.note(id, way),
    async noteRemains(machine, id) {
      await remains.note(id, machine.way)
      if (stateOf(machine).isSwept) clearRemains(machine)
    },
    remove,
    async close() {
      closing.abort(new Error('the service stops'))
      const closed = [...opened.values()].map(async (machine): Promise<readonly LeftBehind[]> => {
        const { name, id } = machine
        const why = await closeDriver(machine)
        if (why === undefined) await remains.forget(id)
        if (why === undefined || remains.get(id) === undefined) return []
        log.warn('workers were left on a machine', { machine: name, why })
        return [{ machine: name, id, why }]
      })
      return (await Promise.all(closed)).flat()
    },
  }
}

function problemOf(driver: MachineDriver, { isSwept, isRetired }: State): Room | undefined {
  if (isRetired) return { free: 0, reason: 'it is being removed' }
  const { state, reason: cause } = driver.status()
  if (state === 'connected') return isSwept ? undefined : { free: 0, reason: 'workers of before are ended there first' }
  const why = cause === undefined ? '' : `: ${cause}`
  const reason = state === 'connecting' ? `connecting${why}` : `it cannot be reached${why}`
  return { free: 0, reason, isAway: true }
}
