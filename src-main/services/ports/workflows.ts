/** What workflows need from outside: their records, files of assets, classes of nodes. */

import type { GraphVersion } from '../../contract/published.ts'
import type {
  AssetView,
  NodeTypesResponse,
  RunResult,
  RunView,
  SweepCell,
  SweepView,
  WorkflowServer,
  WorkflowTemplate,
  WorkflowVersion,
  WorkflowView,
} from '../../contract/workflows.ts'
import type { ByteTools } from '../../domain/workflow/metadata/bytes.ts'
import type { PackagesByClass } from '../../domain/workflow/node-packages.ts'
import type { ProposedLists } from '../../domain/workflow/node-types.ts'
import type { LibraryText } from '../../domain/workflow-runs/library-text.ts'
import type { StoredBytes } from './job-storage.ts'

/** What a writer has seen of a workflow. */
export type SeenWorkflow = Pick<WorkflowView, 'version' | 'draft'>

/** The library. Methods that write are called inside a Writer's work only; undefined: there is no such workflow. */
export type WorkflowStore = {
  /** The last changed one first; none that is deleted. */
  readonly list: (limit: number) => readonly WorkflowView[]
  /** How many there are, without those that are deleted. */
  readonly count: () => number
  readonly get: (id: string) => WorkflowView | undefined
  /** Text of the draft, else of the newest version. */
  readonly text: (id: string) => string | undefined
  readonly versions: (id: string) => readonly WorkflowVersion[]
  readonly version: (id: string, version: number) => (WorkflowVersion & { readonly text: string }) | undefined
  /** Adds one, with its text as a draft or as version 1. */
  readonly insert: (workflow: NewWorkflow, text: LibraryText, now: number) => WorkflowView
  /** Undefined also where it is no longer as it was seen. */
  readonly saveDraft: (id: string, seen: SeenWorkflow, text: LibraryText, now: number) => WorkflowView | undefined
  /** Undefined also where it is no longer as it was seen. */
  readonly saveVersion: (id: string, seen: SeenWorkflow, text: LibraryText, now: number) => WorkflowView | undefined
  /** Undefined also where nothing was saved yet: the draft is all there is. */
  readonly dropDraft: (id: string, now: number) => WorkflowView | undefined
  /** Deletes the oldest versions; the newest `keep` stay. */
  readonly trimVersions: (trim: { id: string; keep: number }) => void
  readonly update: (id: string, changes: WorkflowChanges, now: number) => WorkflowView | undefined
  readonly remove: (removal: { id: string; now: number }) => WorkflowView | undefined
  readonly restore: (id: string) => WorkflowView | undefined
  /** Deletes for good what was deleted before. @returns whether there was any */
  readonly sweep: (before: number) => boolean
}

/** A workflow to be added; its text comes with its first draft or version. */
export type NewWorkflow = { readonly id: string; readonly name: string; readonly isDraft: boolean }

/** What may be changed beside the text; undefined stays as it is. */
export type WorkflowChanges = { readonly name?: string | undefined; readonly thumbnail?: string | null | undefined }

/** A file of the assets store, as stored. */
export type Asset = Omit<AssetView, 'name'>

/** The records of assets. Methods that write are called inside a Writer's work only. */
export type AssetStore = {
  readonly get: (id: string) => Asset | undefined
  /** Adds it, or says that it is used again. */
  readonly save: (asset: Asset) => void
  readonly named: (name: string) => AssetView | undefined
  /** All that have names, the newest name first. */
  readonly allNamed: (limit: number) => readonly AssetView[]
  /** @returns false where another file has the name */
  readonly giveName: (name: string, id: string, now: number) => boolean
  readonly totalBytes: () => number
  /** Those that nothing refers to and that nobody used since, unused longest first. */
  readonly unused: (query: { before: number; limit: number }) => readonly Pick<Asset, 'id' | 'bytes'>[]
  readonly remove: (ids: readonly string[]) => void
}

