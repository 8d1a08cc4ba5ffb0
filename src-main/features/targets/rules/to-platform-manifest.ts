import type { Manifest, ManifestResource } from '../../../contract/manifest.ts'
import type { PlatformManifest } from '../../../contract/platform-manifest.ts'
import { isReservedInApps } from '../../../contract/reserved-variables.ts'
import { present } from '../../../lib/json/plain.ts'
import { VOLUME_TARGET } from '../../apps/rules/endpoint-config.ts'

export function toPlatformManifest(manifest: Manifest): PlatformManifest {
  return {
    version: 1,
    app: manifest.app,
    pythonVersion: manifest.python_version,
    excludedPackages: [...manifest.image_requirements],
    resources: Object.entries(manifest.resources).map(([name, resource]) => resourceOf(name, resource)),
  }
}

function resourceOf(name: string, found: ManifestResource): PlatformManifest['resources'][number] {
  const {
    functions,
    networkVolumes,
    dataCenterIds,
    gpuIds,
    instanceIds,
    imageName,
    registryAuth,
    model,
    minCudaVersion,
    schedule,
    isTask,
  } = found
  const mounts = networkVolumes.flatMap(({ name: called, id }) => called ?? id ?? [])
  return {
    kind: found.is_load_balanced ? 'api' : isTask === true ? 'task' : 'queue',
    name,
    module: functions[0]?.module ?? '',
    ...(gpuIds === undefined ? {} : { gpus: gpuIds.split(',') }),
    gpuCount: found.gpuCount,
    ...(instanceIds === undefined ? {} : { instanceIds }),
    workersMin: found.workersMin,
    workersMax: found.workersMax,
    idleTimeout: found.idleTimeout,
    systemDependencies: found.systemDependencies,
    mounts: mounts.map((reference) => ({ kind: 'network', reference, path: VOLUME_TARGET })),
    env: Object.fromEntries(Object.entries(found.env).filter(([variable]) => !isReservedInApps(variable))),
    ...(dataCenterIds === undefined ? {} : { locations: dataCenterIds.join(',') }),
    ...present({ imageName, registryAuth, model }),
    maxConcurrency: found.maxConcurrency,
    executionTimeoutMs: found.executionTimeoutMs,
    flashboot: found.flashboot ?? true,
    scalerType: found.scalerType,
    scalerValue: found.scalerValue,
    ...present({ minCudaVersion, schedule }),
    routes: functions.flatMap(({ name: handler, http_method: method, http_path: path }) =>
      method === undefined || path === undefined ? [] : [{ method, path, handler }],
    ),
  }
}
