import type { RunsOn } from '../../contract/app.ts'
import { containerSettings } from '../../contract/container.ts'
import { type EndpointConfig, endpointConfig } from '../../contract/endpoint.ts'
import { limit } from '../../contract/limits.ts'
import type { ManifestResource } from '../../contract/manifest.ts'

/** Where a release stands, and what its endpoints run on. */
export type ReleasePlace = {
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
}

/** Where a worker finds a network volume. Source: protocol research, environment of the platform. */
export const VOLUME_TARGET = '/runpod-volume'
/** Where a container finds the artifact. Source: as for handlers, container-options. */
const CODE_TARGET = '/app'

/**
 * The settings of the endpoint that one resource of a manifest stands for. Queue-based code is a handler, load-balanced
 * code a program that listens, a ready image runs as it is.
 * @param name name of the resource, which its endpoint has within app and environment
 */
export function targetConfig(name: string, resource: ManifestResource, place: ReleasePlace): EndpointConfig {
  const { handlerFile, is_load_balanced: isLoadBalanced } = resource
  const inContainer = place.runsOn === 'containers' || resource.imageName !== undefined
  return endpointConfig.parse({
    name: shownName(`${name} (${place.app}/${place.environment})`),
    ...(handlerFile === undefined
      ? {}
      : isLoadBalanced
        ? inContainer
          ? { command: `python3 ${CODE_TARGET}/${handlerFile}` }
          : { command: `python3 ${handlerFile}`, cwd: place.folder }
        : { handler: `${place.folder}/${handlerFile}` }),
    ...(isLoadBalanced ? { loadBalanced: {} } : {}),
    workersMin: resource.workersMin,
    workersMax: resource.workersMax,
    idleTimeoutMs: resource.idleTimeout * 1000,
    concurrency: resource.maxConcurrency,
    ...(resource.executionTimeoutMs > 0 ? { executionTimeoutMs: executionTimeout(resource.executionTimeoutMs) } : {}),
    scaler: { type: resource.scalerType, value: resource.scalerValue },
    env: { ...resource.env, SVC_APP: place.app, SVC_ENV: place.environment, SVC_RESOURCE: name },
    callsOthers: resource.makesRemoteCalls,
    ...(inContainer ? { container: containerOf(resource, place) } : {}),
    app: {
      name: place.app,
      environment: place.environment,
      resource: name,
      code: place.code,
      ...(resource.fingerprint === undefined ? {} : { fingerprint: resource.fingerprint }),
      variables: place.variables,
    },
  })
}

/**
 * Where the code of an endpoint is that an earlier release made: what `targetConfig` put into its settings.
 * @returns undefined: it has none, as a ready image
 */
export function codeFolder({ handler, cwd, container }: EndpointConfig): string | undefined {
  if (handler !== undefined) return handler.slice(0, handler.lastIndexOf('/'))
  return cwd ?? container?.volumes.find(({ target }) => target === CODE_TARGET)?.source
}

// The public tool takes any number of ms; the job API does not.
function executionTimeout(ms: number): number {
  return Math.min(Math.max(ms, limit('executionTimeoutMinMs')), limit('executionTimeoutMaxMs'))
}

function containerOf(resource: ManifestResource, place: ReleasePlace) {
  const { imageName, handlerFile, is_load_balanced: isLoadBalanced, gpuIds, instanceIds } = resource
  const code = { source: place.folder, target: CODE_TARGET, readOnly: true }
  const volumes = resource.networkVolumes.map(({ name, id }) => ({
    source: place.volumeFolder(name ?? id ?? 'volume'),
    target: VOLUME_TARGET,
    readOnly: false,
  }))
  return containerSettings.parse({
    ...(imageName === undefined
      ? {
          python: place.pythonVersion,
          packages: place.imageRequirements,
          systemPackages: resource.systemDependencies,
        }
      : { image: imageName }),
    // A handler brings its folder itself.
    volumes: [...(isLoadBalanced && handlerFile !== undefined ? [code] : []), ...volumes],
    ...(gpuIds === undefined ? {} : { gpu: gpuIds, gpuCount: resource.gpuCount }),
    ...(gpuIds === undefined && instanceIds?.[0] !== undefined ? { cpu: instanceIds[0] } : {}),
  })
}

// As long as the name of an endpoint may be; what is cut off still stands in its membership.
const NAME_LENGTH = 100

const shownName = (name: string): string => (name.length <= NAME_LENGTH ? name : `${name.slice(0, NAME_LENGTH - 1)}…`)
