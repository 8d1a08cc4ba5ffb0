import { z } from 'zod'
import { batchName } from './batch.ts'
import { WORKER_POOLS } from './endpoint.ts'
import {
  JOB_STATES,
  type JobState,
  jobHandle,
  jobList,
  jobListItem,
  jobPriority,
  jobState,
  streamChunk,
} from './job.ts'
import { limit } from './limits.ts'
import { jobDetail, jobProgress } from './management.ts'
import { DELETE, done, GET, moment, POST, type Route, wholeNumber, wholeNumberTo } from './routes.ts'

const cursor = z.string().regex(/^\d{1,15}$/, 'must be a cursor of a list')
const isState = (word: string): word is JobState => (JOB_STATES as readonly string[]).includes(word)

const states = z
  .string()
  .transform((text) => text.split(','))
  .refine((words) => words.every(isState), `must be one of ${JOB_STATES.join(', ')}, separated by commas`)
  .transform((words) => words.filter(isState))

const ids = z
  .string()
  .transform((text) => text.split(','))
  .refine((list) => list.length <= limit('listIds'), `must be at most ${limit('listIds')}`)

const filterQuery = {
  endpoint: z.string().optional(),
  status: states
    .optional()
    .describe(
      'one state or several, separated by commas; TIMED_OUT also finds FAILED jobs that ran longer than their executionTimeout',
    ),
  worker: z.string().max(100).optional().describe('the worker that has it, or had it last'),
  batch: z.string().max(100).optional().describe('the batch that it belongs to'),
  from: wholeNumber.optional().describe('created at this time or later, ms since the epoch'),
  to: wholeNumber.optional().describe('created at this time or earlier, ms since the epoch'),
  q: z
    .string()
    .max(500)
    .optional()
    .describe('words that must all occur in input, output or error; or a job id or the end of one'),
  expired: z
    .enum(['true', 'false'], 'must be true or false')
    .transform((word) => word === 'true')
    .optional()
    .describe('true: only jobs that have expired for the job API; false: only jobs that it still knows'),
}

const { status: _chosen, ...filterWithoutStates } = filterQuery

const previews = z
  .enum(['true', 'false'], 'must be true or false')
  .transform((word) => word === 'true')
  .optional()
  .describe('whether to include the beginnings of inputs and outputs')

const time = z.number().int().min(0)

export const jobFilterBody = z.strictObject({
  endpoint: z.string().optional(),
  status: z.array(jobState).min(1).optional(),
  worker: z.string().max(100).optional(),
  batch: z.string().max(100).optional(),
  from: time.optional(),
  to: time.optional(),
  q: z.string().max(500).optional(),
  expired: z.boolean().optional(),
  cursor: cursor.optional().describe('only jobs older than this'),
})

export const BULK_MOVES = ['retry', 'cancel'] as const

export type BulkMove = (typeof BULK_MOVES)[number]

/** Bulk actions; `rerun` makes a new job of each. */
const BULK_ACTIONS = [...BULK_MOVES, 'rerun'] as const

export type BulkAction = (typeof BULK_ACTIONS)[number]

export const jobBulkFields = {
  action: z.enum(BULK_ACTIONS, `must be one of ${BULK_ACTIONS.join(', ')}`),
  ids: z.array(z.string().max(100)).min(1).max(limit('bulkIds')).optional(),
  filter: jobFilterBody.optional(),
}

export const namesOneKind = (body: { readonly ids?: unknown; readonly filter?: unknown }): boolean =>
  (body.ids === undefined) !== (body.filter === undefined)

export const ONE_KIND = { path: ['ids'], message: 'give either ids or a filter' }

const cancelledKinds = {
  ids: jobBulkFields.ids,
  filter: jobFilterBody.optional(),
  batch: z.string().max(100).optional(),
  sweep: z.string().max(100).optional(),
  comparison: z.string().max(100).optional(),
}

const cancelledJobs = z
  .strictObject(cancelledKinds)
  .refine((body) => Object.values(body).filter((one) => one !== undefined).length === 1, {
    path: ['ids'],
    message: `give one of ${Object.keys(cancelledKinds).join(', ')}`,
  })

export type CancelledJobs = z.infer<typeof cancelledJobs>

const cancelEffects = z.object({
  count: z.number().int().describe('selected jobs that have not ended'),
  more: z.boolean().describe('whether there are more: the count was given up'),
  running: z.number().int().describe('selected jobs that run now'),
  others: z
    .number()
    .int()
    .describe('other jobs of their workers, which start again if a handler does not stop in time'),
})

export const jobBulkResult = z.object({
  changed: z.number().int(),
  refused: z.array(z.object({ reason: z.string(), count: z.number().int() })),
})

const otherJob = z.string().max(100)

