import type { ContainerSettings } from '../contract/container.ts'
import type { EndpointConfig, WorkerUsage } from '../contract/endpoint.ts'
import type { PodState } from '../contract/pods.ts'
import type { DoctorRow, EngineView } from '../contract/system.ts'
import type { ShellSize } from '../contract/workers.ts'
import type { Room } from './rules/choose-machine.ts'
import type { GpuHold } from './rules/gpu-allocation.ts'
import type { GpuInventory } from './rules/gpu-list.ts'

export type WorkerPlan = {
  readonly endpointId: string
  readonly handler: string | undefined
  readonly command: string | undefined
  readonly cwd: string | undefined
  /** PATH and VIRTUAL_ENV of a process, if different from the service's. */
  readonly searchPath?: string | undefined
  readonly virtualEnv?: string | undefined
  readonly python: string
  readonly container: ContainerSettings | undefined
  readonly loadBalanced: EndpointConfig['loadBalanced']
  readonly app: EndpointConfig['app']
  readonly callsHosts?: readonly string[] | undefined
}

export type WorkerSpec = WorkerPlan & { readonly workerId: string; readonly env: Readonly<Record<string, string>> }

export type ServiceReach = {
  readonly workerUrl: string
  readonly serviceUrl: string
  /** Remote workers, whose machine's users see everything: they get no key but their own token. */
  readonly isElsewhere?: boolean | undefined
  readonly endpointHosts?: EndpointHosts | undefined
}

/** How workers call load-balanced endpoints as hosts over https. Source: docs/spec/platform.md, 6. */
export type EndpointHosts = {
  readonly url: string
  /** CA bundle, including the service's own authority, at its path in the worker. */
  readonly bundle: string
}

export type WorkerAddress = { readonly host: string; readonly port: number; readonly healthPort: number }

export type FleetWorker = {
  readonly workerId: string
  readonly handle: string
  readonly pid: number | undefined
  readonly container?: string | undefined
  readonly machine?: string | undefined
  readonly gpus?: readonly string[] | undefined
  readonly address?: WorkerAddress | undefined
}

export type Watch = { readonly report: (progress: string) => void; readonly signal: AbortSignal }

export type WorkerExit = {
  readonly workerId: string
  readonly code: number | undefined
  readonly signal: string | undefined
  /** Cause beyond code and signal: out of memory, or a missing image. */
  readonly reason: string | undefined
  readonly blameless?: true
}

export type WorkerOutput = {
  readonly workerId: string
  readonly lines: readonly string[]
  readonly at: number
  /** Write time of each line, wall ms, if reported later; otherwise all are at `at`. */
  readonly writtenAt?: readonly number[]
  /** Call when lines are stored, so that an adopted worker does not repeat them. */
  readonly stored?: () => void
}

export type ShellListener = {
  readonly onBytes: (bytes: Uint8Array) => void
  readonly onEnd: (why: string) => void
}

export type FleetShell = {
  readonly program: string
  readonly write: (text: string) => Promise<void>
  readonly resize: (size: ShellSize) => Promise<void>
  readonly hold: (holds: boolean) => void
  readonly close: () => Promise<void>
}

/**
 * Runs workers and knows nothing about queues. Its drivers are the folders next to this file; each passes
 * test/conformance/fleet.
 */
export type Fleet = {
  /**
   * Prepares image and network and returns how workers reach the service. Rejects with a reason for the user, also on
   * abort.
   */
  readonly ensure: (plan: WorkerPlan, watch: Watch) => Promise<ServiceReach>
  /** Creates a worker without running it, speeding up `start` with the same id; `stop` discards it. */
  readonly prepare: (spec: WorkerSpec) => Promise<void>
  readonly start: (spec: WorkerSpec) => Promise<FleetWorker>
  /** Kills the worker's process tree after the grace period. Safe to call twice. */
  readonly stop: (workerId: string, graceMs: number) => Promise<void>
  readonly pause: (workerId: string) => Promise<void>
  readonly resume: (workerId: string) => Promise<void>
  readonly list: () => readonly FleetWorker[]
  readonly isAway: (workerId: string) => boolean
  readonly awayNode?: ((workerId: string) => string | undefined) | undefined
  /** Asks its engine, so that `isAway` does not wait for a lost connection to be noticed. */
  readonly checkAway: (workerId: string) => Promise<void>
  /** Adopts a worker of an earlier run; false if it is gone or its pid reused. */
  readonly adopt: (worker: { readonly workerId: string; readonly handle: string }) => Promise<boolean>
  readonly sweep: () => Promise<void>
  /** Flushes the output read so far, so that lines can be assigned to jobs. */
  readonly drainOutput: (workerId: string) => void
  /** Free slots for this plan, and the limiting reason; `never` if the machine could not run it even when idle. */
  readonly capacity: (plan: { readonly container?: ContainerSettings | undefined }) => Room
  /** Why this machine could never run such a container; undefined if it could. Checks now, which takes a moment. */
  readonly refusal: (plan: { readonly container?: ContainerSettings | undefined }) => Promise<string | undefined>
  readonly usage: (workerIds: readonly string[]) => Promise<ReadonlyMap<string, WorkerUsage>>
  readonly openShell: (workerId: string, size: ShellSize, listener: ShellListener) => Promise<FleetShell>
  readonly containerHost?: ContainerHost | undefined
  readonly onExit: (listener: (exit: WorkerExit) => void) => void
  readonly onOutput: (listener: (output: WorkerOutput) => void) => void
  readonly onCapacity: (listener: () => void) => void
  readonly close: () => Promise<void>
}

