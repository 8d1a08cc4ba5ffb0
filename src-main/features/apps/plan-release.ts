import {
  type DeployPlan,
  type GitState,
  type ReleaseCreate,
  type ReleaseKind,
  RUNS_ON,
  type RunsOn,
} from '../../contract/app.ts'
import { containerSettings } from '../../contract/container.ts'
import type { EndpointConfig } from '../../contract/endpoint.ts'
import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import { THIS_MACHINE } from '../../contract/machines.ts'
import type { Manifest, ManifestResource } from '../../contract/manifest.ts'
import type { ReleasedGraph } from '../../contract/published.ts'
import { APP_SCHEDULE } from '../../contract/schedules.ts'
import type { Clock } from '../../lib/clock.ts'
import { present } from '../../lib/json/plain.ts'
import type { Fleet, ProcessHost } from '../../runtimes/port.ts'
import type { Environment, Release, Storage } from '../../storage/storage.ts'
import type { Settings } from '../settings/settings.ts'
import { endpointsOf } from './environment-endpoints.ts'
import { gitOf, locateSource, readStoredManifest } from './release-source.ts'
import { versionOf } from './released-graphs.ts'
import { scheduledIn, withSchedules } from './rules/app-schedules.ts'
import { codeFolder, type TargetContext, targetConfig, VOLUME_TARGET } from './rules/endpoint-config.ts'
import { type CurrentEndpoint, isSameCode, planDeploy } from './rules/plan.ts'
import { releaseMachine, withMachine } from './rules/release-machine.ts'
import { changedFiles } from './rules/source-diff.ts'

export type Wanted = {
  readonly app: string
  readonly environment: string
  readonly manifest: Manifest
  readonly folder: string
  readonly code: string
  readonly git?: GitState | undefined
  readonly kind?: ReleaseKind
  /** null: a preview, whose code is a folder. */
  readonly artifact?: string | null
} & Pick<ReleaseCreate, 'runsOn' | 'machine' | 'withoutImages'>

export type PlanDeps = {
  readonly storage: Storage
  readonly fleet: Pick<Fleet, 'refusal'>
  readonly processHost: ProcessHost
  readonly pythonPackages: string
  readonly settings: Pick<Settings, 'get'>
  readonly clock: Pick<Clock, 'now'>
}

export type ReleasePlan = DeployPlan & {
  readonly targets: Readonly<Record<string, EndpointConfig>>
  readonly graphs: ReadonlyMap<string, ReleasedGraph>
  readonly linkVolumes: () => Promise<void>
}

const NOT_HERE_YET = '/nowhere'

export async function showPlan(deps: PlanDeps, wanted: Omit<Wanted, 'folder'>): Promise<DeployPlan> {
  const {
    targets: _targets,
    graphs: _graphs,
    linkVolumes: _linkVolumes,
    ...plan
  } = await planRelease(deps, { ...wanted, folder: NOT_HERE_YET })
  return plan
}

export async function planRollback(deps: PlanDeps, environment: Environment, release: Release): Promise<DeployPlan> {
  const { artifact } = locateSource(deps.storage, environment, { release: release.number })
  const manifest = readStoredManifest(release.manifest)
  const { app, name } = environment
  const code = artifact ?? manifest.source_fingerprint
  const git = gitOf(release)
  return await showPlan(deps, { app, environment: name, manifest, code, git, kind: 'rollback', withoutImages: false })
}

