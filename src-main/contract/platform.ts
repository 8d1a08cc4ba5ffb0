/** Source: docs/spec/platform.md, 5; bounds of numbers are those of our settings. */
import { z } from 'zod'
import { containerSettings, environment } from './container.ts'
import { limit } from './limits.ts'
import { FLASHBOOT } from './platform-settings.ts'

const ENDPOINT_TYPES = ['QUEUE', 'LOAD_BALANCER'] as const

const name = z.string().trim().min(1).max(100)
const id = z.string().min(1).max(300)
const ids = z.array(id).max(100)
const cudaVersion = z.string().regex(/^\d+\.\d+$/, 'must be a version like 12.4')

const containerFields = {
  args: z.string().max(32_768).optional(),
  disk: z.number().int().min(1).max(100_000).optional(),
  env: environment.optional(),
  image: containerSettings.shape.image,
  ports: z
    .array(z.string().regex(/^\d{1,5}\/(http|tcp|udp)$/, 'must look like 80/http'))
    .max(50)
    .optional(),
  registry: id.nullable().optional(),
}

const gpuFields = {
  pools: z.array(id).min(1).max(100),
  excludedTypes: z
    .array(
      z
        .string()
        .max(300)
        .regex(/^\s*[^-\s]/, 'must be the name of a GPU'),
    )
    .max(100)
    .refine((all) => new Set(all).size === all.length, 'has one twice')
    .optional(),
  count: z.number().int().min(1).max(64).optional(),
  allowedCudaVersions: z.array(cudaVersion).max(100).optional(),
}

const cpuMachine = z.strictObject({ id, vcpuCount: z.number().int().min(2).max(999) })

const scaling = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('QUEUE_DELAY'), queueDelay: z.number().min(0.5).max(3600) }),
  z.strictObject({ type: z.literal('REQUEST_COUNT'), requestCount: z.number().int().min(1).max(10_000) }),
])

const workers = z
  .strictObject({
    min: z.number().int().min(0).max(100).optional(),
    max: z.number().int().min(0).max(100).optional(),
    idleTimeout: z.number().int().min(1).max(3600).optional(),
  })
  .refine(({ min, max }) => min === undefined || max === undefined || min <= max, {
    message: 'must not be above workers.max',
    path: ['min'],
  })

const endpointFields = {
  ...containerFields,
  cpu: z
    .array(cpuMachine)
    .min(1)
    .max(100)
    .refine((all) => new Set(all.map((one) => JSON.stringify(one))).size === all.length, 'has one twice')
    .optional(),
  dataCenterIds: ids.optional(),
  flashboot: z.enum(FLASHBOOT).optional(),
  networkVolumes: ids.optional(),
  templateId: id.optional(),
  timeout: z.number().int().min(-1).max(limit('executionTimeoutMaxMs')).optional(),
  workers: workers.optional(),
}

const oneComputer = { message: 'excludes gpu: an endpoint has one of the two', path: ['cpu'] }

export const platformEndpointCreate = z
  .strictObject({
    ...endpointFields,
    name,
    type: z.enum(ENDPOINT_TYPES),
    scaling,
    gpu: z.strictObject({ ...gpuFields, minCudaVersion: cudaVersion.optional() }).optional(),
  })
  .refine(({ image, templateId }) => image !== undefined || templateId !== undefined, {
    message: 'is missing; it is needed without a templateId',
    path: ['image'],
  })
  .refine(({ gpu, cpu }) => gpu === undefined || cpu === undefined, oneComputer)
  .refine(({ type, scaling: given }) => type !== 'LOAD_BALANCER' || given.type === 'REQUEST_COUNT', {
    message: 'must be of type REQUEST_COUNT on a load-balanced endpoint',
    path: ['scaling'],
  })

export type PlatformEndpointCreate = z.output<typeof platformEndpointCreate>

export const platformEndpointUpdate = z
  .strictObject({
    ...endpointFields,
    name: name.optional(),
    scaling: scaling.optional(),
    gpu: z
      .strictObject({
        ...gpuFields,
        pools: gpuFields.pools.optional(),
        minCudaVersion: z
          .string()
          .regex(/^$|^\d+\.\d+$/, 'must be a version like 12.4, or empty')
          .optional(),
      })
      .refine(({ pools, excludedTypes }) => excludedTypes === undefined || pools !== undefined, {
        message: 'needs pools too',
        path: ['excludedTypes'],
      })
      .optional(),
  })
  .refine(({ gpu, cpu }) => gpu === undefined || cpu === undefined, oneComputer)

export type PlatformEndpointUpdate = z.output<typeof platformEndpointUpdate>

const answeredContainer = {
  image: z.string().optional(),
  args: z.string(),
  disk: z.number().int().optional(),
  env: z.record(z.string(), z.string()),
  ports: z.array(z.string()),
  registry: z.string().nullable(),
}

const answeredGpu = z.object({
  pools: z.array(z.string()),
  excludedTypes: z.array(z.string()).optional(),
  count: z.number().int().optional(),
  allowedCudaVersions: z.array(z.string()),
  minCudaVersion: z.string().nullable(),
})

