/**
 * Builds of projects: at most one at a time of each, the newest is kept until the service ends. An artifact goes straight
 * to where uploads go, so a release can name it.
 */
import { type BuildEvent, BuildFailure } from '../../contract/build.ts'
import { AppError } from '../../contract/errors.ts'
import type { Manifest } from '../../contract/manifest.ts'
import type { BuildView, ProjectBuildRequest } from '../../contract/projects.ts'
import { artifactPieces } from '../../domain/app/artifact-pieces.ts'
import { buildBegun, buildStopped, buildWith } from '../../domain/app/build-progress.ts'
import { suggestExcludes } from '../../domain/app/suggest-excludes.ts'
import type { BuildProject, BuiltProject, Project } from '../ports/projects.ts'
import type { Clock, Log, Storage } from '../ports.ts'
import { appOfFolder } from './app-of-folder.ts'
import { problemsOf } from './problems-of.ts'
import type { Soon } from './soon.ts'

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

/** Makes them. */
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

    const hear = (event: BuildEvent) =>
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
      const built = await build(options, hear, signal)
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
