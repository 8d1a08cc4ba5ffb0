/** The ports of the system page: what the place of the containers tells of itself, and the machine under the service. */
import type { DoctorRow, EngineView } from '../../contract/system.ts'
import type { GpuHold } from '../../domain/worker/gpu-allocation.ts'
import type { GpuInventory } from '../../domain/worker/gpu-list.ts'

/** An image that this program made, in bytes. `old`: nobody needs it any more. */
export type OwnImage = { readonly name: string; readonly bytes: number; readonly old: boolean }

/** What the engine itself tells, for those who know its form. */
export type EngineTold = EngineView & {
  readonly info?: Readonly<Record<string, unknown>> | undefined
  /** Like `Docker Desktop 4.44.3 (202357)`. */
  readonly platform?: string | undefined
}

/** The engine of a fleet that has one, and the cards beside it. */
export type FleetMachine = {
  /** Looks for it where nobody did. Never rejects. */
  readonly engine: () => Promise<EngineTold>
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
    /** Hears what is being done, for a person. */
    readonly tell: (progress: string) => void
    readonly signal: AbortSignal
  }) => Promise<void>
}

/** A version of something; undefined: it is not there. */
export type ToolVersion = { readonly name: string; readonly version: string | undefined }

/** What cleaning up the data folder takes. */
export type FolderSize = { readonly bytes: number; readonly files: number }

/** An entry of a folder, with all that is in it; the time is wall ms. */
export type FolderEntry = { readonly name: string; readonly bytes: number; readonly changedAt: number }

/** The machine under the service, and the service's data folder on it. */
export type Host = {
  /** Node, Python, data folder, permissions, free space, and with what the fleet tells Docker and the cards. */
  readonly check: (facts: {
    readonly python: string
    readonly engine: () => Promise<EngineTold | undefined>
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
  /** Folders of previews that were killed, and what they take. */
  readonly leftPreviews: () => Promise<FolderSize & { readonly folders: number }>
  /** Ends what killed previews left, and removes their folders. Rejects with what could not be removed, for a person. */
  readonly removePreviews: () => Promise<void>
  /** Empties the log of the service itself. */
  readonly emptyLog: () => Promise<void>
}
