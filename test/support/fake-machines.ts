import type { MachineFacts } from '../../src-main/contract/machines.ts'
import type { DoctorRow } from '../../src-main/contract/system.ts'
import type { MachineDriver, MachineStatus } from '../../src-main/features/machines/ports.ts'
import type { Clock } from '../../src-main/lib/clock.ts'
import type { ServiceReach } from '../../src-main/runtimes/port.ts'
import type { Machine } from '../../src-main/storage/storage.ts'
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
  /** Ids under which something was made there, of its driver and of others that were cleared. */
  readonly clearedIds: string[]
  /** Nobody reaches it any more, for this reason, or it is reached again. */
  readonly lose: (reason: string) => void
  readonly reach: () => void
  /** If set, `lose` loses only this node, as in a swarm. */
  lostNode: string | undefined
  /** The removal of leftovers waits for this. */
  sweepsAfter: Promise<void> | undefined
  /** If set, `checkAway` notices that it is lost, for this reason. */
  losesWhenAsked: string | undefined
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
    FakeMachine & {
      driven: FakeFleet | undefined
      status: MachineStatus
      heard: (() => void)[]
      openId: string | undefined
      /** Workers whose stop was asked for while nobody reached them. */
      stops: Set<string>
    }
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
      lostNode: undefined as string | undefined,
      sweepsAfter: undefined as Promise<void> | undefined,
      losesWhenAsked: undefined as string | undefined,
      clearedIds: [] as string[],
      openId: undefined as string | undefined,
      lose: (reason: string) => change({ state: 'unreachable', reason, since: 1 }),
      stops: new Set<string>(),
      reach() {
        change({ state: 'connected', since: 2 })
        for (const workerId of machine.stops) void machine.fleet().stop(workerId, 0)
        machine.stops.clear()
      },
    }
    machines.set(name, machine)
    return machine
  }

  return {
    at,
    all: () => [...machines.values()],
    open({ name, id }, needs) {
      const machine = at(name)
      // As a real machine, it takes nobody's word where nobody reaches it.
      const unreached = () => (machine.status.state === 'connected' ? undefined : machine.status.reason)
      const clear = async () => {
        const why = unreached()
        if (why !== undefined) throw new Error(why)
        machine.clearedIds.push(id)
      }
      const isSecond = machine.openId !== undefined && machine.openId !== id
      if (isSecond) return secondDriver(createFakeFleet(needs), { status: () => machine.status, clear })
      machine.openId = id
      const fleet = createFakeFleet({ ...needs, place: machine.place })
      fleet.cards = machine.cards
      machine.driven = fleet
      machine.heard = []
      return {
        fleet: {
          ...fleet,
          isAway: () => machine.status.state !== 'connected',
          awayNode: () => machine.lostNode,
          async checkAway() {
            if (machine.losesWhenAsked !== undefined) machine.lose(machine.losesWhenAsked)
          },
          async sweep() {
            await machine.sweepsAfter
            await fleet.sweep()
          },
          async stop(workerId, graceMs) {
            if (unreached() === undefined) await fleet.stop(workerId, graceMs)
            else machine.stops.add(workerId)
          },
        },
        status: () => machine.status,
        facts: async () => machine.facts,
        test: async ({ report }) => {
          for (const step of machine.steps) report(step)
        },
        onChange: (listener) => void machine.heard.push(listener),
        clear: async () => {
          await clear()
          machine.wasCleared = true
        },
        async close() {
          machine.openId = undefined
          const why = unreached()
          if (why === undefined) await fleet.close()
          else fleet.abandon()
          return why
        },
      }
    },
  }
}

// Of what another service left there: nothing of it runs here.
function secondDriver(fleet: FakeFleet, { status, clear }: Pick<MachineDriver, 'status' | 'clear'>): MachineDriver {
  return {
    ...{ fleet, status, clear },
    facts: async () => FACTS,
    test: async () => undefined,
    onChange: () => undefined,
    close: async () => undefined,
  }
}
