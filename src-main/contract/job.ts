import { z } from 'zod'
import { limit } from './limits.ts'

/** The job states of the wire format; no others are ever sent. Source: docs/spec/job-api.md, 4. */
export const JOB_STATES = ['IN_QUEUE', 'IN_PROGRESS', 'COMPLETED', 'FAILED', 'CANCELLED', 'TIMED_OUT'] as const

export type JobState = (typeof JOB_STATES)[number]

export const jobState = z.enum(JOB_STATES)

const anyObject = z.looseObject({}, 'must be an object')

const inputObject = z.looseObject(
  {},
  {
    error: ({ input }) => `must be an object like {"prompt": "..."}; it is ${kindOfValue(input)}`,
  },
)

function kindOfValue(value: unknown): string {
  if (value === undefined) return 'missing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'string' ? 'a text' : `a ${typeof value}`
}

const span = (from: number, to: number) =>
  z
    .number(`must be a whole number of milliseconds from ${from} to ${to}`)
    .int(`must be a whole number of milliseconds from ${from} to ${to}`)
    .min(from, `must be from ${from} to ${to} ms`)
    .max(to, `must be from ${from} to ${to} ms`)

/** An http or https address without user name or password. An empty one means none, as sent by forms. */
const webhookUrl = z
  .string()
  .max(limit('webhookUrlLength'))
  .refine((text) => text === '' || /^https?:\/\/[^\s@/?#]+([/?#]|$)/.test(text), 'must be an http or https address')

const PRIORITIES = `must be a whole number from ${limit('priorityMin')} to ${limit('priorityMax')}`

/** A numeric priority: higher ones are assigned first. Source: ours. */
export const jobPriority = z
  .number(PRIORITIES)
  .int(PRIORITIES)
  .min(limit('priorityMin'), PRIORITIES)
  .max(limit('priorityMax'), PRIORITIES)

/** Ignores unknown fields. `input` need only be an object; its text is stored and forwarded unchanged. */
export const jobRequest = z.object({
  input: inputObject,
  webhook: webhookUrl.nullish(),
  policy: z
    .object({
      executionTimeout: span(limit('executionTimeoutMinMs'), limit('executionTimeoutMaxMs')).nullish(),
      ttl: span(limit('ttlMinMs'), limit('ttlMaxMs')).nullish(),
      lowPriority: z.boolean('must be true or false').nullish(),
      priority: jobPriority.nullish(),
    })
    .nullish(),
  s3Config: anyObject.nullish(),
  idempotencyKey: z.string().min(1).max(limit('idempotencyKeyLength')).nullish(),
})

export type JobRequest = z.infer<typeof jobRequest>

/** Job record of status, runsync and webhooks. Fields that do not apply are left out. */
export const jobRecord = z.object({
  id: z.string(),
  status: jobState,
  delayTime: z.number().int().optional().describe('ms in the queue before the latest attempt'),
  executionTime: z.number().int().optional().describe('ms of processing, on ended jobs that ran'),
  output: z.unknown().optional().describe('the result; while IN_PROGRESS the latest progress update'),
  error: z.string().optional(),
  workerId: z.string().optional(),
  retries: z.number().int().optional().describe('re-dispatches after a lost worker'),
  input: z.unknown().optional().describe('while the job has not ended'),
  batchId: z.string().optional().describe('of its batch'),
})

export const jobHandle = z.object({ id: z.string(), status: jobState })

export const streamChunk = z.object({ output: z.unknown(), metrics: z.unknown().optional() })

export const streamObject = z.object({ status: jobState, stream: z.array(streamChunk) })

export const purgeResult = z.object({ removed: z.number().int(), status: z.literal('completed') })

const workerCounts = z.object({
  idle: z.number().int(),
  running: z.number().int(),
  ready: z.number().int(),
  initializing: z.number().int(),
  throttled: z.number().int(),
  unhealthy: z.number().int(),
})

/** Health counters of an endpoint, as sent. Source: docs/spec/job-api.md, 1. */
export const healthRecord = z.object({
  jobs: z.object({
    completed: z.number().int(),
    failed: z.number().int(),
    inProgress: z.number().int(),
    inQueue: z.number().int(),
    retried: z.number().int(),
  }),
  workers: workerCounts,
  batchWorkers: workerCounts.optional().describe('workers that run only batch jobs; omitted if there are none'),
})

export type HealthRecord = z.infer<typeof healthRecord>

export const jobListItem = z.object({
  id: z.string(),
  endpointId: z.string(),
  status: jobState,
  createdAt: z.number().int(),
  finishedAt: z.number().int().optional(),
  expiresAt: z
    .number()
    .int()
    .optional()
    .describe('when an ended job expires for the job API; the management API stores it for longer'),
  delayTime: z.number().int().optional(),
  executionTime: z.number().int().optional(),
  workerId: z.string().optional(),
  retries: z.number().int().optional(),
  attempt: z.number().int().optional().describe('how many times a worker took it'),
  error: z.string().optional(),
  batchId: z.string().optional(),
  preview: z
    .object({ input: z.string().optional(), output: z.string().optional() })
    .optional()
    .describe('beginnings of the payloads, each on one line with secrets masked; only if requested'),
  found: z
    .array(
      z.object({
        in: z.enum(['error', 'output', 'input']),
        parts: z.array(z.object({ text: z.string(), isMatch: z.boolean() }).readonly()).readonly(),
      }),
    )
    .readonly()
    .optional()
    .describe('where a search has found its words, with secrets masked; only with beginnings of payloads'),
})

export type JobListItem = z.infer<typeof jobListItem>

/** A page of jobs, newest first. Send `cursor` to get the next page; the last page has none. */
export const jobList = z.object({ requests: z.array(jobListItem), cursor: z.string().optional() })

export type JobList = z.infer<typeof jobList>
