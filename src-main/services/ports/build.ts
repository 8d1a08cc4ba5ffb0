/** The ports of builds and of the catalog; app-builder/ and build/ implement them. */
import type { BuildProblem, InstalledPackage } from '../../contract/build.ts'
import type { CatalogFile } from '../../contract/catalog.ts'
import type { ScanDocument } from '../../contract/scan.ts'
import type { CollectedRequirements } from '../../domain/app/collect-requirements.ts'

/**
 * Reads a project's source and writes its handler files into `handlersFolder`, unless the document has errors.
 * @throws BuildFailure when the source cannot be read at all
 */
export type ScanProject = (options: {
  readonly project: string
  /** Without it no handler file is written. */
  readonly handlersFolder?: string
  /** Absolute folders outside of the project whose files links may bring into the build. */
  readonly allowLinksTo?: readonly string[] | undefined
  readonly signal?: AbortSignal | undefined
}) => Promise<ScanDocument>

/** A wheel: a package of Python that pip installs. */
export type PythonWheel = {
  /** `name-version-py3-none-any.whl`. */
  readonly fileName: string
  readonly name: string
  /** Versions of Python that it runs on, as pip reads them. */
  readonly requiresPython: string
  /** Of the body, hex. */
  readonly sha256: string
  readonly body: Uint8Array<ArrayBuffer>
}

/**
 * The fingerprint of files, hex.
 * @param paths relative to the project
 * @param onFile gets the SHA-256 of each file, hex
 * @throws BuildFailure for one that is unreadable
 */
export type HashFiles = (
  project: string,
  paths: readonly string[],
  signal?: AbortSignal,
  onFile?: (path: string, sha256: string) => void,
) => Promise<string>

/** Packages that are installed, on the disk, until the next builds push them out. */
export type InstalledSet = {
  /** Absolute; the packages lie flat in it. */
  readonly folder: string
  /** Absolute path of the same packages as the first part of an archive. */
  readonly archivePart: string
  readonly archivePartBytes: number
  readonly packages: readonly InstalledPackage[]
  /** Names of distributions that were removed again. */
  readonly removed: readonly string[]
  /** What the packages need of those that are left out: requirement strings, sorted. */
  readonly imageRequirements: readonly string[]
  /** Whether an earlier build left it. */
  readonly cached: boolean
  readonly warnings: readonly BuildProblem[]
}

/** Installs packages, or finds them installed. Nothing half written stays. @throws BuildFailure */
export type InstallPackages = (
  request: Pick<CollectedRequirements, 'wanted' | 'names' | 'options' | 'excludes'> & {
    readonly project: string
    /** `X.Y`. */
    readonly pythonVersion: string
  },
  options: { readonly onLine: (line: string) => void; readonly signal?: AbortSignal | undefined },
) => Promise<InstalledSet>

/** What goes into an artifact. Names are relative to its root. */
export type ArtifactContent = {
  readonly project: string
  readonly projectFiles: readonly string[]
  readonly handlersFolder: string
  readonly handlerFiles: readonly string[]
  /** Texts by name. */
  readonly generated: Readonly<Record<string, string>>
  readonly packages: InstalledSet | undefined
}

/** An artifact that was made: how many files it holds. */
export type MadeArtifact = { readonly files: number }

/** An artifact that is an archive; `bytes` and `sha256` (hex) of the archive. */
export type PackedArtifact = MadeArtifact & { readonly bytes: number; readonly sha256: string }

/** Makes an artifact at `output`, whole or not at all. @throws BuildFailure when it would exceed the limit */
export type MakeArtifact<Made extends MadeArtifact> = (
  content: ArtifactContent,
  output: string,
  signal?: AbortSignal,
) => Promise<Made>

/** Makes an archive. */
export type PackArtifact = MakeArtifact<PackedArtifact>

/** Makes a folder with the files that the archive would hold. */
export type WriteAppFolder = MakeArtifact<MadeArtifact>

/** The folder of one build. */
export type BuildFolder = {
  readonly handlers: string
  readonly write: (name: string, text: string) => Promise<void>
  /** Removes the folder, or with `keep` leaves it at `.svc/build`; the one of an earlier build goes in any case. */
  readonly close: (keep: boolean) => Promise<void>
}

/** Hashes the code of single endpoints, so that a deploy leaves those alone that have not changed. */
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

/** What a build needs from outside. */
export type BuildPorts<Made extends MadeArtifact> = {
  readonly scan: ScanProject
  readonly hashFiles: HashFiles
  /** Missing: only the app as a whole has a fingerprint, as previews need no other. */
  readonly hashEndpoints?: HashEndpoints
  readonly install: InstallPackages
  readonly pack: MakeArtifact<Made>
  readonly openFolder: (project: string) => Promise<BuildFolder>
  /** Writes `.svc/NAME` of a project, whole or not at all. @returns its absolute path */
  readonly writeState: (project: string, name: string, text: string) => Promise<string>
  /** Adds `.svc/` to .gitignore where it is missing. @returns takes that back, for a build that fails */
  readonly ignoreState: (project: string) => Promise<() => Promise<void>>
  /** `X.Y` of python3 on this machine; undefined: it does not say. */
  readonly localPython: (signal?: AbortSignal) => Promise<string | undefined>
  /** Wall time, and ms that never jump. */
  readonly clock: { readonly now: () => number; readonly steady: () => number }
}

/** A file of the catalog, its handler as an absolute path. */
export type NamedCatalogFile = CatalogFile & { readonly id: string }

/** Reads the catalog of this installation, sorted by id. */
export type ReadCatalog = () => Promise<readonly NamedCatalogFile[]>
