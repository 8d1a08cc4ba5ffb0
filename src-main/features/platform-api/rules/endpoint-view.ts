import { GPU_GROUPS } from '../../../contract/container.ts'
import type { EndpointConfig, WorkerState } from '../../../contract/endpoint.ts'
import type { PlatformEndpoint, PlatformReleases, PlatformWorker } from '../../../contract/platform.ts'
import { readGpuWishes } from '../../../runtimes/rules/gpu-allocation.ts'
import { healthPathOf } from '../../load-balancing/rules/listening-variables.ts'
import { cpuView, THIS_MACHINE } from './catalog.ts'
import { executionTimeoutMs } from './endpoint-settings.ts'

export type ShownEndpoint = {
  readonly id: string
  readonly config: EndpointConfig
  readonly createdAt: number
  /** Base address of its jobs or routes, without a trailing slash. */
  readonly url: string
}

export function viewPlatformEndpoint({ id, config, createdAt, url }: ShownEndpoint): PlatformEndpoint {
  const { platform = {}, container, loadBalanced } = config
  const image = imageOf(config)
  const cpu = cpuOf(config)
  const { disk, templateId } = platform
  return {
    id,
    name: config.name,
    type: loadBalanced === undefined ? 'QUEUE' : 'LOAD_BALANCER',
    requestUrls: loadBalanced === undefined ? queueUrls(url) : { base: url, health: url + healthPathOf(config.env) },
    ...(image === undefined ? {} : { image }),
    args: platform.args ?? container?.args?.join(' ') ?? '',
    ...(disk === undefined ? {} : { disk }),
    env: config.env,
    ports: platform.ports ?? container?.ports.map((port) => `${port}/tcp`) ?? [],
    registry: container?.registryAuth ?? platform.registry ?? null,
    gpu: gpuOf(config),
    ...(cpu === undefined ? {} : { cpu }),
    workers: {
      min: config.workersMin,
      max: config.workersMax,
      idleTimeout: Math.max(1, Math.ceil(config.idleTimeoutMs / 1000)),
    },
    scaling: scalingOf(config),
    dataCenterIds: platform.dataCenterIds ?? [],
    networkVolumes: platform.networkVolumes ?? [],
    timeout: timeoutOf(config),
    flashboot: platform.flashboot ?? 'OFF',
    ...(templateId === undefined ? {} : { templateId }),
    createdAt: timeText(createdAt),
  }
}

export const timeText = (at: number): string => new Date(at).toISOString()

/** The requested image if our runtime replaces it; undefined: a local program. */
export function imageOf({ container, platform }: EndpointConfig): string | undefined {
  return container?.image ?? platform?.image
}

function queueUrls(url: string) {
  return {
    run: `${url}/run`,
    runSync: `${url}/runsync`,
    status: `${url}/status`,
    stream: `${url}/stream`,
    cancel: `${url}/cancel`,
    retry: `${url}/retry`,
    purgeQueue: `${url}/purge-queue`,
    health: `${url}/health`,
  }
}

function scalingOf({ scaler: { type, value } }: EndpointConfig): PlatformEndpoint['scaling'] {
  return type === 'QUEUE_DELAY'
    ? { type, queueDelay: Math.max(0.5, value) }
    : { type, requestCount: Math.max(1, Math.round(value)) }
}

function timeoutOf({ executionTimeoutMs: ms, platform }: EndpointConfig): number {
  const asked = platform?.timeout
  return asked !== undefined && executionTimeoutMs(asked) === ms ? asked : ms
}

function gpuOf({ container, platform }: EndpointConfig): PlatformEndpoint['gpu'] {
  const asked = platform?.gpu
  if (asked !== undefined && asked.pools.length > 0) {
    const { pools, excludedTypes, count, allowedCudaVersions = [], minCudaVersion } = asked
    return {
      pools,
      ...(excludedTypes === undefined ? {} : { excludedTypes }),
      count: count ?? 1,
      allowedCudaVersions,
      minCudaVersion: minCudaVersion || null,
    }
  }
  if (container?.gpu === undefined) return null
  const { wants, excluded } = readGpuWishes(container.gpu)
  const pools = wants.flatMap((want) => {
    if (want.kind === 'any') return Object.keys(GPU_GROUPS)
    return want.kind === 'group' ? [want.group] : [want.name]
  })
  return {
    pools,
    ...(excluded.length === 0 ? {} : { excludedTypes: [...excluded] }),
    count: container.gpuCount,
    allowedCudaVersions: [],
    minCudaVersion: null,
  }
}

