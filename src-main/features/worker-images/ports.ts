import type { ImageConflict, NodeSource, WorkflowLock } from '../../contract/worker-images.ts'
import type { Choice } from './rules/choose-packages.ts'
import type { ForeignModel } from './rules/formats/environment.ts'
import type { PackageFacts } from './rules/package-facts.ts'
import type { WantedSource } from './rules/source-address.ts'

type ReadFacts = PackageFacts & { readonly version: string | undefined }

export type ReadPackage = (wanted: WantedSource) => Promise<ReadFacts & { readonly source: NodeSource }>

export type Requirement = { readonly from: string; readonly text: string }

export type ResolvePython = (request: {
  readonly requirements: readonly Requirement[]
  readonly provides: Readonly<Record<string, string>>
  readonly python: string
  readonly signal: AbortSignal
}) => Promise<{ readonly packages: WorkflowLock['python'] } | { readonly conflicts: readonly ImageConflict[] }>

export type LockPorts = {
  readonly git: {
    readonly commitOf: (repository: string, ref: string | undefined, signal?: AbortSignal) => Promise<string>
    readonly read: (repository: string, commit: string, signal?: AbortSignal) => Promise<ReadFacts>
    readonly readFolder: (path: string, signal?: AbortSignal) => Promise<ReadFacts & { readonly sha256: string }>
  }
  readonly registry: {
    readonly find: (
      id: string,
      version: string | undefined,
      signal?: AbortSignal,
    ) => Promise<
      | (Pick<PackageFacts, 'requirements' | 'licence'> & {
          readonly version: string
          readonly download: string | undefined
        })
      | undefined
    >
  }
  /** Local paths of a lock are relative to it; addresses stay as they are. */
  readonly pathOf: (source: string) => string
  readonly findModel: (
    name: string,
    directory: string | undefined,
    report: (step: string) => void,
  ) => Promise<ForeignModel | undefined>
  readonly readInput: (name: string) => Promise<{ readonly sizeBytes: number; readonly sha256: string } | undefined>
  readonly choose: ((choice: Choice) => Promise<Choice['options'][number] | undefined>) | undefined
  readonly resolvePython: ResolvePython | undefined
}
