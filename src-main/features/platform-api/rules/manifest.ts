/**
 * Converts SDK 2.0 manifests and saved endpoints of the platform's tools to our manifest, so that all deploys are
 * alike.
 */
import { AppError } from '../../../contract/errors.ts'
import { MANIFEST_VERSION, type Manifest, type ManifestResource, manifestTask } from '../../../contract/manifest.ts'
import type { PlatformManifest } from '../../../contract/platform-manifest.ts'
import { isReservedInApps, RESERVED_TEXT } from '../../../contract/reserved-variables.ts'
import { present } from '../../../lib/json/plain.ts'
import { readRuntimeImage } from './runtime-image.ts'

type PlatformResource = PlatformManifest['resources'][number]

export type SavedEndpoint = {
  readonly name: string
  readonly workersMin?: number | null
  readonly workersMax?: number | null
  readonly idleTimeout?: number | null
  readonly scalerType?: string | null
  readonly scalerValue?: number | null
  readonly executionTimeoutMs?: number | null
  readonly gpuIds?: string | null
  readonly gpuCount?: number | null
  readonly instanceIds?: readonly string[] | null
  readonly modelReferences?: readonly string[] | null
  readonly template?: {
    readonly imageName?: string | null
    readonly containerRegistryAuthId?: string | null
    readonly env?: readonly { readonly key: string; readonly value: string }[] | null
  } | null
}

export function isPlatformManifest(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'resources' in value && Array.isArray(value.resources)
}

function resourcesWithEndpoint({ resources }: PlatformManifest): readonly PlatformResource[] {
  return resources.filter(({ kind, schedule }) => kind !== 'task' || schedule !== undefined)
}

export function fromPlatformManifest(
  { app, pythonVersion, excludedPackages, ...found }: PlatformManifest,
  fingerprint: string,
): Manifest {
  for (const { name, env } of found.resources) {
    const variable = Object.keys(env).find(isReservedInApps)
    if (variable !== undefined)
      throw new AppError('BAD_FIELD', { field: `env.${variable} of ${name}`, why: RESERVED_TEXT })
  }
  const served = resourcesWithEndpoint({ app, pythonVersion, excludedPackages, ...found })
  const resources = served.map((each) => [each.name, resourceOf(each)] as const)
  const tasks = found.resources.filter(({ kind }) => kind === 'task')
  const routes = served.filter(({ kind }) => kind === 'api').map((each) => [each.name, routesOf(each)] as const)
  return {
    version: MANIFEST_VERSION,
    app,
    python_version: pythonVersion,
    generated_at: new Date(0).toISOString(),
    source_fingerprint: fingerprint,
    image_requirements: [...excludedPackages],
    resources: Object.fromEntries(resources),
    ...(tasks.length === 0
      ? {}
      : {
          tasks: Object.fromEntries(tasks.map((each) => [each.name, manifestTask.parse(resourceOf(each))])),
        }),
    routes: Object.fromEntries(routes),
    function_registry: Object.fromEntries(served.map(({ name }) => [name, name])),
  }
}

/** Resources whose endpoints the tools save: not tasks, even scheduled ones. */
export const savedResources = ({ resources }: Pick<Manifest, 'resources'>): readonly [string, ManifestResource][] =>
  Object.entries(resources).filter(([, { isTask }]) => isTask === undefined)

export function withSaved(manifest: Manifest, saved: ReadonlyMap<string, SavedEndpoint>): Manifest {
  const resources = Object.entries(manifest.resources).map(([name, resource]) => {
    const endpoint = saved.get(name)
    return [name, endpoint === undefined ? resource : savedOver(resource, endpoint)] as const
  })
  return { ...manifest, resources: Object.fromEntries(resources) }
}

