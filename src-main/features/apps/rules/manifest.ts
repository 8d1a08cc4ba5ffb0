import { MANIFEST_VERSION, type Manifest, type ManifestResource } from '../../../contract/manifest.ts'
import type { ScanDocument, ScannedEndpoint } from '../../../contract/scan.ts'
import { present } from '../../../lib/json/plain.ts'
import { exampleArguments } from './examples.ts'

// Source: docs/spec/app-deploy.md, 1.
const DEFAULTS = { workers: [0, 1], idleTimeout: 60, scalerValue: 4, maxConcurrency: 1, gpuCount: 1 } as const

export type DescribedApp = {
  readonly app: string
  readonly scan: Pick<ScanDocument, 'endpoints'>
  readonly pythonVersion: string
  readonly fingerprint: string
  readonly sourceFiles?: Readonly<Record<string, string>>
  readonly endpointFingerprints?: Readonly<Record<string, string>>
  readonly imageRequirements: readonly string[]
  /** ISO 8601, UTC. */
  readonly generatedAt: string
}

export function makeManifest(facts: DescribedApp): Manifest {
  const { app, scan, pythonVersion, fingerprint, endpointFingerprints = {}, imageRequirements, generatedAt } = facts
  const deployed = scan.endpoints
    .flatMap((endpoint) =>
      endpoint.kind === 'client' || endpoint.name === null ? [] : [[endpoint.name, endpoint] as const],
    )
    .sort(([a], [b]) => comparePaths(a, b))
  const byKind = deployed.filter(([, { kind }]) => kind === 'load-balanced')
  return {
    version: MANIFEST_VERSION,
    app,
    python_version: pythonVersion,
    generated_at: generatedAt,
    source_fingerprint: fingerprint,
    image_requirements: [...imageRequirements],
    resources: Object.fromEntries(
      deployed.map(([name, endpoint]) => [name, resourceOf(endpoint, endpointFingerprints[name])]),
    ),
    routes: Object.fromEntries(byKind.map(([name, endpoint]) => [name, routesOf(endpoint)])),
    function_registry: Object.fromEntries(
      deployed.flatMap(([name, { functions }]) => functions.map((found) => [found.name, name])),
    ),
  }
}

function resourceOf(
  { kind, settings, functions, makesRemoteCalls, handlerFile }: ScannedEndpoint,
  fingerprint: string | undefined,
): ManifestResource {
  const [workersMin, workersMax] = settings.workers ?? DEFAULTS.workers
  const instanceIds = listOf(settings.cpu)
  const dataCenterIds = listOf(settings.datacenter)
  return {
    is_load_balanced: kind === 'load-balanced',
    ...(settings.image === undefined ? {} : { imageName: settings.image }),
    workersMin,
    workersMax,
    // Neither means any GPU, as in the public tool.
    ...(instanceIds.length > 0 ? { instanceIds } : { gpuIds: listOf(settings.gpu ?? 'any').join(',') }),
    gpuCount: settings.gpu_count ?? DEFAULTS.gpuCount,
    env: settings.env ?? {},
    functions: functions.map(manifestFunction),
    idleTimeout: settings.idle_timeout ?? DEFAULTS.idleTimeout,
    scalerType: settings.scaler_type ?? (kind === 'load-balanced' ? 'REQUEST_COUNT' : 'QUEUE_DELAY'),
    scalerValue: settings.scaler_value ?? DEFAULTS.scalerValue,
    executionTimeoutMs: settings.execution_timeout_ms ?? 0,
    maxConcurrency: settings.max_concurrency ?? DEFAULTS.maxConcurrency,
    ...present({ fingerprint, handlerFile }),
    makesRemoteCalls,
    networkVolumes: volumesOf(settings),
    systemDependencies: settings.system_dependencies ?? [],
    ...(settings.min_cuda_version === undefined ? {} : { minCudaVersion: settings.min_cuda_version }),
    ...(dataCenterIds.length > 0 ? { dataCenterIds } : {}),
    ...present({ flashboot: settings.flashboot, template: settings.template }),
  }
}

export function manifestFunction(found: ScannedEndpoint['functions'][number]): ManifestResource['functions'][number] {
  return {
    name: found.name,
    module: found.module,
    is_async: found.isAsync,
    is_generator: found.isGenerator,
    is_class: found.isClass,
    ...(found.isClass ? { methods: found.methods } : {}),
    ...exampleOf(found),
    ...(found.httpMethod ? { http_method: found.httpMethod } : {}),
    ...(found.httpPath ? { http_path: found.httpPath } : {}),
  }
}

function exampleOf(found: ScannedEndpoint['functions'][number]) {
  const example = exampleArguments(found)
  return example === undefined ? {} : { example }
}

function volumesOf({ volume }: ScannedEndpoint['settings']): ManifestResource['networkVolumes'] {
  const volumes = volume === undefined ? [] : Array.isArray(volume) ? volume : [volume]
  return volumes.map(({ datacenter, ...given }) => {
    const [dataCenterId] = listOf(datacenter)
    return dataCenterId === undefined ? given : { ...given, dataCenterId }
  })
}

/** Routes keep the order of the source: the first match answers. */
function routesOf({ functions }: ScannedEndpoint): Record<string, string> {
  return Object.fromEntries(functions.map(({ name, httpMethod, httpPath }) => [`${httpMethod} ${httpPath}`, name]))
}

function listOf(value: string | readonly string[] | undefined): string[] {
  return value === undefined ? [] : typeof value === 'string' ? [value] : [...value]
}

// Lengths precede paths and contents, so no two sets of files give the same stream.
const LENGTH_BYTES = 8

/**
 * Hash prefix per file: path length, path, file length; lengths as 8 bytes big-endian. Source: docs/spec/app-deploy.md,
 * 5.
 * @param path UTF-8, relative, with forward slashes
 * @param length in bytes
 */
export function fingerprintFrame(path: Uint8Array, length: number): Uint8Array {
  const frame = new Uint8Array(LENGTH_BYTES + path.length + LENGTH_BYTES)
  const view = new DataView(frame.buffer)
  view.setBigUint64(0, BigInt(path.length))
  frame.set(path, LENGTH_BYTES)
  view.setBigUint64(LENGTH_BYTES + path.length, BigInt(length))
  return frame
}

/** Compares by code points, the order of UTF-8 bytes and of Python's sort. */
export function comparePaths(a: string, b: string): number {
  if (a === b) return 0
  let at = 0
  while (at < a.length && a[at] === b[at]) at++
  // Moves back to the start of a surrogate pair.
  if (at > 0 && isSecondHalf(a.charCodeAt(at)) && isSecondHalf(b.charCodeAt(at))) at--
  return (a.codePointAt(at) ?? -1) - (b.codePointAt(at) ?? -1)
}

function isSecondHalf(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}
