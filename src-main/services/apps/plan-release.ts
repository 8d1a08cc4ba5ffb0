import type { DeployPlan, GitState, ReleaseCreate } from '../../contract/app.ts'
import type { EndpointConfig } from '../../contract/endpoint.ts'
import type { Manifest, ManifestResource } from '../../contract/manifest.ts'
import { type CurrentEndpoint, isSameCode, planDeploy } from '../../domain/app/plan.ts'
import { codeFolder, type ReleasePlace, targetConfig } from '../../domain/app/target-config.ts'
import type { Environment, Release } from '../ports/apps.ts'
import type { ProcessMachine } from '../ports/process-machine.ts'
import type { Fleet, Storage } from '../ports.ts'
import { fitToMachine } from './fit-machine.ts'
import { endpointsOf } from './members.ts'
import { gitOf, locateSource, parseManifest } from './open-source.ts'
import { placeVolumes, warnOfProcesses } from './process-needs.ts'

/** What is to be released, and where. */
export type Wanted = {
  readonly app: string
  readonly environment: string
  readonly manifest: Manifest
  /** Folder of this machine with the code. */
  readonly folder: string
  /** See AppMembership. */
  readonly code: string
  /** Of the code. */
  readonly git?: GitState | undefined
} & Pick<ReleaseCreate, 'runsOn' | 'withoutImages'>

/** What plans need. */
export type PlanDeps = {
  readonly storage: Storage
  readonly fleet: Pick<Fleet, 'refusal'>
  readonly processMachine: ProcessMachine
}

/** What a release does, with the settings that its endpoints get. */
export type ReleasePlan = DeployPlan & {
  readonly targets: Readonly<Record<string, EndpointConfig>>
  /** Puts volumes where workers look for them; to be called when the release begins. */
  readonly placeVolumes: () => Promise<void>
}

// Folder of code that is only planned; settings that follow from it are in no plan, but must be well-formed.
const NOT_HERE_YET = '/nowhere'

/** What a release would do, for who asks before it; its code need not be here. @throws AppError BAD_FIELD */
export async function showPlan(deps: PlanDeps, wanted: Omit<Wanted, 'folder'>): Promise<DeployPlan> {
  const {
    targets: _targets,
    placeVolumes: _place,
    ...plan
  } = await planRelease(deps, { ...wanted, folder: NOT_HERE_YET })
  return plan
}

/**
 * What going back to a release would do.
 * @throws AppError RELEASE_NOT_FOUND where it is none to go back to; BAD_FIELD
 */
export async function planRollback(deps: PlanDeps, environment: Environment, release: Release): Promise<DeployPlan> {
  const { artifact } = locateSource(deps.storage, environment, { release: release.number })
  const manifest = parseManifest(release.manifest)
  const { app, name } = environment
  const code = artifact ?? manifest.source_fingerprint
  const git = gitOf(release)
  return await showPlan(deps, { app, environment: name, manifest, code, git, withoutImages: false })
}

/** Plans a release on this machine; nothing is changed. @throws AppError BAD_FIELD */
export async function planRelease({ storage, fleet, processMachine }: PlanDeps, wanted: Wanted): Promise<ReleasePlan> {
  const { app, environment: name, manifest, folder, code, git } = wanted
  const { runsOn, resources, warnings } = await fitToMachine(fleet, manifest, wanted)
  const volumes = await volumeFolders(storage, manifest)
  const environment = storage.apps.environment(app, name)
  const place = {
    app,
    environment: name,
    folder,
    code,
    runsOn,
    variables: environment?.variables ?? 0,
    pythonVersion: manifest.python_version,
    imageRequirements: manifest.image_requirements,
    volumeFolder: (volume: string) => volumes.get(volume) ?? volume,
  }
  const { imageRequirements, volumeFolder } = place
  const isProcess = ({ imageName }: ManifestResource) => runsOn === 'processes' && imageName === undefined
  const processes = Object.fromEntries(Object.entries(resources).filter(([, resource]) => isProcess(resource)))
  const lacks = await warnOfProcesses(processMachine, { resources: processes, imageRequirements, volumeFolder })
  const current = endpointsOf(storage, { app, name }).map(({ id, app: { resource }, config }) => ({
    resource,
    endpointId: id,
    config,
  }))
  const targets = Object.fromEntries(
    Object.entries(resources).map(([resource, settings]) => [
      resource,
      targetOf(
        { resource, settings, place },
        current.find((endpoint) => endpoint.resource === resource),
      ),
    ]),
  )
  const active = environment === undefined ? undefined : storage.apps.releaseIn(environment.id, 'active')
  const activeGit = active && gitOf(active)
  const makesApp = storage.apps.app(app) === undefined
  return {
    app,
    environment: name,
    makes: [...(makesApp ? ['app' as const] : []), ...(environment === undefined ? ['environment' as const] : [])],
    runsOn,
    ...(git === undefined ? {} : { git }),
    ...(activeGit === undefined ? {} : { activeGit }),
    steps: [...planDeploy(current, targets)],
    warnings: [...warnings, ...lacks],
    targets,
    placeVolumes: () => placeVolumes(processMachine, processes, volumeFolder),
  }
}

/**
 * The settings of an endpoint. One whose code is the same stays on the folder that it has: a worker that is not replaced
 * goes on to load from there.
 */
function targetOf(
  {
    resource,
    settings,
    place,
  }: { readonly resource: string; readonly settings: ManifestResource; readonly place: ReleasePlace },
  before: CurrentEndpoint | undefined,
): EndpointConfig {
  const target = targetConfig(resource, settings, place)
  const { code, fingerprint } = before?.config.app ?? {}
  if (before === undefined || code === undefined || fingerprint === undefined) return target
  if (!isSameCode(before.config, target)) return target
  return targetConfig(resource, settings, { ...place, code, folder: codeFolder(before.config) ?? place.folder })
}

async function volumeFolders({ artifacts }: Storage, { resources }: Manifest): Promise<ReadonlyMap<string, string>> {
  const names = Object.values(resources).flatMap(({ networkVolumes }) =>
    networkVolumes.flatMap(({ name, id }) => name ?? id ?? []),
  )
  return new Map(
    await Promise.all([...new Set(names)].map(async (name) => [name, await artifacts.volume(name)] as const)),
  )
}
