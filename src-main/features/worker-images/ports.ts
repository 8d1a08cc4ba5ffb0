import type { ImageConflict, LockedPython, NodeSource } from '../../contract/worker-images.ts'
import type { Choice } from './rules/choose-packages.ts'
import type { ForeignModel } from './rules/formats/environment.ts'
import type { WantedSource } from './rules/source-address.ts'

export type PackageFacts = {
  readonly classes: readonly string[]
  readonly requirements: readonly string[]
  readonly python?: string
  readonly comfyui?: string
  readonly licence?: string
  readonly version?: string
}

export type ReadFacts = (folder: string, signal?: AbortSignal) => Promise<PackageFacts>

export type ReadPackage = (wanted: WantedSource) => Promise<PackageFacts & { readonly source: NodeSource }>

export type PythonWish = {
  /** `from`: who asks; `text`: lines of requirements.txt. Requirements of earlier ones are kept in conflicts. */
  readonly requirements: readonly { readonly from: string; readonly text: string }[]
  readonly provides: Readonly<Record<string, string>>
  readonly python: string
  readonly sources?: readonly string[]
  readonly previous?: readonly Pick<LockedPython, 'name' | 'version'>[]
  readonly signal?: AbortSignal | undefined
}

export type ResolvedPython =
  | { readonly packages: readonly LockedPython[]; readonly warnings: readonly ImageConflict[] }
  | { readonly conflicts: readonly ImageConflict[] }

export type ResolvePython = (wish: PythonWish) => Promise<ResolvedPython>

export type LockPorts = {
  readonly git: {
    readonly commitOf: (repository: string, ref: string | undefined, signal?: AbortSignal) => Promise<string>
    readonly read: (repository: string, commit: string, signal?: AbortSignal) => Promise<PackageFacts>
    readonly readFolder: (path: string, signal?: AbortSignal) => Promise<PackageFacts & { readonly sha256: string }>
  }
  readonly registry: {
    readonly find: (
      id: string,
      version: string | undefined,
      signal?: AbortSignal,
    ) => Promise<
      | {
          readonly version: string
          readonly download: string | undefined
          readonly requirements: readonly string[]
          readonly licence: string | undefined
        }
      | undefined
    >
  }
  readonly pathOf: (source: string) => string
  readonly findModel: (
    name: string,
    directory: string | undefined,
    report: (step: string) => void,
  ) => Promise<ForeignModel | undefined>
  readonly readInput: (name: string) => Promise<{ readonly sizeBytes: number; readonly sha256: string } | undefined>
  readonly choose: ((choice: Choice) => Promise<Choice['options'][number] | undefined>) | undefined
  readonly resolvePython: ResolvePython | undefined
  /** Whether set-up programs of Python packages that the lock accepts may run on this machine. */
  readonly runsSetUp: boolean
  readonly ofWorker: readonly string[]
}
