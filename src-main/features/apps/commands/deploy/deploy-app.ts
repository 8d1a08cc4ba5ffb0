import { readFile, realpath } from 'node:fs/promises'
import { basename } from 'node:path'
import { canAsk } from '../../../../app/cli/ask.ts'
import { CliError } from '../../../../app/cli/cli-error.ts'
import { type Output, size } from '../../../../app/cli/output.ts'
import type { Session } from '../../../../app/cli/session.ts'
import type { Surroundings } from '../../../../app/cli/surroundings.ts'
import type { DeployPlan, ReleaseProgress, RunsOn } from '../../../../contract/app.ts'
import type { BuildResult } from '../../../../contract/build.ts'
import type { Manifest } from '../../../../contract/manifest.ts'
import type { TargetPlan } from '../../../../contract/targets.ts'
import { WITH_ENDPOINTS } from '../../../endpoints/rules/deletion-text.ts'
import { refuseSchedules } from '../../rules/app-schedules.ts'
import { type BuildOptions, builtApp, runBuild, showBuildSteps, showBuildWarnings } from '../build-app.ts'
import { checkedApp, deployTarget } from './app-target.ts'
import { readRelease, runRelease, showRelease } from './run-release.ts'
import { showPlan } from './show-release.ts'
import { uploadArtifact } from './upload-artifact.ts'

export type DeployOptions = BuildOptions &
  DeleteOptions & { readonly env?: string; readonly plan?: true; readonly runsOn?: RunsOn; readonly on?: string }

/**
 * Nothing on the service changes until the release is made.
 * @throws CliError as the steps do
 */
export async function deployApp(
  options: DeployOptions,
  session: Session,
  surroundings: Surroundings,
  { build = runBuild, isProject = isProjectFolder(session, surroundings) } = {},
): Promise<void> {
  const { client, output } = session
  // Before the build, which may take minutes, so that a wrong name or address is reported at once.
  const target = await deployTarget(client, checkedApp(builtApp(surroundings)), options.env)
  const { readGit } = await import('../../../../app/app-builder/create-app-builder.ts')
  const found = await readGit(surroundings.cwd, surroundings.env)
  const git = found === undefined ? {} : { git: found }
  const built = await build(options, output, surroundings, async ({ endpoints }) => {
    const scheduled = endpoints.flatMap(({ name, settings }) => (settings.schedule === undefined ? [] : (name ?? [])))
    if (scheduled.length > 0) refuseSchedules(scheduled, (await client.call('settingsRead')).appSchedules)
  })
  if (!output.json) showBuildWarnings(output, built)

  const runsOn = options.runsOn === undefined ? {} : { runsOn: options.runsOn }
  const machine = options.on === undefined ? {} : { machine: options.on }
  const manifest: Manifest = JSON.parse(await readFile(built.manifest, 'utf8'))
  const planned: DeployPlan = await client.call('planCreate', {
    path: target,
    body: { manifest, artifact: built.sha256, ...git, ...runsOn, ...machine },
  })
  const warnings = planned.makes.length > 0 || !isProject ? [] : await warnOfFolder(session, surroundings)
  const plan = { ...planned, warnings: [...planned.warnings, ...warnings] }
  if (!output.json) showPlan(output, plan, client.url)
  if (options.plan === true) {
    if (output.json) output.document({ plan })
    return
  }
  const repeated = options.on === undefined ? await repeatedRelease(session, plan, built.sha256) : undefined
  if (repeated !== undefined) {
    if (isProject) await openProject(session, surroundings)
    output.result({ plan, ...repeated }, () => showRelease(session, repeated, true))
    return
  }
  const deletes = await chooseDeletes(plan, options, { output, surroundings })

  if (!output.json) output.line()
  await upload(session, surroundings, built)
  if (isProject) await openProject(session, surroundings)
  const source = { artifact: built.sha256 }
  const body = { source, deletes: [...deletes], ...git, ...runsOn, ...machine }
  const progress = await runRelease(session, surroundings, target, body)
  output.result({ plan, ...progress }, () => showRelease(session, progress))
}

