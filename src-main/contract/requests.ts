import { z } from 'zod'
import { limit } from './limits.ts'
import { DELETE, done, GET, moment, PATCH, POST, type Route } from './routes.ts'

/** How a request is sent: as a job in one of three ways, or directly to a load-balanced endpoint. */
const SEND_OPERATIONS = ['run', 'runsync', 'stream', 'request'] as const

export const SEND_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const

/** A request in the editor. Fields are texts, because unfinished input need not be valid. */
export const requestDraft = z.strictObject({
  operation: z.enum(SEND_OPERATIONS),
  body: z.string().max(limit('managementBodyBytes')).describe('text of the editor'),
  method: z.enum(SEND_METHODS).optional().describe('of a request to a load-balanced endpoint, as are the next three'),
  path: z.string().max(4096).optional().describe('from its / on, with the query'),
  headers: z.string().max(16_384).optional().describe('lines of `Name: value`'),
  bodyKind: z.enum(['none', 'json', 'text']).optional(),
})

export type RequestDraft = z.infer<typeof requestDraft>

const name = z.string().trim().min(1, 'must not be empty').max(100, 'must be at most 100 characters')

export const savedRequest = z.object({
  id: z.string(),
  name,
  request: requestDraft,
  updatedAt: moment,
})

export type SavedRequest = z.infer<typeof savedRequest>

const savedRequestCreate = z.strictObject({ name, request: requestDraft })

const savedRequestUpdate = z.strictObject({ name: name.optional(), request: requestDraft.optional() })

/** The form of the newest jobs' inputs, or of a published graph's parameters. */
export const inputHints = z.object({
  fields: z.array(
    z.object({
      path: z.string().describe('names from the input on, with dots between them; lists add none'),
      values: z.array(z.string()).describe('JSON texts that were seen, newest first'),
    }),
  ),
  example: z
    .string()
    .optional()
    .describe('JSON text of the newest input, or one to begin with; missing where there is none, or it is large'),
})

export type InputHints = z.infer<typeof inputHints>

const count = (most: number) =>
  z
    .number(`must be a whole number from 1 to ${most}`)
    .int(`must be a whole number from 1 to ${most}`)
    .min(1, `must be from 1 to ${most}`)
    .max(most, `must be from 1 to ${most}`)

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

export const loadTestCreate = loadTestPlan.extend({
  body: z.string().max(limit('managementBodyBytes')).optional().describe('JSON text; jobs need one'),
})

export type LoadTestCreate = z.infer<typeof loadTestCreate>

const LOAD_TEST_STATES = ['running', 'completed', 'stopped'] as const

/** Durations in ms. Bucket n of the histogram counts those up to 1.1 to the power n. */
const spans = z.object({
  count: z.number().int(),
  mean: z.number(),
  p50: z.number(),
  p90: z.number(),
  p99: z.number(),
  max: z.number(),
  histogram: z.record(z.string(), z.number().int()),
})

export type Spans = z.infer<typeof spans>

const loadTestResult = z.object({
  elapsedMs: z.number().int().describe('since the first request'),
  done: z.number().int(),
  failed: z.number().int().describe('of them, those without an answer of 2xx, and failed jobs'),
  statuses: z.record(z.string(), z.number().int()).describe('by HTTP status; `none` where no answer came'),
  latency: spans.optional().describe('from the sending to the end of the answer'),
  delay: spans.optional().describe('of jobs, in the queue'),
  execution: spans.optional().describe('of jobs, at the worker'),
  errors: z.array(z.object({ text: z.string(), count: z.number().int() })).describe('most frequent first'),
})

export type LoadTestResult = z.infer<typeof loadTestResult>

export const loadTest = z.object({
  id: z.string(),
  endpointId: z.string(),
  state: z.enum(LOAD_TEST_STATES),
  reason: z.string().optional().describe('why it was stopped'),
  plan: loadTestPlan,
  startedAt: moment,
  result: loadTestResult,
})

export type LoadTest = z.infer<typeof loadTest>

// The body's text is at its limit as JSON within JSON: each quote takes two characters.
const TEXT_BODY = { bytes: 2 * limit('managementBodyBytes'), name: 'this operation' }

export const REQUEST_ROUTES = {
  savedRequestList: GET('/api/endpoints/:endpointId/saved-requests', 'List the saved requests of an endpoint by name', {
    response: z.object({ requests: z.array(savedRequest) }),
  }),
  savedRequestCreate: POST(
    '/api/endpoints/:endpointId/saved-requests',
    'Save a request under a name; it is deleted with its endpoint',
    {
      role: 'run',
      body: savedRequestCreate,
      bodyLimit: TEXT_BODY,
      response: savedRequest,
      errors: ['NOT_JSON', 'BAD_FIELD', 'BODY_TOO_LARGE', 'SAVED_REQUEST_EXISTS'],
    },
  ),
  savedRequestUpdate: PATCH(
    '/api/endpoints/:endpointId/saved-requests/:savedRequestId',
    'Rename a saved request, or replace it',
    {
      role: 'run',
      body: savedRequestUpdate,
      bodyLimit: TEXT_BODY,
      response: savedRequest,
      errors: ['NOT_JSON', 'BAD_FIELD', 'BODY_TOO_LARGE', 'SAVED_REQUEST_NOT_FOUND', 'SAVED_REQUEST_EXISTS'],
    },
  ),
  savedRequestDelete: DELETE('/api/endpoints/:endpointId/saved-requests/:savedRequestId', 'Delete a saved request', {
    role: 'run',
    response: done,
    errors: ['SAVED_REQUEST_NOT_FOUND'],
  }),
  inputHintsRead: GET(
    '/api/endpoints/:endpointId/input-hints',
    'List fields and values of the newest inputs of an endpoint, for completion',
    { response: inputHints },
  ),
} as const satisfies Record<string, Route>

export const LOAD_TEST_ROUTES = {
  loadTestList: GET('/api/endpoints/:endpointId/load-tests', 'List the load tests of an endpoint, newest first', {
    response: z.object({ loadTests: z.array(loadTest) }),
  }),
  loadTestCreate: POST('/api/endpoints/:endpointId/load-tests', 'Start a load test; only one can run at a time', {
    role: 'run',
    body: loadTestCreate,
    bodyLimit: TEXT_BODY,
    response: loadTest,
    errors: ['NOT_JSON', 'BAD_FIELD', 'BODY_TOO_LARGE', 'NOT_QUEUE_BASED', 'NOT_LOAD_BALANCED', 'LOAD_TEST_RUNNING'],
  }),
  loadTestRead: GET(
    '/api/endpoints/:endpointId/load-tests/:loadTestId',
    'Read a load test; with follow=true as events until it has ended',
    {
      query: { follow: z.enum(['true', 'false']).optional() },
      response: loadTest,
      errors: ['BAD_FIELD', 'LOAD_TEST_NOT_FOUND'],
    },
  ),
  loadTestStop: POST(
    '/api/endpoints/:endpointId/load-tests/:loadTestId/stop',
    'Stop a load test: no further request is sent, and results so far are stored',
    { role: 'run', response: loadTest, errors: ['LOAD_TEST_NOT_FOUND'] },
  ),
} as const satisfies Record<string, Route>
