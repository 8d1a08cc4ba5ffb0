/**
 * JSON output of `python3 -m svc_build scan`, written by resources/python/svc_build and read by
 * src-main/features/apps/adapters/python-scanner.ts; unused fields are omitted.
 */
import { z } from 'zod'

/** `client` only calls an existing endpoint; a task has no endpoint, as each call starts its own worker. */
const ENDPOINT_KINDS = ['queue', 'load-balanced', 'image', 'client', 'task'] as const

const oneOrMore = z.union([z.string(), z.array(z.string())])

/** Size in GB. */
const scannedVolume = z.object({
  name: z.string().optional(),
  id: z.string().optional(),
  size: z.number().int().optional(),
  datacenter: oneOrMore.optional(),
})

const scannedMount = z.object({ kind: z.enum(['network', 'global']), reference: z.string(), path: z.string() })

/** Parameters of Endpoint, `@app.queue` and similar, checked by the scanner. Source: docs/spec/app-deploy.md, 1. */
const scannedSettings = z.object({
  id: z.string().optional(),
  gpu: oneOrMore.optional(),
  cpu: oneOrMore.optional(),
  workers: z.tuple([z.number().int(), z.number().int()]).optional().describe('least, most'),
  idle_timeout: z.number().int().optional().describe('s'),
  dependencies: z.array(z.string()).optional(),
  system_dependencies: z.array(z.string()).optional(),
  env: z.record(z.string(), z.string()).optional(),
  volume: z.union([scannedVolume, z.array(scannedVolume)]).optional(),
  image: z.string().optional(),
  gpu_count: z.number().int().optional(),
  execution_timeout_ms: z.number().int().optional(),
  scaler_type: z.enum(['QUEUE_DELAY', 'REQUEST_COUNT']).optional(),
  scaler_value: z.number().optional(),
  max_concurrency: z.number().int().optional(),
  min_cuda_version: z.string().optional(),
  template: z.record(z.string(), z.unknown()).optional(),
  flashboot: z.boolean().optional(),
  datacenter: oneOrMore.optional(),
  python_version: z.string().optional(),
  mounts: z.array(scannedMount).optional(),
  registry_auth: z.string().optional(),
  model: z.string().optional().describe('owner/name, perhaps with :revision'),
  accelerate_downloads: z.boolean().optional(),
  container_disk_gb: z.number().int().optional(),
  schedule: z.string().optional().describe('cron pattern'),
})

const scannedParameter = z.object({
  name: z.string(),
  kind: z.string().describe('in the words of inspect, like "keyword-only"'),
  hasDefault: z.boolean(),
  annotation: z.string().nullish().describe('as it is written'),
})

export type ScannedParameter = z.infer<typeof scannedParameter>

const scannedFunction = z.object({
  name: z.string(),
  module: z.string().describe('dotted path from the root of the project'),
  line: z.number().int(),
  isAsync: z.boolean(),
  isGenerator: z.boolean(),
  isClass: z.boolean(),
  methods: z.array(z.string()),
  parameters: z.array(scannedParameter).optional(),
  methodDetails: z
    .array(z.object({ name: z.string(), parameters: z.array(scannedParameter) }))
    .optional()
    .describe('of a class'),
  httpMethod: z.string().nullish(),
  httpPath: z.string().nullish(),
})

const scannedEndpoint = z.object({
  name: z.string().nullable().describe('null only for a client by id'),
  kind: z.enum(ENDPOINT_KINDS),
  file: z.string(),
  line: z.number().int(),
  settings: scannedSettings,
  functions: z.array(scannedFunction),
  makesRemoteCalls: z.boolean(),
  calls: z
    .array(z.string())
    .optional()
    .describe('functions of other endpoints, and image endpoints, that its functions use'),
  sources: z
    .object({ files: z.array(z.string()), sha256: z.string() })
    .nullish()
    .describe('project files that its code may load; the hash covers them and its settings. null: not known'),
  handlerFile: z.string().optional().describe('name in the folder of handlers; missing where nothing runs'),
  sdk: z.literal(2).optional().describe('it belongs to an App of SDK 2.0; module and qualname are what it decorates'),
  module: z.string().optional(),
  qualname: z.string().optional(),
})

const scanProblem = z.object({
  code: z.string(),
  message: z.string(),
  file: z.string(),
  line: z.number().int(),
})

const scannedRequirement = z.object({
  text: z.string(),
  file: z.string(),
  line: z.number().int(),
  isOption: z.boolean().default(false).describe('a line for the installer, like --index-url'),
})

/** Paths are relative to the project, with forward slashes, sorted. */
export const scanDocument = z.object({
  ok: z.boolean(),
  app: z
    .object({ name: z.string(), file: z.string(), line: z.number().int() })
    .nullish()
    .describe('the App of SDK 2.0, whose functions call each other by its name'),
  files: z.array(z.string()).describe('all files that go into the build'),
  sourceFiles: z.array(z.string()).describe('the Python files among them'),
  ignored: z.number().int(),
  endpoints: z.array(scannedEndpoint),
  requirements: z.array(scannedRequirement),
  errors: z.array(scanProblem),
  warnings: z.array(scanProblem),
})

export type ScanDocument = z.infer<typeof scanDocument>

export type ScannedEndpoint = z.infer<typeof scannedEndpoint>

export type ScannedRequirement = z.infer<typeof scannedRequirement>
