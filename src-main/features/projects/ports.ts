import type { GitState } from '../../contract/app.ts'
import type { BuildEvent, BuildResult } from '../../contract/build.ts'
import type { SessionLink } from '../../contract/live.ts'
import type { Manifest } from '../../contract/manifest.ts'
import type { PreviewEvent } from '../../contract/preview-events.ts'
import type { ExampleView, FolderList } from '../../contract/projects.ts'
import type { ScanDocument } from '../../contract/scan.ts'
import type { ArtifactContents } from '../apps/rules/artifact-pieces.ts'
import type { ExclusionProfile } from '../apps/rules/collect-requirements.ts'

export type ProjectFolders = {
  /**
   * @param path absolute; defaults to the home folder
   * @param withFiles also lists possible handler files
   */
  readonly list: (path: string | undefined, withFiles: boolean) => Promise<FolderList>
  readonly realFolder: (path: string) => Promise<string>
  /** True if a folder equals or is within one of these, after resolving links. */
  readonly isWithin: (path: string, folders: readonly string[]) => Promise<boolean>
  readonly isThere: (folder: string) => Promise<boolean>
  readonly isFile: (path: string) => Promise<boolean>
  readonly examples: () => Promise<readonly ExampleView[]>
  /**
   * @param path an empty or new folder
   * @param from an example's name, or `app`
   * @throws AppError FOLDER_NOT_EMPTY, FOLDER_UNREADABLE, BAD_FIELD
   */
  readonly make: (path: string, from: string) => Promise<void>
}

export type SourceText = { readonly text: string } | { readonly noDiff: 'binary' | 'large' }

export type ProjectSource = {
  /**
   * No stamp means a file changed just now and may have been read before.
   * @throws BuildFailure if unreadable; the signal's reason
   */
  readonly scan: (
    folder: string,
    signal?: AbortSignal,
  ) => Promise<{ readonly scan: ScanDocument; readonly stamp: string | undefined }>
  readonly fingerprint: (folder: string, files: readonly string[], signal?: AbortSignal) => Promise<string>
  readonly stamp: (folder: string, files: readonly string[]) => Promise<string>
  readonly text: (
    folder: string,
    file: { readonly path: string; readonly sha256: string },
  ) => Promise<SourceText | undefined>
  readonly localPython: () => Promise<string | undefined>
  readonly git: (folder: string) => Promise<GitState | undefined>
}

export type BuiltProject = BuildResult & {
  readonly contents: ArtifactContents
  readonly manifestRead: Manifest
}

/**
 * Builds a project without blocking the service.
 * @throws BuildFailure; the signal's reason
 */
export type BuildProject = (
  options: {
    readonly folder: string
    readonly app: string
    readonly excludes: readonly string[]
    readonly profile: ExclusionProfile
    readonly pythonVersion: string | undefined
    readonly output: string
  },
  report: (event: BuildEvent) => void,
  signal: AbortSignal,
) => Promise<BuiltProject>

/** How a preview ended. `exitCode` is null after a signal; `lastOutput` is the end of stderr. */
export type PreviewEnd = { readonly exitCode: number | null; readonly lastOutput: string }

export type PreviewProgram = {
  readonly ended: Promise<PreviewEnd>
  readonly stop: () => void
  readonly kill: () => void
}

/** Starts a preview, which ends with the service however that ends. */
export type StartPreview = (folder: string, onEvent: (event: PreviewEvent) => void) => PreviewProgram

/**
 * Creates a sign-in link for a preview's pages.
 * @throws Error if it does not answer
 */
export type PreviewLink = (service: { readonly url: string; readonly keyFile: string }) => Promise<SessionLink>

export type ProjectPorts = {
  readonly folders: ProjectFolders
  readonly source: ProjectSource
  readonly build: BuildProject
  readonly startPreview: StartPreview
  readonly previewLink: PreviewLink
}
