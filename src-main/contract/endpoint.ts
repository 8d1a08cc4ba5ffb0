import { z } from 'zod'
import { limit } from './limits.ts'

/** Id of an endpoint: part of addresses and host names, so lower case letters, digits and inner hyphens. */
const endpointId = z
  .string()
  .regex(/^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/, 'must be a-z, 0-9 and inner hyphens, at most 40')

/** Rule by which the fleet of an endpoint grows; source: the platform. */
const scaler = z.discriminatedUnion('type', [
  z.object({ type: z.literal('QUEUE_DELAY'), value: z.number().min(0).max(3600).describe('seconds a job may wait') }),
  z.object({ type: z.literal('REQUEST_COUNT'), value: z.number().min(1).max(10_000).describe('jobs per worker') }),
])

const environment = z.record(
  z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be a variable name'),
  z.string().max(32_768),
)

/** What a user sets of an endpoint. Exactly one of `handler` and `command` is given. Spans in ms. */
export const endpointConfig = z.object({
  name: z.string().trim().min(1).max(100),
  handler: z.string().min(1).optional().describe('absolute path of a Python handler file, run by svc_worker'),
  command: z.string().min(1).optional().describe('command line of a worker that speaks the worker protocol'),
  cwd: z.string().min(1).optional().describe('absolute working folder; the folder of the handler without it'),
  workersMin: z.number().int().min(0).max(100).default(0),
  workersMax: z.number().int().min(0).max(100).default(3),
  idleTimeoutMs: z.number().int().min(0).max(3_600_000).default(5000),
  concurrency: z.number().int().min(1).max(1000).default(1).describe('jobs a worker runs at once'),
  executionTimeoutMs: z
    .number()
    .int()
    .min(limit('executionTimeoutMinMs'))
    .max(limit('executionTimeoutMaxMs'))
    .default(limit('executionTimeoutDefaultMs')),
  initializingTimeoutMs: z.number().int().min(1000).max(3_600_000).default(limit('initializingMs')),
  stopGraceMs: z.number().int().min(0).max(600_000).default(limit('stopGraceMs')),
  redispatches: z.number().int().min(0).max(10).default(1).describe('new tries after a lost worker'),
  scaler: scaler.default({ type: 'QUEUE_DELAY', value: 4 }),
  env: environment.default({}),
  callsOthers: z.boolean().default(false).describe('give workers a key for calls to other endpoints'),
})

/** The settings of an endpoint. */
export type EndpointConfig = z.infer<typeof endpointConfig>

const oneProgram = (config: { handler?: string | undefined; command?: string | undefined }) =>
  (config.handler === undefined) !== (config.command === undefined)

/** Body of 'create an endpoint'. */
export const endpointCreate = endpointConfig
  .extend({ id: endpointId.optional() })
  .refine(oneProgram, { message: 'give exactly one of handler and command', path: ['handler'] })
  .refine((config) => config.workersMin <= config.workersMax, {
    message: 'must not be above workersMax',
    path: ['workersMin'],
  })

/** Body of 'update an endpoint': any of the settings. */
export const endpointUpdate = z.strictObject({
  name: endpointConfig.shape.name.optional(),
  handler: endpointConfig.shape.handler,
  command: endpointConfig.shape.command,
  cwd: endpointConfig.shape.cwd,
  workersMin: endpointConfig.shape.workersMin.unwrap().optional(),
  workersMax: endpointConfig.shape.workersMax.unwrap().optional(),
  idleTimeoutMs: endpointConfig.shape.idleTimeoutMs.unwrap().optional(),
  concurrency: endpointConfig.shape.concurrency.unwrap().optional(),
  executionTimeoutMs: endpointConfig.shape.executionTimeoutMs.unwrap().optional(),
  initializingTimeoutMs: endpointConfig.shape.initializingTimeoutMs.unwrap().optional(),
  stopGraceMs: endpointConfig.shape.stopGraceMs.unwrap().optional(),
  redispatches: endpointConfig.shape.redispatches.unwrap().optional(),
  scaler: scaler.optional(),
  env: environment.optional(),
  callsOthers: z.boolean().optional(),
})

/** The states of a worker; the first five are counted by health. Source: job-api, health; 'stopping' and 'ended' are ours. */
export const WORKER_STATES = ['initializing', 'idle', 'running', 'throttled', 'unhealthy', 'stopping', 'ended'] as const

/** State of a worker. */
export type WorkerState = (typeof WORKER_STATES)[number]

/** One worker as the management API shows it. */
export const workerView = z.object({
  id: z.string(),
  endpointId: z.string(),
  state: z.enum(WORKER_STATES),
  reason: z.string().optional().describe('why it is in a state that is not idle or running'),
  pid: z.number().int().optional(),
  startedAt: z.number().int(),
  lastSeenAt: z.number().int().optional(),
  jobs: z.array(z.string()).describe('ids of the jobs it runs'),
  jobsDone: z.number().int(),
})

/** A worker. */
export type WorkerView = z.infer<typeof workerView>

/** An endpoint as the management API shows it. */
export const endpointView = endpointConfig.extend({
  id: z.string(),
  paused: z.boolean(),
  createdAt: z.number().int(),
  updatedAt: z.number().int(),
  url: z.string().describe('base address for clients of the job API'),
  waitingReason: z.string().optional().describe('why jobs of this endpoint wait, if any does'),
})

/** An endpoint. */
export type EndpointView = z.infer<typeof endpointView>

/** Answer of 'create' and 'rotate the key': the only time that the endpoint's key is shown. */
export const endpointWithKey = endpointView.extend({ key: z.string() })