/** Files of assets, by the SHA-256 of their bytes. Nothing here belongs inside a Writer's work. */
export type AssetFiles = {
  /** Makes the file durable unless it is there. @throws AppError DISK_FULL, DATABASE_BUSY */
  readonly store: (id: string, bytes: Uint8Array) => Promise<void>
  /** Undefined: it is missing; so does `read`. */
  readonly open: (id: string) => Promise<StoredBytes | undefined>
  readonly read: (id: string) => Promise<Uint8Array<ArrayBuffer> | undefined>
  readonly remove: (ids: readonly string[]) => Promise<void>
  /** Names of the files that were written before, in wall ms. */
  readonly olderThan: (before: number) => Promise<readonly string[]>
}

/** Classes of nodes as stored of an endpoint. */
export type StoredNodeTypes = NodeTypesResponse & { readonly source: 'server' | 'file'; readonly readAt: number }

/** Classes of nodes by endpoint. Methods that write are called inside a Writer's work only. */
export type NodeTypeStore = {
  readonly get: (endpointId: string) => StoredNodeTypes | undefined
  /** Where they are from, without the megabytes of their text. */
  readonly origin: (endpointId: string) => NodeTypesOrigin | undefined
  readonly save: (endpointId: string, types: StoredNodeTypes) => void
  readonly remove: (endpointId: string) => void
}

/** Where classes of nodes are from. `server`: address, where one reported them. */
export type NodeTypesOrigin = Pick<StoredNodeTypes, 'source' | 'server' | 'readAt'>

/** A run to be recorded, in the commit that queues its job. */
export type NewRun = Pick<RunView, 'id' | 'endpointId' | 'title' | 'createdAt'> & {
  readonly workflowId: string | undefined
  readonly label: string | undefined
  readonly sweepId: string | undefined
  readonly cell?: SweepCell | undefined
  readonly payload: string
  readonly document: string | undefined
  /** Names of files that it loads. */
  readonly files: readonly string[]
  /** What it is found by, in small letters. */
  readonly words: string
}

/** How a run ended. */
export type RunEnd = {
  readonly status: Exclude<RunView['status'], 'IN_QUEUE' | 'IN_PROGRESS'>
  readonly endedAt: number
  readonly executionMs: number | undefined
  readonly results: readonly RunResult[]
  readonly previews: readonly RunResult[]
  readonly errors: readonly string[]
}

/** Which runs: all of it holds; `before` is the id of one of them. */
export type RunQuery = {
  readonly workflowId: string | undefined
  readonly endpointId: string | undefined
  readonly sweepId: string | undefined
  readonly text: string | undefined
  readonly before: string | undefined
  readonly limit: number
}

/**
 * Which runs stay stored: those that ended at `before` (wall ms) or later, the newest `count`, and `bytes` of their
 * texts.
 */
export type RunRetention = { readonly before: number; readonly count: number; readonly bytes: number }

/** The runs. Methods that write are called inside a Writer's work only. */
export type RunStore = {
  /** Newest first. One that has not ended has the state of its job. */
  readonly list: (query: RunQuery) => readonly RunView[]
  readonly get: (id: string) => RunView | undefined
  /** Sweeps, newest first; `before` is the id of one of them. */
  readonly sweeps: (query: { readonly before: string | undefined; readonly limit: number }) => readonly SweepView[]
  /** Ids of the runs of a sweep, newest first. */
  readonly ofSweep: (sweepId: string) => readonly { readonly id: string; readonly isOpen: boolean }[]
  readonly texts: (id: string) => { readonly payload: string; readonly document: string | undefined } | undefined
  /** Adds it, and tells listeners. */
  readonly insert: (run: NewRun) => void
  /** Ends it, and tells listeners; undefined: it is not there, or has ended. */
  readonly end: (id: string, end: RunEnd) => RunView | undefined
  /**
   * Opens one again whose job is tried once more, and tells listeners.
   * @returns whether there was one that has ended
   */
  readonly reopen: (id: string, now: number) => boolean
  readonly isOpen: (id: string) => boolean
  /** Ids of those that have not ended, oldest first. */
  readonly open: () => readonly string[]
  /** @returns whether there was one that has ended */
  readonly remove: (id: string) => boolean
  /**
   * Deletes up to `limit` of those that have ended and are more than stay stored, the oldest first.
   * @returns how many
   */
  readonly trim: (retention: RunRetention, limit: number) => number
}

