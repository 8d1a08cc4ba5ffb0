import { z } from 'zod'
import { DAY_MS } from '../lib/units.ts'
import { appMembership } from './app.ts'
import { type ContainerSettings, containerSettings, environment } from './container.ts'
import { faults } from './faults.ts'
import { limit } from './limits.ts'
import { hubModel } from './models.ts'
import { packageInstall } from './packages.ts'
import { platformSettings } from './platform-settings.ts'
import { publishedTarget } from './published.ts'
import { workflowWorker } from './workflows.ts'

/** Replaces the id if headers name the endpoint. Source: docs/spec/app-deploy.md, 1. */
export const PLACEHOLDER_ID = 'flash'

/**
 * Ids that no endpoint gets: below /v2 they belong to the platform's management API and calls by name. Source:
 * docs/spec/platform.md, 5.
 */
export const RESERVED_IDS: ReadonlySet<string> = new Set([
  'account',
  'billing',
  'catalog',
  'clusters',
  PLACEHOLDER_ID,
  'global-volumes',
  'network-volumes',
  'pods',
  'registries',
  'serverless',
  'templates',
])

/** Part of addresses and host names, so lower-case letters, digits and inner hyphens. */
const endpointId = z
  .string()
  .regex(
    /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/,
    'must be a-z, 0-9 and hyphens, at most 40 characters, and not begin or end with a hyphen',
  )
  .refine((id) => !RESERVED_IDS.has(id), 'is reserved: the address /v2/ID of this one means something else')

/** Scaling rule of an endpoint; source: the platform. For a load-balanced one, jobs are open requests. */
const scaler = z.discriminatedUnion('type', [
  z.object({ type: z.literal('QUEUE_DELAY'), value: z.number().min(0).max(3600).describe('seconds a job may wait') }),
  z.object({ type: z.literal('REQUEST_COUNT'), value: z.number().min(1).max(10_000).describe('jobs per worker') }),
])

/** Routing to workers of a load-balanced endpoint. Source: docs/spec/job-api.md, 10. */
const loadBalanced = z.object({
  port: z.number().int().min(1).max(65_535).default(80).describe('PORT of a container; a process gets a free one'),
  healthPort: z
    .number()
    .int()
    .min(1)
    .max(65_535)
    .optional()
    .describe('PORT_HEALTH, if different; that variable in `env` takes precedence'),
})

const EXACT_ORIGIN = /^(?!file:)[a-z][a-z0-9+.-]*:\/\/(?:[a-z0-9._-]+|\[[0-9a-f:]+\])(?::[1-9]\d{0,4})?$/

/** Origin of a page as sent by browsers: scheme, host, and a port other than the default. */
const origin = z
  .string()
  .max(300)
  .refine(
    (text) => EXACT_ORIGIN.test(text) && !/^(https:.*:443|http:.*:80)$/.test(text),
    'must be exact origins, like http://localhost:5173: no path, no wildcard, no port 80 of http or 443 of https',
  )

const cors = z.array(origin).max(20)

const streamForm = z.enum(['array', 'object'])
const emptyInput = z.enum(['run', 'refuse'])
const waitForMachineMs = z.number().int().min(0).max(DAY_MS)
const ttlWhileRunning = z.enum(['forget', 'keep'])