export const platformEndpoint = z.object({
  ...answeredContainer,
  id: z.string(),
  name: z.string(),
  type: z.enum(ENDPOINT_TYPES),
  requestUrls: z.record(z.string(), z.string()),
  gpu: answeredGpu.nullable(),
  cpu: z.array(z.object({ id: z.string(), vcpuCount: z.number(), memory: z.number() })).optional(),
  workers: z.object({ min: z.number(), max: z.number(), idleTimeout: z.number() }),
  scaling,
  dataCenterIds: z.array(z.string()),
  networkVolumes: z.array(z.string()),
  timeout: z.number().int(),
  flashboot: z.enum(FLASHBOOT),
  templateId: z.string().optional(),
  createdAt: z.string(),
})

export type PlatformEndpoint = z.infer<typeof platformEndpoint>

const WORKER_STATUSES = ['RUNNING', 'IDLE', 'INITIALIZING', 'THROTTLED', 'UNHEALTHY'] as const

/** A worker in the platform's words. Its version is the revision of its settings. */
const platformWorker = z.object({
  id: z.string(),
  status: z.enum(WORKER_STATUSES),
  isStale: z.boolean(),
  version: z.number().int(),
  gpuCount: z.number().int(),
  image: z.string().nullable(),
  uptimeSeconds: z.number().int(),
  gpuTypeId: z.string().nullable(),
  dataCenterId: z.string().nullable(),
  startedAt: z.string(),
})

export type PlatformWorker = z.infer<typeof platformWorker>

export const platformWorkers = z.object({
  workers: z.array(platformWorker),
  summary: z.object({
    running: z.number(),
    idle: z.number(),
    initializing: z.number(),
    throttled: z.number(),
    unhealthy: z.number(),
    total: z.number(),
  }),
  endpointVersion: z.number().int(),
})

/** Response of 'list releases': changes of an endpoint that replaced its workers, newest first. */
export const platformReleases = z.object({
  endpointVersion: z.number().int(),
  rollout: z.object({
    inProgress: z.boolean(),
    workersOnLatest: z.number().int(),
    workersTotal: z.number().int(),
    percentOnLatest: z.number().int(),
  }),
  releases: z.array(
    z.object({
      id: z.string(),
      version: z.number().int(),
      source: z.enum(['GIT_BUILD', 'MANUAL']),
      buildId: z.string().nullable(),
      createdByUserId: z.string().nullable(),
      workerCount: z.number().int(),
      createdAt: z.string(),
      diff: z.array(z.object({ field: z.string(), old: z.unknown(), new: z.unknown() })),
    }),
  ),
})

export type PlatformReleases = z.infer<typeof platformReleases>

const mounts = z.strictObject({
  persistent: z
    .strictObject({ size: z.number().int().min(10).max(100_000), path: z.string().min(1).max(4096) })
    .optional(),
})

const templateFields = {
  ...containerFields,
  allowedCudaVersions: z.array(cudaVersion).max(100).optional(),
  category: z.enum(['CPU', 'NVIDIA', 'AMD']).optional(),
  mounts: mounts.optional(),
  public: z.boolean().optional(),
  serverless: z.boolean().optional(),
  startJupyter: z.boolean().optional(),
  startSsh: z.boolean().optional(),
}

export const templateCreate = z.strictObject({
  ...templateFields,
  name,
  image: containerSettings.shape.image.unwrap(),
})

export const templateUpdate = z.strictObject({ ...templateFields, name: name.optional() })

export const template = z.object({
  ...answeredContainer,
  id: z.string(),
  name: z.string(),
  image: z.string(),
  disk: z.number().int(),
  mounts,
  serverless: z.boolean(),
  public: z.boolean(),
  category: z.enum(['CPU', 'NVIDIA', 'AMD']),
  startSsh: z.boolean(),
  startJupyter: z.boolean(),
  allowedCudaVersions: z.array(z.string()),
})

export type Template = z.infer<typeof template>

/** Size of a network volume in GB; the folder on this machine may grow beyond it. */
const volumeSize = z.number().int().min(10).max(4096)

/** Here both types are the same: a folder of this machine. */
const VOLUME_TYPES = ['STANDARD', 'HIGH_PERFORMANCE'] as const

export const volumeCreate = z.strictObject({
  name,
  size: volumeSize,
  dataCenter: id,
  type: z.enum(VOLUME_TYPES).optional(),
})

export const volumeUpdate = z
  .strictObject({ name: name.optional(), size: volumeSize.optional() })
  .refine((changes) => Object.keys(changes).length > 0, 'must name something to change')

export const networkVolume = z.object({
  id: z.string(),
  name: z.string(),
  size: volumeSize,
  dataCenter: z.string(),
  type: z.enum(VOLUME_TYPES),
})

export type NetworkVolume = z.infer<typeof networkVolume>

/** Body of 'create registry credentials'. They name no registry: they apply to that of the image. */
export const platformRegistryCreate = z.strictObject({
  name: z.string().min(1).max(1000),
  username: z.string().min(1).max(1000),
  password: z.string().min(1).max(10_000),
})

export const platformRegistry = z.object({ id: z.string(), name: z.string() })
