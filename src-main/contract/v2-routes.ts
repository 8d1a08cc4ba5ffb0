import { z } from 'zod'
import { BATCH_V2_ROUTES } from './batch.ts'
import {
  healthRecord,
  jobHandle,
  jobList,
  jobRecord,
  jobRequest,
  jobState,
  purgeResult,
  streamChunk,
  streamObject,
} from './job.ts'
import { limit } from './limits.ts'
import { GET, POST, type Route } from './routes.ts'

const wholeNumber = /^\d{1,15}$/

const milliseconds = (from: number, to: number) =>
  z
    .string()
    .regex(wholeNumber, `must be a whole number of milliseconds from ${from} to ${to}`)
    .transform(Number)
    .refine((value) => value >= from && value <= to, `must be from ${from} to ${to} ms`)

const wait = milliseconds(limit('waitMinMs'), limit('waitMaxMs')).optional()
const ttl = milliseconds(1, limit('ttlMaxMs')).optional()
const bodyErrors = [
  'NOT_JSON',
  'BAD_INPUT',
  'BAD_FIELD',
  'BODY_TOO_LARGE',
  'MODEL_NOT_INSTALLED',
  'ENDPOINT_PAUSED',
  'DATABASE_BUSY',
  'STORAGE_FAILED',
  'DISK_FULL',
] as const

/** Operations of the job API under `/v2/:endpointId`. Source: docs/spec/job-api.md, 1. */
export const V2_ROUTES = {
  run: POST('/v2/:endpointId/run', 'Queue a job and respond at once', {
    role: 'run',
    body: jobRequest,
    bodyLimit: { bytes: limit('runBodyBytes'), name: 'run' },
    passesPayloads: true,
    response: jobHandle,
    errors: bodyErrors,
    source: 'docs/spec/job-api.md, 1',
  }),
  runsync: POST('/v2/:endpointId/runsync', 'Queue a job and wait for its result', {
    role: 'run',
    query: { wait },
    body: jobRequest,
    bodyLimit: { bytes: limit('runsyncBodyBytes'), name: 'runsync' },
    passesPayloads: true,
    response: jobRecord,
    errors: [...bodyErrors, 'PAYLOAD_LOST'],
    source: 'docs/spec/job-api.md, 1',
  }),
  status: {
    methods: ['GET', 'POST'],
    path: '/v2/:endpointId/status/:jobId',
    summary: 'Read a job',
    role: 'read',
    query: { ttl },
    response: jobRecord,
    errors: ['JOB_NOT_FOUND', 'BAD_FIELD', 'PAYLOAD_LOST'],
    source: 'docs/spec/job-api.md, 1; POST for older clients of the platform',
  },
  statusSync: {
    methods: ['GET', 'POST'],
    path: '/v2/:endpointId/status-sync/:jobId',
    summary: 'Wait for the result of an existing job',
    role: 'read',
    query: { wait },
    response: jobRecord,
    errors: ['JOB_NOT_FOUND', 'BAD_FIELD', 'PAYLOAD_LOST'],
    source: 'the platform: two public SDKs need it',
  },
  stream: {
    methods: ['GET', 'POST'],
    path: '/v2/:endpointId/stream/:jobId',
    summary: 'Read the output of a job since the last read',
    role: 'read',
    query: { wait: milliseconds(0, limit('waitMaxMs')).optional(), format: z.enum(['array', 'object']).optional() },
    response: z.union([z.array(streamChunk), streamObject]),
    errors: ['JOB_NOT_FOUND', 'BAD_FIELD'],
    source: 'docs/spec/job-api.md, 5; the object form is the platform',
  },
  cancel: POST('/v2/:endpointId/cancel/:jobId', 'Cancel a waiting or running job', {
    role: 'run',
    response: jobHandle,
    errors: ['JOB_NOT_FOUND', 'WRONG_STATE'],
    source: 'docs/spec/job-api.md, 1',
  }),
  retry: POST('/v2/:endpointId/retry/:jobId', 'Retry a failed or timed-out job under the same id', {
    role: 'run',
    response: jobHandle,
    errors: ['JOB_NOT_FOUND', 'WRONG_STATE'],
    source: 'docs/spec/job-api.md, 1',
  }),
  purgeQueue: POST('/v2/:endpointId/purge-queue', 'Cancel all waiting jobs', {
    role: 'run',
    response: purgeResult,
    source: 'docs/spec/job-api.md, 1',
  }),
  health: GET('/v2/:endpointId/health', 'Count jobs and workers', {
    response: healthRecord,
    source: 'docs/spec/job-api.md, 1',
  }),
  openapi: GET(
    '/v2/:endpointId/openapi',
    'Read the OpenAPI document of an endpoint, with the parameters of a published graph',
    { response: z.unknown(), source: 'docs/spec/worker-images.md, 5' },
  ),
  requests: GET('/v2/:endpointId/requests', 'List and search jobs, newest first', {
    query: {
      status: jobState.optional(),
      limit: z
        .string()
        .regex(wholeNumber, 'must be a number')
        .transform(Number)
        .refine((n) => n >= 1 && n <= limit('listPageMax'), `must be from 1 to ${limit('listPageMax')}`)
        .optional(),
      cursor: z.string().regex(wholeNumber, 'must be a cursor of this list').optional(),
      q: z.string().max(500).optional(),
    },
    response: jobList,
    errors: ['BAD_FIELD'],
  }),
  ...BATCH_V2_ROUTES,
} as const satisfies Record<string, Route>

/**
 * Requests under `openai/` go to the worker's program, so the table does not describe their responses. Source:
 * docs/spec/job-api.md, 7.
 */
export const OPENAI_ROUTE = {
  methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
  path: '/v2/:endpointId/openai/*',
  summary: 'Pass a request in the form of OpenAI on to a worker',
  role: 'run',
  body: z.record(z.string(), z.unknown()),
  bodyLimit: { bytes: limit('runsyncBodyBytes'), name: 'openai' },
  passesPayloads: true,
  response: z.unknown(),
  errors: ['NOT_JSON', 'BODY_TOO_LARGE', 'WORKER_TOO_SLOW'],
  source: 'docs/spec/job-api.md, 7',
} as const satisfies Route

export type V2Operation = keyof typeof V2_ROUTES

export const COMMON_ERRORS = [
  'UNAUTHORIZED',
  'FORBIDDEN_HOST',
  'FORBIDDEN_ORIGIN',
  'ENDPOINT_NOT_FOUND',
  'UNSUPPORTED_MEDIA_TYPE',
  'UNSUPPORTED_ENCODING',
  'TOO_MANY_REQUESTS',
  'INTERNAL',
] as const