export async function planRelease(
  { storage, fleet, processHost, pythonPackages, settings, clock }: PlanDeps,
  wanted: Wanted,
): Promise<ReleasePlan> {
  const { app, environment: name, manifest: given, folder, code, git, kind = 'deploy' } = wanted
  const { appSchedules } = settings.get()
  const applied = withSchedules(given, { isOn: appSchedules, isPreview: wanted.artifact === null, kind })
  await refuseWrongSchedules(applied, clock.now())
  const manifest = { ...given, resources: applied.resources }
  const environment = storage.apps.environment(app, name)
  const machine = wanted.machine ?? environment?.machine ?? THIS_MACHINE
  const current = endpointsOf(storage, { app, name }).map(({ id, app: { resource }, config }) => ({
    resource,
    endpointId: id,
    config,
  }))
  const configOf = (resource: string) => current.find((endpoint) => endpoint.resource === resource)?.config
  const idOf = (resource: string) => current.find((endpoint) => endpoint.resource === resource)?.endpointId
  const machineOf = (resource: string) => releaseMachine(configOf(resource), machine)
  const { runsOn, resources, warnings } = await fitToMachine(fleet, manifest, { ...wanted, machine, machineOf })
  const volumes = await volumeFolders(storage, manifest)
  const context = {
    app,
    environment: name,
    folder,
    code,
    runsOn,
    variables: environment?.variables ?? 0,
    pythonVersion: manifest.python_version,
    imageRequirements: manifest.image_requirements,
    volumeFolder: (volume: string) => volumes.get(volume) ?? volume,
    pythonPackages,
    graphOf: (resource: string, graph: ReleasedGraph) => ({
      behind: idOf(graph.behind) ?? graph.behind,
      version: versionOf(storage, idOf(resource), graph),
    }),
  }
  const { imageRequirements, volumeFolder } = context
  const isProcess = ({ imageName }: ManifestResource) => runsOn === 'processes' && imageName === undefined
  const processes = Object.fromEntries(Object.entries(resources).filter(([, resource]) => isProcess(resource)))
  const lacks = await warnOfProcesses(processHost, { resources: processes, imageRequirements, volumeFolder })
  const targets = Object.fromEntries(
    Object.entries(resources).map(([resource, settings]) => [
      resource,
      withMachine(
        targetOf(
          { resource, settings, context },
          current.find((endpoint) => endpoint.resource === resource),
        ),
        configOf(resource),
        machine,
      ),
    ]),
  )
  const active = environment === undefined ? undefined : storage.apps.releaseIn(environment.id, 'active')
  const activeGit = active && gitOf(active)
  const source = active && sourceChanges(readStoredManifest(active.manifest), manifest)
  const makesApp = storage.apps.app(app) === undefined
  return {
    app,
    environment: name,
    makes: [...(makesApp ? ['app' as const] : []), ...(environment === undefined ? ['environment' as const] : [])],
    runsOn,
    ...(machine === THIS_MACHINE ? {} : { machine }),
    ...present({ git, activeGit }),
    steps: [...planDeploy(current, targets)],
    ...(source === undefined ? {} : { source }),
    ...(manifest.tasks === undefined ? {} : { tasks: Object.keys(manifest.tasks) }),
    warnings: [...applied.warnings, ...warnings, ...lacks],
    targets,
    graphs: new Map(
      Object.entries(resources).flatMap(([name, { graph }]) => (graph === undefined ? [] : [[name, graph] as const])),
    ),
    linkVolumes: () => linkVolumes(processHost, processes, volumeFolder),
  }
}

async function refuseWrongSchedules({ resources }: Pick<Manifest, 'resources'>, now: number): Promise<void> {
  const scheduled = scheduledIn({ resources })
  if (scheduled.length === 0) return
  const { timingProblem } = await import('../schedules/rules.ts')
  for (const name of scheduled) {
    const field = `schedule of ${name}`
    if (resources[name]?.is_load_balanced === true)
      throw new AppError('BAD_FIELD', { field, why: 'it is an API, which takes no jobs' })
    const problem = timingProblem({ cron: resources[name]?.schedule, timeZone: APP_SCHEDULE.timeZone }, now)
    if (problem !== undefined) throw new AppError('BAD_FIELD', { field, why: problem.why })
  }
}

