import { z } from 'zod'
import { jobListItem, jobState } from './job.ts'
import { ROLES } from './roles.ts'
import { moment } from './routes.ts'

export const jobHistoryEntry = z.object({
  at: moment,
  event: z.string(),
  from: jobState.optional(),
  to: jobState,
  workerId: z.string().optional(),
  attempt: z.number().int(),
  reason: z.string().optional(),
})

export type JobHistoryEntry = z.infer<typeof jobHistoryEntry>

export const webhookDelivery = z.object({
  id: z.number().int(),
  url: z.string(),
  state: z.enum(['pending', 'delivered', 'failed']),
  attempts: z.number().int(),
  nextAt: z.number().int().optional(),
  lastStatus: z.number().int().optional(),
  lastError: z.string().optional(),
  updatedAt: z.number().int(),
})

export type WebhookDelivery = z.infer<typeof webhookDelivery>

const queueStatus = z.object({
  waitingReason: z
    .string()
    .optional()
    .describe('why it waits: in the queue, for the server that its worker uses, or for a machine that is unreachable'),
  waitingNeedsChange: z.literal(true).optional().describe('waiting does not help: something has to be changed'),
  queue: z
    .object({
      before: z.number().int().describe('jobs of its endpoint that are dispatched before it'),
      more: z.boolean().describe('whether there are more: the count was given up where it took too long'),
      start: z
        .object({ at: moment, from: moment, to: moment })
        .optional()
        .describe('when it is expected to start, and a range that it is in with four of five; missing: see how'),
      how: z.string().describe('how that was computed, or why it cannot be said'),
    })
    .optional()
    .describe('where it stands, only while it is IN_QUEUE'),
  warnings: z.array(z.string()).optional().describe('sentences about problems that do not stop the job'),
})

export type QueueStatus = z.infer<typeof queueStatus>

export const jobDetail = jobListItem.extend({
  input: z.unknown(),
  output: z.unknown().optional(),
  outputRemoved: z.boolean().optional().describe('true: its output was deleted to make room, see jobHistoryMaxMib'),
  lowPriority: z.boolean(),
  priority: z.number().int(),
  attempt: z.number().int(),
  ...queueStatus.shape,
  history: z.array(jobHistoryEntry),
  deliveries: z.array(webhookDelivery),
  chunkCount: z.number().int(),
  otherJobs: z
    .number()
    .int()
    .optional()
    .describe('other jobs that its worker runs now: they start again if it is cancelled and does not stop in time'),
  graph: z
    .object({ endpointId: z.string(), version: z.number().int() })
    .optional()
    .describe('the published graph that it runs'),
})

export const jobProgress = jobListItem.extend({
  attempt: z.number().int(),
  ...queueStatus.shape,
  progress: z.unknown().optional().describe('while IN_PROGRESS; missing: the worker has reported none'),
})

export const logLine = z.object({
  id: z.number().int().describe('grows by time; send it back as `after` to continue'),
  at: z.number().int(),
  endpointId: z.string(),
  workerId: z.string().describe('`service` where the service itself writes it'),
  jobId: z.string().optional(),
  level: z.string(),
  line: z.string(),
})

export type LogLine = z.infer<typeof logLine>

export const logPage = z.object({
  lines: z.array(logLine),
  more: z.literal(true).optional().describe('there are more lines: older ones, or later ones if `after` was given'),
})

/** One ended request to a load-balanced endpoint. Without `status` the client left before there was one. */
export const proxiedRequest = z.object({
  id: z.number().int().describe('grows by time; send it back as `cursor` or `after` to continue'),
  at: z.number().int().describe('when it came, ms since the epoch'),
  endpointId: z.string(),
  method: z.string(),
  path: z.string().describe('without the query, which may hold secrets'),
  status: z.number().int().optional(),
  workerId: z.string().optional(),
  waitedMs: z.number().int().describe('until a worker took it'),
  firstByteMs: z.number().int().optional().describe('from its coming to the head of the answer'),
  durationMs: z.number().int().describe('from its coming to the last byte of the answer'),
  bytesIn: z.number().int(),
  bytesOut: z.number().int(),
  error: z.string().optional().describe('what went wrong, for a person'),
})

export type ProxiedRequest = z.infer<typeof proxiedRequest>

export const proxiedRequestPage = z.object({ requests: z.array(proxiedRequest), cursor: z.string().optional() })

/** Percentiles of a duration in ms; missing if nothing was measured. */
const percentiles = z.object({ p50: z.number(), p90: z.number(), p99: z.number(), count: z.number().int() })

const metricsCounts = {
  submitted: z.number().int().describe('requests and jobs that came; one that is retried by hand comes again'),
  completed: z.number().int(),
  failed: z
    .number()
    .int()
    .describe('jobs that failed or timed out, requests with a status from 500 or that no worker took'),
  retried: z.number().int(),
  coldStarts: z.number().int().describe('workers that became ready for the first time'),
  delay: percentiles.optional(),
  execution: percentiles.optional(),
}

