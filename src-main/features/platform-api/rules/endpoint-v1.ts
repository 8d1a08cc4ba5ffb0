import type { PlatformEndpoint, PlatformEndpointUpdate, PlatformWorker } from '../../../contract/platform.ts'
import type { EndpointFieldsV1, EndpointV1 } from '../../../contract/platform-v1.ts'
import { withoutUndefined } from '../../../lib/json/plain.ts'

const USUAL_VCPUS = 2

export function updateOfV1(fields: EndpointFieldsV1): PlatformEndpointUpdate {
  const { name, templateId, gpuTypeIds, gpuCount, cpuFlavorIds, vcpuCount = USUAL_VCPUS, flashboot } = fields
  const volumes = fields.networkVolumeIds ?? (fields.networkVolumeId ? [fields.networkVolumeId] : undefined)
  const gpu = { pools: gpuTypeIds, count: gpuCount }
  const workers = { min: fields.workersMin, max: fields.workersMax, idleTimeout: fields.idleTimeout }
  return withoutUndefined({
    ...{ name, templateId, dataCenterIds: fields.dataCenterIds, timeout: fields.executionTimeoutMs },
    gpu: gpuTypeIds === undefined && gpuCount === undefined ? undefined : withoutUndefined(gpu),
    cpu: cpuFlavorIds?.map((id) => ({ id, vcpuCount })),
    flashboot: flashboot === undefined ? undefined : flashboot ? ('FLASHBOOT' as const) : ('OFF' as const),
    networkVolumes: volumes,
    workers: Object.values(workers).every((one) => one === undefined) ? undefined : withoutUndefined(workers),
    scaling: scalingOf(fields),
  })
}

export const USUAL_SCALING = { type: 'QUEUE_DELAY', queueDelay: 4 } as const

function scalingOf({ scalerType, scalerValue = 4 }: EndpointFieldsV1): PlatformEndpointUpdate['scaling'] {
  if (scalerType === undefined) return undefined
  return scalerType === 'QUEUE_DELAY'
    ? { type: scalerType, queueDelay: scalerValue }
    : { type: scalerType, requestCount: scalerValue }
}

type Included = { readonly withTemplate: boolean; readonly workers: readonly PlatformWorker[] | undefined }

/** Some fields of both versions share a name but not a type. */
export function viewEndpointV1(endpoint: PlatformEndpoint, { withTemplate, workers }: Included): EndpointV1 {
  const { id, name, templateId, gpu, cpu = [], scaling, networkVolumes, env, createdAt } = endpoint
  return {
    ...{ id, name, templateId, env, createdAt, dataCenterIds: endpoint.dataCenterIds },
    computeType: gpu === null ? 'CPU' : 'GPU',
    ...{ gpuTypeIds: gpu?.pools ?? [], gpuCount: gpu?.count ?? 0, allowedCudaVersions: gpu?.allowedCudaVersions ?? [] },
    instanceIds: cpu.map((one) => `${one.id}-${one.vcpuCount}-${one.memory}`),
    ...{
      workersMin: endpoint.workers.min,
      workersMax: endpoint.workers.max,
      idleTimeout: endpoint.workers.idleTimeout,
    },
    scalerType: scaling.type,
    scalerValue: Math.ceil(scaling.type === 'QUEUE_DELAY' ? scaling.queueDelay : scaling.requestCount),
    executionTimeoutMs: endpoint.timeout,
    ...{ networkVolumeId: networkVolumes[0] ?? null, networkVolumeIds: networkVolumes },
    flashboot: endpoint.flashboot !== 'OFF',
    ...(withTemplate && templateId !== undefined ? { template: templateOf(endpoint, templateId) } : {}),
    ...(workers === undefined ? {} : { workers: workers.map(workerOf) }),
  }
}

const templateOf = ({ image, disk, env, ports, registry }: PlatformEndpoint, id: string) => ({
  ...{ id, imageName: image, containerDiskInGb: disk, env, ports, containerRegistryAuthId: registry },
})

const workerOf = ({ id, image, gpuCount, startedAt }: PlatformWorker) => ({
  ...{ id, desiredStatus: 'RUNNING' as const, imageName: image, gpuCount, lastStartedAt: startedAt },
})