/** Runs `handler`, `command` or the image's program; with `container` in containers, else processes. Spans in ms. */
export const endpointConfig = z.object({
  name: z.string().trim().min(1).max(100),
  handler: z
    .string()
    .min(1)
    .optional()
    .describe('absolute path of a handler file: Python, run by svc_worker, or TypeScript, run by svc-worker'),
  command: z.string().min(1).optional().describe('command line of a worker that implements the worker protocol'),
  cwd: z.string().min(1).optional().describe('absolute working folder (default: the folder of the handler)'),
  searchPath: z
    .string()
    .min(1)
    .max(32_768)
    .optional()
    .describe('PATH of process workers (default: that of the service)'),
  virtualEnv: z
    .string()
    .min(1)
    .max(4096)
    .optional()
    .describe('folder of a Python virtual environment of process workers; its programs come first on their PATH'),
  workersMin: z.number().int().min(0).max(100).default(0),
  workersMax: z.number().int().min(0).max(100).default(3),
  batchWorkersMax: z
    .number()
    .int()
    .min(0)
    .max(100)
    .optional()
    .describe(
      'workers above workersMax that run only batch jobs; 0: the other workers run them after all other jobs; missing: 1',
    ),
  idleTimeoutMs: z.number().int().min(0).max(3_600_000).default(5000),
  concurrency: z.number().int().min(1).max(1000).default(1).describe('jobs a worker runs at once'),
  executionTimeoutMs: z
    .number()
    .int()
    .min(limit('executionTimeoutMinMs'))
    .max(limit('executionTimeoutMaxMs'))
    .default(limit('executionTimeoutDefaultMs')),
  initializingTimeoutMs: z.number().int().min(1000).max(3_600_000).default(limit('initializingMs')),
  freezeIdle: z.boolean().optional().describe('freeze idle processes until the next job (default: they are frozen)'),
  reloadOnSave: z
    .boolean()
    .optional()
    .describe(
      'replace workers when the handler, the file that the command runs, or one that they import is saved (default: they are replaced)',
    ),
  stopGraceMs: z.number().int().min(0).max(600_000).default(limit('stopGraceMs')),
  redispatches: z.number().int().min(0).max(10).default(1).describe('retries after a lost worker'),
  waitForMachineMs: waitForMachineMs
    .optional()
    .describe(
      'how long a job whose machine is lost stays with its worker there before it is queued again; missing or 0: not',
    ),
  scaler: scaler.default({ type: 'QUEUE_DELAY', value: 4 }),
  env: environment.default({}),
  callsOthers: z.boolean().default(false).describe('give workers a key for calls to other endpoints'),
  model: hubModel
    .optional()
    .describe('model of the hub whose files are downloaded before workers start, and which they find as a folder'),
  loadBalanced: loadBalanced.optional().describe('workers answer HTTP requests themselves instead of taking jobs'),
  container: containerSettings.optional(),
  cors: cors.optional().describe('origins of pages that may call it with its key; the management API allows none'),
  streamForm: streamForm
    .optional()
    .describe('stream format for clients that do not ask for one; missing: depends on the client'),
  comfyuiWithoutKey: z
    .boolean()
    .optional()
    .describe('ComfyUI clients on this machine need no key, so all its programs and users may run workflows'),
  comfyuiPort: z
    .number()
    .int()
    .min(1024)
    .max(65_535)
    .optional()
    .describe('port of 127.0.0.1 at which the endpoint acts as a ComfyUI server; missing: none'),
  exclusiveGroup: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe(
      'name of a group of endpoints whose ComfyUI servers share the memory of one GPU; one of them takes jobs once the others run none and their servers have unloaded their models',
    ),
  emptyInput: emptyInput.optional().describe('for jobs whose input is {}; missing: they run, with a warning'),
  ttlWhileRunning: ttlWhileRunning
    .optional()
    .describe('for jobs whose ttl passes while they run; missing: forget, so that the job API answers 404'),
  noWorkerIs503: z
    .boolean()
    .optional()
    .describe('a load-balanced request that no worker takes gets 503 (default: 400, as on the platform)'),
  cancelOnDisconnect: z
    .boolean()
    .optional()
    .describe('cancel a job of the OpenAI path when its client disconnects (default: it is cancelled)'),
  workflows: workflowWorker.optional().describe('workers take workflows'),
  graph: publishedTarget.optional().describe('it is a published graph; set only by publishing'),
  app: appMembership.optional().describe('set only by deploys'),
  platform: platformSettings.optional().describe('what clients of the platform asked for; set only by them'),
  faults: faults.optional().describe('fault injection that is on; missing: all is off'),
})