export type OwnImage = { readonly name: string; readonly bytes: number; readonly old: boolean }

type EngineReport = EngineView & {
  readonly info?: Readonly<Record<string, unknown>> | undefined
  readonly platform?: string | undefined
}

export type PodSpec = {
  readonly id: string
  readonly env: Readonly<Record<string, string>>
  readonly container: ContainerSettings
  readonly ownVolume: string | undefined
}

/** Each call rejects with a reason if the engine is unavailable. */
export type PodContainers = {
  readonly problem: () => Promise<string | undefined>
  readonly adopt: () => Promise<void>
  readonly start: (spec: PodSpec, watch: Watch) => Promise<void>
  /** Keeps the container and its log. */
  readonly stop: (id: string, graceMs: number) => Promise<void>
  readonly remove: (id: string) => Promise<void>
  readonly states: () => Promise<ReadonlyMap<string, PodState>>
  /** Reports lines until the container ends; without `follow`, only the current ones. */
  readonly follow: (
    id: string,
    options: {
      readonly follow: boolean
      readonly tail: number
      readonly since: string | undefined
      readonly onLines: (lines: readonly { readonly text: string; readonly at: number }[]) => void
    },
  ) => Promise<{ readonly ended: Promise<void>; readonly stop: () => void }>
}

/** An image of the engine. `pinned` names the same image by digest, or by its id if it is in no registry. */
export type ImageFacts = { readonly pinned: string; readonly bytes: number; readonly isInRegistry: boolean }

export type MeasuredPull = { readonly image: string; readonly bytes: number; readonly tookMs: number }

export type ContainerHost = {
  /** Only on this machine's engine. */
  readonly pods?: PodContainers | undefined
  readonly engine: () => Promise<EngineReport>
  /** GPUs and their holders, cached unless `fresh`, since reading wakes a sleeping GPU. */
  readonly gpus: (fresh: boolean) => Promise<{ readonly inventory: GpuInventory; readonly holds: readonly GpuHold[] }>
  readonly images: () => Promise<readonly OwnImage[]>
  readonly removeOldImages: () => Promise<void>
  readonly workerImage: () => string
  readonly image: (reference: string) => Promise<ImageFacts | undefined>
  readonly pulls: () => readonly MeasuredPull[]
  /**
   * Pushes an image with stored credentials, or those of `docker login`.
   * @returns its digest in the registry
   * @throws Error with a reason for the user; the signal's reason
   */
  readonly push: (
    image: Pick<ContainerSettings, 'registryAuth'> & { readonly image: string },
    watch: Watch,
  ) => Promise<string>
  readonly makeWorkerImage: (watch: {
    readonly report: (progress: string) => void
    readonly signal: AbortSignal
  }) => Promise<void>
}

export type ToolVersion = { readonly name: string; readonly version: string | undefined }

export type FolderSize = { readonly bytes: number; readonly files: number }

export type FolderEntry = { readonly name: string; readonly bytes: number; readonly changedAt: number }

export type ProcessReading = {
  readonly cpuSeconds: number
  readonly residentBytes: number
  readonly loopBusySeconds: number
  readonly loopDelay: { readonly p99Seconds: number; readonly maxSeconds: number }
}

export type ServiceHost = {
  readonly check: (facts: {
    readonly python: string
    readonly engine: () => Promise<EngineReport | undefined>
  }) => Promise<readonly DoctorRow[]>
  readonly versions: (python: string) => Promise<readonly ToolVersion[]>
  readonly tightenPermissions: () => Promise<readonly string[]>
  readonly measure: (names: readonly string[]) => Promise<FolderSize>
  readonly list: (name: string) => Promise<readonly FolderEntry[]>
  readonly space: () => Promise<{ readonly freeBytes: number; readonly totalBytes: number }>
  /** Process readings; delays are since the previous call, 0 at first. */
  readonly readProcess: () => ProcessReading
  readonly leftPreviews: () => Promise<FolderSize & { readonly folders: number }>
  readonly removePreviews: () => Promise<void>
  readonly emptyLog: () => Promise<void>
  /** @returns the connection's local user, or SOMEONE_ELSE; undefined if remote or unsupported */
  readonly userOf: (connection: Partial<ConnectionEnds>) => Promise<number | undefined>
}

export type ConnectionEnds = {
  readonly localAddress: string | undefined
  readonly localPort: number | undefined
  readonly remoteAddress: string | undefined
  readonly remotePort: number | undefined
}

export type EnvironmentInstall = {
  readonly environment: string
  readonly python: string
  readonly searchPath: string | undefined
  readonly packages: readonly string[]
  readonly onLine: (line: string) => void
  readonly signal: AbortSignal | undefined
}

export type ProcessHost = {
  readonly install: (wish: EnvironmentInstall) => Promise<void>
  readonly python: () => string
  /**
   * Requirements Python lacks or has in another version.
   * @param requirements inapplicable conditions count as met
   * @returns them in order; all if Python cannot be asked
   */
  readonly missingPackages: (requirements: readonly string[]) => Promise<readonly string[]>
  readonly whyNotAt: (path: string, folder: string) => Promise<string | undefined>
  readonly putAt: (path: string, folder: string) => Promise<void>
}