function sourceChanges({ source_files: before }: Manifest, { source_files: after }: Manifest): DeployPlan['source'] {
  if (before === undefined || after === undefined) return undefined
  const files = changedFiles(before, after)
  const most = limit('planFiles')
  return { files: files.slice(0, most), more: Math.max(0, files.length - most) }
}

/** Unchanged endpoints keep their code folder, from which their running workers still import. */
function targetOf(
  {
    resource,
    settings,
    context,
  }: { readonly resource: string; readonly settings: ManifestResource; readonly context: TargetContext },
  before: CurrentEndpoint | undefined,
): EndpointConfig {
  const target = targetConfig(resource, settings, context)
  const { code, fingerprint } = before?.config.app ?? {}
  if (before === undefined || code === undefined || fingerprint === undefined) return target
  if (!isSameCode(before.config, target)) return target
  return targetConfig(resource, settings, { ...context, code, folder: codeFolder(before.config) ?? context.folder })
}

async function volumeFolders(
  { artifacts, platform }: Storage,
  { resources }: Manifest,
): Promise<ReadonlyMap<string, string>> {
  const made = platform.volumes.all()
  const folderOf = (called: string) => made.find(({ id, name }) => id === called || name === called)?.folder ?? called
  const names = Object.values(resources).flatMap(({ networkVolumes }) =>
    networkVolumes.flatMap(({ name, id }) => name ?? id ?? []),
  )
  return new Map(
    await Promise.all([...new Set(names)].map(async (name) => [name, await artifacts.volume(folderOf(name))] as const)),
  )
}

// Requirements that processes have on this machine: packages left to images, system packages, and volumes. Missing ones
// are reported with the fix.
type App = {
  readonly resources: Readonly<Record<string, ManifestResource>>
  readonly imageRequirements: readonly string[]
  readonly volumeFolder: (name: string) => string
}

async function warnOfProcesses(
  machine: ProcessHost,
  { resources, imageRequirements, volumeFolder }: App,
): Promise<readonly string[]> {
  const missing = Object.keys(resources).length === 0 ? [] : await machine.missingPackages(imageRequirements)
  const warnings: string[] = []
  if (missing.length > 0) {
    const line = `${machine.python()} -m pip install ${missing.map((text) => `'${text}'`).join(' ')}`
    warnings.push(
      `Builds leave ${missing.join(', ')} to the image, but workers run as processes and their Python lacks it: ${line}`,
    )
  }
  for (const [name, { systemDependencies }] of Object.entries(resources)) {
    if (systemDependencies.length === 0) continue
    const line = `sudo apt-get install ${systemDependencies.join(' ')}`
    warnings.push(`${name} needs system packages, which processes use from this machine: ${line}`)
  }
  for (const { name, folder } of volumesOf(resources, volumeFolder)) {
    const why = await machine.whyNotAt(VOLUME_TARGET, folder)
    const is = `Volume ${name} is the folder ${folder}`
    warnings.push(
      why === undefined
        ? `${is}; processes find it at ${VOLUME_TARGET}, which is a link to it.`
        : `${is}, and processes do not find it at ${VOLUME_TARGET}: ${why}. Make the link yourself: sudo ln -sfn ${folder} ${VOLUME_TARGET}`,
    )
  }
  return warnings
}

async function linkVolumes(
  machine: ProcessHost,
  resources: App['resources'],
  volumeFolder: App['volumeFolder'],
): Promise<void> {
  for (const { folder } of volumesOf(resources, volumeFolder)) await machine.putAt(VOLUME_TARGET, folder)
}

function volumesOf(resources: App['resources'], folderOf: App['volumeFolder']) {
  const names = Object.values(resources).flatMap(({ networkVolumes }) =>
    networkVolumes.flatMap(({ name, id }) => name ?? id ?? []),
  )
  return [...new Set(names)].map((name) => ({ name, folder: folderOf(name) }))
}

// An app for a GPU that a laptop lacks still runs there for development; deviations are reported.

