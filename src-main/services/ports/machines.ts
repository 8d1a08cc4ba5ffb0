/** The port of machines: the driver of the engine of one. */
import type { MACHINE_STATES, MachineFacts } from '../../contract/machines.ts'
import type { DoctorRow } from '../../contract/system.ts'
import type { Fleet } from './fleet.ts'
import type { Machine } from './storage.ts'

/** Whether an engine answers; `since` is wall ms. */
export type MachineStatus = {
  readonly state: (typeof MACHINE_STATES)[number]
  /** What is being done, or why it is not reachable; OpenSSH's own words where they are known. */
  readonly reason?: string | undefined
  readonly since: number
}

/** Who runs a test: is told of each step as soon as it is known, and may break it off. */
export type TestWatch = { readonly report: (step: DoctorRow) => void; readonly signal: AbortSignal }

/**
 * What drives the engine of one machine. It connects by itself from the moment it is made, and again when the
 * connection broke.
 */
export type MachineDriver = {
  /**
   * Workers there. It passes test/conformance/fleet. Handles and workers of it need not name the machine: whoever
   * joins the fleets adds that.
   */
  readonly fleet: Fleet
  readonly status: () => MachineStatus
  /** Rejects, with a reason for a person, where its engine does not answer. */
  readonly facts: () => Promise<MachineFacts>
  /** Looks at what it takes to run a worker there, step by step; never rejects: a step that fails says why. */
  readonly test: (watch: TestWatch) => Promise<void>
  /** Docker's own commands with which a node joins; missing: it is no swarm. Rejects with a reason for a person. */
  readonly joinCommands?: (() => Promise<{ readonly worker: string; readonly manager: string }>) | undefined
  /** Is notified when the status, or what `fleet.capacity` says, may have changed. */
  readonly onChange: (listener: () => void) => void
  /**
   * Ends and removes all that this service made there. Rejects, with a reason for a person, where that cannot be done
   * now. `close` is called afterwards in any case.
   */
  readonly clear: () => Promise<void>
  /**
   * Ends the workers that still run there and the connection.
   * @returns why not all could be removed there, for a person; undefined: nothing is left that runs
   */
  readonly close: () => Promise<string | undefined>
}

/** The drivers of machines. */
export type MachineFleets = {
  /** Makes the driver of a machine, which begins to connect; whoever opened it closes it. Never throws. */
  readonly open: (machine: Machine) => MachineDriver
}