function savedOver(
  { imageName, registryAuth, gpuIds: _gpuIds, instanceIds: _instanceIds, ...found }: ManifestResource,
  { template, ...saved }: SavedEndpoint,
): ManifestResource {
  const given = Object.fromEntries((template?.env ?? []).map(({ key, value }) => [key, value]))
  const model = saved.modelReferences?.[0] ?? found.model
  return {
    ...found,
    ...imageOf(template?.imageName ?? imageName, template?.containerRegistryAuthId || registryAuth),
    ...(model === undefined ? {} : { model }),
    ...(saved.gpuIds == null ? {} : { gpuIds: saved.gpuIds }),
    ...(saved.instanceIds == null ? {} : { instanceIds: [...saved.instanceIds] }),
    workersMin: saved.workersMin ?? found.workersMin,
    workersMax: saved.workersMax ?? found.workersMax,
    gpuCount: saved.gpuCount ?? found.gpuCount,
    env: { ...found.env, ...ofTheAppAlone(given) },
    idleTimeout: saved.idleTimeout ?? found.idleTimeout,
    scalerType: scalerOf(saved.scalerType) ?? found.scalerType,
    scalerValue: saved.scalerValue ?? found.scalerValue,
    executionTimeoutMs: saved.executionTimeoutMs ?? found.executionTimeoutMs,
  }
}

function imageOf(
  image: string | undefined,
  registryAuth: string | undefined,
): Pick<ManifestResource, 'imageName' | 'registryAuth'> {
  if (image === undefined || readRuntimeImage(image) !== undefined) return {}
  return { imageName: image, ...(registryAuth === undefined ? {} : { registryAuth }) }
}

function ofTheAppAlone(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([variable]) => !SET_BY_SERVICE.has(variable)))
}

function resourceOf(found: PlatformResource): ManifestResource {
  const { kind, name, module = '' } = found
  const isApi = kind === 'api'
  return {
    sdk: 2,
    is_load_balanced: isApi,
    ...imageOf(found.imageName, found.registryAuth),
    ...(found.model === undefined ? {} : { model: found.model }),
    workersMin: found.workersMin,
    workersMax: found.workersMax,
    ...(found.gpus === undefined ? {} : { gpuIds: found.gpus.join(',') }),
    gpuCount: found.gpuCount,
    ...(found.instanceIds === undefined ? {} : { instanceIds: [...found.instanceIds] }),
    env: ofTheAppAlone(found.env),
    functions: isApi
      ? found.routes.map(({ method, path, handler }) => functionOf(handler, module, method, path))
      : [functionOf(name, module)],
    idleTimeout: found.idleTimeout,
    scalerType: found.scalerType ?? (isApi ? 'REQUEST_COUNT' : 'QUEUE_DELAY'),
    scalerValue: found.scalerValue,
    executionTimeoutMs: found.executionTimeoutMs,
    maxConcurrency: found.maxConcurrency,
    // Unknown without reading the code; the key opens only its own app.
    makesRemoteCalls: true,
    networkVolumes: found.mounts.map(({ reference }) => ({ name: reference })),
    systemDependencies: found.systemDependencies,
    ...(found.minCudaVersion === undefined ? {} : { minCudaVersion: found.minCudaVersion }),
    ...(found.locations === undefined ? {} : { dataCenterIds: found.locations.split(',') }),
    flashboot: found.flashboot,
    ...(found.schedule === undefined ? {} : { schedule: found.schedule }),
    ...(kind === 'task' ? { isTask: true as const } : {}),
  }
}

/** The service sets these variables. The account key that the tool sends in clear text is dropped. */
export const SET_BY_SERVICE: ReadonlySet<string> = new Set([
  'FLASH_RESOURCE_NAME',
  'FLASH_ENVIRONMENT',
  'RUNPOD_BUILD_ID',
  'RUNPOD_API_KEY',
  'RUNPOD_MAX_CONCURRENCY',
  'RUNPOD_RUNTIME_KIND',
  'PORT',
  'PORT_HEALTH',
])

function scalerOf(type: string | null | undefined): ManifestResource['scalerType'] | undefined {
  return type === 'QUEUE_DELAY' || type === 'REQUEST_COUNT' ? type : undefined
}

function functionOf(
  name: string,
  module: string,
  method?: string,
  path?: string,
): ManifestResource['functions'][number] {
  return {
    name,
    module,
    is_async: false,
    is_generator: false,
    is_class: false,
    ...present({ http_method: method, http_path: path }),
  }
}

function routesOf({ routes }: PlatformResource): Record<string, string> {
  return Object.fromEntries(routes.map(({ method, path, handler }) => [`${method} ${path}`, handler]))
}