type Fitted = {
  readonly runsOn: RunsOn
  readonly resources: Readonly<Record<string, ManifestResource>>
  readonly warnings: readonly string[]
}

const [CONTAINERS, PROCESSES] = RUNS_ON

const processesStay = (machine: string) =>
  `processes run on the machine of the service only, and workers of this environment run on ${machine}. Leave it out, or move the environment back with --on "${THIS_MACHINE}"`

async function fitToMachine(
  fleet: Pick<Fleet, 'refusal'>,
  { resources }: Pick<Manifest, 'resources'>,
  {
    runsOn: wanted,
    withoutImages,
    machine,
    machineOf,
  }: {
    readonly runsOn?: RunsOn | undefined
    readonly withoutImages: boolean
    readonly machine: string
    readonly machineOf: (resource: string) => string
  },
): Promise<Fitted> {
  const isRemote = machine !== THIS_MACHINE
  if (isRemote && wanted === PROCESSES)
    throw new AppError('BAD_FIELD', { field: 'runsOn', why: processesStay(machine) })
  const noEngine = await fleet.refusal({ container: containerSettings.parse({ machine }) })
  const asked = isRemote ? CONTAINERS : wanted
  if (asked === CONTAINERS && noEngine !== undefined && !isRemote)
    throw new AppError('BAD_FIELD', { field: 'runsOn', why: noEngine })
  const runsOn = asked ?? (noEngine === undefined ? CONTAINERS : PROCESSES)
  const warnings =
    asked === undefined && noEngine !== undefined
      ? [`No containers: ${noEngine}. Workers are processes of this machine.`]
      : isRemote && noEngine !== undefined
        ? [`Workers cannot start on ${machine} as things are: ${noEngine}.`]
        : []
  const fitted: Record<string, ManifestResource> = {}
  for (const [name, resource] of Object.entries(resources)) {
    if (resource.imageName !== undefined && withoutImages && noEngine !== undefined) {
      warnings.push(`${name} is left out: its image ${resource.imageName} needs containers.`)
      continue
    }
    if (resource.imageName !== undefined && noEngine !== undefined && !isRemote && machineOf(name) === machine)
      warnings.push(`${name} cannot run at the moment: its image ${resource.imageName} needs containers.`)
    const inContainer = runsOn === CONTAINERS || resource.imageName !== undefined
    const { gpuIds, warning } = inContainer
      ? await fitCards(fleet, name, resource, machineOf(name))
      : { gpuIds: resource.gpuIds }
    if (warning !== undefined) warnings.push(warning)
    const { gpuIds: _asked, ...others } = resource
    fitted[name] = gpuIds === undefined ? others : { ...others, gpuIds }
  }
  return { runsOn, resources: fitted, warnings }
}

/**
 * Assigns the requested GPUs, else any, else none.
 * @param name of the endpoint, for the warning
 */
export async function fitCards(
  fleet: Pick<Fleet, 'refusal'>,
  name: string,
  { gpuIds, gpuCount }: Pick<ManifestResource, 'gpuIds' | 'gpuCount'>,
  machine = THIS_MACHINE,
): Promise<{ readonly gpuIds: string | undefined; readonly warning?: string }> {
  if (gpuIds === undefined) return { gpuIds }
  const refusal = (gpu: string | undefined) =>
    fleet.refusal({ container: containerSettings.parse({ gpu, gpuCount, machine }) })
  const why = await refusal(gpuIds)
  if (why === undefined) return { gpuIds }
  // The hardware of an unreachable machine is unknown: jobs wait, and keep the requested GPU.
  if (machine !== THIS_MACHINE && (await refusal(undefined)) !== undefined) return { gpuIds }
  if ((await refusal('any')) === undefined)
    return { gpuIds: 'any', warning: `${name} asks for a GPU ${gpuIds} and runs on one of ${machine}: ${why}.` }
  return { gpuIds: undefined, warning: `${name} asks for a GPU and runs without one: ${why}.` }
}
