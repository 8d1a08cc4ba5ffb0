import { z } from 'zod'
import { limitedRecord } from './limited-record.ts'
import { limit } from './limits.ts'
import { hubModel } from './models.ts'
import { releasedGraph } from './published.ts'
import { deployedImage } from './worker-images.ts'
import { workflowWorker } from './workflows.ts'

export const MANIFEST_VERSION = '1.0'

export const MANIFEST_FILE = 'svc_manifest.json'

const manifestFunction = z.object({
  name: z.string(),
  module: z.string().describe('dotted path from the root of the project'),
  is_async: z.boolean(),
  is_generator: z.boolean(),
  is_class: z.boolean(),
  methods: z.array(z.string()).optional(),
  http_method: z.string().optional(),
  http_path: z.string().optional(),
  example: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('arguments for a first try, made from its signature; missing: none can be made up'),
})

/** A network volume, or its folder on this machine. */
const networkVolume = z.object({
  name: z.string().optional(),
  id: z.string().optional(),
  size: z.number().int().optional(),
  dataCenterId: z.string().optional(),
})

export const manifestResource = z.object({
  sdk: z.literal(2).optional().describe('made with SDK 2.0: the runtime that comes with Drydock serves it'),
  is_load_balanced: z.boolean(),
  imageName: z.string().optional(),
  registryAuth: z.string().optional().describe('name of stored registry credentials, for its image'),
  diskBytes: z.number().int().min(1).optional().describe('limit of the container disk'),
  model: hubModel.optional(),
  workersMin: z.number().int(),
  workersMax: z.number().int(),
  gpuIds: z.string().optional().describe('groups and names of GPUs; a minus sign excludes one'),
  gpuCount: z.number().int(),
  instanceIds: z.array(z.string()).optional().describe('CPU specs like cpu3c-1-2, best first'),
  env: z.record(z.string(), z.string()),
  functions: z.array(manifestFunction),
  idleTimeout: z.number().int().describe('s'),
  scalerType: z.enum(['QUEUE_DELAY', 'REQUEST_COUNT']),
  scalerValue: z.number(),
  executionTimeoutMs: z.number().int().describe('0: the default of the service'),
  maxConcurrency: z.number().int(),
  fingerprint: z
    .string()
    .optional()
    .describe('SHA-256 of all that its workers may load; missing: which files these are is not known'),
  // Containers see its folder, and a shell reads its name.
  handlerFile: z
    .string()
    .regex(/^[\w.-]+\.py$/, 'must be a file next to the manifest, of letters, digits, dots and hyphens')
    .optional()
    .describe('missing for a ready image'),
  makesRemoteCalls: z.boolean(),
  networkVolumes: z.array(networkVolume),
  systemDependencies: z.array(z.string()),
  minCudaVersion: z.string().optional(),
  dataCenterIds: z.array(z.string()).optional().describe('recorded for the platform; this machine is one place'),
  flashboot: z.boolean().optional(),
  template: z.record(z.string(), z.unknown()).optional(),
  schedule: z.string().optional().describe('cron pattern of its `@schedule`, in UTC'),
  isTask: z.literal(true).optional().describe('a scheduled task, which needs an endpoint for its jobs'),
  workflows: workflowWorker.optional().describe('its workers take graphs'),
  graph: releasedGraph.optional().describe('a published graph, which has no workers of its own'),
})

/** A task of an app of SDK 2.0: each call makes a new worker. */
export const manifestTask = manifestResource.pick({
  imageName: true,
  registryAuth: true,
  gpuIds: true,
  gpuCount: true,
  instanceIds: true,
  env: true,
  functions: true,
  networkVolumes: true,
  systemDependencies: true,
})

/** A manifest that was accepted before, under the limits of its time. */
export const storedManifest = z.object({
  version: z.string(),
  app: z.string(),
  python_version: z.string(),
  generated_at: z
    .string()
    .describe('ISO 8601, UTC; in an artifact a fixed time, as the same input must give the same bytes'),
  source_fingerprint: z.string(),
  source_files: z
    .record(z.string(), z.string())
    .optional()
    .describe('SHA-256 of each file of the project by its path; missing: there are too many, or nobody listed them'),
  image_requirements: z
    .array(z.string())
    .default([])
    .describe('requirements that are not in the artifact, as the image has them; ours gets them from here'),
  resources: z.record(z.string(), manifestResource),
  tasks: z.record(z.string(), manifestTask).optional().describe('of SDK 2.0; they have no endpoint'),
  routes: z.record(z.string(), z.record(z.string(), z.string())).describe('endpoint -> "METHOD /path" -> function'),
  function_registry: z.record(z.string(), z.string()).describe('function -> endpoint'),
  image: deployedImage.optional().describe('of the release of a worker image, which has no code of its own'),
})

/** The manifest of an app: content of its artifact, and input of discovery. Source: docs/spec/app-deploy.md, 6. */
export const manifest = storedManifest.extend({
  resources: limitedRecord(z.string(), manifestResource, limit('manifestResources')),
  tasks: limitedRecord(z.string(), manifestTask, limit('manifestResources'))
    .optional()
    .describe(storedManifest.shape.tasks.description ?? ''),
})

export type Manifest = z.infer<typeof manifest>

export type ManifestTask = z.infer<typeof manifestTask>

export type ManifestResource = z.infer<typeof manifestResource>
