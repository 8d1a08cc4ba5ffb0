/** The ports of projects: folders of this machine, their source, builds of them, and previews. */
import type { GitState } from '../../contract/app.ts'
import type { BuildEvent, BuildResult } from '../../contract/build.ts'
import type { SessionLink } from '../../contract/live.ts'
import type { Manifest } from '../../contract/manifest.ts'
import type { PreviewEvent } from '../../contract/preview-events.ts'
import type { ExampleView, FolderList } from '../../contract/projects.ts'
import type { ScanDocument } from '../../contract/scan.ts'
import type { ArtifactContents } from '../../domain/app/artifact-pieces.ts'
import type { ExclusionProfile } from '../../domain/app/collect-requirements.ts'

/** Folders of this machine. */
export type ProjectFolders = {
  /**
   * @param path absolute; without it the home folder
   * @param withFiles lists the files that a handler may be in, too
   * @throws AppError FOLDER_UNREADABLE
   */
  readonly list: (path: string | undefined, withFiles: boolean) => Promise<FolderList>
  /** The real path of a folder that can be read. @throws AppError FOLDER_UNREADABLE */
  readonly realFolder: (path: string) => Promise<string>
  /** Whether a folder is one of these or within one, links followed; one that cannot be read is not. */
  readonly isWithin: (path: string, folders: readonly string[]) => Promise<boolean>
  readonly isThere: (folder: string) => Promise<boolean>
  /** Whether a path is that of a file, through links. */
  readonly isFile: (path: string) => Promise<boolean>
  readonly examples: () => Promise<readonly ExampleView[]>
  /**
   * Makes an app in a folder that is empty or not there yet.
   * @param from name of an example, or `app`
   * @throws AppError FOLDER_NOT_EMPTY, FOLDER_UNREADABLE; BAD_FIELD where there is no such example
   */
  readonly make: (path: string, from: string) => Promise<void>
}

/** The text of a file, or why it has none that a person reads. */
export type SourceText = { readonly text: string } | { readonly noDiff: 'binary' | 'large' }

/** The source of a project as it is on the disk. */
export type ProjectSource = {
  /**
   * Looks for endpoints; see `stamp`. No stamp: a file changed in this moment, and may have been read before that.
   * @throws BuildFailure when it cannot be read at all; the reason of the signal
   */
  readonly scan: (
    folder: string,
    signal?: AbortSignal,
  ) => Promise<{ readonly scan: ScanDocument; readonly stamp: string | undefined }>
  /** See HashFiles. @throws BuildFailure */
  readonly fingerprint: (folder: string, files: readonly string[], signal?: AbortSignal) => Promise<string>
  /** A text that changes when a file of the project does, or when one comes or goes. @param files see ScanDocument */
  readonly stamp: (folder: string, files: readonly string[]) => Promise<string>
  /**
   * The text of a file with this SHA-256 below a folder.
   * @returns undefined where it is not there, or is another by now
   */
  readonly text: (
    folder: string,
    file: { readonly path: string; readonly sha256: string },
  ) => Promise<SourceText | undefined>
  /** `X.Y` of python3 on this machine. */
  readonly localPython: () => Promise<string | undefined>
  /** The commit that the folder is at; undefined: it is in no repository. */
  readonly git: (folder: string) => Promise<GitState | undefined>
}

/** How a project is built. */
export type ProjectBuildOptions = {
  readonly folder: string
  readonly app: string
  readonly excludes: readonly string[]
  readonly profile: ExclusionProfile
  readonly pythonVersion: string | undefined
  /** Absolute path for the artifact. */
  readonly output: string
}

/** A build with what the pages show of it. */
export type BuiltProject = BuildResult & {
  readonly contents: ArtifactContents
  readonly manifestRead: Manifest
}

/** Builds a project without holding up the service. @throws BuildFailure; the reason of the signal */
export type BuildProject = (
  options: ProjectBuildOptions,
  report: (event: BuildEvent) => void,
  signal: AbortSignal,
) => Promise<BuiltProject>

/** How a preview ended. `exitCode` null: a signal ended it; `lastWords`: the end of its error output. */
export type PreviewEnd = { readonly exitCode: number | null; readonly lastOutput: string }

/** A preview that runs as a program of its own. */
export type PreviewProgram = {
  /** Settles when it is over; never rejects. */
  readonly ended: Promise<PreviewEnd>
  /** Asks it to end in order. */
  readonly stop: () => void
  /** Ends it at once; what it leaves is removed by the next preview. */
  readonly kill: () => void
}

/** Starts the preview of a folder. It ends by itself when the service does, however that ends. */
export type StartPreview = (folder: string, onEvent: (event: PreviewEvent) => void) => PreviewProgram

/** Makes a link that signs a browser in to the pages of a preview. @throws Error when it does not answer */
export type PreviewLink = (service: { readonly url: string; readonly keyFile: string }) => Promise<SessionLink>

/** All that projects need from outside. */
export type ProjectPorts = {
  readonly folders: ProjectFolders
  readonly source: ProjectSource
  readonly build: BuildProject
  readonly startPreview: StartPreview
  readonly previewLink: PreviewLink
}