/** Moves a job within its priority's queue, or to another priority. */
const queueMove = z.union(
  [
    z.strictObject({ to: z.enum(['front', 'back']) }),
    z.strictObject({ swapWith: otherJob }),
    z.strictObject({ before: otherJob }),
    z.strictObject({ after: otherJob }),
    z.strictObject({ priority: jobPriority }),
  ],
  `give {"to": "front"} or {"to": "back"}, {"swapWith": ...}, {"before": ...} or {"after": the id of another waiting job}, or {"priority": ${limit('priorityMin')} to ${limit('priorityMax')}}`,
)

export type QueueMove = z.infer<typeof queueMove>

/** Waiting jobs of an endpoint, in the order in which workers get them. */
const jobQueue = z.object({
  jobs: z.array(
    z.object({
      id: z.string(),
      lowPriority: z.boolean(),
      pool: z.enum(WORKER_POOLS).describe('workers that it waits for'),
      priority: z.number().int(),
      createdAt: z.number().int(),
      preview: jobListItem.shape.preview,
    }),
  ),
  more: z.boolean().describe('whether there are more'),
})

export const jobCount = z.object({
  count: z.number().int(),
  more: z.boolean().describe('whether there are more: the count was given up where it took too long'),
  cursor: z.string().describe('pages that begin with it hold the jobs that there are now, and none that come'),
})

const jobStateCounts = z.object({
  states: z.record(
    jobState,
    z.object({
      count: z.number().int(),
      more: z.boolean().describe('whether there may be more: the count was given up'),
    }),
  ),
})

export type JobStateCounts = z.infer<typeof jobStateCounts>

export const jobImportResult = z.object({
  queued: z.number().int().describe('new jobs'),
  refused: z.number().int().describe('lines that could not be queued'),
  bad: z
    .array(z.object({ line: z.number().int().describe('from 1'), reason: z.string() }))
    .describe('the first of those lines'),
})

export type JobCount = z.infer<typeof jobCount>