export const metricsTotals = z.object(metricsCounts)

export type MetricsTotals = z.infer<typeof metricsTotals>

export const metricsPoint = z.object({
  at: z.number().int().describe('start of the step, ms since the epoch'),
  inQueue: z.number().int().describe('at the end of the step'),
  inProgress: z.number().int().describe('at the end of the step'),
  ...metricsCounts,
  workers: z.record(z.string(), z.number().int()).describe('workers by state at the end of the step'),
  most: z
    .object({
      inQueue: z.number().int(),
      inProgress: z.number().int(),
      ready: z.number().int().describe('workers that are idle or running'),
      starting: z.number().int(),
      unhealthy: z.number().int(),
    })
    .describe('the most at once within the step'),
})

export type MetricsPoint = z.infer<typeof metricsPoint>

/** Metrics of an endpoint over time; for a load-balanced one, ended requests count like jobs. */
export const metricsSeries = z.object({
  stepMs: z.number().int(),
  points: z.array(metricsPoint),
  totals: metricsTotals.describe('of the whole range'),
  lastActiveAt: z.number().int().optional().describe('when work came or ended for the last time, within some 10 s'),
})

// A user name or password in it would be shown to everybody who may read settings.
const isHttpAddress = (text: string) =>
  /^https?:\/\/(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?(\/[^\s?#]*)?$/i.test(text)

export const serviceSettings = z.object({
  strictLimits: z.boolean().default(false).describe('answer with 429 as the platform does'),
  strictLimitsFleetShare: z
    .number()
    .int()
    .min(1)
    .default(4)
    .describe('limit = max(base, running workers x base / this)'),
  streamForm: z
    .enum(['array', 'object'])
    .default('array')
    .describe('stream format for clients that do not ask for one'),
  webhooksToPrivateAddresses: z.boolean().default(false).describe('let webhooks reach this machine and its network'),
  appSchedules: z.boolean().default(false).describe('run the schedules that apps declare'),
  workerSystemChecks: z.boolean().default(false).describe('let the public worker SDK run its fitness checks'),
  maxWorkers: z.number().int().min(1).max(1000).default(32).describe('worker processes of all endpoints together'),
  python: z.string().min(1).default('python3').describe('interpreter that runs handler files'),
  logRetentionDays: z.number().int().min(1).max(365).default(7),
  jobHistoryDays: z
    .number()
    .int()
    .min(0)
    .max(365)
    .default(7)
    .describe(
      'days that an ended job is stored after the job API stops returning it; 0: deleted as soon as it expires there',
    ),
  jobHistoryMaxMib: z
    .number()
    .int()
    .min(10)
    .max(10_000_000)
    .default(5120)
    .describe('MiB that those jobs may take; above it the largest outputs are deleted first, and their records stay'),
  assetsMaxMib: z
    .number()
    .int()
    .min(100)
    .max(10_000_000)
    .default(10_240)
    .describe('MiB that files of workflows may take: results of runs, and files that nodes load'),
  modelsMaxMib: z
    .number()
    .int()
    .min(1)
    .max(10_000_000)
    .default(65_536)
    .describe('largest model file that may be downloaded, in MiB'),
  modelsFromPrivateAddresses: z
    .boolean()
    .default(false)
    .describe('let downloads of models reach this machine and its network'),
  modelHub: z
    .string()
    .regex(
      /^https?:\/\/[^\s/?#@]+(?:\/[^\s?#]*[^\s?#/])?$/,
      'must be an address like https://example.com, without / at its end',
    )
    .max(2048)
    .default('https://huggingface.co')
    .describe('address of the hub from which the models of endpoints come'),
  tracesTo: z
    .string()
    .max(2048)
    .refine(
      (text) => text === '' || isHttpAddress(text),
      'must be an http address, like http://127.0.0.1:4318/v1/traces',
    )
    .default('')
    .describe('address that takes traces of jobs by OTLP over HTTP; empty: there are none'),
})

export type ServiceSettings = z.infer<typeof serviceSettings>

type Setting = keyof ServiceSettings

export const serviceSettingsUpdate = z.strictObject(
  Object.fromEntries(
    Object.entries(serviceSettings.shape).map(([name, setting]) => [name, setting.unwrap().optional()]),
  ) as { [Name in Setting]: z.ZodOptional<ReturnType<(typeof serviceSettings.shape)[Name]['unwrap']>> },
)

export const serviceInfo = z.object({
  version: z.string(),
  pid: z.number().int(),
  url: z.string(),
  data: z.string(),
  startedAt: z.number().int(),
  role: z.enum(ROLES).optional().describe('what the caller may do'),
  endpoints: z.number().int(),
  jobs: z.object({ inQueue: z.number().int(), inProgress: z.number().int() }),
  lateResults: z.number().int().describe('reports of workers that no longer had the lease, dropped'),
})
