/**
 * The machines that were added: their drivers, and what is known of each. When a machine is reached, also again after it
 * was away, what workers of before are left there are ended first; until then it has no room.
 */
import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import type { MachineCreate, MachineFacts, MachineView } from '../../contract/machines.ts'
import type { DoctorRow } from '../../contract/system.ts'
import type { Room } from '../../domain/worker/place.ts'
import type { Machine, MachineDriver, MachineFleets } from '../ports/machines.ts'
import type { Storage } from '../ports/storage.ts'
import type { Clock, Log, NewId } from '../ports/system.ts'
import { wait, waitAtMost } from '../wait.ts'

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
  /** Starts nothing more there; undone by nothing but removal. */
  readonly retire: (machine: OpenMachine) => void
  /** Clears it as far as it can be reached, closes its driver and forgets it. */
  readonly remove: (machine: OpenMachine) => Promise<void>
  readonly close: () => Promise<void>
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
  readonly storage: Pick<Storage, 'machines' | 'write'>
  readonly fleets: MachineFleets
  readonly clock: Clock
  readonly newId: Pick<NewId, 'worker'>
  readonly log: Log
}): Machines {
  const opened = new Map<string, OpenMachine>()
  const states = new WeakMap<OpenMachine, State>()
  const closing = new AbortController()
  const listeners = {
    open: [] as ((machine: OpenMachine) => void)[],
    closed: [] as ((machine: OpenMachine) => void)[],
    change: new Set<() => void>(),
  }
  const notify = () => {
    for (const listener of [...listeners.change]) listener()
  }
  const stateOf = (machine: OpenMachine) => states.get(machine) as State // each has one from the start

  function openMachine(stored: Machine): OpenMachine {
    const driver = fleets.open(stored)
    const state: State = {
      ...{ facts: undefined, factsAt: Number.NEGATIVE_INFINITY, isReading: false, isSwept: false, isRetired: false },
      ...{ wasConnected: false, test: { isRunning: false, steps: [] } },
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
    for (const listener of listeners.open) listener(machine)
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
    notify()
  }

  let isStarted = false // before, workers of an earlier run wait to be adopted

  function sweep(machine: OpenMachine): void {
    const state = stateOf(machine)
    machine.driver.fleet
      .sweep()
      .then(() => {
        state.isSwept = machine.driver.status().state === 'connected'
        refresh(machine)
        notify()
      })
      .catch((error) => log.warn('workers of before not ended', { machine: machine.name, error }))
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
        notify()
      })
  }

  function beginTest(machine: OpenMachine): void {
    const state = stateOf(machine)
    if (state.test.isRunning) return
    const test = { isRunning: true, steps: [] as DoctorRow[] }
    state.test = test
    const report = (step: DoctorRow) => {
      test.steps.push(step)
      notify()
    }
    const giveUp = new AbortController()
    const cancel = clock.after(TEST_MS, () => giveUp.abort(new Error('it took too long')))
    machine.driver
      .test({ report, signal: AbortSignal.any([closing.signal, giveUp.signal]) })
      .catch((error) => report({ check: 'Test', state: 'failed', found: (error as Error).message }))
      .finally(() => {
        cancel()
        test.isRunning = false
        notify()
      })
  }

  async function remove(machine: OpenMachine): Promise<void> {
    const { driver, name } = machine
    const cleared = driver.clear().catch((error) => log.warn('machine not cleared', { machine: name, error }))
    await waitAtMost(clock, { ms: CLEAR_MS, signal: closing.signal }, cleared)
    await storage.write(() => storage.machines.remove(name))
    opened.delete(name)
    await driver.close().catch((error) => log.warn('machine not closed', { machine: name, error }))
    for (const listener of listeners.closed) listener(machine)
    notify()
  }

  return {
    open: () => [...opened.values()],
    get: (name) => opened.get(name),
    onOpen(listener) {
      listeners.open.push(listener)
      for (const machine of opened.values()) listener(machine)
    },
    onClosed: (listener) => void listeners.closed.push(listener),
    onChange: (listener) => void listeners.change.add(listener),
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
          listen(wake) {
            listeners.change.add(wake)
            return () => listeners.change.delete(wake)
          },
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
      notify()
    },
    remove,
    async close() {
      closing.abort(new Error('the service stops'))
      await Promise.all(
        [...opened.values()].map(({ driver, name }) =>
          driver.close().catch((error) => log.warn('machine not closed', { machine: name, error })),
        ),
      )
    },
  }
}

function problemOf(driver: MachineDriver, { isSwept, isRetired }: State): Room | undefined {
  if (isRetired) return { free: 0, reason: 'it is being removed' }
  const { state, reason: cause } = driver.status()
  if (state === 'connected') return isSwept ? undefined : { free: 0, reason: 'workers of before are ended there first' }
  const why = cause === undefined ? '' : `: ${cause}`
  const reason = state === 'connecting' ? `it is being reached${why}` : `it cannot be reached${why}`
  return { free: 0, reason, isAway: true }
}
