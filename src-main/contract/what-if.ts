import { z } from 'zod'
import { DAY_MS } from '../lib/units.ts'
import { endpointConfig } from './endpoint.ts'
import { limit } from './limits.ts'
import { GET, moment, POST, type Route } from './routes.ts'

const rate = z.number().min(0).max(10_000)
const durationMs = z
  .number()
  .int()
  .min(1000)
  .max(31 * DAY_MS)

/** Arrival patterns; rates in jobs per second. */
const patterns = [
  z.strictObject({ type: z.literal('steady'), perSecond: rate.gt(0), durationMs }),
  z.strictObject({
    type: z.literal('burst'),
    jobs: z.number().int().min(1).max(100_000).describe('jobs that come at once'),
    everyMs: z.number().int().min(1000).max(DAY_MS),
    perSecond: rate.default(0).describe('between the bursts'),
    durationMs,
  }),
  z.strictObject({
    type: z.literal('day'),
    lowPerSecond: rate.describe('at night'),
    highPerSecond: rate.gt(0).describe('at noon'),
    dayMs: z.number().int().min(1000).max(DAY_MS).default(DAY_MS),
    durationMs,
  }),
] as const

const loadPattern = z.discriminatedUnion('type', patterns)

export type LoadPattern = z.infer<typeof loadPattern>

const whatIfLoad = z.discriminatedUnion('type', [
  ...patterns,
  z.strictObject({ type: z.literal('recorded'), from: moment, to: moment }).describe('the jobs of a time span'),
  z
    .strictObject({ type: z.literal('trace'), text: z.string().max(limit('traceBytes')) })
    .describe('lines of JSON: {"at": ms or ISO time, "executionMs": ms}; an export of jobs is one'),
])

const cardPrice = z.strictObject({
  card: z.string().trim().min(1).max(100),
  perSecond: z.number().min(0).max(1000).describe('of a worker that runs as long as it is needed'),
  alwaysOnPerSecond: z.number().min(0).max(1000).optional().describe('of a worker of the minimum'),
  speed: z.number().min(0.01).max(100).optional().describe('how many times as fast as the GPU that was measured'),
})

export type CardPrice = z.infer<typeof cardPrice>

/** Public list prices that serve as initial values, with their date. */
export const priceTable = z.strictObject({
  asOf: z.iso.date(),
  source: z.string(),
  currency: z.string(),
  prices: z.array(cardPrice.extend({ memoryGb: z.number() })),
})

export type PriceTable = z.infer<typeof priceTable>

const varied = endpointConfig.pick({
  workersMin: true,
  workersMax: true,
  idleTimeoutMs: true,
  concurrency: true,
  scaler: true,
})
const { workersMin, workersMax, idleTimeoutMs, concurrency, scaler } = varied.shape
const some = <T extends z.ZodType>(value: T) => z.array(value).min(1).max(limit('whatIfValues')).optional()

const whatIfRequest = z.strictObject({
  load: whatIfLoad,
  seed: z
    .number()
    .int()
    .min(0)
    .max(2 ** 32 - 1)
    .default(1),
  vary: z
    .strictObject({
      workersMin: some(workersMin.unwrap()),
      workersMax: some(workersMax.unwrap()),
      idleTimeoutMs: some(idleTimeoutMs.unwrap()),
      concurrency: some(concurrency.unwrap()),
      scaler: some(scaler.unwrap()),
      card: some(z.string().trim().min(1).max(100)),
    })
    .optional()
    .describe('values to combine; without it those around the current setting'),
  learn: z
    .strictObject({ from: moment, to: moment })
    .optional()
    .describe('span of the history that spans are measured in (default: the last 7 days)'),
  executionMs: z
    .number()
    .min(0)
    .max(limit('executionTimeoutMaxMs'))
    .optional()
    .describe('instead of what was measured'),
  coldStartMs: z.number().min(0).max(3_600_000).optional().describe('instead of what was measured'),
  prices: z.array(cardPrice).max(100).optional(),
  card: z.string().trim().min(1).max(100).optional().describe('the card of the current setting, as prices name it'),
  currency: z.string().max(10).optional(),
})

export type WhatIfRequest = z.infer<typeof whatIfRequest>

const spanSummary = z.object({
  from: z.enum(['history', 'request', 'default']),
  count: z.number().int(),
  p50: z.number(),
  p95: z.number(),
})

/** A measured or given span in ms. */
export type SpanSummary = z.infer<typeof spanSummary>

const percentiles = z.object({ p50: z.number(), p95: z.number(), p99: z.number() })

/** Result of simulating one setting; spans are in ms. */
const whatIfRow = z.object({
  setting: varied.extend({ card: z.string().optional() }),
  isPresent: z.boolean(),
  onFrontier: z.boolean().describe('no other setting is both cheaper and quicker'),
  waiting: percentiles.optional().describe('ms in the queue; missing: no job was served'),
  coldStarts: z.number().int(),
  coldShare: z.number().describe('of the jobs, those whose worker started after they had come'),
  workerSeconds: z.number(),
  cost: z.number().optional().describe('missing: the price is not known'),
  unserved: z.number().int().describe('jobs that no worker took'),
  abandoned: z.number().int().describe('jobs whose worker was lost too often'),
  course: z
    .object({
      stepMs: z.number(),
      waiting: z.array(z.number().int()).describe('most jobs that waited in each step'),
      workers: z.array(z.number().int()).describe('most workers in each step'),
    })
    .optional()
    .describe('of the current setting and those on the frontier'),
})

export type WhatIfRow = z.infer<typeof whatIfRow>

const whatIfAnswer = z.object({
  jobs: z.number().int(),
  spanMs: z.number(),
  measured: z.object({
    executionMs: spanSummary,
    coldStartMs: spanSummary,
    stopMs: spanSummary,
    turnaroundMs: z.number(),
    slowdown: z
      .array(z.number())
      .describe('how many times as long a job takes while 0, 1, 2 ... others run on its worker'),
    lostShare: z.number().describe('of the tries, those whose worker was lost'),
  }),
  rows: z.array(whatIfRow).describe('the current setting first, then the cheapest'),
  notes: z.array(z.string()).describe('what the answer assumes'),
  currency: z.string().optional(),
})

export type WhatIfAnswer = z.infer<typeof whatIfAnswer>

export const WHAT_IF_ROUTES = {
  whatIf: POST('/api/endpoints/:endpointId/what-if', 'Simulate an endpoint with other settings; nothing is changed', {
    role: 'read',
    isStep: true,
    body: whatIfRequest,
    bodyLimit: { bytes: 2 * limit('traceBytes'), name: 'this operation' },
    response: whatIfAnswer,
    errors: ['NOT_JSON', 'BAD_FIELD', 'BODY_TOO_LARGE', 'NOT_QUEUE_BASED', 'WHAT_IF_BUSY'],
  }),
  priceTableRead: GET('/api/prices', 'List the public prices of GPUs, with their date', { response: priceTable }),
} as const satisfies Record<string, Route>