export type EndpointConfig = z.infer<typeof endpointConfig>

export const isHandlerFile = (name: string): boolean => /\.(?:py|m?ts|m?js)$/.test(name) && !name.endsWith('.d.ts')

/**
 * Time limit for a worker to get ready, ms. The platform's variable, in seconds, wins over the setting. Source:
 * docs/spec/platform.md, 1.
 */
export function initializingLimitMs({
  env,
  initializingTimeoutMs,
}: Pick<EndpointConfig, 'env' | 'initializingTimeoutMs'>): number {
  const seconds = Number(env.RUNPOD_INIT_TIMEOUT?.trim() || Number.NaN)
  if (!(seconds > 0)) return initializingTimeoutMs // missing, or not a duration
  return Math.min(Math.ceil(seconds * 1000), limit('initTimeoutMaxMs'))
}

export const isNodeHandler = (handler: string): boolean => /\.(?:m?ts|m?js)$/.test(handler)

/**
 * Returns the problem or undefined. Source: ours, because an image brings its program or only the environment of a
 * handler or command.
 */
export function programProblem({
  handler,
  command,
  container,
  loadBalanced,
  graph,
}: Pick<EndpointConfig, 'handler' | 'command' | 'container' | 'loadBalanced'> & Partial<Pick<EndpointConfig, 'graph'>>):
  | string
  | undefined {
  if (graph !== undefined) return undefined
  if (handler !== undefined && command !== undefined) return 'give a handler or a command, not both'
  if (handler !== undefined && loadBalanced !== undefined)
    return 'a handler takes jobs; a load-balanced endpoint needs a command or an image that answers HTTP'
  if (handler === undefined && command === undefined && container?.image === undefined)
    return 'give exactly one of handler and command, or an image'
  if (handler !== undefined && isNodeHandler(handler) && container !== undefined)
    return 'the worker image has Python alone: a handler of TypeScript or JavaScript runs as a process, so leave out container'
  if (container?.image !== undefined && wantsOfWorkerImage(container))
    return 'python, packages and systemPackages are only for the worker image: leave them out, or leave out image'
  return undefined
}

function wantsOfWorkerImage({ python, packages, systemPackages }: ContainerSettings): boolean {
  return python !== undefined || packages.length + systemPackages.length > 0
}

/** Default scaler of load-balanced endpoints; source: the platform's app package. */
const LOAD_BALANCED_SCALER = { type: 'REQUEST_COUNT', value: 4 } as const

// By deploys, by publishing and by clients of the platform.
const SET_BY_PROGRAMS = { app: true, graph: true, platform: true } as const

// Not in `containerSettings`, which also reads stored settings.
const askedContainer = containerSettings.extend({
  gpu: containerSettings.shape.gpu.refine(
    (gpu) => gpu?.trim().toLowerCase() !== 'none',
    'must name a GPU. For no GPU, leave it out, or send null to remove it from an endpoint',
  ),
})

export const endpointCreate = endpointConfig
  .omit(SET_BY_PROGRAMS)
  .extend({ id: endpointId.optional(), scaler: scaler.optional(), container: askedContainer.optional() })
  .superRefine((config, context) => {
    const problem = programProblem(config)
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem, path: ['handler'] })
  })
  .refine((config) => config.workersMin <= config.workersMax, {
    message: 'must not be above workersMax',
    path: ['workersMin'],
  })
  .transform((config) => ({
    ...config,
    scaler:
      config.scaler ??
      (config.loadBalanced === undefined ? endpointConfig.shape.scaler.parse(undefined) : LOAD_BALANCED_SCALER),
  }))

type Kept = 'name' | 'handler' | 'command' | 'loadBalanced'
const KEPT: readonly string[] = ['name', 'handler', 'command', 'loadBalanced'] satisfies readonly Kept[]

