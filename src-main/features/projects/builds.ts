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
import { createWorkByKey, type Work } from '../../lib/work-by-key.ts'
import type { Project, Storage } from '../../storage/storage.ts'
import { artifactPieces, suggestExcludes } from '../apps/rules/artifact-pieces.ts'
import { buildBegun, buildStopped, buildWith } from '../apps/rules/project-progress.ts'
import type { BuildProject, BuiltProject } from './ports.ts'

type BuildOfProject = {
  readonly request: ProjectBuildRequest
  readonly shown: BuildView
  readonly manifest?: Manifest
}

export type Build = Work<BuildOfProject>

export function createBuilds(deps: {
  readonly clock: Clock
  readonly log: Log
  readonly storage: Pick<Storage, 'artifacts'>
  readonly build: BuildProject
  readonly onChange: (soon: Soon) => void
}) {
  const { clock, log, storage, build, onChange } = deps
  const builds = createWorkByKey<BuildOfProject>((isUrgent) => onChange(isUrgent ? 'now' : 'with others'))
  let stopping = false

  async function run({ folder }: Project, request: ProjectBuildRequest, options: RunOptions) {
    const output = await storage.artifacts.newFile()
    const built = await build(
      {
        folder,
        app: appOfFolder(folder),
        excludes: request.exclude,
        profile: request.images,
        pythonVersion: request.python,
        output,
      },
      options.onEvent,
      options.signal,
    )
    await storage.artifacts.take(built.sha256, output)
    return { manifest: built.manifestRead, done: { warnings: [...built.warnings], result: resultOf(built) } }
  }

  function begin(project: Project, request: ProjectBuildRequest): Build {
    return builds.begin(project.id, {
      view: { request, shown: buildBegun(clock.now()) },
      async run(change, signal) {
        const show = (next: (shown: BuildView) => BuildView, isUrgent?: boolean) =>
          change((build) => ({ ...build, shown: next(build.shown) }), isUrgent)
        const onEvent = (event: BuildEvent) => show((shown) => buildWith(shown, event), event.kind !== 'progress')
        try {
          const { manifest, done } = await run(project, request, { onEvent, signal })
          const ended = { state: 'done' as const, endedAt: clock.now(), ...done }
          change((build) => ({ ...build, manifest, shown: { ...build.shown, ...ended } }))
        } catch (error) {
          const state = signal.aborted ? ('cancelled' as const) : ('failed' as const)
          const problems = state === 'cancelled' ? [] : problemsOf(error)
          if (state === 'failed' && !(error instanceof BuildFailure))
            log.warn('a build failed', { projectId: project.id, error })
          show((shown) => buildStopped(shown, { state, endedAt: clock.now(), problems }))
        }
      },
    })
  }

  return {
    start(project: Project, request: ProjectBuildRequest): Build {
      if (stopping) throw new AppError('STOPPING')
      if (builds.isRunning(project.id)) throw new AppError('BUILD_RUNNING', { projectId: project.id })
      return begin(project, request)
    },
    newest: builds.newest,
    cancel: builds.cancel,
    forget: builds.forget,
    /** Ends all and refuses new ones, which nobody would end. */
    async stop() {
      stopping = true
      await builds.cancelAll()
    },
  }
}

type RunOptions = { readonly onEvent: (event: BuildEvent) => void; readonly signal: AbortSignal }

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
