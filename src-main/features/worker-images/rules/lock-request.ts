import type { ImageConflict, WorkflowLock } from '../../../contract/worker-images.ts'
import type { PackagesByClass } from '../../workflows/rules/node-packages.ts'
import type { GivenPackage } from './choose-packages.ts'
import type { Environment } from './formats/environment.ts'
import type { WantedSource } from './source-address.ts'
import type { WantedGraph } from './wanted-nodes.ts'

export type LockRequest = {
  readonly graph?: WantedGraph & { readonly isBuiltIn: (className: string) => boolean }
  readonly workflow?: WorkflowLock['workflow']
  readonly given: readonly GivenPackage[]
  readonly previous?: WorkflowLock | undefined
  readonly served: ReadonlyMap<string, string>
  readonly environments: readonly Environment[]
  readonly imported?: WorkflowLock['imported']
  readonly index: PackagesByClass
  readonly comfyui?: { readonly source: WantedSource } | undefined
  readonly base: Partial<WorkflowLock['base']>
  /** Missing: as before. */
  readonly worker?: 'local' | 'anywhere'
  readonly environment: Readonly<Record<string, string>>
  readonly addresses: ReadonlyMap<string, string>
}

export type MadeLock = {
  readonly lock: WorkflowLock | undefined
  readonly conflicts: readonly ImageConflict[]
  readonly notes: readonly string[]
}
