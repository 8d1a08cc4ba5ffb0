/**
 * Converts endpoints of the platform's management API to ours. Fields without an equivalent are kept in `platform`.
 * Source: docs/spec/platform.md, 5.
 */
import { type ContainerSettings, containerSettings, GPU_GROUPS } from '../../../contract/container.ts'
import { type EndpointConfig, endpointConfig } from '../../../contract/endpoint.ts'
import { limit } from '../../../contract/limits.ts'
import type { PlatformEndpointCreate, PlatformEndpointUpdate } from '../../../contract/platform.ts'
import type { PlatformSettings } from '../../../contract/platform-settings.ts'
import { splitWords } from '../../../lib/text.ts'
import { VOLUME_TARGET } from '../../apps/rules/endpoint-config.ts'
import { PACKAGES_TARGET, type RuntimeProgram, runtimeProgram } from '../../apps/rules/runtime-program.ts'
import { listeningPorts, portOf } from '../../load-balancing/rules/listening-variables.ts'
import { cpuSpec } from './catalog.ts'
import { readRuntimeImage } from './runtime-image.ts'
import { volumePaths, withVolumeFolder } from './volume-mounts.ts'

export type ProgramPlace = {
  /** Without a container engine our runtime is a process. */
  readonly hasEngine: boolean
  readonly pythonPackages: string
  readonly gpu: string | undefined
  readonly volumeFolders: readonly string[]
}

export type ProgramSettings = {
  readonly handler: string | null
  readonly command: string | null
  readonly loadBalanced: EndpointConfig['loadBalanced'] | null
  readonly container: { readonly [Name in keyof ContainerSettings]?: ContainerSettings[Name] | null } | null
  readonly env: EndpointConfig['env']
}

export type Asked = {
  readonly platform: PlatformSettings
  readonly env: EndpointConfig['env']
  readonly isLoadBalanced: boolean
  readonly isTask: boolean
}

type Fields = PlatformEndpointCreate | PlatformEndpointUpdate

const KEPT = [
  'image',
  'args',
  'disk',
  'ports',
  'cpu',
  'dataCenterIds',
  'networkVolumes',
  'flashboot',
  'timeout',
  'templateId',
] as const satisfies readonly (keyof PlatformSettings & keyof Fields)[]

const OF_THE_PROGRAM: readonly string[] = ['image', 'args', 'gpu', 'cpu', 'networkVolumes', 'registry', 'ports']

export function changesProgram(fields: Partial<Fields>): boolean {
  return OF_THE_PROGRAM.some((name) => fields[name as keyof Fields] !== undefined)
}

export function keptSettings(before: PlatformSettings, fields: Partial<Fields>): PlatformSettings {
  const { registry: registryBefore, gpu: gpuBefore, ...others } = before
  const given = Object.fromEntries(
    KEPT.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]] as const])),
  )
  const registry = fields.registry === undefined ? registryBefore : (fields.registry ?? undefined)
  const gpu =
    fields.gpu === undefined
      ? gpuBefore
      : { ...gpuBefore, ...fields.gpu, pools: fields.gpu.pools ?? gpuBefore?.pools ?? [] }
  return {
    ...others,
    ...given,
    ...(registry === undefined || registry === '' ? {} : { registry }),
    ...(gpu === undefined ? {} : { gpu }),
  }
}

export function plainSettings(fields: Partial<Fields>): Partial<EndpointConfig> {
  const { name, workers, scaling, timeout, env } = fields
  return {
    ...(name === undefined ? {} : { name }),
    ...(workers?.min === undefined ? {} : { workersMin: workers.min }),
    ...(workers?.max === undefined ? {} : { workersMax: workers.max }),
    ...(workers?.idleTimeout === undefined ? {} : { idleTimeoutMs: workers.idleTimeout * 1000 }),
    ...(scaling === undefined ? {} : { scaler: scalerOf(scaling) }),
    ...(timeout === undefined ? {} : { executionTimeoutMs: executionTimeoutMs(timeout) }),
    ...(env === undefined ? {} : { env, concurrency: concurrencyOf(env) }),
  }
}

function scalerOf(scaling: PlatformEndpointCreate['scaling']): EndpointConfig['scaler'] {
  return scaling.type === 'QUEUE_DELAY'
    ? { type: scaling.type, value: scaling.queueDelay }
    : { type: scaling.type, value: scaling.requestCount }
}

export function executionTimeoutMs(timeout: number): number {
  if (timeout <= 0) return limit('executionTimeoutMaxMs')
  return Math.min(Math.max(timeout, limit('executionTimeoutMinMs')), limit('executionTimeoutMaxMs'))
}

// The runtime reads it too, but here the service dispatches jobs.
function concurrencyOf({ RUNPOD_MAX_CONCURRENCY: text }: EndpointConfig['env']): number {
  const parsed = endpointConfig.shape.concurrency.safeParse(Number(text ?? 1))
  return parsed.success ? parsed.data : 1
}

