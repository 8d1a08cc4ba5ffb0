import { hubModel } from '../../../contract/models.ts'
import type { PlatformEndpointCreate, PlatformEndpointUpdate } from '../../../contract/platform.ts'
import { FLASHBOOT } from '../../../contract/platform-settings.ts'
import type { SavedEndpoint } from './manifest.ts'

export type SavedInput = SavedEndpoint & {
  readonly id?: string | null
  readonly flashEnvironmentId?: string | null
  readonly type?: string | null
  readonly flashBootType?: string | null
  readonly locations?: string | null
  readonly minCudaVersion?: string | null
  readonly allowedCudaVersions?: string | null
  readonly networkVolumeIds?: readonly { readonly networkVolumeId: string }[] | null
  readonly template?:
    | (NonNullable<SavedEndpoint['template']> & {
        readonly containerDiskInGb?: number | null
        readonly dockerArgs?: string | null
        readonly ports?: string | null
        readonly containerRegistryAuthId?: string | null
      })
    | null
}

/** Converts to management API fields. Source: the public package runpod 2.0, its translation. */
export function updateOf(input: SavedInput): PlatformEndpointUpdate {
  const { template, networkVolumeIds } = input
  const { min, max, idleTimeout } = { min: input.workersMin, max: input.workersMax, idleTimeout: input.idleTimeout }
  return without({
    name: input.name,
    image: template?.imageName,
    args: template?.dockerArgs || undefined,
    disk: template?.containerDiskInGb,
    env: template?.env && Object.fromEntries(template.env.map(({ key, value }) => [key, value])),
    ports: template?.ports && listOf(template.ports),
    registry: template?.containerRegistryAuthId,
    cpu: input.instanceIds?.map(cpuOf),
    gpu: gpuOf(input),
    dataCenterIds: input.locations && listOf(input.locations),
    flashboot: FLASHBOOT.find((one) => one === input.flashBootType),
    networkVolumes: networkVolumeIds?.map(({ networkVolumeId }) => networkVolumeId),
    timeout: input.executionTimeoutMs,
    workers: without({ min, max, idleTimeout }),
    scaling: scalingOf(input),
  })
}

export function createOf(input: SavedInput): PlatformEndpointCreate {
  const isApi = input.type === 'LB'
  const usual = isApi
    ? ({ type: 'REQUEST_COUNT', requestCount: 4 } as const)
    : ({ type: 'QUEUE_DELAY', queueDelay: 4 } as const)
  const { gpu, scaling = usual, ...fields } = updateOf(input)
  const { pools } = gpu ?? {}
  return {
    ...fields,
    scaling,
    name: input.name,
    type: isApi ? 'LOAD_BALANCER' : 'QUEUE',
    ...(gpu === undefined || pools === undefined ? {} : { gpu: { ...gpu, pools } }),
  }
}

/** The model for its workers, or the problem as the end of a sentence. */
export function modelOf({ modelReferences }: Pick<SavedInput, 'modelReferences'>): {
  readonly model?: string | undefined
  readonly problem?: string | undefined
} {
  const [model, ...others] = modelReferences ?? []
  if (others.length > 0) return { problem: 'has several, but workers get only one: name one' }
  const { error } = hubModel.optional().safeParse(model)
  return error === undefined ? { model } : { problem: error.issues[0]?.message ?? 'must be owner/name' }
}

const listOf = (text: string) =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')

function cpuOf(instance: string) {
  const [id = '', count] = instance.split('-')
  return { id, vcpuCount: Number(count) }
}

function gpuOf({ gpuIds, gpuCount, minCudaVersion, allowedCudaVersions }: SavedInput) {
  if (!gpuIds) return undefined
  const names = listOf(gpuIds)
  const excluded = names.filter((name) => name.startsWith('-')).map((name) => name.slice(1))
  return without({
    pools: names.filter((name) => !name.startsWith('-')),
    excludedTypes: excluded.length === 0 ? undefined : excluded,
    count: gpuCount,
    minCudaVersion,
    allowedCudaVersions: allowedCudaVersions && listOf(allowedCudaVersions),
  })
}

function scalingOf({ scalerType, scalerValue }: SavedInput) {
  if (scalerType === 'QUEUE_DELAY') return { type: scalerType, queueDelay: scalerValue ?? 4 } as const
  if (scalerType === 'REQUEST_COUNT') return { type: scalerType, requestCount: scalerValue ?? 4 } as const
  return undefined
}

type Given<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], null | undefined | ''> }

function without<Fields extends object>(fields: Fields): Given<Fields> {
  const entries = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined && value !== '')
  return Object.fromEntries(entries) as Given<Fields>
}
