import { z } from 'zod'
import { GIB } from '../lib/units.ts'
import { limitedRecord } from './limited-record.ts'
import { limit } from './limits.ts'
import { machineChoice } from './machines.ts'

/** GPU groups with memory in GB. Source: the platform's app package. */
export const GPU_GROUPS = {
  AMPERE_16: { memoryGb: 16, models: ['A4000', 'A4500', 'RTX 4000', 'RTX 2000'] },
  AMPERE_24: { memoryGb: 24, models: ['A5000', 'L4', 'RTX 3090'] },
  ADA_24: { memoryGb: 24, models: ['RTX 4090'] },
  ADA_32_PRO: { memoryGb: 32, models: ['RTX 5090'] },
  AMPERE_48: { memoryGb: 48, models: ['A40', 'A6000'] },
  ADA_48_PRO: { memoryGb: 48, models: ['L40', 'L40S', 'RTX 6000 Ada'] },
  AMPERE_80: { memoryGb: 80, models: ['A100'] },
  ADA_80_PRO: { memoryGb: 80, models: ['H100'] },
  BLACKWELL_96: { memoryGb: 96, models: ['RTX PRO 6000'] },
  HOPPER_141: { memoryGb: 141, models: ['H200'] },
  BLACKWELL_180: { memoryGb: 180, models: ['B200'] },
} as const satisfies Record<string, { readonly memoryGb: number; readonly models: readonly string[] }>

/** Platform CPU spec: family, virtual CPUs, GB of memory. Source: docs/spec/app-deploy.md, 2. */
const CPU_SPEC = /^[a-z0-9]+-([1-9]\d{0,2})-([1-9]\d{0,3})$/

export const environment = limitedRecord(
  z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be a variable name'),
  z.string().max(32_768),
  limit('variables'),
)

/** Code folder in a container: a handler's, or an artifact. Source: ours. */
export const CODE_FOLDER = '/app'

const path = z.string().min(1).max(4096)

