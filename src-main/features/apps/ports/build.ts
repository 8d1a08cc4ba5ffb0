import type { BuildProblem, InstalledPackage } from '../../../contract/build.ts'
import type { CatalogFile } from '../../../contract/catalog.ts'
import type { ScanDocument } from '../../../contract/scan.ts'
import type { CollectedRequirements } from '../rules/collect-requirements.ts'

/**
 * Reads a project's source and writes its handler files, unless the document has errors.
 * @throws BuildFailure if unreadable
 */
export type ScanProject = (options: {
  readonly project: string
  readonly handlersFolder?: string
  /** Absolute outside folders whose files links may bring into the build. */
  readonly allowLinksTo?: readonly string[] | undefined
  readonly signal?: AbortSignal | undefined
}) => Promise<ScanDocument>

export type PythonWheel = {
  readonly fileName: string
  readonly name: string
  readonly requiresPython: string
  /** Hash of the body, hex. */
  readonly sha256: string
  readonly body: Uint8Array<ArrayBuffer>
}

/**
 * Fingerprint of files, hex.
 * @param paths relative to the project
 * @param onFile receives each file's SHA-256, hex
 * @throws BuildFailure if unreadable
 */
export type HashFiles = (
  project: string,
  paths: readonly string[],
  signal?: AbortSignal,
  onFile?: (path: string, sha256: string) => void,
) => Promise<string>

export type InstalledSet = {
  readonly folder: string
  readonly archivePart: string
  readonly archivePartBytes: number
  readonly packages: readonly InstalledPackage[]
  readonly removed: readonly string[]
  readonly imageRequirements: readonly string[]
  readonly cached: boolean
  readonly warnings: readonly BuildProblem[]
}

export type InstallPackages = (
  request: Pick<CollectedRequirements, 'wanted' | 'names' | 'options' | 'excludes'> & {
    readonly project: string
    readonly pythonVersion: string
  },
  options: { readonly onLine: (line: string) => void; readonly signal?: AbortSignal | undefined },
) => Promise<InstalledSet>

export type ArtifactContent = {
  readonly project: string
  readonly projectFiles: readonly string[]
  readonly handlersFolder: string
  readonly handlerFiles: readonly string[]
  readonly generated: Readonly<Record<string, string>>
  readonly packages: InstalledSet | undefined
}

export type MadeArtifact = { readonly files: number }

export type PackedArtifact = MadeArtifact & { readonly bytes: number; readonly sha256: string }

export type MakeArtifact<Made extends MadeArtifact> = (
  content: ArtifactContent,
  output: string,
  signal?: AbortSignal,
) => Promise<Made>

export type PackArtifact = MakeArtifact<PackedArtifact>

export type WriteAppFolder = MakeArtifact<MadeArtifact>

export type BuildFolder = {
  readonly handlers: string
  readonly write: (name: string, text: string) => Promise<void>
  /** Removes the folder, or with `keep` leaves it at `.svc/build`; that of an earlier build goes anyway. */
  readonly close: (keep: boolean) => Promise<void>
}

/** Hashes endpoints separately, so that a deploy skips unchanged ones. */
export type HashEndpoints = (
  build: {
    readonly project: string
    readonly scan: Pick<ScanDocument, 'files' | 'endpoints'>
    readonly handlersFolder: string
    readonly pythonVersion: string
    readonly packages: readonly InstalledPackage[]
  },
  signal?: AbortSignal,
) => Promise<Readonly<Record<string, string>>>

export type BuildPorts<Made extends MadeArtifact> = {
  readonly scan: ScanProject
  readonly hashFiles: HashFiles
  readonly hashEndpoints?: HashEndpoints
  readonly install: InstallPackages
  readonly pack: MakeArtifact<Made>
  readonly openFolder: (project: string) => Promise<BuildFolder>
  readonly writeState: (project: string, name: string, text: string) => Promise<string>
  readonly ignoreState: (project: string) => Promise<() => Promise<void>>
  readonly localPython: (signal?: AbortSignal) => Promise<string | undefined>
  readonly clock: { readonly now: () => number; readonly steady: () => number }
}

export type NamedCatalogFile = CatalogFile & { readonly id: string }

export type ReadCatalog = () => Promise<readonly NamedCatalogFile[]>
