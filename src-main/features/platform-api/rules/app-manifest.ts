/**
 * Builds the SDK 2.0 manifest as its package does and converts it to ours, so local and tool deploys agree. Pure.
 * Source: runpod 2.0, specs and deploy.
 */
import { type BuildProblem, buildProblem } from '../../../contract/build.ts'
import type { Manifest, ManifestTask } from '../../../contract/manifest.ts'
import { platformManifest, type WrittenPlatformManifest } from '../../../contract/platform-manifest.ts'
import type { ScanDocument, ScannedEndpoint } from '../../../contract/scan.ts'
import { type DescribedApp, makeManifest, manifestFunction } from '../../apps/rules/manifest.ts'
import { fromPlatformManifest } from './manifest.ts'

type WrittenResource = WrittenPlatformManifest['resources'][number]

const KINDS = { queue: 'queue', 'load-balanced': 'api', task: 'task' } as const
const DEFAULTS = { workers: [0, 3], idleTimeout: 60, gpuCount: 1, maxConcurrency: 1, scalerValue: 4 } as const

export const isOfSdk2 = ({ endpoints }: Pick<ScanDocument, 'endpoints'>): boolean =>
  endpoints.some(({ sdk }) => sdk === 2)

/** Warns if the deployed name differs from the source, as importing scripts do not learn it. */
export function warningsOfAppName(app: string, { app: inSource }: Pick<ScanDocument, 'app'>): readonly BuildProblem[] {
  if (!inSource || inSource.name === app) return []
  const { name, file, line } = inSource
  return [buildProblem('APP_NAME_DIFFERS', { app, inSource: name }, { file, line })]
}

export function makeAnyManifest(described: DescribedApp): Manifest {
  const made = isOfSdk2(described.scan) ? makeManifestOfSdk2(described) : makeManifest(described)
  return described.sourceFiles === undefined ? made : { ...made, source_files: { ...described.sourceFiles } }
}

function makeManifestOfSdk2(described: DescribedApp): Manifest {
  const { scan, fingerprint, endpointFingerprints = {}, imageRequirements, generatedAt } = described
  const written = platformManifest.parse(makePlatformManifest(described))
  const made = fromPlatformManifest(written, fingerprint)
  const scanned = new Map(scan.endpoints.map((endpoint) => [endpoint.name, endpoint]))
  const resources = Object.entries(made.resources).map(([name, resource]) => {
    const fingerprint = endpointFingerprints[name]
    const makesRemoteCalls = scanned.get(name)?.makesRemoteCalls ?? true
    const more = { makesRemoteCalls, ...(fingerprint === undefined ? {} : { fingerprint }) }
    return [name, { ...withSource(resource, scanned.get(name)), ...more }]
  })
  const tasks = Object.entries(made.tasks ?? {}).map(([name, task]) => [name, withSource(task, scanned.get(name))])
  return {
    ...made,
    generated_at: generatedAt,
    image_requirements: [...imageRequirements],
    resources: Object.fromEntries(resources),
    ...(tasks.length === 0 ? {} : { tasks: Object.fromEntries(tasks) }),
  }
}

function withSource<Made extends ManifestTask>(made: Made, scanned: ScannedEndpoint | undefined): Made {
  const { functions = [], settings: { mounts = [] } = {} } = scanned ?? {}
  return {
    ...made,
    // Neither means any GPU, as the package saves it.
    ...(made.gpuIds === undefined && made.instanceIds === undefined ? { gpuIds: 'any' } : {}),
    env: { ...made.env, ...(mounts.length === 0 ? {} : { RUNPOD_MOUNTS: JSON.stringify(mounts.map(bound)) }) },
    functions: functions.map(manifestFunction),
  }
}

const bound = <Mount extends { readonly reference: string }>(mount: Mount) => ({ ...mount, id: mount.reference })

export function makePlatformManifest(
  { app, scan, pythonVersion }: Pick<DescribedApp, 'app' | 'scan' | 'pythonVersion'>,
  excluded: readonly string[] = [],
): WrittenPlatformManifest {
  return {
    version: 1,
    app,
    pythonVersion,
    resources: scan.endpoints.flatMap((endpoint) => writtenResource(endpoint) ?? []),
    ...(excluded.length === 0 ? {} : { excludedPackages: [...excluded] }),
  }
}

function writtenResource(endpoint: ScannedEndpoint): WrittenResource | undefined {
  const { name, kind, settings: given, functions, module, qualname } = endpoint
  if (name === null || !(kind in KINDS)) return undefined
  const [workersMin, workersMax] = given.workers ?? DEFAULTS.workers
  const routes = functions.flatMap(({ httpMethod, httpPath, name: handler }) =>
    httpMethod && httpPath ? [{ method: httpMethod, path: httpPath, handler }] : [],
  )
  const isFactory = kind === 'load-balanced' && routes.length === 0
  const all = {
    kind: KINDS[kind as keyof typeof KINDS],
    name,
    module,
    qualname,
    gpuCount: given.gpu_count ?? DEFAULTS.gpuCount,
    workersMin,
    workersMax,
    idleTimeout: given.idle_timeout ?? DEFAULTS.idleTimeout,
    gpus: given.gpu,
    instanceIds: given.cpu,
    dependencies: unlessEmpty(given.dependencies),
    systemDependencies: unlessEmpty(given.system_dependencies),
    mounts: unlessEmpty(given.mounts),
    env: Object.keys(given.env ?? {}).length === 0 ? undefined : given.env,
    locations: typeof given.datacenter === 'string' ? given.datacenter : given.datacenter?.join(','),
    imageName: given.image,
    registryAuth: given.registry_auth,
    model: given.model,
    maxConcurrency: unless(DEFAULTS.maxConcurrency, given.max_concurrency),
    executionTimeoutMs: unless(0, given.execution_timeout_ms),
    flashboot: unless(true, given.flashboot),
    scalerType: given.scaler_type,
    scalerValue: unless(DEFAULTS.scalerValue, given.scaler_value),
    minCudaVersion: given.min_cuda_version,
    schedule: given.schedule,
    accelerateDownloads: unless(true, given.accelerate_downloads),
    containerDiskGb: given.container_disk_gb,
    routes: unlessEmpty(routes),
    asgiFactory: isFactory ? qualname : undefined,
  }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as WrittenResource
}

const unless = <Value>(usual: Value, given: Value | undefined) => (given === usual ? undefined : given)
const unlessEmpty = <Item>(given: readonly Item[] | undefined) =>
  given === undefined || given.length === 0 ? undefined : [...given]
