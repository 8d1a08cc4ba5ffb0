/**
 * What an endpoint was asked for by clients of the platform and its other settings cannot say. It is kept and given
 * back: a field of the platform that means nothing on one machine is not lost. Source: docs/spec/platform.md, 5.
 */
import { z } from 'zod'

/** How fast a start the platform is asked for. Here workers are frozen and woken for all of them. */
export const FLASHBOOT = ['OFF', 'FLASHBOOT', 'PRIORITY_FLASHBOOT'] as const

const names = z.array(z.string().max(300)).max(100)

/** The graphics cards that were asked for. */
const askedGpu = z.object({
  pools: names,
  excludedTypes: names.optional(),
  count: z.number().int().optional(),
  allowedCudaVersions: names.optional(),
  minCudaVersion: z.string().max(20).optional().describe('empty: taken away again'),
})

/** One CPU machine that was asked for; GB of memory follow from the other two. */
const askedCpu = z.object({ id: z.string(), vcpuCount: z.number().int() })

/** The setting `platform` of an endpoint. */
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

/** What clients of the platform asked for. */
export type PlatformSettings = z.infer<typeof platformSettings>

/** The volumes of a worker, as the variable RUNPOD_MOUNTS names them; of each what decides where it is. */
export const volumeMounts = z.array(z.looseObject({ kind: z.string(), path: z.string().startsWith('/') }))

/** One of them. */
export type VolumeMount = z.output<typeof volumeMounts>[number]
