/** The port of the fleet: what starts workers, and what it reports of them. */
import type { ContainerSettings } from '../../contract/container.ts'
import type { EndpointConfig, WorkerUsage } from '../../contract/endpoint.ts'
import type { DoctorRow, EngineView } from '../../contract/system.ts'
import type { ShellSize } from '../../contract/workers.ts'
import type { GpuHold } from '../../domain/worker/gpu-allocation.ts'
import type { GpuInventory } from '../../domain/worker/gpu-list.ts'
import type { Room } from '../../domain/worker/place.ts'

/** What a driver needs to start a worker: which program, on what. */
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
  /** Names of the hosts that stand for endpoints, where it may call them as hosts; undefined: it calls none. */
  readonly callsHosts?: readonly string[] | undefined
}

/** What a driver needs to start a worker. */
export type WorkerSpec = WorkerPlan & { readonly workerId: string; readonly env: Readonly<Record<string, string>> }

/** Addresses at which workers, as processes or in containers, reach the service, without a slash at the end. */
export type ServiceReach = {
  readonly workerUrl: string
  readonly serviceUrl: string
  /** They are on another machine, whose users see what they get: no key goes there but their own token. */
  readonly isElsewhere?: boolean | undefined
  /** Set for a worker that may call endpoints as hosts. */
  readonly endpointHosts?: EndpointHosts | undefined
}

/** How a worker calls load-balanced endpoints as hosts of their own, over https. Source: docs/spec/platform.md, 6. */
export type EndpointHosts = {
  /** Address of the service below whose host they are, without a slash at the end. */
  readonly url: string
  /** File with the authorities that programs trust and that of the service, at its path in the worker. */
  readonly bundle: string
}

/** Where this machine reaches a load-balanced worker. `healthPort` is asked for its health. */
export type WorkerAddress = { readonly host: string; readonly port: number; readonly healthPort: number }

/** A worker that a driver runs. `handle` is JSON by which a later run of the service finds it. */
export type FleetWorker = {
  readonly workerId: string
  readonly handle: string
  readonly pid: number | undefined
  readonly container?: string | undefined
  /** Name of the machine that it runs on; missing: this one. */
  readonly machine?: string | undefined
  readonly gpus?: readonly string[] | undefined
  readonly address?: WorkerAddress | undefined
}

/** Who waits for something that takes long: receives what is being done, for a person, and may break it off. */
export type Watch = { readonly report: (progress: string) => void; readonly signal: AbortSignal }

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

/** Who is notified of a shell: each byte of its terminal in order, then its end. Called from the moment it is open. */
export type ShellListener = {
  readonly onBytes: (bytes: Uint8Array) => void
  /** @param why for a person */
  readonly onEnd: (why: string) => void
}

/** A shell that runs beside a worker. */
export type FleetShell = {
  /** Its name, like `bash`. */
  readonly program: string
  /** Types; resolves when it was taken. */
  readonly write: (text: string) => Promise<void>
  readonly resize: (size: ShellSize) => Promise<void>
  /** Lets it wait with what it writes, or go on. */
  readonly hold: (holds: boolean) => void
  /** Ends it with what runs in it. `onEnd` is not called any more. */
  readonly close: () => Promise<void>
}

/**
 * The engine that runs workers; it knows nothing of queues. Drivers: processes, containers. Every driver passes
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
  /** Freezes a worker: it keeps its memory and uses no CPU. */
  readonly pause: (workerId: string) => Promise<void>
  /** Lets a frozen worker go on. */
  readonly resume: (workerId: string) => Promise<void>
  /** The workers that run or are paused, without prepared ones. */
  readonly list: () => readonly FleetWorker[]
  /** Whether nothing is known of the worker now, as its engine does not answer. */
  readonly isAway: (workerId: string) => boolean
  /** Takes over a worker of an earlier run. False: it is gone, or another program has its pid. */
  readonly adopt: (worker: { readonly workerId: string; readonly handle: string }) => Promise<boolean>
  /** Ends whatever earlier runs left behind and nobody adopted. */
  readonly sweep: () => Promise<void>
  /** Delivers what was read of the output so far, so that lines can be told apart by job. */
  readonly drainOutput: (workerId: string) => void
  /**
   * How many more workers with this plan find a slot now, and why not more; `never`: none will on this machine as it
   * is, also if nothing else ran.
   */
  readonly capacity: (plan: { readonly container?: ContainerSettings | undefined }) => Room
  /**
   * Why no worker with such a container could ever run on this machine as it is, also if nothing else ran: no engine,
   * no card of this kind. Undefined: one could. Looks now, so it takes a moment.
   */
  readonly refusal: (plan: { readonly container?: ContainerSettings | undefined }) => Promise<string | undefined>
  /** What its workers use now. Costs something: only while somebody looks. */
  readonly usage: (workerIds: readonly string[]) => Promise<ReadonlyMap<string, WorkerUsage>>
  /**
   * Opens a shell beside a worker, where the driver sets its workers apart from the machine.
   * Rejects with a reason for a person.
   */
  readonly openShell: (workerId: string, size: ShellSize, listener: ShellListener) => Promise<FleetShell>
  /** What is known of its engine and its cards; missing: it has neither. */
  readonly machine?: FleetMachine | undefined
  readonly onExit: (listener: (exit: WorkerExit) => void) => void
  readonly onOutput: (listener: (output: WorkerOutput) => void) => void
  /** Is notified when `capacity` may have changed by itself: an engine that came or went. */
  readonly onCapacity: (listener: () => void) => void
  readonly close: () => Promise<void>
}

// What is known of the engine of the containers, and of the machine under the service.

