import type { RunsOn } from '../../contract/app.ts'
import { CODE_FOLDER, containerSettings } from '../../contract/container.ts'
import { type EndpointConfig, endpointConfig } from '../../contract/endpoint.ts'
import { limit } from '../../contract/limits.ts'
import type { ManifestResource } from '../../contract/manifest.ts'
import { runtimeProgram } from './runtime-program.ts'

/** Where a release stands, and what its endpoints run on. */
export type TargetContext = {
  readonly app: string
  readonly environment: string
  /** Folder of this machine with the code; absolute. */
  readonly folder: string
  /** What tells this code from other code, see AppMembership. */
  readonly code: string
  /** Version of the environment's variables. They are not among the settings: their values are secrets. */
  readonly variables: number
  readonly runsOn: RunsOn
  /** Of the manifest: Python of the worker image, and what the platform's images have and ours gets. */
  readonly pythonVersion: string
  readonly imageRequirements: readonly string[]
  /** Folder of this machine that stands for a network volume. */
  readonly volumeFolder: (name: string) => string
  /** Folder of this machine with our Python packages; absolute. */
  readonly pythonPackages: string
}

/** Where the runtime of SDK 2.0 finds an artifact in a container. Source: docs/spec/platform.md, 4. */
const APP_TARGET = '/app'
/** Variable that tells that runtime where the artifact is. Source: the same. */
export const APP_FOLDER_VARIABLE = 'RUNPOD_APP_DIR'

/** Where a worker finds a network volume. Source: docs/spec/platform.md, 2. */
export const VOLUME_TARGET = '/runpod-volume'

/**
 * The settings of the endpoint that one resource of a manifest stands for. Queue-based code is a handler, load-balanced
 * code a program that listens, a ready image runs as it is.
 * @param name name of the resource, which its endpoint has within app and environment
 */
export function targetConfig(name: string, resource: ManifestResource, target: TargetContext): EndpointConfig {
  const { is_load_balanced: isLoadBalanced } = resource
  const inContainer = target.runsOn === 'containers' || resource.imageName !== undefined
  return endpointConfig.parse({
    name: shownName(`${name} (${target.app}/${target.environment})`),
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
    ...(resource.model === undefined ? {} : { model: resource.model }),
    ...(inContainer ? { container: containerOf(resource, target) } : {}),
    app: {
      name: target.app,
      environment: target.environment,
      resource: name,
      code: target.code,
      ...(resource.fingerprint === undefined ? {} : { fingerprint: resource.fingerprint }),
      variables: target.variables,
    },
  })
}

/** A file beside the manifest, or the runtime of SDK 2.0, which is told where the code is; a ready image has neither. */
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

/** What the runtime of SDK 2.0 reads. Source: docs/spec/platform.md, 4. */
function runtimeVariables(name: string, { folder, environment }: TargetContext, inContainer: boolean) {
  return {
    [APP_FOLDER_VARIABLE]: inContainer ? APP_TARGET : folder,
    FLASH_RESOURCE_NAME: name,
    FLASH_ENVIRONMENT: environment,
  }
}

/**
 * Where the code of an endpoint is that an earlier release made: what `targetConfig` put into its settings.
 * @returns undefined: it has none, as a ready image
 */
export function codeFolder({ handler, cwd, container, env }: EndpointConfig): string | undefined {
  const mounted = (path: string) => container?.volumes.find(({ target }) => target === path)?.source
  const ofRuntime = env[APP_FOLDER_VARIABLE]
  if (ofRuntime !== undefined) return container === undefined ? ofRuntime : mounted(APP_TARGET)
  if (handler !== undefined) return handler.slice(0, handler.lastIndexOf('/'))
  return cwd ?? mounted(CODE_FOLDER)
}

// The public tool takes any number of ms; the job API does not.
function executionTimeout(ms: number): number {
  return Math.min(Math.max(ms, limit('executionTimeoutMinMs')), limit('executionTimeoutMaxMs'))
}

function containerOf(resource: ManifestResource, target: TargetContext) {
  const { imageName, registryAuth, gpuIds, instanceIds } = resource
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
    ...(gpuIds === undefined ? {} : { gpu: gpuIds, gpuCount: resource.gpuCount }),
    ...(gpuIds === undefined && instanceIds?.[0] !== undefined ? { cpu: instanceIds[0] } : {}),
  })
}

// A handler brings its own folder.
function codeVolumes(resource: ManifestResource, target: TargetContext) {
  const code = (path: string) => ({ source: target.folder, target: path, readOnly: true })
  if (resource.sdk === 2) return [...runtimeOf(resource, target, true).volumes, code(APP_TARGET)]
  return resource.is_load_balanced && resource.handlerFile !== undefined ? [code(CODE_FOLDER)] : []
}

// As long as the name of an endpoint may be; what is cut off still stands in its membership.
const NAME_LENGTH = 100

const shownName = (name: string): string => (name.length <= NAME_LENGTH ? name : `${name.slice(0, NAME_LENGTH - 1)}…`)