export const JOB_ROUTES = {
  jobList: GET('/api/jobs', 'List and search jobs of all endpoints, newest first', {
    query: {
      ...filterQuery,
      ids: ids.optional().describe('only these jobs, separated by commas; all other parameters are ignored'),
      limit: wholeNumberTo(limit('listPageMax')).optional(),
      cursor: cursor.optional(),
      offset: wholeNumberTo(limit('jobCount'), 0).optional().describe('jobs to leave out from the cursor on'),
      previews,
      order: z
        .literal('match', 'must be match')
        .optional()
        .describe('of a search: jobs whose error has the text as a phrase come first; for further pages, use offset'),
    },
    response: jobList,
    errors: ['BAD_FIELD'],
  }),
  jobCount: GET('/api/job-count', 'Count the jobs that match a filter of the list', {
    query: {
      ...filterQuery,
      cursor: cursor.optional().describe('only jobs older than this'),
      after: cursor.optional().describe('only jobs that came after a count: its cursor'),
    },
    response: jobCount,
    errors: ['BAD_FIELD'],
    source: 'ours, because a list of 100,000 has to know how long it is',
  }),
  jobStates: GET('/api/job-states', 'Count the jobs that match a filter of the list, by state', {
    query: filterWithoutStates,
    response: jobStateCounts,
    errors: ['BAD_FIELD'],
  }),
  jobBulk: POST(
    '/api/jobs/bulk',
    'Retry, cancel or rerun many jobs whose state allows it; jobs that arrive in the meantime are not changed',
    {
      role: 'run',
      body: z.strictObject(jobBulkFields).refine(namesOneKind, ONE_KIND),
      response: jobBulkResult,
      errors: ['NOT_JSON', 'BAD_FIELD', 'BODY_TOO_LARGE'],
    },
  ),
  jobCancelEffects: POST(
    '/api/jobs/cancel-effects',
    'Preview a cancel: count the selected jobs that have not ended, and other jobs that it may restart',
    {
      role: 'read',
      isStep: true,
      body: cancelledJobs,
      response: cancelEffects,
      errors: ['NOT_JSON', 'BAD_FIELD', 'BODY_TOO_LARGE', 'BATCH_NOT_FOUND', 'SWEEP_NOT_FOUND', 'COMPARISON_NOT_FOUND'],
    },
  ),
  jobExport: GET(
    '/api/job-export',
    'Export jobs as JSON lines (application/x-ndjson), oldest first, with input, output and stream',
    {
      query: {
        ...filterQuery,
        cursor: cursor.optional().describe('only jobs older than this'),
        ids: ids.optional().describe('only these jobs, separated by commas; all other parameters are ignored'),
      },
      response: z.string(),
      errors: ['BAD_FIELD'],
      source: 'ours, to keep results of jobs next to the code that made them',
    },
  ),
  jobImport: POST(
    '/api/endpoints/:endpointId/jobs',
    'Queue a new job for each line: a body of `run`, or a line of an export',
    {
      role: 'run',
      bodyType: 'application/x-ndjson',
      response: jobImportResult,
      errors: ['ENDPOINT_NOT_FOUND'],
      source: 'ours, because inputs come as files',
    },
  ),
  jobRead: GET('/api/jobs/:jobId', 'Read a job with its history, reasons and deliveries', {
    response: jobDetail,
    errors: ['JOB_NOT_FOUND', 'PAYLOAD_LOST'],
  }),
  jobPreview: GET('/api/jobs/:jobId/preview', 'Read a job as in a list, with more of its payloads and its error', {
    response: jobListItem,
    errors: ['JOB_NOT_FOUND'],
  }),
  jobDelete: DELETE(
    '/api/jobs/:jobId',
    'Delete an ended job with its payloads, stream and history; the counts of its endpoint stay',
    {
      role: 'run',
      response: done,
      errors: ['JOB_NOT_FOUND', 'WRONG_STATE'],
      source: 'ours, because a job that was only a check is no history',
    },
  ),
  jobFile: GET(
    '/api/jobs/:jobId/file',
    'Export a job with payloads, timeline, log and settings, without secrets, for another Drydock',
    { response: z.string(), errors: ['JOB_NOT_FOUND'], source: 'docs/spec/monitoring.md, 3' },
  ),
  jobRerun: POST(
    '/api/jobs/:jobId/rerun',
    'Run an ended job again: a new job with its input and policy, without its webhook',
    {
      role: 'run',
      response: jobHandle,
      errors: ['JOB_NOT_FOUND', 'WRONG_STATE', 'ENDPOINT_NOT_FOUND', 'ENDPOINT_PAUSED', 'PAYLOAD_LOST', 'SECRET_LOST'],
      source: 'ours, because the job API cannot retry what it has forgotten, or what has succeeded',
    },
  ),
  jobReorder: POST(
    '/api/jobs/:jobId/place',
    'Move a waiting job in its queue: to the front or back of its priority, next to another job, or to another priority',
    {
      role: 'run',
      body: queueMove,
      response: jobHandle,
      errors: ['JOB_NOT_FOUND', 'WRONG_STATE', 'NOT_JSON', 'BAD_FIELD', 'BODY_TOO_LARGE'],
      source: 'ours, because what is wanted first is often known only when others wait already',
    },
  ),
  jobQueue: GET(
    '/api/endpoints/:endpointId/queue',
    'List the waiting jobs of an endpoint, in the order in which workers get them',
    {
      query: {
        limit: wholeNumberTo(limit('listPageMax')).optional(),
        previews,
      },
      response: jobQueue,
      errors: ['ENDPOINT_NOT_FOUND', 'BAD_FIELD'],
      source: 'ours, because what is wanted first is often known only when others wait already',
    },
  ),
  jobProgress: GET(
    '/api/jobs/:jobId/progress',
    'Read the progress of a job: its state, why it waits, and the latest report of its worker',
    {
      response: jobProgress,
      errors: ['JOB_NOT_FOUND', 'PAYLOAD_LOST'],
      source: 'ours, because a page that shows previews reads this ten times a second, and an input may be megabytes',
    },
  ),
  jobChunks: GET('/api/jobs/:jobId/chunks', 'Read the chunks of a stream, to replay it', {
    query: {
      after: wholeNumber.optional().describe('chunks to leave out'),
      limit: wholeNumberTo(limit('chunksPerJob')).optional(),
    },
    response: z.object({
      chunks: z.array(streamChunk).describe(`at most ${limit('streamReadBytes')} bytes, plus one chunk`),
      more: z.boolean().describe('whether the stream goes on after them'),
    }),
    errors: ['JOB_NOT_FOUND', 'BAD_FIELD'],
  }),
} as const satisfies Record<string, Route>

const count = z.number().int()

const batchCreate = z.strictObject({
  name: batchName,
  total: z
    .number(`must be a whole number from 1 to ${limit('batchInputs')}`)
    .int(`must be a whole number from 1 to ${limit('batchInputs')}`)
    .min(1, `must be from 1 to ${limit('batchInputs')}`)
    .max(limit('batchInputs'), `must be from 1 to ${limit('batchInputs')}`)
    .describe('how many inputs will follow'),
  fingerprint: z
    .string()
    .max(200)
    .optional()
    .describe('of the file; an incomplete batch with the same one is continued'),
})

export type BatchCreate = z.infer<typeof batchCreate>

// States in commands and pages; `ended` includes batches whose inputs failed.
const SHOWN_STATES = ['uploading', 'draft', 'running', 'ended', 'cancelled', 'failed'] as const

