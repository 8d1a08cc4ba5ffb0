/** Endpoints in version 1 of the platform's API; unknown fields are dropped. Source: its REST reference, and runpodctl 2. */
import { z } from 'zod'
import { limit } from './limits.ts'

const id = z.string().min(1).max(300)
const ids = z.array(id).max(100)
const workers = z.number().int().min(0).max(100)

export const endpointUpdateV1 = z.object({
  name: z.string().trim().min(1).max(100).optional(),
  templateId: id.optional(),
  gpuTypeIds: ids.min(1).optional(),
  gpuCount: z.number().int().min(1).max(64).optional(),
  cpuFlavorIds: ids.min(1).optional(),
  vcpuCount: z.number().int().min(2).max(999).optional(),
  workersMin: workers.optional(),
  workersMax: workers.optional(),
  idleTimeout: z.number().int().min(1).max(3600).optional().describe('seconds'),
  scalerType: z.enum(['QUEUE_DELAY', 'REQUEST_COUNT']).optional(),
  scalerValue: z.number().int().min(1).max(3600).optional(),
  executionTimeoutMs: z.number().int().min(-1).max(limit('executionTimeoutMaxMs')).optional(),
  networkVolumeId: z.string().max(300).optional(),
  networkVolumeIds: ids.optional(),
  dataCenterIds: ids.optional(),
  flashboot: z.boolean().optional(),
})

export const endpointCreateV1 = endpointUpdateV1.extend({ templateId: id })

export type EndpointFieldsV1 = z.output<typeof endpointUpdateV1>

const strings = z.array(z.string())

export const endpointV1 = z.object({
  id: z.string(),
  name: z.string(),
  templateId: z.string().optional(),
  computeType: z.enum(['GPU', 'CPU']),
  gpuTypeIds: strings,
  gpuCount: z.number().int(),
  instanceIds: strings,
  allowedCudaVersions: strings,
  workersMin: z.number().int(),
  workersMax: z.number().int(),
  idleTimeout: z.number().int(),
  scalerType: z.enum(['QUEUE_DELAY', 'REQUEST_COUNT']),
  scalerValue: z.number().int(),
  executionTimeoutMs: z.number().int(),
  networkVolumeId: z.string().nullable(),
  networkVolumeIds: strings,
  dataCenterIds: strings,
  flashboot: z.boolean(),
  env: z.record(z.string(), z.string()),
  createdAt: z.string(),
  template: z
    .object({
      id: z.string(),
      imageName: z.string().optional(),
      containerDiskInGb: z.number().int().optional(),
      env: z.record(z.string(), z.string()),
      ports: strings,
      containerRegistryAuthId: z.string().nullable(),
    })
    .optional()
    .describe('with includeTemplate=true'),
  workers: z
    .array(
      z.object({
        id: z.string(),
        desiredStatus: z.literal('RUNNING'),
        imageName: z.string().nullable(),
        gpuCount: z.number().int(),
        lastStartedAt: z.string(),
      }),
    )
    .optional()
    .describe('with includeWorkers=true'),
})

export type EndpointV1 = z.infer<typeof endpointV1>

const flag = z.enum(['true', 'false']).optional()

export const endpointQueryV1 = { includeTemplate: flag, includeWorkers: flag }

export type EndpointQueryV1 = z.output<z.ZodObject<typeof endpointQueryV1>>
