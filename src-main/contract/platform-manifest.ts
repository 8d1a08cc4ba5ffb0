import { z } from 'zod'
import { hubModel } from './models.ts'

export const PLATFORM_MANIFEST_FILE = 'runpod_manifest.json'

const mount = z.looseObject({ kind: z.enum(['network', 'global']), reference: z.string(), path: z.string() })

const resource = z.looseObject({
  kind: z.enum(['queue', 'api', 'task']),
  name: z.string().regex(/^[^\p{Cc}/\\]{1,100}$/u, 'must be at most 100 characters without slashes'),
  module: z.string().optional(),
  gpus: z.array(z.string()).optional(),
  gpuCount: z.number().int().default(1),
  instanceIds: z.array(z.string()).optional(),
  workersMin: z.number().int().default(0),
  workersMax: z.number().int().default(1),
  idleTimeout: z.number().int().default(60),
  systemDependencies: z.array(z.string()).default([]),
  mounts: z.array(mount).default([]),
  env: z.record(z.string(), z.string()).default({}),
  locations: z.string().optional(),
  imageName: z.string().optional(),
  registryAuth: z.string().optional(),
  model: hubModel.optional(),
  maxConcurrency: z.number().int().default(1),
  executionTimeoutMs: z.number().int().default(0),
  flashboot: z.boolean().default(true),
  scalerType: z.enum(['QUEUE_DELAY', 'REQUEST_COUNT']).optional(),
  scalerValue: z.number().default(4),
  minCudaVersion: z.string().optional(),
  schedule: z.string().optional(),
  routes: z.array(z.looseObject({ method: z.string(), path: z.string(), handler: z.string() })).default([]),
})

/** Manifest of an SDK 2.0 artifact. Source: the public package runpod 2.0, its deploy and specs. */
export const platformManifest = z.looseObject({
  version: z.literal(1),
  app: z.string(),
  pythonVersion: z.string(),
  excludedPackages: z.array(z.string()).default([]),
  resources: z.array(resource),
})

/** An SDK 2.0 manifest as written; values equal to the default may be omitted. */
export type WrittenPlatformManifest = z.input<typeof platformManifest>

export type PlatformManifest = z.infer<typeof platformManifest>
