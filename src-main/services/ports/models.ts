/** What models need from outside: their files, the records of downloads, and a way to fetch. */
import type { ModelDownload, ModelFacts, ModelFolder, ModelView } from '../../contract/models.ts'
import type { DownloadEvent } from '../../domain/models/download-transitions.ts'

/** A model as its file is; `path` is absolute. */
export type ModelFile = Omit<ModelView, 'folder' | 'sha256' | keyof ModelFacts> & {
  readonly path: string
  readonly facts: ModelFacts
}

/** A folder as it was found; `fault` says why it could not be read. */
export type ScannedFolder = {
  readonly folder: ModelFolder
  readonly files: readonly ModelFile[]
  /** There are more than are listed. */
  readonly more: boolean
  readonly freeBytes: number | undefined
  readonly fault: string | undefined
}

/** Where a model lies or will lie. */
export type ModelTarget = { readonly folder: ModelFolder; readonly directory: string; readonly name: string }

/** Why a file cannot be written, for a person; it stays so until somebody does something. */
export class TargetError extends Error {}

/** A file that is being written beside its target, under a hidden name that no list shows. */
export type ModelPart = {
  /** Bytes that are in it. */
  readonly bytes: () => number
  readonly write: (chunk: Uint8Array) => Promise<void>
  /** Begins anew. */
  readonly empty: () => Promise<void>
  /** Bytes that its disk has left. */
  readonly freeBytes: () => Promise<number>
  /** SHA-256 of what is in it, in lower case hex. */
  readonly sha256: () => string
  /** What the file tells, once it is whole. */
  readonly inspect: () => Promise<ModelFacts>
  /**
   * Makes it durable and gives it its name, which is taken only now.
   * @throws TargetFault where the name is taken
   */
  readonly finish: () => Promise<void>
  /** Lets go of it; it stays for the next try. Safe to call twice. */
  readonly close: () => Promise<void>
}

/** The files of models. Nothing here belongs inside a Writer's work. */
export type ModelFiles = {
  readonly scan: (folders: readonly ModelFolder[]) => Promise<readonly ScannedFolder[]>
  /** Makes a folder where the one around it is there. */
  readonly makeFolder: (path: string) => Promise<void>
  /** Those of the folders that are there. */
  readonly present: (folders: readonly ModelFolder[]) => Promise<readonly ModelFolder[]>
  /** SHA-256 of the file at this absolute path, in lower case hex; undefined: it cannot be read. */
  readonly sha256: (path: string) => Promise<string | undefined>
  readonly exists: (target: ModelTarget) => Promise<boolean>
  /** @throws TargetFault where the folder cannot be written, or a link in it leads elsewhere */
  readonly openPart: (target: ModelTarget, id: string) => Promise<ModelPart>
  readonly removePart: (target: ModelTarget, id: string) => Promise<void>
  /** @returns false: it is not there @throws TargetFault */
  readonly remove: (target: ModelTarget) => Promise<boolean>
  /** Writes a small file of the data folder, whole or not at all. @returns its path */
  readonly writeConfig: (name: string, text: string) => Promise<string>
  /** Text of a file at this absolute path; undefined: there is none. */
  readonly readText: (path: string) => Promise<string | undefined>
  /** Writes a file, whole or not at all, with the folders around it. */
  readonly writeText: (path: string, text: string) => Promise<void>
  /** Waits for what is under way. */
  readonly close: () => Promise<void>
}

/** A download as stored. `url` is whole. `validator`: ETag or date by which the rest is asked for. */
export type StoredDownload = Omit<ModelDownload, 'bytesPerSecond' | 'reason'> & {
  readonly reason: string | undefined
  readonly validator: string | undefined
  /** SHA-256 that was asked for, or that the host has reported. */
  readonly expected: string | undefined
}

/** What a move of a download changes beside its state; undefined stays as it is. */
export type DownloadChanges = {
  readonly reason?: string | undefined
  readonly sha256?: string | undefined
  readonly endedAt?: number | undefined
  readonly receivedBytes?: number | undefined
}

/** The records of downloads. Methods that write are called inside a Writer's work only. */
export type ModelDownloadStore = {
  /** Newest first. */
  readonly list: (limit: number) => readonly StoredDownload[]
  readonly get: (id: string) => StoredDownload | undefined
  /** Those that go on, oldest first. */
  readonly underWay: () => readonly StoredDownload[]
  readonly insert: (download: StoredDownload) => void
  /** Moves it if the table of states allows it, else undefined. */
  readonly move: (id: string, event: DownloadEvent, changes: DownloadChanges) => StoredDownload | undefined
  /** Notes what a host has reported of the file. */
  readonly learn: (
    id: string,
    reported: {
      readonly totalBytes: number | undefined
      readonly validator: string | undefined
      readonly expected: string | undefined
    },
  ) => void
  /** @returns whether there was one that has ended */
  readonly remove: (id: string) => boolean
  /** SHA-256 of the newest download to each target, by folder, directory and name joined with line breaks. */
  readonly checksums: () => ReadonlyMap<string, string>
  readonly trim: (trim: { keep: number }) => void
}

/** A file to be fetched. */
export type FetchRequest = {
  readonly url: string
  /** First byte that is wanted. */
  readonly from: number
  /** By what the host knows that it is still the same file; without it, the whole is asked for. */
  readonly validator: string | undefined
  /** Value of the Authorization header for a host with its port, where credentials of it are stored. */
  readonly authorization: (host: string) => string | undefined
  readonly allowPrivate: boolean
  readonly signal: AbortSignal
}

/** What came. An error that is final is none of the network: trying again brings the same. */
export type Fetched =
  | {
      readonly kind: 'file'
      /** Where the body begins: `from`, or 0 where the host sends the whole. */
      readonly from: number
      readonly totalBytes: number | undefined
      readonly validator: string | undefined
      /** As the host tells it. */
      readonly sha256: string | undefined
      /** Throws where the connection breaks off. */
      readonly body: AsyncIterable<Uint8Array>
    }
  | { readonly kind: 'beyond' }
  | { readonly kind: 'fault'; readonly why: string; readonly isFinal: boolean }

/** Asks for a file. Never rejects. */
export type FetchFile = (request: FetchRequest) => Promise<Fetched>
