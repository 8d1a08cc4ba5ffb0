import type { MachineFacts } from '../../src-main/contract/machines.ts'
import type { DoctorRow } from '../../src-main/contract/system.ts'
import type { ServiceReach } from '../../src-main/services/ports/fleet.ts'
import type { Machine, MachineDriver, MachineStatus } from '../../src-main/services/ports/machines.ts'
import type { Clock } from '../../src-main/services/ports/system.ts'
import { createFakeFleet, type FakeFleet, type FakePlace, fakePlace } from './fake-fleet.ts'

/** A machine of a test: what is there outlives drivers. */
export type FakeMachine = {
  readonly place: FakePlace
  /** Of the driver that is open now. */
  readonly fleet: () => FakeFleet
  facts: MachineFacts
  steps: readonly DoctorRow[]
  /** Graphics cards; a worker that wants one has it for itself. */
  cards: number
  /** Whether it was cleared since it was made. */
  wasCleared: boolean
  /** Nobody reaches it any more, for this reason, or it is reached again. */
  readonly lose: (reason: string) => void
  readonly reach: () => void
}

/** The machines of a test, by name; one that was not prepared is reached and empty. */
export type FakeMachines = {
  readonly at: (name: string) => FakeMachine
  readonly all: () => readonly FakeMachine[]
  readonly open: (
    machine: Machine,
    needs: { readonly clock: Clock; readonly maxWorkers: () => number; readonly reach: ServiceReach },
  ) => MachineDriver
}

const FACTS: MachineFacts = { engine: '28.0', cpus: 8, memoryBytes: 16 * 2 ** 30, cards: [], images: [] }

/** Makes the machines: each driver is the fake fleet, on a place of its own. */
export function fakeMachines(): FakeMachines {
  const machines = new Map<
    string,
    FakeMachine & { driven: FakeFleet | undefined; status: MachineStatus; heard: (() => void)[] }
  >()

  function at(name: string) {
    const known = machines.get(name)
    if (known !== undefined) return known
    const change = (status: MachineStatus) => {
      machine.status = status
      for (const listener of machine.heard) listener()
    }
    const machine = {
      place: fakePlace(),
      driven: undefined as FakeFleet | undefined,
      status: { state: 'connected', since: 0 } as MachineStatus,
      heard: [] as (() => void)[],
      fleet() {
        if (machine.driven === undefined) throw new Error(`${name} was not added`)
        return machine.driven
      },
      facts: FACTS,
      steps: [{ check: 'Docker engine', state: 'ok', found: '28.0' }] as readonly DoctorRow[],
      cards: Number.POSITIVE_INFINITY,
      wasCleared: false,
      lose: (reason: string) => change({ state: 'unreachable', reason, since: 1 }),
      reach: () => change({ state: 'connected', since: 2 }),
    }
    machines.set(name, machine)
    return machine
  }

  return {
    at,
    all: () => [...machines.values()],
    open({ name }, needs) {
      const machine = at(name)
      const fleet = createFakeFleet({ ...needs, place: machine.place })
      fleet.cards = machine.cards
      machine.driven = fleet
      machine.heard = []
      return {
        fleet: { ...fleet, isAway: () => machine.status.state !== 'connected' },
        status: () => machine.status,
        facts: async () => machine.facts,
        test: async ({ report }) => {
          for (const step of machine.steps) report(step)
        },
        onChange: (listener) => void machine.heard.push(listener),
        clear: async () => {
          machine.wasCleared = true
        },
        close: () => fleet.close(),
      }
    },
  }
}
