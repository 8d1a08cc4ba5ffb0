import { containerSettings } from '../../contract/container.ts'
import { type EndpointConfig, endpointConfig } from '../../contract/endpoint.ts'
import { AppError } from '../../contract/errors.ts'
import type {
  PlatformEndpoint,
  PlatformEndpointCreate,
  PlatformEndpointUpdate,
  PlatformReleases,
  PlatformWorker,
} from '../../contract/platform.ts'
import type { PlatformSettings } from '../../contract/platform-settings.ts'
import { present } from '../../lib/json/plain.ts'
import type { Endpoint } from '../../storage/storage.ts'
import { fitCards } from '../apps/plan-release.ts'
import { VOLUME_TARGET } from '../apps/rules/endpoint-config.ts'
import { TASK_PROGRAM } from '../apps/rules/runtime-program.ts'
import { createEndpoint, type NewEndpointDeps, updateEndpoint } from '../endpoints/endpoints.ts'
import { addressesOf, readHealth, viewWorker } from '../endpoints/views.ts'
import type { ServiceContext } from '../service-context.ts'
import { requireRegistry, requireTemplate, volumeFolder } from './records.ts'
import {
  type Asked,
  askedCardCount,
  askedCards,
  askedProblem,
  changesProgram,
  keptSettings,
  type ProgramSettings,
  plainSettings,
  programSettings,
} from './rules/endpoint-settings.ts'
import { imageOf, viewPlatformEndpoint, viewPlatformWorker, viewReleases } from './rules/endpoint-view.ts'
import { readRuntimeImage } from './rules/runtime-image.ts'

export type PlatformEndpointDeps = NewEndpointDeps &
  Pick<ServiceContext, 'fleet' | 'processHost' | 'pythonPackages' | 'keys' | 'log'>

export type PlatformViewDeps = Pick<ServiceContext, 'storage' | 'clock' | 'registry' | 'views' | 'fleet' | 'info'>

const DEFAULTS = { workers: { min: 0, max: 3, idleTimeout: 10 }, timeout: 300_000, flashboot: 'OFF' } as const

/** Where the platform's clients put their own key for workers. */
const KEY = 'RUNPOD_API_KEY'

/**
 * @param isTask runs each task call as a job; `model` is provided to its workers
 * @throws AppError TEMPLATE_NOT_FOUND, CANNOT_APPLY, ENDPOINT_EXISTS, BAD_FIELD
 */
export async function createPlatformEndpoint(
  deps: PlatformEndpointDeps,
  body: PlatformEndpointCreate,
  { isTask = false, model }: Partial<Pick<Asked, 'isTask'>> & Pick<EndpointConfig, 'model'> = {},
): Promise<Endpoint> {
  const workers = { ...DEFAULTS.workers, ...body.workers }
  const fields = withTemplate(deps, { ...DEFAULTS, ...body, workers })
  const platform = keptSettings({}, fields)
  const { env, callsOthers } = withoutOwnKey(deps, fields.env ?? {})
  const asked = { platform, env, isLoadBalanced: body.type === 'LOAD_BALANCER', isTask }
  const program = await settleProgram(deps, body.name, asked, undefined)
  const { container, ...rest } = program
  const config = endpointConfig.parse(
    present({
      ...plainSettings({ ...fields, env }),
      ...rest,
      container: container === null ? null : containerSettings.parse(present(container)),
      callsOthers,
      model,
      platform,
    }),
  )
  requireOrderedWorkers(config)
  const { endpoint } = await createEndpoint(deps, config, undefined)
  return endpoint
}

/**
 * Changes an endpoint, replacing workers only if needed.
 * @throws AppError TEMPLATE_NOT_FOUND, CANNOT_APPLY, ENDPOINT_EXISTS, ENDPOINT_NOT_FOUND, BAD_FIELD
 */
export async function updatePlatformEndpoint(
  deps: PlatformEndpointDeps,
  endpoint: Endpoint,
  body: PlatformEndpointUpdate,
  { model }: Pick<EndpointConfig, 'model'> = {},
): Promise<Endpoint> {
  const { config } = endpoint
  const fields = withTemplate(deps, body)
  const image = imageOf(config)
  const before: PlatformSettings = { ...config.platform, ...(image === undefined ? {} : { image }) }
  refuseOtherFamily(before, fields)
  const platform = keptSettings(before, fields)
  const given = fields.env === undefined ? undefined : withoutOwnKey(deps, fields.env)
  const env = given?.env ?? config.env
  const plain = plainSettings({ ...fields, ...(given === undefined ? {} : { env }) })
  requireOrderedWorkers({ ...config, ...plain })
  const asked = { platform, env, isLoadBalanced: config.loadBalanced !== undefined, isTask: isTaskEndpoint(config) }
  const program = changesProgram(fields) ? await settleProgram(deps, config.name, asked, config.container) : {}
  const callsOthers = given?.callsOthers === true ? { callsOthers: true } : {}
  return await updateEndpoint(deps, endpoint, { ...plain, ...program, ...callsOthers, model, platform })
}

export const isTaskEndpoint = ({ handler, command }: EndpointConfig) =>
  (handler ?? command ?? '').endsWith(TASK_PROGRAM)

