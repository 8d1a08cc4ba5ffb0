/**
 * Builds of projects: at most one at a time of each, the newest is stored until the service ends. An artifact goes
 * straight to where uploads go, so a release can name it.
 */
import { type BuildEvent, BuildFailure, type BuildProblem } from '../../contract/build.ts'
import { AppError } from '../../contract/errors.ts'
import type { Manifest } from '../../contract/manifest.ts'
import type { BuildView, ProjectBuildRequest } from '../../contract/projects.ts'
import { artifactPieces, suggestExcludes } from '../../domain/app/artifact-pieces.ts'
import { buildBegun, buildStopped, buildWith } from '../../domain/app/project-progress.ts'
import { errorCode } from '../../domain/error-code.ts'
import type { BuildProject, BuiltProject } from '../ports/projects.ts'
import type { Project, Storage } from '../ports/storage.ts'
import type { Clock, Log } from '../ports/system.ts'

/** A build, under way or over. */
export type Build = {
  readonly request: ProjectBuildRequest
  readonly view: () => BuildView
  /** Manifest of the app, once it is built. */
  readonly manifest: () => Manifest | undefined
  /** Settles when it is over; never rejects. */
  readonly over: Promise<void>
}

/** Builds of all projects. */
export type Builds = {
  /** @throws AppError BUILD_RUNNING, STOPPING */
  readonly start: (project: Project, request: ProjectBuildRequest) => Build
  /** The newest of a project. */
  readonly newest: (projectId: string) => Build | undefined
  /** Ends the build of a project, if there is one, and waits for it. */
  readonly cancel: (projectId: string) => Promise<void>
  /** Ends it, and forgets what was built. */
  readonly forget: (projectId: string) => Promise<void>
  /** Ends all; none begins any more, as nobody would end what it starts. */
  readonly stop: () => Promise<void>
}

type Deps = {
  readonly clock: Clock
  readonly log: Log
  readonly storage: Pick<Storage, 'artifacts'>
  readonly build: BuildProject
  /** Is called when a view has changed. */
  readonly onChange: (soon: Soon) => void
}

type Running = Build & { readonly cancel: () => void }

/** Makes the builds; a project has one at a time. */
export function createBuilds({ clock, log, storage, build, onChange }: Deps): Builds {
  const builds = new Map<string, Running>()
  let stopping = false

  function begin({ id, folder }: Project, request: ProjectBuildRequest): Running {
    const cancelled = new AbortController()
    let view = buildBegun(clock.now())
    let manifest: Manifest | undefined
    const change = (next: BuildView, soon: Soon = 'now') => {
      view = next
      onChange(soon)
    }

    const onEvent = (event: BuildEvent) =>
      change(buildWith(view, event), event.kind === 'progress' ? 'with others' : 'now')

    async function run() {
      const { signal } = cancelled
      const output = await storage.artifacts.newFile()
      const options = {
        folder,
        app: appOfFolder(folder),
        excludes: request.exclude,
        profile: request.images,
        pythonVersion: request.python,
        output,
      }
      const built = await build(options, onEvent, signal)
      await storage.artifacts.take(built.sha256, output)
      return { manifestRead: built.manifestRead, warnings: [...built.warnings], result: resultOf(built) }
    }

    const over = run().then(
      ({ manifestRead, ...done }) => {
        manifest = manifestRead
        change({ ...view, state: 'done', endedAt: clock.now(), ...done })
      },
      (error) => {
        const state = cancelled.signal.aborted ? ('cancelled' as const) : ('failed' as const)
        const problems = state === 'cancelled' ? [] : problemsOf(error)
        if (state === 'failed' && !(error instanceof BuildFailure)) log.warn('a build failed', { projectId: id, error })
        change(buildStopped(view, { state, endedAt: clock.now(), problems }))
      },
    )
    return {
      request,
      view: () => view,
      manifest: () => manifest,
      over,
      cancel: () => cancelled.abort(new Error('the build was cancelled')),
    }
  }

  async function cancel(projectId: string): Promise<void> {
    const running = builds.get(projectId)
    running?.cancel()
    await running?.over
  }

  return {
    start(project, request) {
      if (stopping) throw new AppError('STOPPING')
      if (builds.get(project.id)?.view().state === 'running')
        throw new AppError('BUILD_RUNNING', { projectId: project.id })
      const begun = begin(project, request)
      builds.set(project.id, begun)
      onChange('now')
      return begun
    },
    newest: (projectId) => builds.get(projectId),
    cancel,
    async forget(projectId) {
      await cancel(projectId)
      builds.delete(projectId)
    },
    async stop() {
      stopping = true
      await Promise.all([...builds.keys()].map(cancel))
    },
  }
}

function resultOf(built: BuiltProject): BuildView['result'] {
  const { contents, sha256: artifact, bytes, files, fingerprint, pythonVersion, packagesCached } = built
  const all = [...contents.project, ...contents.generated, ...contents.packages]
  return {
    artifact,
    bytes,
    unpackedBytes: all.reduce((sum, piece) => sum + piece.bytes, 0),
    files,
    fingerprint,
    pythonVersion,
    packagesCached,
    pieces: artifactPieces(contents),
    suggestions: suggestExcludes(contents),
  }
}

/** How soon whoever follows a view is to see what has changed in it. */
export type Soon = 'now' | 'with others'

/** Name of the app in a folder: that of the folder, as for the command line. @param folder absolute */
export function appOfFolder(folder: string): string {
  return folder.split(/[\\/]/).findLast((part) => part !== '') ?? folder
}

// What the system says of a disk or a folder, as people read it.
const DISK_FULL = { code: 'DISK_FULL', message: 'The disk is full. Free some space, and try again.' }
const UNWRITABLE = {
  code: 'FOLDER_UNWRITABLE',
  message:
    'The folder of the project cannot be written. A build stores its packages in .svc there: make it writable, or copy the project to a writable folder.',
}
const OF_THE_SYSTEM: Readonly<Record<string, BuildProblem>> = {
  ENOSPC: DISK_FULL,
  EDQUOT: DISK_FULL,
  EACCES: UNWRITABLE,
  EPERM: UNWRITABLE,
  EROFS: UNWRITABLE,
}

/** What a person reads when a project cannot be read or built: problems of its source, or what the system says. */
export function problemsOf(error: unknown): readonly BuildProblem[] {
  if (error instanceof BuildFailure) return error.problems
  if (error instanceof AppError) return [{ code: error.code, message: error.message }]
  const code = errorCode(error)
  const known = OF_THE_SYSTEM[code]
  return [known ?? { code: 'UNEXPECTED', message: error instanceof Error ? error.message : String(error) }]
}