async function repeatedRelease(
  session: Session,
  plan: DeployPlan,
  artifact: string,
): Promise<ReleaseProgress | undefined> {
  if (!changesNothing(plan)) return undefined
  const path = { app: plan.app, environment: plan.environment }
  const { active } = await session.client.call('environmentRead', { path })
  // Task code and files that no endpoint loads are in no plan step.
  return active?.artifact === artifact ? readRelease(session, path, active.number) : undefined
}

export function changesNothing({ makes, steps }: DeployPlan | TargetPlan): boolean {
  return makes.length === 0 && steps.every(({ action }) => action === 'unchanged')
}

/** Whether pages can list the current folder as the app's project: a local service, and an app named like the folder. */
function isProjectFolder({ service }: Session, surroundings: Surroundings): boolean {
  return service.keyFile !== undefined && builtApp(surroundings) === basename(surroundings.cwd)
}

// A release does not know its folder; the project list shows which folder of that name was used last.
async function warnOfFolder(session: Session, surroundings: Surroundings): Promise<readonly string[]> {
  const { projects } = await session.client.call('projectList').catch(() => ({ projects: [] }))
  const app = builtApp(surroundings)
  const last = projects.find((one) => one.app === app)?.folder
  const here = await realpath(surroundings.cwd)
  if (last === undefined || last === here) return []
  return [
    `App ${app} was last deployed or opened from ${last}; this deploys ${here} to it. If these are two different apps, rename one: SVC_APP=NAME drydock deploy`,
  ]
}

async function openProject(session: Session, surroundings: Surroundings): Promise<void> {
  await session.client.call('projectOpen', { body: { folder: surroundings.cwd } }).catch(() => undefined)
}

export async function upload(
  { client, output }: Pick<Session, 'client' | 'output'>,
  surroundings: Surroundings,
  built: BuildResult,
): Promise<void> {
  const { artifact: file, sha256, bytes } = built
  const { now, pause } = surroundings
  const shown = showBuildSteps(output, surroundings)
  const step = 'upload'
  const onProgress = (received: number) => {
    const share = Math.floor((100 * received) / bytes)
    shown.report({ kind: 'progress', step, text: `${size(received)} of ${size(bytes)}, ${share} %` })
  }
  const startedAt = now()
  shown.report({ kind: 'started', step })
  try {
    const sent = await uploadArtifact({ client, pause, onProgress }, { file, sha256, bytes })
    const summary = sent === 0 ? 'is there already' : sent < bytes ? `${size(sent)}, the rest was there` : size(sent)
    shown.report({ kind: 'ended', step, tookMs: now() - startedAt, summary })
  } finally {
    shown.end()
  }
}

export type DeleteOptions = { readonly yes?: true; readonly keep?: true }

/**
 * Chooses endpoints to delete that the app no longer has.
 * @throws CliError DELETES_UNCONFIRMED if nobody can be asked, ABANDONED after a no
 */
export async function chooseDeletes(
  plan: DeployPlan | TargetPlan,
  { yes, keep }: DeleteOptions,
  { output, surroundings }: { readonly output: Output; readonly surroundings: Surroundings },
): Promise<readonly string[]> {
  const gone = plan.steps.filter(({ action }) => action === 'delete').map(({ resource }) => resource)
  if (keep === true || gone.length === 0) return []
  if (yes === true) return gone
  const endpoints = `${gone.length === 1 ? 'endpoint' : 'endpoints'} ${gone.join(', ')}`
  if (!canAsk(output, surroundings)) {
    const { message } = new CliError('DELETES_UNCONFIRMED', { endpoints })
    throw new CliError('DELETES_UNCONFIRMED', { endpoints }, { body: { error: message, code: CODE, plan } })
  }
  const question = `The app no longer has ${endpoints}. Delete ${gone.length === 1 ? 'it' : 'them'} with all ${WITH_ENDPOINTS}?`
  if (!(await surroundings.ask.yes(question))) {
    const why = `Nothing was uploaded or changed. \`drydock deploy --keep\` deploys and keeps ${endpoints}.`
    throw new CliError('ABANDONED', { why })
  }
  return gone
}

const CODE = 'DELETES_UNCONFIRMED'