function withTemplate<Fields extends Pick<PlatformEndpointUpdate, 'templateId' | 'env'>>(
  { storage }: Pick<PlatformEndpointDeps, 'storage'>,
  fields: Fields,
): Fields {
  if (fields.templateId === undefined) return fields
  const { image, args, disk, env, ports, registry } = requireTemplate(storage, fields.templateId).settings
  return { image, args, disk, ports, registry, ...fields, env: { ...env, ...fields.env } }
}

// The platform's tools send their key, which is never stored; `callsOthers` gives workers one.
function withoutOwnKey({ keys }: Pick<PlatformEndpointDeps, 'keys'>, env: EndpointConfig['env']) {
  const { [KEY]: key, ...others } = env
  return key !== undefined && keys.callerOf(key) !== undefined
    ? { env: others, callsOthers: true }
    : { env, callsOthers: false }
}

function refuseOtherFamily(before: PlatformSettings, fields: PlatformEndpointUpdate): void {
  const problem =
    fields.cpu !== undefined && before.gpu !== undefined
      ? { field: 'cpu', why: 'the endpoint has GPUs, and an update cannot remove them: create another endpoint' }
      : fields.gpu !== undefined && before.cpu !== undefined
        ? { field: 'gpu', why: 'the endpoint has only CPUs, and an update cannot change that: create another endpoint' }
        : undefined
  if (problem !== undefined) throw new AppError('CANNOT_APPLY', problem)
}

function requireOrderedWorkers({ workersMin, workersMax }: EndpointConfig): void {
  if (workersMin > workersMax)
    throw new AppError('CANNOT_APPLY', { field: 'workers.min', why: `must not be above workers.max (${workersMax})` })
}

async function settleProgram(
  deps: PlatformEndpointDeps,
  name: string,
  asked: Asked,
  before: EndpointConfig['container'],
): Promise<ProgramSettings> {
  const { platform } = asked
  if (platform.image === undefined)
    throw new AppError('CANNOT_APPLY', { field: 'image', why: 'it runs a program of this machine and has no image' })
  const problem = askedProblem(asked)
  if (problem !== undefined) throw new AppError('CANNOT_APPLY', problem)
  if (platform.registry !== undefined) requireRegistry(deps.storage, platform.registry)
  const volumeFolders = await Promise.all((platform.networkVolumes ?? []).map((id) => volumeFolder(deps.storage, id)))
  const hasEngine = (await deps.fleet.refusal({ container: containerSettings.parse({}) })) === undefined
  const inContainer = hasEngine || readRuntimeImage(platform.image) === undefined
  const gpu = inContainer ? await cardsFor(deps, name, platform) : undefined
  if (!inContainer) for (const folder of volumeFolders) await deps.processHost.putAt(VOLUME_TARGET, folder)
  return programSettings(asked, { hasEngine, pythonPackages: deps.pythonPackages, gpu, volumeFolders }, before)
}

async function cardsFor({ fleet, log }: PlatformEndpointDeps, name: string, platform: PlatformSettings) {
  const gpuIds = askedCards(platform)
  if (gpuIds === undefined) return undefined
  const fitted = await fitCards(fleet, name, { gpuIds, gpuCount: askedCardCount(platform) })
  if (fitted.warning !== undefined) log.info('endpoint fitted to this machine', { name, why: fitted.warning })
  return fitted.gpuIds
}

export function showPlatformEndpoint({ info }: Pick<PlatformViewDeps, 'info'>, endpoint: Endpoint): PlatformEndpoint {
  const { id, config, createdAt } = endpoint
  return viewPlatformEndpoint({ id, config, createdAt, ...addressesOf(endpoint, info().url) })
}

export async function listPlatformWorkers(
  { clock, registry, views, fleet }: Omit<PlatformViewDeps, 'storage' | 'info'>,
  endpoint: Endpoint,
): Promise<readonly PlatformWorker[]> {
  const workers = registry.ofEndpoint(endpoint.id)
  const hasCards = workers.some(({ started }) => (started?.gpus?.length ?? 0) > 0)
  const cards = hasCards ? ((await fleet.containerHost?.gpus(false))?.inventory.cards ?? []) : []
  const nameOf = (gpuId: string) => cards.find(({ id }) => id === gpuId)?.name ?? gpuId
  return workers.flatMap((worker) => {
    const { id, state, jobs, gpus = [], startedAt } = viewWorker(views, worker)
    const isBusy = jobs.length > 0 || worker.openRequests > 0
    const shown = { id, state, revision: worker.revision, startedAt, isBusy, gpus: gpus.map(nameOf) }
    return viewPlatformWorker(shown, endpoint, clock.now()) ?? []
  })
}

export function countPlatformWorkers(
  { views }: Pick<PlatformViewDeps, 'views'>,
  endpoint: Endpoint,
  workers: readonly PlatformWorker[],
) {
  const count = (state: PlatformWorker['status']) => workers.filter(({ status }) => status === state).length
  const health = readHealth(views, endpoint)
  const throttled = health.workers.throttled + (health.batchWorkers?.throttled ?? 0)
  return {
    running: count('RUNNING'),
    idle: count('IDLE'),
    initializing: count('INITIALIZING'),
    throttled,
    unhealthy: count('UNHEALTHY'),
    total: workers.length + throttled,
  }
}

export async function listPlatformReleases(
  deps: Omit<PlatformViewDeps, 'info'>,
  endpoint: Endpoint,
): Promise<PlatformReleases> {
  const revisions = deps.storage.endpoints.revisions(endpoint.id)
  return viewReleases(endpoint, revisions, await listPlatformWorkers(deps, endpoint))
}
