import type { WorkflowServer, WorkflowTemplate } from '../../contract/workflows.ts'
import type { ByteTools } from './rules/metadata/bytes.ts'
import type { PackagesByClass } from './rules/node-packages.ts'
import type { ProposedLists } from './rules/node-types.ts'

export type ReadBuiltInNodeTypes = () => Promise<string>

export type ReadHandlerClasses = (
  handler: string,
) => Promise<{ readonly classes: readonly string[]; readonly lists: ProposedLists } | undefined>

export type ReadTemplates = () => Promise<readonly Omit<WorkflowTemplate, 'nodes'>[]>

export type FileTools = ByteTools & {
  /** SHA-256 in lower-case hex; computed in a thread for large files. */
  readonly sha256: (bytes: Uint8Array) => Promise<string>
  readonly createBlake3: () => Promise<{
    readonly update: (bytes: Uint8Array) => void
    /** Lower-case hex. */
    readonly digest: () => string
  }>
}

export type WorkflowPorts = {
  readonly tools: FileTools
  readonly templates: ReadTemplates
  readonly builtInNodeTypes: ReadBuiltInNodeTypes
  readonly handlerClasses: ReadHandlerClasses
  readonly fetchNodeTypes: FetchNodeTypes
  readonly sizeOfNodeTypes: SizeOfNodeTypes
  readonly readServer: ReadServer
  readonly packageIndex: PackageIndexFile
  readonly probeServer: ProbeServer
  readonly readLastModels: ReadLastModels
  readonly whyNoServer: WhyNoServer
  readonly askServer: AskServer
}

export type PackageIndexFile = {
  /** Modification time in wall ms; undefined if there is none. */
  readonly changedAt: () => Promise<number | undefined>
  readonly read: () => Promise<PackagesByClass>
}

/** Rejects with the end of a sentence, as `UnusableClasses` if the server answered with classes that are too large. */
export type FetchNodeTypes = (
  server: string,
  signal: AbortSignal,
) => Promise<{ readonly text: string; readonly version: string | undefined }>

/** Text of a GET; undefined for 404. Rejects with the end of a sentence, also if it is larger than `most` bytes. */
export type ReadServer = (
  server: string,
  path: string,
  options: { readonly most: number; readonly signal: AbortSignal },
) => Promise<string | undefined>

/** Byte length of a server's class list without the list; undefined if not reported. Never rejects. */
export type SizeOfNodeTypes = (server: string, signal: AbortSignal) => Promise<number | undefined>

/** Probes an address for ComfyUI; undefined without an answer. Never rejects. */
export type ProbeServer = (address: string, signal: AbortSignal) => Promise<WorkflowServer | undefined>

/** Why no ComfyUI server answers, like `nothing listens there`; undefined: one does. Never rejects. */
export type WhyNoServer = (address: string, signal: AbortSignal) => Promise<string | undefined>

/** Models of the graph that a server ran last; empty if it says none. Never rejects. */
export type ReadLastModels = (address: string, signal: AbortSignal) => Promise<readonly string[]>

export type ServerRequest = {
  readonly method: string
  /** Relative to the server's address, with the query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Uint8Array<ArrayBuffer> | undefined
  readonly signal: AbortSignal
}

/** Follows no redirects. Rejects with the end of a sentence. */
export type AskServer = (server: string, request: ServerRequest) => Promise<Response>
