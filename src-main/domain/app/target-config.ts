import { containerSettings } from '../../contract/container.ts'
import { type EndpointConfig, endpointConfig } from '../../contract/endpoint.ts'
import { limit } from '../../contract/limits.ts'
import type { ManifestResource } from '../../contract/manifest.ts'

/** Where a release stands, and what its endpoints run on. */
export type ReleasePlace = {
  readonly app: string
  readonly environment: string
  /** Folder of this machine with the unpacked artifact; absolute. */
  readonly folder: string
  /** Fingerprint of the release's sources: a change of code alone changes the settings by it. */
  readonly fingerprint: string
  /** Variables that were set for the environment; they win over those of the app's source. */
  readonly variables: Readonly<Record<string, string>>
  readonly runsOn: 'containers' | 'processes'
  /** Folder of this machine that stands for a network volume. */
  readonly volumeFolder: (name: string) => string
}

/** Where a worker finds a network volume. Source: protocol research, environment of the platform. */
const VOLUME_TARGET = '/runpod-volume'
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
  const folder = inContainer ? CODE_TARGET : place.folder
  return endpointConfig.parse({
    name: `${name} (${place.app}/${place.environment})`,
    ...(handlerFile === undefined
      ? {}
      : isLoadBalanced
        ? { command: `python3 ${folder}/${handlerFile}`, ...(inContainer ? {} : { cwd: place.folder }) }
        : { handler: `${place.folder}/${handlerFile}` }),
    ...(isLoadBalanced ? { loadBalanced: {} } : {}),
    workersMin: resource.workersMin,
    workersMax: resource.workersMax,
    idleTimeoutMs: resource.idleTimeout * 1000,
    concurrency: resource.maxConcurrency,
    ...(resource.executionTimeoutMs > 0 ? { executionTimeoutMs: executionTimeout(resource.executionTimeoutMs) } : {}),
    scaler: { type: resource.scalerType, value: resource.scalerValue },
    env: environmentOf(name, resource, place),
    callsOthers: resource.makesRemoteCalls,
    ...(inContainer ? { container: containerOf(resource, place) } : {}),
  })
}

// The public tool takes any number of ms; the job API does not.
function executionTimeout(ms: number): number {
  return Math.min(Math.max(ms, limit('executionTimeoutMinMs')), limit('executionTimeoutMaxMs'))
}

function environmentOf(name: string, { env }: ManifestResource, place: ReleasePlace): Record<string, string> {
  return {
    ...env,
    ...place.variables,
    SVC_APP: place.app,
    SVC_ENV: place.environment,
    SVC_RESOURCE: name,
    SVC_FINGERPRINT: place.fingerprint,
  }
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
    ...(imageName === undefined ? {} : { image: imageName }),
    // A handler brings its folder itself.
    volumes: [...(isLoadBalanced && handlerFile !== undefined ? [code] : []), ...volumes],
    ...(gpuIds === undefined ? {} : { gpu: gpuIds, gpuCount: resource.gpuCount }),
    ...(gpuIds === undefined && instanceIds?.[0] !== undefined ? { cpu: instanceIds[0] } : {}),
  })
}