/** A batch with counts. Its inputs are `unsent`, `drafts`, `refused`, `gone`, or jobs in a state. */
export const batchView = z.object({
  id: z.string(),
  endpointId: z.string(),
  name: z.string(),
  createdAt: moment,
  state: z
    .enum(SHOWN_STATES)
    .describe(
      '`draft` until it is finalized; `cancelled` once all its jobs have ended; `failed` if its endpoint takes no more jobs',
    ),
  total: count.describe('inputs'),
  received: count.describe('an interrupted upload resumes after this line of its file'),
  unsent: count.describe('inputs that have not arrived'),
  drafts: count.describe('inputs that are queued once the batch is finalized'),
  refused: count.describe('inputs that became no job'),
  gone: count.describe('jobs that are no longer stored'),
  jobs: z.record(jobState, count),
})

export type BatchView = z.infer<typeof batchView>

export const batchDetail = batchView.extend({
  failures: z
    .array(z.object({ reason: z.string(), count, jobId: z.string().optional().describe('one of them') }))
    .describe(
      `by reason with a # for numbers and ids that differ, the most frequent first; of the newest ${limit('batchFailuresRead')} failed jobs`,
    ),
  endsAt: moment.optional().describe('expected, from how fast its latest jobs ended'),
  waitingReason: z.string().optional().describe('why its next job waits'),
  waitingNeedsChange: z.literal(true).optional().describe('waiting does not help: something has to be changed'),
})

export type BatchDetail = z.infer<typeof batchDetail>

const BATCH = '/api/batches/:batchId'
const lineNumber = wholeNumber.refine((n) => n >= 1, 'must be at least 1').describe('number of the first line, from 1')

export const BATCH_ROUTES = {
  batchList: GET('/api/batches', 'List batches, of all endpoints or of one, newest first', {
    query: { endpoint: z.string().optional() },
    response: z.object({ batches: z.array(batchView) }),
  }),
  batchCreate: POST(
    '/api/endpoints/:endpointId/batches',
    'Create a draft batch, or find the one whose upload was interrupted; its inputs follow as lines',
    {
      role: 'run',
      body: batchCreate,
      response: batchView,
      errors: ['NOT_JSON', 'BAD_FIELD', 'BODY_TOO_LARGE', 'ENDPOINT_NOT_FOUND', 'NOT_QUEUE_BASED'],
    },
  ),
  batchAppend: POST(
    `${BATCH}/lines`,
    'Add each line, a body of `run`, to a draft; lines that have already arrived are skipped',
    {
      role: 'run',
      isStep: true,
      query: { from: lineNumber },
      bodyType: 'application/x-ndjson',
      response: jobImportResult.omit({ queued: true }).extend({ added: count, received: count }),
      errors: ['BAD_FIELD', 'BATCH_NOT_FOUND', 'BATCH_CLOSED', 'BODY_TOO_LARGE', 'ENDPOINT_NOT_FOUND'],
    },
  ),
  batchFinalize: POST(`${BATCH}/finalize`, 'Queue the inputs of a draft; a finalized batch is left as it is', {
    role: 'run',
    response: batchView,
    errors: ['BATCH_NOT_FOUND', 'BATCH_CLOSED', 'BATCH_INCOMPLETE', 'ENDPOINT_PAUSED', 'NOT_QUEUE_BASED'],
  }),
  batchRead: GET(BATCH, 'Read a batch: its counts, why inputs failed, and when it will end', {
    response: batchDetail,
    errors: ['BATCH_NOT_FOUND'],
  }),
  batchRetry: POST(
    `${BATCH}/retry`,
    'Retry the jobs of a batch that failed or timed out; those that have expired become new jobs in their place',
    { role: 'run', response: jobBulkResult, errors: ['BATCH_NOT_FOUND'] },
  ),
  batchCancel: POST(`${BATCH}/cancel`, 'Cancel the jobs of a batch that have not ended; it takes no more inputs', {
    role: 'run',
    response: jobBulkResult,
    errors: ['BATCH_NOT_FOUND'],
  }),
  batchDelete: DELETE(BATCH, 'Forget a batch; its jobs stay as they are', {
    role: 'run',
    response: done,
    errors: ['BATCH_NOT_FOUND', 'DISK_FULL', 'DATABASE_BUSY'],
  }),
  batchExport: GET(
    `${BATCH}/export`,
    'Export the results of a batch so far as JSON lines (application/x-ndjson), in the order of its inputs',
    { query: { from: lineNumber.optional() }, response: z.string(), errors: ['BAD_FIELD', 'BATCH_NOT_FOUND'] },
  ),
} as const satisfies Record<string, Route>
