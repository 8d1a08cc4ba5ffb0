/**
 * Stores fields from platform clients that have no meaning on one machine, so that they can be returned. Source:
 * docs/spec/platform.md, 5.
 */
import { z } from 'zod'

/** Requested start speed. Here all of them freeze and wake workers. */
export const FLASHBOOT = ['OFF', 'FLASHBOOT', 'PRIORITY_FLASHBOOT'] as const

const names = z.array(z.string().max(300)).max(100)

const askedGpu = z.object({
  pools: names,
  excludedTypes: names.optional(),
  count: z.number().int().optional(),
  allowedCudaVersions: names.optional(),
  minCudaVersion: z.string().max(20).optional().describe('empty: taken away again'),
})

/** One requested CPU machine; its memory in GB follows from the other fields. */
const askedCpu = z.object({ id: z.string(), vcpuCount: z.number().int() })

export const platformSettings = z.object({
  image: z.string().optional().describe('image that was asked for; one of a runtime stands for ours'),
  args: z.string().optional(),
  disk: z.number().int().optional().describe('GB'),
  ports: names.optional(),
  registry: z.string().optional().describe('name of stored registry credentials'),
  gpu: askedGpu.optional(),
  cpu: z.array(askedCpu).optional(),
  dataCenterIds: names.optional().describe('all of them are this machine'),
  networkVolumes: names.optional().describe('ids'),
  flashboot: z.enum(FLASHBOOT).optional(),
  timeout: z.number().int().optional().describe('ms'),
  templateId: z.string().optional(),
})

export type PlatformSettings = z.infer<typeof platformSettings>

/** Volumes in RUNPOD_MOUNTS, with the fields that determine their location. */
export const volumeMounts = z.array(z.looseObject({ kind: z.string(), path: z.string().startsWith('/') }))

export type VolumeMount = z.output<typeof volumeMounts>[number]
