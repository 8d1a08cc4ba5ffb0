import type { WorkflowServer, WorkflowTemplate } from '../../contract/workflows.ts'
import type { ByteTools } from '../../domain/workflow/metadata/bytes.ts'
import type { PackagesByClass } from '../../domain/workflow/node-packages.ts'
import type { ProposedLists } from '../../domain/workflow/node-types.ts'

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
