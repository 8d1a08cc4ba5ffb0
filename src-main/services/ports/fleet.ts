/** The port of the fleet: what places workers, and what it tells of them. */
import type { ContainerSettings } from '../../contract/container.ts'
import type { EndpointConfig, WorkerUsage } from '../../contract/endpoint.ts'
import type { ShellSize } from '../../contract/shell.ts'
import type { FleetMachine } from './machine.ts'

/** What a driver needs to place a worker: which program, on what. */
export type WorkerPlan = {
  readonly endpointId: string
  readonly handler: string | undefined
  readonly command: string | undefined
  readonly cwd: string | undefined
  /** PATH and VIRTUAL_ENV of a process, where they are not those of the service. */
  readonly searchPath?: string | undefined
  readonly virtualEnv?: string | undefined
  readonly python: string
  /** Set: the worker is a container. */
  readonly container: ContainerSettings | undefined
  /** Set: the worker answers HTTP requests on a port. */
  readonly loadBalanced: EndpointConfig['loadBalanced']
  /** To which app it belongs, for labels. */
  readonly app: EndpointConfig['app']
}

/** What a driver needs to start a worker. */
export type WorkerSpec = WorkerPlan & { readonly workerId: string; readonly env: Readonly<Record<string, string>> }

/** Addresses at which workers on a place reach the service, without a slash at the end. */
export type ServiceReach = { readonly workerUrl: string; readonly serviceUrl: string }

/** Where this machine reaches a load-balanced worker. `healthPort` is the one for GET /ping. */
export type WorkerAddress = { readonly host: string; readonly port: number; readonly healthPort: number }

/** A worker that a driver runs. `handle` is JSON by which a later run of the service finds it. */
export type FleetWorker = {
  readonly workerId: string
  readonly handle: string
  readonly pid: number | undefined
  readonly container?: string | undefined
  readonly gpus?: readonly string[] | undefined
  readonly address?: WorkerAddress | undefined
}

/** Who waits for something that takes long: hears what is being done, for a person, and may break it off. */
export type Watch = { readonly tell: (progress: string) => void; readonly signal: AbortSignal }

/** How a worker ended. */
export type WorkerExit = {
  readonly workerId: string
  readonly code: number | undefined
  readonly signal: string | undefined
  /** What the driver knows that neither code nor signal say: out of memory, an image that is missing. */
  readonly reason: string | undefined
  /** It did not end by itself: its engine went away. */
  readonly blameless?: true
}

/** Raw output of a worker, whole lines. */
export type WorkerOutput = {
  readonly workerId: string
  readonly lines: readonly string[]
  readonly at: number
  /** When each line was written, wall ms, where the driver learns of lines later than that; else all at `at`. */
  readonly writtenAt?: readonly number[]
  /** To be called when the lines are stored: a worker that is adopted later does not give them again. */
  readonly stored?: () => void
}

/** Who hears of a shell: each byte of its terminal in order, then its end. Called from the moment it is open. */
export type ShellListener = {
  readonly onBytes: (bytes: Uint8Array) => void
  /** @param why for a person */
  readonly onEnd: (why: string) => void
}

/** A shell that runs beside a worker. */
export type FleetShell = {
  /** Its name, like `bash`. */
  readonly program: string
  /** Types; settles when it was taken. */
  readonly write: (text: string) => Promise<void>
  readonly resize: (size: ShellSize) => Promise<void>
  /** Lets it wait with what it writes, or go on. */
  readonly hold: (holds: boolean) => void
  /** Ends it with what runs in it. `onEnd` is not called any more. */
  readonly close: () => Promise<void>
}

/**
 * The engine that places workers; it knows nothing of queues. Drivers: processes, containers. Every driver passes
 * test/conformance/fleet.
 */
export type Fleet = {
  /**
   * Makes ready what the plan needs (an image, a network) and says how its workers reach the service.
   * Rejects with a reason for a person, also when the signal aborts it.
   */
  readonly ensure: (plan: WorkerPlan, watch: Watch) => Promise<ServiceReach>
  /** Makes a worker that does not run yet; `start` with the same id then takes less time. `stop` throws it away. */
  readonly prepare: (spec: WorkerSpec) => Promise<void>
  readonly start: (spec: WorkerSpec) => Promise<FleetWorker>
  /** Asks the worker to end, and ends it with all its children when the grace time is over. Safe to call twice. */
  readonly stop: (workerId: string, graceMs: number) => Promise<void>
  /** Freezes a worker: it keeps its memory and uses no processor. */
  readonly pause: (workerId: string) => Promise<void>
  /** Lets a frozen worker go on. */
  readonly resume: (workerId: string) => Promise<void>
  /** The workers that run or are paused, without prepared ones. */
  readonly list: () => readonly FleetWorker[]
  /** Whether nothing is known of the worker now, as its engine does not answer. */
  readonly isAway: (workerId: string) => boolean
  /** Takes over a worker of an earlier run. False: it is gone, or another program has its place. */
  readonly adopt: (worker: { readonly workerId: string; readonly handle: string }) => Promise<boolean>
  /** Ends whatever earlier runs left behind and nobody adopted. */
  readonly sweep: () => Promise<void>
  /** Delivers what was read of the output so far, so that lines can be told apart by job. */
  readonly drainOutput: (workerId: string) => void
  /**
   * How many more workers with this plan find a place now, and why not more; `never`: none will on this machine as it
   * is, also if nothing else ran.
   */
  readonly capacity: (plan: { readonly container?: ContainerSettings | undefined }) => {
    readonly free: number
    readonly reason: string | undefined
    readonly never?: boolean | undefined
  }
  /**
   * Why no worker with such a container could ever run on this machine as it is, also if nothing else ran: no engine, no
   * card of this kind. Undefined: one could. Looks now, so it takes a moment.
   */
  readonly refusal: (plan: { readonly container?: ContainerSettings | undefined }) => Promise<string | undefined>
  /** What its workers use now. Costs something: only while somebody looks. */
  readonly usage: (workerIds: readonly string[]) => Promise<ReadonlyMap<string, WorkerUsage>>
  /**
   * Opens a shell beside a worker, where the driver sets its workers apart from the machine.
   * Rejects with a reason for a person.
   */
  readonly openShell: (workerId: string, size: ShellSize, listener: ShellListener) => Promise<FleetShell>
  /** What its engine and the cards tell of themselves; missing: it has neither. */
  readonly machine?: FleetMachine | undefined
  readonly onExit: (listener: (exit: WorkerExit) => void) => void
  readonly onOutput: (listener: (output: WorkerOutput) => void) => void
  /** Hears when `capacity` may have changed by itself: an engine that came or went. */
  readonly onCapacity: (listener: () => void) => void
  readonly close: () => Promise<void>
}