type Changes<Shape extends z.ZodRawShape> = {
  [Name in keyof Shape]: z.ZodOptional<
    z.ZodType<
      z.output<Shape[Name]> | (Name extends Kept ? never : null),
      z.input<Shape[Name]> | (Name extends Kept ? never : null)
    >
  >
}

// Defaults would undo earlier changes. Null takes away what may be missing.
function changesOf<Shape extends z.ZodRawShape>(shape: Shape): Changes<Shape> {
  const changes = Object.entries(shape).map(([name, schema]) => {
    if (schema instanceof z.ZodDefault) return [name, (schema.unwrap() as z.ZodType).optional()]
    return [
      name,
      schema instanceof z.ZodOptional && !KEPT.includes(name)
        ? schema.nullable().optional()
        : (schema as z.ZodType).optional(),
    ]
  })
  return Object.fromEntries(changes) as Changes<Shape>
}

/** Body of 'update an endpoint': any of the settings; null removes an optional one. */
export const endpointUpdate = z.strictObject({
  ...changesOf(endpointConfig.omit(SET_BY_PROGRAMS).shape),
  container: z
    .strictObject(changesOf(askedContainer.shape))
    .nullable()
    .optional()
    .describe('settings that are not given stay as they are; null makes the workers processes'),
  faults: faults.optional().describe('switches that are not given stay as they are'),
})

export type EndpointUpdate = z.infer<typeof endpointUpdate>

/** States of workers; health counts the first five. Source: docs/spec/job-api.md, 1; the others are ours. */
export const WORKER_STATES = [
  'initializing',
  'idle',
  'running',
  'throttled',
  'unhealthy',
  'paused',
  'stopping',
  'ended',
] as const

export type WorkerState = (typeof WORKER_STATES)[number]

/** Batch workers run batch jobs, the main ones all others. Source: docs/spec/batches.md, 6. */
export const WORKER_POOLS = ['main', 'batch'] as const

export type WorkerPool = (typeof WORKER_POOLS)[number]

export const workerView = z.object({
  id: z.string(),
  endpointId: z.string(),
  state: z.enum(WORKER_STATES),
  pool: z.enum(WORKER_POOLS).optional().describe('batch: it runs only batch jobs; missing: not known yet'),
  reason: z.string().optional().describe('why it is in a state that is not idle or running'),
  replacement: z.string().optional().describe('state of its manual replacement, or why it failed'),
  pid: z.number().int().optional(),
  container: z.string().optional().describe('id of its container'),
  machine: z.string().optional().describe('name of the machine that it runs on; missing: that of the service'),
  gpus: z.array(z.string()).optional().describe('ids of its GPUs'),
  startedAt: z.number().int(),
  lastSeenAt: z.number().int().optional(),
  jobs: z.array(z.string()).describe('ids of the jobs it runs'),
  jobsDone: z.number().int().describe('jobs it has completed, or requests of a load-balanced endpoint'),
})

export type WorkerView = z.infer<typeof workerView>

/** Current usage of a worker; a field is missing if unknown. Network in bytes since its start. */
export const workerUsage = z.object({
  cpuPercent: z.number().optional().describe('of one CPU'),
  memoryBytes: z.number().int().optional(),
  memoryLimitBytes: z.number().int().optional(),
  networkReceivedBytes: z.number().int().optional(),
  networkSentBytes: z.number().int().optional(),
  gpuPercent: z.number().optional().describe('mean of its GPUs'),
  gpuMemoryBytes: z.number().int().optional(),
})

export type WorkerUsage = z.infer<typeof workerUsage>

export const usageReading = z.object({
  at: z.number().int(),
  workers: z.array(workerUsage.extend({ workerId: z.string(), endpointId: z.string() })),
})

export type UsageReading = z.infer<typeof usageReading>

/** States of endpoints, decided by the table in `features/workers/rules/endpoint-state.ts`. Source: ours. */
const ENDPOINT_STATES = [
  'paused',
  'broken',
  'published',
  'closed',
  'crashing',
  'unhealthy',
  'running',
  'starting',
  'waiting',
  'throttled',
  'ready',
  'asleep',
] as const

