import { z } from 'zod'
import { jobRequest, jobState } from './job.ts'
import { limit } from './limits.ts'
import { DELETE, GET, POST, PUT, type Route, wholeNumber, wholeNumberTo } from './routes.ts'

/** States of a batch on the wire. Source: the platform. */
export const BATCH_STATES = ['DRAFT', 'FINALIZED', 'FAILED', 'CANCELLED'] as const

export type BatchState = (typeof BATCH_STATES)[number]

const count = z.number().int()

const handle = z.object({ id: z.string(), status: z.enum(BATCH_STATES) })

export const batchName = z.string().trim().min(1, 'must not be empty').max(100, 'must be at most 100 characters')

const batchRecord = handle.extend({
  endpointId: z.string(),
  name: z.string(),
  requestTotal: count,
  requestInProgress: count,
  requestCompleted: count,
  requestFailed: count.describe('failed, timed out, cancelled, refused or no longer stored'),
  createdAt: count.describe('ms since the epoch'),
})

const time = z.string().nullable().describe('ISO 8601; null: not yet')

const batchRequests = z.object({
  requests: z.array(
    z.object({
      id: z.string(),
      status: jobState.or(z.literal('DRAFT')),
      output: z.unknown().optional(),
      error: z.string().optional(),
      startedAt: time,
      completedAt: time,
    }),
  ),
  total: count,
  offset: count,
  limit: count,
  hasMore: z.boolean(),
})

const BATCH = '/v2/:endpointId/batch/:batchId'
const requests = z.array(jobRequest)
const bodyLimit = { bytes: limit('batchBodyBytes'), name: 'a batch' }
const bodyErrors = ['NOT_JSON', 'BAD_INPUT', 'BAD_FIELD', 'BODY_TOO_LARGE', 'BATCH_FULL', 'DATABASE_BUSY'] as const
const storageErrors = ['STORAGE_FAILED', 'DISK_FULL'] as const
const source = 'the platform; docs/spec/batches.md, 1'

export const BATCH_V2_ROUTES = {
  batchCreateV2: POST('/v2/:endpointId/batch', 'Create a draft batch from a list of run bodies, which may be empty', {
    role: 'run',
    body: requests,
    readsOwnBody: true,
    bodyLimit,
    response: handle,
    errors: [...bodyErrors, ...storageErrors, 'TOO_MANY_BATCHES'],
    source,
  }),
  batchAppendV2: POST(`${BATCH}/requests`, 'Add requests to a draft: all of them, or none if one is invalid', {
    role: 'run',
    body: z.object({ requests }),
    readsOwnBody: true,
    bodyLimit,
    response: handle.extend({ requestTotal: count, requestIds: z.array(z.string()).describe('of the new ones') }),
    errors: [...bodyErrors, ...storageErrors, 'BATCH_NOT_FOUND', 'BATCH_CLOSED'],
    source,
  }),
  batchFinalizeV2: POST(`${BATCH}/finalize`, 'Queue the requests of a draft; a finalized batch is left as it is', {
    role: 'run',
    response: handle,
    errors: ['BATCH_NOT_FOUND', 'BATCH_CLOSED', 'BATCH_INCOMPLETE', 'QUEUE_FULL', 'ENDPOINT_PAUSED'],
    source,
  }),
  batchUpdateV2: PUT(BATCH, 'Rename a batch', {
    role: 'run',
    body: z.object({ name: batchName.optional() }),
    response: batchRecord,
    errors: ['NOT_JSON', 'BAD_INPUT', 'BAD_FIELD', 'BODY_TOO_LARGE', 'BATCH_NOT_FOUND'],
    source,
  }),
  batchRemoveRequestV2: DELETE(`${BATCH}/requests/:requestId`, 'Remove a request from a draft', {
    role: 'run',
    response: handle.extend({ requestTotal: count }),
    errors: ['BATCH_NOT_FOUND', 'BATCH_CLOSED', 'JOB_NOT_FOUND'],
    source,
  }),
  batchListV2: GET('/v2/:endpointId/batch', 'List the batches of an endpoint, newest first', {
    response: z.object({ batches: z.array(batchRecord) }),
    errors: [],
    source,
  }),
  batchReadV2: GET(BATCH, 'Read a batch; it is done when requestCompleted and requestFailed add up to requestTotal', {
    response: batchRecord,
    errors: ['BATCH_NOT_FOUND'],
    source,
  }),
  batchCancelV2: POST(
    `${BATCH}/cancel`,
    'Cancel the waiting requests of a batch; it is CANCELLED once running ones have finished',
    { role: 'run', response: handle, errors: ['BATCH_NOT_FOUND'], source },
  ),
  batchRequests: GET(
    `${BATCH}/requests`,
    'List the requests of a batch with their results, in the order they were added',
    {
      query: { offset: wholeNumber.optional(), limit: wholeNumberTo(limit('batchPageMax')).optional() },
      response: batchRequests,
      errors: ['BATCH_NOT_FOUND', 'BAD_FIELD', 'PAYLOAD_LOST'],
      source,
    },
  ),
} as const satisfies Record<string, Route>