export function askedCards({ gpu }: PlatformSettings): string | undefined {
  if (gpu === undefined || gpu.pools.length === 0) return undefined
  const groups = Object.keys(GPU_GROUPS)
  const isAny = groups.every((group) => gpu.pools.includes(group))
  const excluded = (gpu.excludedTypes ?? []).map((name) => `-${name.trim()}`)
  return [...(isAny ? ['ANY'] : gpu.pools), ...excluded].join(',')
}

export const askedCardCount = ({ gpu }: PlatformSettings): number => gpu?.count ?? 1

export function askedProblem({ platform, isLoadBalanced, isTask }: Asked): { field: string; why: string } | undefined {
  const runtime = platform.image === undefined ? undefined : readRuntimeImage(platform.image)
  if ((runtime?.kind === 'task') !== isTask && runtime !== undefined)
    return { field: 'image', why: 'is the runtime of tasks, which are not endpoints: choose the one for queue or api' }
  if (runtime !== undefined && (runtime.kind === 'api') !== isLoadBalanced) {
    const [kind, type] = runtime.kind === 'api' ? ['api', 'LOAD_BALANCER'] : ['queue', 'QUEUE']
    return { field: 'image', why: `is the runtime of ${kind}, which needs the type ${type}` }
  }
  if (platform.args !== undefined && splitWords(platform.args) === undefined)
    return { field: 'args', why: 'has a quotation mark that is not closed' }
  const unknown = platform.cpu?.find((one) => cpuSpec(one) === undefined)
  if (unknown !== undefined) return { field: 'cpu', why: `has no family ${unknown.id}; see GET /v2/catalog/cpus` }
  if ((platform.networkVolumes?.length ?? 0) > 1)
    return { field: 'networkVolumes', why: `has several, and all would be at ${VOLUME_TARGET}: give one` }
  return undefined
}

/** Package in the platform's runtime images. Source: resources/python/svc_runtime, _sdk.py. */
const SDK_PACKAGE = 'runpod>=2.0.0rc2'

export function programSettings(asked: Asked, place: ProgramPlace, before?: ContainerSettings): ProgramSettings {
  const { platform, env, isLoadBalanced, isTask } = asked
  const loadBalanced = isLoadBalanced ? portsOf(platform.ports, env) : null
  const runtime = platform.image === undefined ? undefined : readRuntimeImage(platform.image)
  if (runtime === undefined && !isTask) {
    const args = splitWords(platform.args ?? '') ?? []
    const container = {
      ...containerOf(asked, place, before, []),
      image: platform.image ?? null,
      args: args.length === 0 ? null : [...args],
      python: null,
      packages: [],
      systemPackages: [],
    }
    return { handler: null, command: null, loadBalanced, container, env }
  }
  const { pythonPackages, hasEngine } = place
  const kind = isTask ? 'task' : isLoadBalanced ? 'api' : 'queue'
  // The user's image has its own Python; the task runtime is mounted into it.
  const inContainer = hasEngine || runtime === undefined
  const { volumes, handler = null, command = null } = runtimeProgram(kind, { pythonPackages, inContainer })
  if (!inContainer) {
    const [folder] = place.volumeFolders
    return { handler, command, loadBalanced, container: null, env: withVolumeFolder(env, folder) }
  }
  const container = {
    ...containerOf(asked, place, before, volumes),
    image: runtime === undefined ? (platform.image ?? null) : null,
    args: null,
    python: runtime?.python ?? null,
    // The platform's images contain it, and sources of development sessions import it.
    packages: runtime === undefined ? [] : [SDK_PACKAGE],
  }
  return { handler, command, loadBalanced, container, env }
}

// Volumes added by a person stay; requested ones are derived again.
function containerOf(
  { platform, env }: Asked,
  { gpu, volumeFolders }: ProgramPlace,
  before: ContainerSettings | undefined,
  runtime: RuntimeProgram['volumes'],
): Exclude<ProgramSettings['container'], null> {
  const paths = volumePaths(env)
  const settled = new Set([VOLUME_TARGET, PACKAGES_TARGET, ...paths])
  const own = (before?.volumes ?? []).filter(({ target }) => !settled.has(target))
  const folders = volumeFolders.flatMap((source) => paths.map((target) => ({ source, target, readOnly: false })))
  const cpu = platform.cpu?.[0]
  const settings = before ?? containerSettings.parse({})
  return {
    ...settings,
    registryAuth: platform.registry ?? null,
    volumes: [...own, ...folders, ...runtime],
    gpu: gpu ?? null,
    gpuCount: gpu === undefined ? 1 : askedCardCount(platform),
    cpu: (cpu === undefined ? undefined : cpuSpec(cpu)) ?? null,
  }
}

// Variables win, as on the platform, because the program reads them.
function portsOf(ports: readonly string[] | undefined, env: EndpointConfig['env']) {
  const [http] = (ports ?? []).filter((port) => port.endsWith('/http'))
  const port = portOf(env.PORT) ?? portOf(http?.split('/', 1)[0]) ?? DEFAULT_PORT
  return listeningPorts({ port }, env)
}

const DEFAULT_PORT = 80
