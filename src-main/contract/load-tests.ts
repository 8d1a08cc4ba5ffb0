/** Load tests: many requests to an endpoint at once, sent by the service to itself, and what came of them. */
import { z } from 'zod'
import { limit } from './limits.ts'
import { SEND_METHODS } from './saved-requests.ts'

const count = (most: number) =>
  z
    .number(`must be a whole number from 1 to ${most}`)
    .int(`must be a whole number from 1 to ${most}`)
    .min(1, `must be from 1 to ${most}`)
    .max(most, `must be from 1 to ${most}`)

/** What is sent, how often, and how many at once. */
const loadTestPlan = z.strictObject({
  operation: z.enum(['run', 'runsync', 'request']).describe('request: as it is, to a load-balanced endpoint'),
  requests: count(limit('loadTestRequests')),
  concurrency: count(limit('loadTestConcurrency')),
  method: z.enum(SEND_METHODS).optional().describe('of a request to a load-balanced endpoint; GET without it'),
  path: z
    .string()
    .max(4096)
    .regex(/^\/[!-~]*$/, 'must begin with / and hold no spaces')
    .optional()
    .describe('of a request to a load-balanced endpoint; / without it'),
})

/** Body of 'start a load test'. */
export const loadTestCreate = loadTestPlan.extend({
  body: z.string().max(limit('managementBodyBytes')).optional().describe('JSON text; jobs need one'),
})

/** What a load test is to do. */
export type LoadTestCreate = z.infer<typeof loadTestCreate>

/** The states of a load test; all but the first are final. */
const LOAD_TEST_STATES = ['running', 'completed', 'stopped'] as const

/** Spans in ms. Bucket n of the histogram holds spans up to 1.1 to the power n. */
const spans = z.object({
  count: z.number().int(),
  mean: z.number(),
  p50: z.number(),
  p90: z.number(),
  p99: z.number(),
  max: z.number(),
  histogram: z.record(z.string(), z.number().int()),
})

/** Spans in figures. */
export type Spans = z.infer<typeof spans>

/** What came of the requests that have ended. */
export const loadTestResult = z.object({
  elapsedMs: z.number().int().describe('since the first request'),
  done: z.number().int(),
  failed: z.number().int().describe('of them, those without an answer of 2xx, and failed jobs'),
  statuses: z.record(z.string(), z.number().int()).describe('by HTTP status; `none` where no answer came'),
  latency: spans.optional().describe('from the sending to the end of the answer'),
  delay: spans.optional().describe('of jobs, in the queue'),
  execution: spans.optional().describe('of jobs, at the worker'),
  errors: z.array(z.object({ text: z.string(), count: z.number().int() })).describe('most frequent first'),
})

/** What came of a load test so far. */
export type LoadTestResult = z.infer<typeof loadTestResult>

/** A load test. */
export const loadTest = z.object({
  id: z.string(),
  endpointId: z.string(),
  state: z.enum(LOAD_TEST_STATES),
  reason: z.string().optional().describe('why it was stopped'),
  plan: loadTestPlan,
  startedAt: z.number().int().describe('ms since the epoch'),
  result: loadTestResult,
})

/** A load test. */
export type LoadTest = z.infer<typeof loadTest>