function cpuOf({ container, platform }: EndpointConfig): PlatformEndpoint['cpu'] {
  const asked = platform?.cpu?.flatMap((one) => cpuView(one) ?? [])
  if (asked !== undefined && asked.length > 0) return asked
  const [, id, vcpu] = /^([a-z0-9]+)-(\d+)-\d+$/.exec(container?.cpu ?? '') ?? []
  const view = id === undefined ? undefined : cpuView({ id, vcpuCount: Number(vcpu) })
  return view === undefined ? undefined : [view]
}

const STATUS: Readonly<Record<WorkerState, PlatformWorker['status'] | undefined>> = {
  initializing: 'INITIALIZING',
  idle: 'IDLE',
  running: 'RUNNING',
  throttled: 'THROTTLED',
  unhealthy: 'UNHEALTHY',
  paused: 'IDLE',
  // It finishes its work; without any it counts as gone.
  stopping: undefined,
  ended: undefined,
}

/**
 * Undefined once it serves nobody.
 * @param now ms since the epoch
 */
export function viewPlatformWorker(
  worker: {
    readonly id: string
    readonly state: WorkerState
    readonly revision: number
    readonly startedAt: number
    readonly isBusy: boolean
    readonly gpus: readonly string[]
  },
  { config, revision }: { readonly config: EndpointConfig; readonly revision: number },
  now: number,
): PlatformWorker | undefined {
  const status = STATUS[worker.state] ?? (worker.state === 'stopping' && worker.isBusy ? 'RUNNING' : undefined)
  if (status === undefined) return undefined
  return {
    id: worker.id,
    status,
    isStale: worker.revision !== revision,
    version: worker.revision,
    gpuCount: worker.gpus.length,
    image: imageOf(config) ?? null,
    uptimeSeconds: Math.max(0, Math.floor((now - worker.startedAt) / 1000)),
    gpuTypeId: worker.gpus[0] ?? null,
    dataCenterId: config.platform?.dataCenterIds?.[0] ?? THIS_MACHINE,
    startedAt: timeText(worker.startedAt),
  }
}

/** A settings change that replaced workers, with hidden variable values. */
export type EndpointRevision = {
  readonly revision: number
  readonly at: number
  readonly changes: readonly { readonly setting: string; readonly from?: unknown; readonly to?: unknown }[]
}

export function viewReleases(
  { id, revision, config }: { readonly id: string; readonly revision: number; readonly config: EndpointConfig },
  revisions: readonly EndpointRevision[],
  workers: readonly Pick<PlatformWorker, 'version'>[],
): PlatformReleases {
  const onLatest = workers.filter(({ version }) => version === revision).length
  return {
    endpointVersion: revision,
    rollout: {
      inProgress: onLatest < workers.length,
      workersOnLatest: onLatest,
      workersTotal: workers.length,
      percentOnLatest: workers.length === 0 ? 100 : Math.floor((onLatest * 100) / workers.length),
    },
    releases: revisions.map(({ revision: version, at, changes }) => ({
      id: `${id}-${version}`,
      version,
      source: 'MANUAL',
      buildId: version === revision ? (config.app?.code ?? null) : null,
      createdByUserId: null,
      workerCount: workers.filter((worker) => worker.version === version).length,
      createdAt: timeText(at),
      diff: changes.map(({ setting, from, to }) => ({ field: fieldOf(setting), old: from ?? null, new: to ?? null })),
    })),
  }
}

const FIELDS: Readonly<Record<string, string>> = { executionTimeoutMs: 'timeout', loadBalanced: 'ports' }

function fieldOf(setting: string): string {
  return FIELDS[setting] ?? setting.replace(/^(platform|container)\./, '')
}