const volume = z.object({
  source: path
    .regex(/^(\/|[A-Za-z]:[\\/]|[A-Za-z0-9][\w.-]*$)/, 'must be an absolute folder, or the name of a volume')
    .describe('absolute folder of this machine, or the name of a volume of the engine'),
  target: path.regex(/^\//, 'must be an absolute path in the container'),
  readOnly: z.boolean().default(false),
})

/** Profiles of container permissions. Source: docs/spec/targets.md, 3; ours for the names. */
export const CONTAINER_PROFILES = ['safe', 'strict', 'trusted'] as const

export type ContainerProfile = (typeof CONTAINER_PROFILES)[number]

/** Container settings of an endpoint. An endpoint with these runs in containers. */
export const containerSettings = z.object({
  machine: machineChoice.optional(),
  image: z
    .string()
    .regex(/^[A-Za-z0-9][\w./:@-]{0,511}$/, 'must be the name of an image, like python:3.12-slim')
    .optional()
    .describe('image to run (default: the worker image of Drydock, for a handler)'),
  python: z
    .string()
    .regex(/^3\.\d{1,2}$/, 'must be a version like 3.12')
    .optional()
    .describe('Python of the worker image (default: 3.11); an image of yours has its own'),
  packages: z
    .array(z.string().min(1).max(500))
    .max(500)
    .default([])
    .describe('Python packages to add to the worker image, like torch in the images of the platform'),
  systemPackages: z
    .array(z.string().regex(/^[a-z0-9][a-z0-9+.-]{0,100}(=[\w.:~+-]+)?$/, 'must be the name of a package of Debian'))
    .max(200)
    .default([])
    .describe('Debian packages to add to the worker image'),
  entrypoint: z.array(z.string()).max(100).optional().describe('replaces the entry point of the image'),
  args: z.array(z.string()).max(1000).optional().describe('replaces the command of the image'),
  pull: z.enum(['missing', 'always', 'never']).default('missing'),
  registryAuth: z.string().min(1).max(100).optional().describe('name of stored registry credentials'),
  volumes: z.array(volume).max(50).default([]),
  ports: z.array(z.number().int().min(1).max(65_535)).max(50).default([]).describe('published on loopback'),
  shmBytes: z.number().int().min(1).optional().describe('size of /dev/shm (default: 64 MiB, or 1 GiB with a GPU)'),
  cpu: z.string().regex(CPU_SPEC, 'must look like cpu3c-2-4: family, CPUs, GB of memory').optional(),
  memoryBytes: z.number().int().min(6_291_456).optional().describe('memory limit; takes precedence over cpu'),
  diskBytes: z.number().int().min(1).optional().describe('limit of the container disk, if the engine supports it'),
  gpu: z.string().min(1).max(200).optional().describe('ANY, a group like ADA_24, or a part of the name of a GPU'),
  gpuCount: z.number().int().min(1).max(64).default(1),
  gpuShared: z.boolean().default(false).describe('share a GPU with other workers that share'),
  profile: z.enum(CONTAINER_PROFILES).default('safe'),
  capabilities: z
    .array(z.string().regex(/^[A-Z][A-Z_]{1,40}$/, 'must be the name of a capability, like SYS_NICE'))
    .max(40)
    .default([])
    .describe('kept even if the profile drops them'),
  egress: z.boolean().default(true).describe('may reach other machines'),
  placement: z
    .array(
      z
        .string()
        .max(300)
        .regex(
          /^(node\.(id|hostname|role|ip|platform\.os|platform\.arch)|(node|engine)\.labels\.[\w.-]+) ?(==|!=) ?[\w./:-]+$/,
          'must look like node.labels.zone==lab, as docker service create --constraint takes it',
        ),
    )
    .max(20)
    .optional()
    .describe('which nodes of a swarm may run it, as Docker writes constraints: node.labels.zone==lab'),
  keepPausedMs: z
    .number()
    .int()
    .min(0)
    .max(86_400_000)
    .optional()
    .describe('how long an idle worker stays paused before it ends (default: 10 min, with a GPU 0)'),
  prepared: z
    .number()
    .int()
    .min(0)
    .max(10)
    .default(1)
    .describe('containers created in advance; none with a GPU, or an image that is always pulled'),
})

export type ContainerSettings = z.infer<typeof containerSettings>

/**
 * Returns undefined if the text is no platform spec.
 * @param spec like cpu3c-2-4
 */
export function readCpuSpec(spec: string): { readonly cpus: number; readonly memoryBytes: number } | undefined {
  const [, cpus, memoryGb] = CPU_SPEC.exec(spec) ?? []
  if (cpus === undefined || memoryGb === undefined) return undefined
  return { cpus: Number(cpus), memoryBytes: Number(memoryGb) * GIB }
}

/** Name of stored credentials; endpoints refer to it as `registryAuth`. */
const registryName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, 'must be letters, digits, dots, hyphens and underscores')

const server = z
  .string()
  .regex(
    /^(\*|[A-Za-z0-9][A-Za-z0-9.-]{0,252}(:\d{1,5})?)$/,
    'must be a host, like ghcr.io or registry.example.com:5000',
  )

export const registryCreate = z.strictObject({
  name: registryName,
  server: server.describe('host of the registry; docker.io for Docker Hub, * for that of the image'),
  username: z.string().min(1).max(1000),
  password: z.string().min(1).max(10_000).describe('password or token; it is stored encrypted and never shown again'),
})

export type RegistryCreate = z.infer<typeof registryCreate>

/** Never includes the password. */
export const registryView = z.object({
  name: z.string(),
  server: z.string(),
  username: z.string(),
  updatedAt: z.number().int(),
})

export type RegistryView = z.infer<typeof registryView>

export type RegistryCredentials = Pick<RegistryCreate, 'server' | 'username' | 'password'>
