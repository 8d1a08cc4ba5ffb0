import type { MACHINE_STATES, MachineFacts } from '../../contract/machines.ts'
import type { DoctorRow } from '../../contract/system.ts'
import type { Fleet } from '../../runtimes/port.ts'
import type { Machine } from '../../storage/storage.ts'

/** Whether an engine answers; `since` is when that began, wall ms. */
export type MachineStatus = {
  readonly state: (typeof MACHINE_STATES)[number]
  /** Current activity, or why it is unreachable, in OpenSSH's own words if known. */
  readonly reason?: string | undefined
  readonly since: number
}

export type TestWatch = { readonly report: (step: DoctorRow) => void; readonly signal: AbortSignal }

/** Drives one machine's engine. It connects from creation on and reconnects when the connection breaks. */
export type MachineDriver = {
  /** Must pass test/conformance/fleet. Handles need not name the machine, which the joined fleet adds. */
  readonly fleet: Fleet
  readonly status: () => MachineStatus
  /** Rejects, with a reason for the user, if the engine does not answer. */
  readonly facts: () => Promise<MachineFacts>
  /** Tests whether workers can run there; never rejects, as failed steps report why. */
  readonly test: (watch: TestWatch) => Promise<void>
  /** Docker's join commands; missing if there is no swarm. Rejects with a reason for the user. */
  readonly joinCommands?: (() => Promise<{ readonly worker: string; readonly manager: string }>) | undefined
  readonly onChange: (listener: () => void) => void
  /** Removes everything this service created there. Rejects with a reason for the user; `close` follows in any case. */
  readonly clear: () => Promise<void>
  /**
   * Ends its running workers and the connection.
   * @returns why something is still running there, for the user
   */
  readonly close: () => Promise<string | undefined>
}

export type MachineFleets = {
  /** Creates a connecting driver, which the caller must close. Never throws. */
  readonly open: (machine: Machine) => MachineDriver
}
