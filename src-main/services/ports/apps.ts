/** The ports of deploys: the records of apps, artifacts on the disk, and unpacking them. */
import type { ArtifactStatus, ReleaseKind, ReleaseState, RunsOn } from '../../contract/app.ts'
import type { ReleaseEvent } from '../../domain/app/release-transitions.ts'

/** An app as stored. Times are wall ms. */
export type App = { readonly name: string; readonly createdAt: number }

/**
 * An environment as stored. `variables` is the version of its variables, 0 without any; `machine` is where its workers
 * run, null: on this machine.
 */
export type Environment = {
  readonly id: number
  readonly app: string
  readonly name: string
  readonly variables: number
  readonly machine: string | null
  readonly createdAt: number
}

/** A release as stored; either `artifact` or `folder` is set. Times are wall ms. */
export type Release = {
  readonly id: number
  readonly environmentId: number
  readonly number: number
  readonly state: ReleaseState
  readonly fingerprint: string
  readonly artifact: string | null
  readonly folder: string | null
  /** JSON text of the manifest. */
  readonly manifest: string
  readonly runsOn: RunsOn
  readonly rollbackOf: number | null
  readonly kind: ReleaseKind
  /** JSON text of a GitState. */
  readonly git: string | null
  readonly reason: string | null
  readonly createdAt: number
  readonly activatedAt: number | null
  readonly endedAt: number | null
}

/** A new release; the store gives it the next number of its environment. */
export type NewRelease = Pick<
  Release,
  'environmentId' | 'fingerprint' | 'artifact' | 'folder' | 'manifest' | 'runsOn' | 'rollbackOf' | 'kind' | 'git'
>

/** The records of apps. Methods that write are called inside a Writer's work only; reads see what it has written. */
export type AppStore = {
  /** By name. */
  readonly apps: () => readonly App[]
  readonly app: (name: string) => App | undefined
  /** Makes the app unless it is there; returns whether it did. */
  readonly createApp: (name: string, now: number) => boolean
  /** Removes the app with all its environments and releases. */
  readonly removeApp: (name: string) => void
  /** Those of an app, or all, by name. */
  readonly environments: (app?: string) => readonly Environment[]
  readonly environment: (app: string, name: string) => Environment | undefined
  /** Undefined: it is there already. */
  readonly createEnvironment: (app: string, name: string, now: number) => Environment | undefined
  /** Removes the environment with its releases. */
  readonly removeEnvironment: (id: number) => void
  readonly setVariables: (set: { id: number; version: number }) => void
  readonly setMachine: (set: { id: number; machine: string | null }) => void
  /** Undefined: another one is being prepared. */
  readonly createRelease: (release: NewRelease, now: number) => Release | undefined
  /** The only way a state changes: moves the release if the table allows it, else undefined. */
  readonly moveRelease: (
    id: number,
    event: ReleaseEvent,
    reason: string | undefined,
    now: number,
  ) => Release | undefined
  readonly release: (environmentId: number, number: number) => Release | undefined
  /** The one in this state, of the two states that only one can have. */
  readonly releaseIn: (environmentId: number, state: 'active' | 'preparing') => Release | undefined
  /** Newest first. */
  readonly releases: (environmentId: number, limit: number) => readonly Release[]
  /** Of all environments. */
  readonly preparing: () => readonly Release[]
  /** Deletes ended releases of an environment, the newest `keep` of all its releases stay; none that is active. */
  readonly trimReleases: (trim: { environmentId: number; keep: number }) => void
  /** Artifacts that some release has. */
  readonly artifacts: () => ReadonlySet<string>
}

/** Artifacts on the disk, named by their SHA-256. */
export type ArtifactFiles = {
  readonly status: (artifact: string) => Promise<ArtifactStatus>
  /**
   * Appends a part; the last one checks the hash, and makes the artifact whole or throws it away. Parts of one artifact
   * are taken one after the other.
   * @throws AppError UPLOAD_OFFSET, UPLOAD_TOO_LARGE, UPLOAD_DAMAGED, DISK_FULL
   */
  readonly append: (
    artifact: string,
    range: { readonly offset: number; readonly total: number },
    bytes: Uint8Array,
  ) => Promise<ArtifactStatus>
  /** An absolute path for an artifact that is made here, which nobody else uses; its name is known only then. */
  readonly newFile: () => Promise<string>
  /**
   * Takes a file that was made at such a path; it is whole, and of this name, by the word of the caller.
   * @throws AppError DISK_FULL, DATABASE_BUSY
   */
  readonly take: (artifact: string, file: string) => Promise<void>
  /**
   * Stores an artifact that comes as a stream of bytes. Of a stream that breaks off, what came stays in its file, and
   * another one may go on with it.
   * @param part.file from `newFile`
   * @param part.from bytes of it that came before; 0: it begins again
   * @param part.total bytes that were announced
   * @returns its name
   * @throws AppError UPLOAD_OFFSET, UPLOAD_TOO_LARGE, UPLOAD_DAMAGED, DISK_FULL, DATABASE_BUSY when the stream breaks off
   */
  readonly receive: (
    bytes: AsyncIterable<Uint8Array>,
    part: { readonly file: string; readonly from: number; readonly total: number },
  ) => Promise<string>
  /** Bytes of such a file that came. */
  readonly receivedIn: (file: string) => Promise<number>
  /** Deletes what was being made when an earlier run of the service ended: nobody goes on with it. */
  readonly dropUnfinished: () => Promise<void>
  /** The file of a whole artifact; undefined: it is not here. */
  readonly find: (artifact: string) => Promise<string | undefined>
  /** Folder for an artifact when it is unpacked; absolute, perhaps not there yet. If it is, it counts as touched. */
  readonly unpackedFolder: (artifact: string) => Promise<string>
  /** Folder that stands for a network volume of this name; absolute, made if missing, never deleted. */
  readonly volume: (name: string) => Promise<string>
  /**
   * Deletes artifacts, and folders of unpacked ones, that are not in use and were not touched lately, and parts of
   * uploads that nobody goes on with.
   * @param now wall ms
   */
  readonly sweep: (
    inUse: { readonly artifacts: ReadonlySet<string>; readonly unpacked: ReadonlySet<string> },
    now: number,
  ) => Promise<void>
}

/**
 * Unpacks an artifact into a folder that is not there yet, whole or not at all. No byte is written outside of it.
 * @throws Error with the reason, for a person
 */
export type UnpackArtifact = (file: string, folder: string, signal: AbortSignal) => Promise<void>

/** Text of the manifest in a folder with a built app; undefined: there is none. */
export type ReadManifest = (folder: string) => Promise<string | undefined>
