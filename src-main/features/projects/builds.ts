/**
 * Builds of projects, one at a time each; the newest is kept until the service ends. Artifacts go to the upload store,
 * so releases can use them.
 */
import { type BuildEvent, BuildFailure, type BuildProblem } from '../../contract/build.ts'
import { AppError } from '../../contract/errors.ts'
import type { Manifest } from '../../contract/manifest.ts'
import type { BuildView, ProjectBuildRequest } from '../../contract/projects.ts'
import type { Clock, Log } from '../../lib/clock.ts'
import { errorCode } from '../../lib/error-code.ts'
import type { Project, Storage } from '../../storage/storage.ts'
import { artifactPieces, suggestExcludes } from '../apps/rules/artifact-pieces.ts'
import { buildBegun, buildStopped, buildWith } from '../apps/rules/project-progress.ts'
import type { BuildProject, BuiltProject } from './ports.ts'

export type Build = {
  readonly request: ProjectBuildRequest
  readonly view: () => BuildView
  readonly manifest: () => Manifest | undefined
  readonly over: Promise<void>
}

type Running = Build & { readonly cancel: () => void }

export function createBuilds(deps: {
  readonly clock: Clock
  readonly log: Log
  readonly storage: Pick<Storage, 'artifacts'>
  readonly build: BuildProject
  readonly onChange: (soon: Soon) => void
}) {
  const { clock, log, storage, build, onChange } = deps
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
    start(project: Project, request: ProjectBuildRequest): Build {
      if (stopping) throw new AppError('STOPPING')
      if (builds.get(project.id)?.view().state === 'running')
        throw new AppError('BUILD_RUNNING', { projectId: project.id })
      const begun = begin(project, request)
      builds.set(project.id, begun)
      onChange('now')
      return begun
    },
    newest: (projectId: string): Build | undefined => builds.get(projectId),
    cancel,
    async forget(projectId: string) {
      await cancel(projectId)
      builds.delete(projectId)
    },
    /** Ends all and refuses new ones, which nobody would end. */
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

export type Soon = 'now' | 'with others'

/**
 * The app's name is its folder's, as for the CLI.
 * @param folder absolute
 */
export function appOfFolder(folder: string): string {
  return folder.split(/[\\/]/).findLast((part) => part !== '') ?? folder
}

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

export function problemsOf(error: unknown): readonly BuildProblem[] {
  if (error instanceof BuildFailure) return error.problems
  if (error instanceof AppError) return [{ code: error.code, message: error.message }]
  const code = errorCode(error)
  const known = OF_THE_SYSTEM[code]
  return [known ?? { code: 'UNEXPECTED', message: error instanceof Error ? error.message : String(error) }]
}