/** A committed change of a run of a graph, as listeners receive it. */
export type RunChange = {
  readonly type: 'run'
  readonly eventId: number
  readonly at: number
  readonly endpointId: string
  readonly runId: string
  readonly event: 'created' | 'results'
  readonly workerId: undefined
  readonly reason: undefined
}

/** What storage offers for workflows. */
export type WorkflowStorage = {
  readonly workflows: WorkflowStore
  readonly runs: RunStore
  readonly assets: AssetStore
  readonly assetFiles: AssetFiles
  readonly nodeTypes: NodeTypeStore
}

/** Reads the classes of nodes that come along, as text. */
export type ReadBuiltInNodeTypes = () => Promise<string>

/**
 * The classes that a handler which comes along runs, by name, and the lists that it proposes; undefined: nobody says.
 */
export type ReadHandlerClasses = (
  handler: string,
) => Promise<{ readonly classes: readonly string[]; readonly lists: ProposedLists } | undefined>

/** Reads the templates that come along. */
export type ReadTemplates = () => Promise<readonly Omit<WorkflowTemplate, 'nodes'>[]>

/** What is done with the bytes of files. */
export type FileTools = ByteTools & {
  /** SHA-256 in lower case hex; of a large file in a thread. */
  readonly sha256: (bytes: Uint8Array) => Promise<string>
}

/** What workflows need from outside, beside storage. */
export type WorkflowPorts = {
  readonly tools: FileTools
  readonly templates: ReadTemplates
  readonly builtInNodeTypes: ReadBuiltInNodeTypes
  readonly handlerClasses: ReadHandlerClasses
  readonly fetchNodeTypes: FetchNodeTypes
  readonly sizeOfNodeTypes: SizeOfNodeTypes
  readonly packageIndex: PackageIndexFile
  readonly probeServer: ProbeServer
}

/** The index of packages of nodes that the user may have put into the data folder. */
export type PackageIndexFile = {
  /** In wall ms; undefined: there is none. */
  readonly changedAt: () => Promise<number | undefined>
  /** Rejects with a reason for a person. */
  readonly read: () => Promise<PackagesByClass>
}

/** Asks a server for its classes of nodes. Rejects with a reason for a person. @param server address of it */
export type FetchNodeTypes = (
  server: string,
  signal: AbortSignal,
) => Promise<{ readonly text: string; readonly version: string | undefined }>

/**
 * Asks a server how long its list of classes is, in bytes, without the list; undefined: it does not say. Never rejects.
 */
export type SizeOfNodeTypes = (server: string, signal: AbortSignal) => Promise<number | undefined>

/** Looks whether a ComfyUI answers at an address; undefined: none does. Never rejects. */
export type ProbeServer = (address: string, signal: AbortSignal) => Promise<WorkflowServer | undefined>

/** A version of a published graph as stored. */
export type StoredGraph = GraphVersion & {
  readonly payload: string
  readonly document: string | undefined
  readonly workflowId: string | undefined
}

/** Published graphs by the id of their endpoint. Methods that write are called inside a Writer's work only. */
export type GraphStore = {
  readonly get: (endpointId: string, version: number) => StoredGraph | undefined
  /** Newest first. */
  readonly versions: (endpointId: string) => readonly number[]
  readonly insert: (endpointId: string, graph: StoredGraph) => void
  /** Says which graph a job runs. */
  readonly addJob: (seq: number, endpointId: string, version: number) => void
  /** Which graph a job runs; undefined: none. */
  readonly ofJob: (seq: number) => { readonly endpointId: string; readonly version: number } | undefined
  /** Jobs of a graph that wait, oldest first. */
  readonly waiting: (endpointId: string, newest: number, limit: number) => readonly number[]
  /** Jobs of a graph, newest first; `before` is the seq of one that was seen already. */
  readonly jobs: (endpointId: string, before: number, limit: number) => readonly number[]
}