/** An image that this program made, in bytes. `old`: nobody needs it any more. */
export type OwnImage = { readonly name: string; readonly bytes: number; readonly old: boolean }

/** What the engine itself tells, for those who know its form. */
type EngineReport = EngineView & {
  readonly info?: Readonly<Record<string, unknown>> | undefined
  /** Like `Docker Desktop 4.44.3 (202357)`. */
  readonly platform?: string | undefined
}

/** The engine of a fleet that has one, and the cards beside it. */
export type FleetMachine = {
  /** Looks for it where nobody did. Never rejects. */
  readonly engine: () => Promise<EngineReport>
  /** The cards and who holds them; read once, and again only if `fresh`, since that wakes a card that sleeps. */
  readonly gpus: (fresh: boolean) => Promise<{ readonly inventory: GpuInventory; readonly holds: readonly GpuHold[] }>
  /** The images that this program made. Rejects, with a sentence for a person, when no engine answers. */
  readonly images: () => Promise<readonly OwnImage[]>
  /** Removes those that are old; one that a container has stays. Rejects as `images` does. */
  readonly removeOldImages: () => Promise<void>
  /** Name of the image of workers without wishes. */
  readonly workerImage: () => string
  /** Makes that image where it is missing. Rejects with a reason for a person. */
  readonly makeWorkerImage: (watch: {
    /** Receives what is being done, for a person. */
    readonly report: (progress: string) => void
    readonly signal: AbortSignal
  }) => Promise<void>
}

/** A version of something; undefined: it is not there. */
export type ToolVersion = { readonly name: string; readonly version: string | undefined }

/** What cleaning up the data folder takes. */
export type FolderSize = { readonly bytes: number; readonly files: number }

/** An entry of a folder, with all that is in it; the time is wall ms. */
export type FolderEntry = { readonly name: string; readonly bytes: number; readonly changedAt: number }

/** What the process of the service takes; sums since it started. */
export type ProcessReading = {
  readonly cpuSeconds: number
  readonly residentBytes: number
  readonly loopBusySeconds: number
  readonly loopDelay: { readonly p99Seconds: number; readonly maxSeconds: number }
}

/** The machine under the service, and the service's data folder on it. */
export type Host = {
  /** Node, Python, data folder, permissions, free space, and with what the fleet tells Docker and the cards. */
  readonly check: (facts: {
    readonly python: string
    readonly engine: () => Promise<EngineReport | undefined>
  }) => Promise<readonly DoctorRow[]>
  /** Node, SQLite, Python, the operating system, the driver and toolkit of cards. */
  readonly versions: (python: string) => Promise<readonly ToolVersion[]>
  /** Takes the rights of others on the data folder away. @returns names of what was changed */
  readonly tightenPermissions: () => Promise<readonly string[]>
  /** What files and folders take, named from the data folder or absolute; those that are not there count as nothing. */
  readonly measure: (names: readonly string[]) => Promise<FolderSize>
  /** The entries of a folder of the data folder; none where it is not there. */
  readonly list: (name: string) => Promise<readonly FolderEntry[]>
  readonly space: () => Promise<{ readonly freeBytes: number; readonly totalBytes: number }>
  /** What the process of the service takes. Delays are those since the call before, and 0 at the first. */
  readonly readProcess: () => ProcessReading
  /** Folders of previews that were killed, and what they take. */
  readonly leftPreviews: () => Promise<FolderSize & { readonly folders: number }>
  /**
   * Ends what killed previews left, and removes their folders. Rejects with what could not be removed, for a person.
   */
  readonly removePreviews: () => Promise<void>
  /** Empties the log of the service itself. */
  readonly emptyLog: () => Promise<void>
  /**
   * The user of this machine who opened a connection to the service.
   * @returns the user's id, or SOMEONE_ELSE; undefined: it comes from another machine, or this system does not tell
   */
  readonly userOf: (connection: Partial<ConnectionEnds>) => Promise<number | undefined>
}

/** The ends of a connection, as the service sees them. */
export type ConnectionEnds = {
  readonly localAddress: string | undefined
  readonly localPort: number | undefined
  readonly remoteAddress: string | undefined
  readonly remotePort: number | undefined
}

/** Packages, and the virtual environment that they are for. */
export type EnvironmentInstall = {
  /** Absolute folder of the environment. */
  readonly environment: string
  /** The interpreter that a new one is made with, and where it is looked for before the PATH of the service. */
  readonly python: string
  readonly searchPath: string | undefined
  readonly packages: readonly string[]
  readonly onLine: (line: string) => void
  readonly signal: AbortSignal | undefined
}

/** What apps on processes find on this machine, where containers would bring it along. */
export type ProcessMachine = {
  /**
   * Installs packages into a virtual environment, which is made if it is missing.
   * @throws Error with the reason for a person; the reason of the signal
   */
  readonly install: (wish: EnvironmentInstall) => Promise<void>
  /** Interpreter of the service's settings, which runs handlers. */
  readonly python: () => string
  /**
   * Which of these requirements that Python lacks, or has in another version.
   * @param requirements requirement strings; conditions that do not hold there are met
   * @returns those of them, in their order; all of them where Python cannot be asked
   */
  readonly missingPackages: (requirements: readonly string[]) => Promise<readonly string[]>
  /** Why a folder cannot be put at a path; undefined: it can, or it is there. Nothing is changed. */
  readonly whyNotAt: (path: string, folder: string) => Promise<string | undefined>
  /** Puts a folder at a path, as a link, where it is not there yet and that is allowed. */
  readonly putAt: (path: string, folder: string) => Promise<void>
}