export type EndpointState = (typeof ENDPOINT_STATES)[number]

/** Crashes since a worker last did work. Times in ms since the epoch. */
const endpointCrash = z.object({
  pool: z.enum(WORKER_POOLS).describe('batch: workers that run only batch jobs'),
  count: z.number().int().describe('workers that crashed in a row'),
  lastWords: z.string().describe('why the last one ended, like the exception that it printed'),
  since: z.number().int().describe('start of the first of them'),
  lastAt: z.number().int().describe('end of the last one'),
  nextTryAt: z
    .number()
    .int()
    .optional()
    .describe('when the next worker starts, now if it is over; missing: when work comes'),
  needsChange: z.boolean().describe('further attempts will fail as well until something is changed'),
})

export type EndpointCrash = z.infer<typeof endpointCrash>

const codeChange = z.object({
  files: z.array(z.string()).describe('those that changed, relative to the folder of the code'),
  at: z.number().int().describe('when it was noticed, ms since the epoch'),
  state: z
    .enum(['starting', 'next', 'live', 'failed'])
    .describe(
      'starting: a worker with the new code starts; next: no worker ran, the next one has it; failed: it does not start, and the workers from before continue if one is left',
    ),
  tookMs: z.number().optional().describe('from the change until a worker with the new code was ready'),
  why: z.string().optional().describe('why the new code does not start'),
  noneLeft: z.literal(true).optional().describe('no worker with the previous code is left to continue'),
})

export type CodeChange = z.infer<typeof codeChange>

export const endpointView = endpointConfig.extend({
  id: z.string(),
  paused: z.boolean(),
  createdAt: z.number().int(),
  updatedAt: z.number().int(),
  url: z.string().describe('base address for clients of the job API, or of the routes of a load-balanced endpoint'),
  hostUrl: z
    .string()
    .optional()
    .describe('address with its own host name or port: of a load-balanced endpoint, or for ComfyUI clients'),
  state: z.enum(ENDPOINT_STATES),
  crash: endpointCrash.optional().describe('set while its workers crash'),
  codeChange: codeChange.optional().describe('the last change of the files that its workers run'),
  install: packageInstall.optional().describe('the last installation of packages for its workers'),
  waitingReason: z.string().optional().describe('why jobs of this endpoint wait, if any do'),
  waitingNeedsChange: z.literal(true).optional().describe('waiting does not help: something has to be changed'),
  throttledReason: z
    .string()
    .optional()
    .describe('why no worker could start: no capacity, or no machine that can run it'),
  brokenReason: z.string().optional().describe('why a published graph cannot run'),
  nodeTypesReadAt: z
    .number()
    .int()
    .optional()
    .describe('when its node classes were read from its server or a file; missing: they were not'),
})

export type EndpointView = z.infer<typeof endpointView>

/** Everything that fails or ends with an endpoint when it is deleted. */
export const endpointDependents = z.object({
  jobs: z.number().int().describe('that wait or run'),
  graphs: z.array(z.string()).describe('ids of the graphs that are published on it'),
  release: z
    .object({ number: z.number().int(), endpoint: z.string().describe('its path in the app') })
    .optional()
    .describe('the active release that it is in'),
  callers: z.array(z.string()).describe('ids of endpoints of its app that call others, so maybe this one'),
  schedules: z.array(z.string()).describe('their names'),
  batches: z.array(z.string()).describe('names of those that have not ended'),
  comparisons: z.array(z.string()).describe('names of those that run on it'),
})

export type EndpointDependents = z.infer<typeof endpointDependents>

/** Response of 'create' and 'update': `warning` says why this machine cannot run such a worker now. */
export const changedEndpoint = endpointView.extend({ warning: z.string().optional() })

/** Response of 'create' and 'rotate the key', which alone show the endpoint's key. */
export const endpointWithKey = changedEndpoint.extend({ key: z.string() })
