import { z } from 'zod'
import { wholeNumber } from './routes.ts'

const AVAILABILITY = ['NONE', 'LOW', 'MEDIUM', 'HIGH'] as const

export type Availability = (typeof AVAILABILITY)[number]

const availability = z.enum(AVAILABILITY)
const stock = z.object({ id: z.string(), name: z.string(), availability })

export const gpuType = z.object({
  id: z.string(),
  name: z.string(),
  pool: z.string().nullable(),
  manufacturer: z.enum(['NVIDIA', 'AMD', 'UNKNOWN']),
  memory: z.number().int().describe('GB'),
  secure: z.boolean(),
  community: z.boolean(),
  price: z.object({ secure: z.number(), community: z.number(), serverless: z.number() }),
  maxCount: z.object({ secure: z.number().int(), community: z.number().int() }),
  availability: availability.optional(),
  dataCenters: z.array(stock).optional(),
})

export type GpuType = z.infer<typeof gpuType>

export const cpuType = z.object({
  id: z.string(),
  name: z.string(),
  group: z.string(),
  vcpu: z.object({ min: z.number().int(), max: z.number().int() }),
  ramGbPerVcpu: z.number(),
  price: z.object({ securePerVcpu: z.number(), serverlessPerVcpu: z.number() }),
  availability: availability.optional(),
  dataCenters: z.array(stock).optional(),
})

export type CpuType = z.infer<typeof cpuType>

const REGIONS = [
  'NORTH_AMERICA',
  'SOUTH_AMERICA',
  'EUROPE',
  'ASIA',
  'MIDDLE_EAST',
  'AFRICA',
  'OCEANIA',
  'ANTARCTICA',
  'UNKNOWN',
] as const

const COMPLIANCE = [
  'GDPR',
  'ISO_IEC_27001',
  'ISO_14001',
  'PCI_DSS',
  'HITRUST',
  'SOC_1_TYPE_2',
  'SOC_2_TYPE_2',
  'SOC_3_TYPE_2',
  'ITAR',
  'FISMA_HIGH',
  'HIPAA',
  'RENEWABLE',
] as const

/** Each data center is this machine under another name. */
export const dataCenter = z.object({
  id: z.string(),
  name: z.string(),
  region: z.enum(REGIONS),
  globalNetwork: z.boolean(),
  networkVolumeTypes: z.array(z.enum(['STANDARD', 'HIGH_PERFORMANCE'])),
  compliance: z.array(z.enum(COMPLIANCE)),
  gpuAvailability: z.array(stock).optional(),
  cpuAvailability: z.array(stock).optional(),
})

export type DataCenter = z.infer<typeof dataCenter>

// A list in a query: values with commas between them.
const listOf = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  z
    .string()
    .transform((text) => text.split(',').filter((part) => part !== ''))
    .pipe(z.array(z.enum(values, `must be of ${values.join(', ')}`)))
    .optional()

const versions = z
  .string()
  .regex(/^\d+\.\d+(,\d+\.\d+)*$/, 'must be versions like 12.4,12.8')
  .optional()

const include = listOf(['AVAILABILITY'])

/** The query of the cards. Filters without meaning for one machine are accepted and ignored. */
export const gpuQuery = {
  include,
  product: listOf(['POD', 'CLUSTER', 'SERVERLESS']),
  count: wholeNumber.refine((n) => n >= 1, 'must be at least 1').optional(),
  cloud: z.enum(['SECURE', 'COMMUNITY']).optional(),
  countryCodes: z
    .string()
    .regex(/^[A-Z]{2}(,[A-Z]{2})*$/, 'must be codes like US,DE')
    .optional(),
  cudaVersions: versions,
  minCudaVersion: z
    .string()
    .regex(/^\d+(\.\d+)?$/, 'must be a version like 12.4')
    .optional(),
}

export const cpuQuery = {
  include,
  product: listOf(['POD', 'SERVERLESS']),
  vcpuCount: wholeNumber.refine((n) => n >= 2, 'must be at least 2').optional(),
}

const dataCenterInclude = listOf(['GPU_AVAILABILITY', 'CPU_AVAILABILITY'])

export const dataCenterQuery = { include: dataCenterInclude }

export const dataCentersQuery = {
  include: dataCenterInclude,
  regions: listOf(REGIONS),
  networkVolumeTypes: listOf(['STANDARD', 'HIGH_PERFORMANCE']),
  compliance: listOf(COMPLIANCE),
  globalNetwork: z.enum(['true', 'false']).optional(),
}
