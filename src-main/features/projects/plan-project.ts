import type { DeployPlan, RunsOn, SourceFile } from '../../contract/app.ts'
import { AppError } from '../../contract/errors.ts'
import type { Manifest } from '../../contract/manifest.ts'
import type { BuildView, ProjectBuildRequest } from '../../contract/projects.ts'
import type { Project } from '../../storage/storage.ts'
import { type PlanDeps, showPlan } from '../apps/plan-release.ts'
import { readStoredManifest } from '../apps/release-source.ts'
import { holdsCredentials } from '../apps/rules/left-out.ts'
import { textDiff } from '../apps/rules/source-diff.ts'
import { appOfFolder, type Build } from './builds.ts'
import type { SourceText } from './ports.ts'
import type { Projects } from './projects.ts'

type Deps = PlanDeps & {
  readonly projects: Pick<Projects, 'builds' | 'source' | 'git' | 'text'>
}

/**
 * Plans a deploy of the last build if it matches the source and still exists, otherwise of a new one.
 * @throws AppError BUILD_RUNNING, BUILD_FAILED, BAD_FIELD
 */
export async function planProject(
  deps: Deps,
  project: Project,
  {
    environment,
    runsOn,
    machine,
    ...request
  }: ProjectBuildRequest & {
    readonly environment: string
    readonly runsOn?: RunsOn | undefined
    readonly machine?: string | undefined
  },
): Promise<{ readonly artifact: string; readonly plan: DeployPlan }> {
  // Read before the build, which may add a line to .gitignore.
  const git = await deps.projects.git(project)
  const { artifact, manifest } = await currentBuild(deps, project, request)
  const plan = await showPlan(deps, {
    app: appOfFolder(project.folder),
    environment,
    manifest,
    code: artifact,
    git,
    ...(runsOn === undefined ? {} : { runsOn }),
    machine,
    withoutImages: false,
  })
  return { artifact, plan: await withDiffs(deps, { plan, project, manifest }) }
}

// Files with a diff, and lines of one; source: ours, as many as people read.
const DIFFS = 20
const DIFF_LINES = 200

type WithPlan = { readonly plan: DeployPlan; readonly project: Project; readonly manifest: Manifest }

async function withDiffs(deps: Deps, { plan, project, manifest }: WithPlan): Promise<DeployPlan> {
  const { apps, artifacts } = deps.storage
  const environment = apps.environment(plan.app, plan.environment)
  const active = environment && apps.releaseIn(environment.id, 'active')
  if (plan.source === undefined || active === undefined || active.artifact === null) return plan
  const hashes = { before: readStoredManifest(active.manifest).source_files ?? {}, after: manifest.source_files ?? {} }
  const folder = await artifacts.unpackedFolder(active.artifact)
  const text = (of: string, path: string, sha256: string | undefined) =>
    sha256 === undefined ? { text: '' } : deps.projects.text(of, { path, sha256 })
  const files: SourceFile[] = []
  for (const [at, file] of plan.source.files.entries()) {
    const { path } = file
    if (at >= DIFFS || holdsCredentials(path)) files.push(file)
    else {
      const before = await text(folder, path, hashes.before[path])
      const after = await text(project.folder, path, hashes.after[path])
      files.push({ ...file, ...diffOf(before, after) })
    }
  }
  return { ...plan, source: { ...plan.source, files } }
}

function diffOf(before: SourceText | undefined, after: SourceText | undefined): Partial<SourceFile> {
  if (before === undefined || after === undefined) return {}
  if ('noDiff' in before) return before
  return 'noDiff' in after ? after : { diff: [...textDiff(before.text, after.text, DIFF_LINES)] }
}

type Built = { readonly artifact: string; readonly manifest: Manifest }

async function currentBuild(deps: Deps, project: Project, request: ProjectBuildRequest): Promise<Built> {
  const { builds, source } = deps.projects
  const last = builds.newest(project.id)
  if (last?.view().shown.state === 'running') throw new AppError('BUILD_RUNNING', { projectId: project.id })
  const known = last && builtOf(last)
  if (last !== undefined && known !== undefined && isSameRequest(last.view().request, request)) {
    const { fingerprint } = await source.read(project)
    const isHere = (await deps.storage.artifacts.find(known.artifact)) !== undefined
    if (isHere && fingerprint === last.view().shown.result?.fingerprint) return known
  }
  const build = builds.start(project, request)
  await build.over
  const built = builtOf(build)
  if (built !== undefined) return built
  const { state, problems } = build.view().shown
  const why = state === 'cancelled' ? 'the build was cancelled.' : problems.map(worded).join('\n')
  throw new AppError('BUILD_FAILED', { why })
}

function builtOf(build: Build): Built | undefined {
  const { shown, manifest } = build.view()
  const artifact = shown.result?.artifact
  return artifact === undefined || manifest === undefined ? undefined : { artifact, manifest }
}

function isSameRequest(one: ProjectBuildRequest, other: ProjectBuildRequest): boolean {
  const keyOf = ({ exclude, images, python }: ProjectBuildRequest) =>
    JSON.stringify([[...new Set(exclude)].sort(), images, python])
  return keyOf(one) === keyOf(other)
}

function worded({ file, line, message }: BuildView['problems'][number]) {
  const position = file === undefined ? '' : line === undefined ? `${file}: ` : `${file}:${line}: `
  return `${position}${message}`
}
