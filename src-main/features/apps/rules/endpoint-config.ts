import type { RunsOn } from '../../../contract/app.ts'
import { CODE_FOLDER, containerSettings } from '../../../contract/container.ts'
import { type EndpointConfig, endpointConfig } from '../../../contract/endpoint.ts'
import { limit } from '../../../contract/limits.ts'
import type { ManifestResource } from '../../../contract/manifest.ts'
import type { ReleasedGraph } from '../../../contract/published.ts'
import { present } from '../../../lib/json/plain.ts'
import { keepStart } from '../../../lib/text.ts'
import { runtimeProgram } from './runtime-program.ts'

export type TargetContext = {
  readonly app: string
  readonly environment: string
  readonly folder: string
  readonly code: string
  /** Version of the environment's variables, whose secret values are not settings. */
  readonly variables: number
  readonly runsOn: RunsOn
  readonly pythonVersion: string
  readonly imageRequirements: readonly string[]
  readonly volumeFolder: (name: string) => string
  readonly pythonPackages: string
  readonly graphOf: (name: string, graph: ReleasedGraph) => EndpointConfig['graph']
}

/** Where the SDK 2.0 runtime expects the artifact in a container. Source: docs/spec/platform.md, 4. */
const APP_TARGET = '/app'
/** Tells that runtime where the artifact is. Source: the same. */
export const APP_FOLDER_VARIABLE = 'RUNPOD_APP_DIR'

export const VOLUME_TARGET = '/runpod-volume'

/**
 * Queue code becomes a handler, load-balanced code a listening program; a ready image runs unchanged.
 * @param name resource name, unique within app and environment
 */
export function targetConfig(name: string, resource: ManifestResource, target: TargetContext): EndpointConfig {
  const { is_load_balanced: isLoadBalanced } = resource
  const membership = {
    name: keepStart(`${name} (${target.app}/${target.environment})`, NAME_LENGTH),
    app: membershipOf(name, resource, target),
  }
  if (resource.graph !== undefined)
    return endpointConfig.parse({ ...membership, workersMax: 0, graph: target.graphOf(name, resource.graph) })
  const inContainer = target.runsOn === 'containers' || resource.imageName !== undefined
  return endpointConfig.parse({
    ...membership,
    ...programOf(resource, target, inContainer),
    ...(isLoadBalanced ? { loadBalanced: {} } : {}),
    workersMin: resource.workersMin,
    workersMax: resource.workersMax,
    idleTimeoutMs: resource.idleTimeout * 1000,
    concurrency: resource.maxConcurrency,
    ...(resource.executionTimeoutMs > 0 ? { executionTimeoutMs: executionTimeout(resource.executionTimeoutMs) } : {}),
    scaler: { type: resource.scalerType, value: resource.scalerValue },
    env: {
      ...resource.env,
      SVC_APP: target.app,
      SVC_ENV: target.environment,
      SVC_RESOURCE: name,
      ...(resource.sdk === 2 ? runtimeVariables(name, target, inContainer) : {}),
    },
    callsOthers: resource.makesRemoteCalls,
    ...present({ model: resource.model, workflows: resource.workflows }),
    ...(inContainer ? { container: containerOf(resource, target) } : {}),
  })
}

function membershipOf(name: string, { fingerprint, schedule }: ManifestResource, target: TargetContext) {
  return {
    name: target.app,
    environment: target.environment,
    resource: name,
    code: target.code,
    ...(fingerprint === undefined ? {} : { fingerprint }),
    variables: target.variables,
    ...(schedule === undefined ? {} : { schedule }),
  }
}

function programOf(resource: ManifestResource, target: TargetContext, inContainer: boolean) {
  const { handlerFile, is_load_balanced: isLoadBalanced } = resource
  if (resource.sdk === 2) {
    const { volumes: _volumes, ...program } = runtimeOf(resource, target, inContainer)
    return program
  }
  if (handlerFile === undefined) return {}
  if (!isLoadBalanced) return { handler: `${target.folder}/${handlerFile}` }
  return inContainer
    ? { command: `python3 ${CODE_FOLDER}/${handlerFile}` }
    : { command: `python3 ${handlerFile}`, cwd: target.folder }
}

function runtimeOf(resource: ManifestResource, { pythonPackages }: TargetContext, inContainer: boolean) {
  return runtimeProgram(resource.is_load_balanced ? 'api' : 'queue', { pythonPackages, inContainer })
}

/** Read by the SDK 2.0 runtime. Source: docs/spec/platform.md, 4. */
function runtimeVariables(name: string, { folder, environment }: TargetContext, inContainer: boolean) {
  return {
    [APP_FOLDER_VARIABLE]: inContainer ? APP_TARGET : folder,
    FLASH_RESOURCE_NAME: name,
    FLASH_ENVIRONMENT: environment,
  }
}

export function codeFolder({ handler, cwd, container, env }: EndpointConfig): string | undefined {
  const mounted = (path: string) => container?.volumes.find(({ target }) => target === path)?.source
  const ofRuntime = env[APP_FOLDER_VARIABLE]
  if (ofRuntime !== undefined) return container === undefined ? ofRuntime : mounted(APP_TARGET)
  if (handler !== undefined) return handler.slice(0, handler.lastIndexOf('/'))
  return cwd ?? mounted(CODE_FOLDER)
}

// The public tool accepts any number of ms; the job API does not.
function executionTimeout(ms: number): number {
  return Math.min(Math.max(ms, limit('executionTimeoutMinMs')), limit('executionTimeoutMaxMs'))
}

function containerOf(resource: ManifestResource, target: TargetContext) {
  const { imageName, registryAuth, diskBytes, gpuIds, instanceIds } = resource
  const volumes = resource.networkVolumes.map(({ name, id }) => ({
    source: target.volumeFolder(name ?? id ?? 'volume'),
    target: VOLUME_TARGET,
    readOnly: false,
  }))
  return containerSettings.parse({
    ...(imageName === undefined
      ? {
          python: target.pythonVersion,
          packages: target.imageRequirements,
          systemPackages: resource.systemDependencies,
        }
      : { image: imageName, ...(registryAuth === undefined ? {} : { registryAuth }) }),
    volumes: [...codeVolumes(resource, target), ...volumes],
    ...(diskBytes === undefined ? {} : { diskBytes }),
    ...(gpuIds === undefined ? {} : { gpu: gpuIds, gpuCount: resource.gpuCount }),
    ...(gpuIds === undefined && instanceIds?.[0] !== undefined ? { cpu: instanceIds[0] } : {}),
  })
}

function codeVolumes(resource: ManifestResource, target: TargetContext) {
  const code = (path: string) => ({ source: target.folder, target: path, readOnly: true })
  if (resource.sdk === 2) return [...runtimeOf(resource, target, true).volumes, code(APP_TARGET)]
  return resource.is_load_balanced && resource.handlerFile !== undefined ? [code(CODE_FOLDER)] : []
}

// Limit of endpoint names; the membership keeps the full name.
const NAME_LENGTH = 100
