/** Jobs for people: lists over all endpoints with filters, their count, one job, and moves of many. */
import { z } from 'zod'
import { JOB_STATES, type JobState, jobHandle, jobList, jobState, streamChunk } from './job.ts'
import { limit } from './limits.ts'
import { jobDetail, jobProgress } from './management.ts'
import type { Route } from './routes.ts'

const wholeNumber = z
  .string()
  .regex(/^\d{1,15}$/, 'must be a whole number')
  .transform(Number)

const cursor = z.string().regex(/^\d{1,15}$/, 'must be a cursor of a list')
const isState = (word: string): word is JobState => (JOB_STATES as readonly string[]).includes(word)

const states = z
  .string()
  .transform((text) => text.split(','))
  .refine((words) => words.every(isState), `must be of ${JOB_STATES.join(', ')}, with commas between`)
  .transform((words) => words.filter(isState))

const ids = z
  .string()
  .transform((text) => text.split(','))
  .refine((list) => list.length <= limit('listIds'), `must be at most ${limit('listIds')}`)

/** What a list of jobs is filtered by, as a query: all of it must hold. */
const filterQuery = {
  endpoint: z.string().optional(),
  status: states.optional().describe('one state or several, with commas between'),
  worker: z.string().max(100).optional().describe('the worker that has it, or had it last'),
  from: wholeNumber.optional().describe('created at this time or later, ms since the epoch'),
  to: wholeNumber.optional().describe('created at this time or earlier, ms since the epoch'),
  q: z.string().max(500).optional().describe('words that occur in id, input, output or error'),
  expired: z
    .enum(['true', 'false'], 'must be true or false')
    .transform((word) => word === 'true')
    .optional()
    .describe('only jobs that the job API has forgotten, as their retention is over, or only those that it knows'),
}

const time = z.number().int().min(0)

/** The same filter in a body. */
const jobFilterBody = z.strictObject({
  endpoint: z.string().optional(),
  status: z.array(jobState).min(1).optional(),
  worker: z.string().max(100).optional(),
  from: time.optional(),
  to: time.optional(),
  q: z.string().max(500).optional(),
  expired: z.boolean().optional(),
  cursor: cursor.optional().describe('only jobs older than this'),
})

/** Moves of the transition table that a person may make with many jobs at once. */
export const BULK_MOVES = ['retry', 'cancel'] as const

/** One of them. */
export type BulkMove = (typeof BULK_MOVES)[number]

/** What a person may do with many jobs at once; `rerun` makes a new job of each. */
const BULK_ACTIONS = [...BULK_MOVES, 'rerun'] as const

/** What is done to many jobs. */
export type BulkAction = (typeof BULK_ACTIONS)[number]

/** Body of a bulk action: jobs by id, or all that a filter lets through. */
export const jobBulk = z
  .strictObject({
    action: z.enum(BULK_ACTIONS, `must be one of ${BULK_ACTIONS.join(', ')}`),
    ids: z.array(z.string().max(100)).min(1).max(limit('bulkIds')).optional(),
    filter: jobFilterBody.optional(),
  })
  .refine((body) => (body.ids === undefined) !== (body.filter === undefined), {
    path: ['ids'],
    message: 'give either ids or a filter',
  })

/** With how many jobs it was done, and why not with the others. */
const jobBulkResult = z.object({
  changed: z.number().int(),
  refused: z.array(z.object({ reason: z.string(), count: z.number().int() })),
})

/** Body of 'reorder': before all others, or in the place of another job, which takes its own. */
export const jobPlace = z.union(
  [z.strictObject({ to: z.literal('front') }), z.strictObject({ swapWith: z.string().max(100) })],
  'give {"to": "front"}, or {"swapWith": the id of another waiting job}',
)

/** The waiting jobs of an endpoint, in the order in which workers get them. */
const jobQueue = z.object({
  jobs: z.array(z.object({ id: z.string(), lowPriority: z.boolean() })),
  more: z.boolean().describe('whether there are more'),
})

/** How many jobs a filter lets through. */
export const jobCount = z.object({
  count: z.number().int(),
  more: z.boolean().describe('whether there are more: the count was given up where it took too long'),
  cursor: z.string().describe('pages that begin with it hold the jobs that there are now, and none that come'),
})

/** What became of a file of jobs. */
export const jobImportResult = z.object({
  queued: z.number().int().describe('new jobs'),
  refused: z.number().int().describe('lines that gave none'),
  bad: z
    .array(z.object({ line: z.number().int().describe('from 1'), reason: z.string() }))
    .describe('the first of those lines'),
})

/** How many jobs. */
export type JobCount = z.infer<typeof jobCount>

/** Part of the management API. */
export const JOB_ROUTES = {
  jobList: {
    methods: ['GET'],
    path: '/api/jobs',
    summary: 'List and search jobs of all endpoints, newest first',
    query: {
      ...filterQuery,
      ids: ids.optional().describe('these jobs alone, with commas between; all else is ignored'),
      limit: wholeNumber.refine((n) => n >= 1 && n <= limit('listPageMax'), 'is out of range').optional(),
      cursor: cursor.optional(),
      offset: wholeNumber
        .refine((n) => n <= limit('jobCount'), 'is out of range')
        .optional()
        .describe('jobs to leave out from the cursor on'),
    },
    answer: jobList,
    errors: ['BAD_FIELD'],
    source: 'ours',
  },
  jobCount: {
    methods: ['GET'],
    path: '/api/job-count',
    summary: 'Count the jobs that a filter of the list lets through',
    query: {
      ...filterQuery,
      cursor: cursor.optional().describe('only jobs older than this'),
      after: cursor.optional().describe('only jobs that came after a count: its cursor'),
    },
    answer: jobCount,
    errors: ['BAD_FIELD'],
    source: 'ours, because a list of 100,000 has to know how long it is',
  },
  jobBulk: {
    methods: ['POST'],
    path: '/api/jobs/bulk',
    summary: 'Retry, cancel or run again many jobs: those that may be; jobs that come meanwhile are left alone',
    body: jobBulk,
    answer: jobBulkResult,
    errors: ['NOT_JSON', 'BAD_FIELD', 'BODY_TOO_LARGE'],
    source: 'issue 6, Jobs',
  },
  jobExport: {
    methods: ['GET'],
    path: '/api/job-export',
    summary: 'Jobs as lines of JSON (application/x-ndjson), oldest first: records with input, output and stream',
    query: {
      ...filterQuery,
      cursor: cursor.optional().describe('only jobs older than this'),
      ids: ids.optional().describe('these jobs alone, with commas between; all else is ignored'),
    },
    answer: z.string(),
    errors: ['BAD_FIELD'],
    source: 'ours, to keep what a job gave beside the code that made it',
  },
  jobImport: {
    methods: ['POST'],
    path: '/api/endpoints/:endpointId/jobs',
    summary: 'Queue a new job for each line of JSON: the body of a run, or a line of an export',
    bodyType: 'application/x-ndjson',
    answer: jobImportResult,
    errors: ['ENDPOINT_NOT_FOUND'],
    source: 'ours, because inputs come as files',
  },
  jobRead: {
    methods: ['GET'],
    path: '/api/jobs/:jobId',
    summary: 'A job with its history, reasons and deliveries',
    answer: jobDetail,
    errors: ['JOB_NOT_FOUND', 'PAYLOAD_LOST'],
    source: 'ours',
  },
  jobRerun: {
    methods: ['POST'],
    path: '/api/jobs/:jobId/rerun',
    summary: 'Run a job again that has ended: a new job with its input and policy, without its webhook',
    answer: jobHandle,
    errors: ['JOB_NOT_FOUND', 'WRONG_STATE', 'ENDPOINT_NOT_FOUND', 'ENDPOINT_PAUSED', 'PAYLOAD_LOST'],
    source: 'ours, because the job API cannot retry what it has forgotten, or what has succeeded',
  },
  jobReorder: {
    methods: ['POST'],
    path: '/api/jobs/:jobId/place',
    summary:
      'Change the place of a waiting job in its queue: to the front of those with its priority, or with another job',
    body: jobPlace,
    answer: jobHandle,
    errors: ['JOB_NOT_FOUND', 'WRONG_STATE', 'NOT_JSON', 'BAD_FIELD', 'BODY_TOO_LARGE'],
    source: 'ours, because what is wanted first is often known only when others wait already',
  },
  jobQueue: {
    methods: ['GET'],
    path: '/api/endpoints/:endpointId/queue',
    summary: 'The waiting jobs of an endpoint, in the order in which workers get them',
    query: { limit: wholeNumber.refine((n) => n >= 1 && n <= limit('listPageMax'), 'is out of range').optional() },
    answer: jobQueue,
    errors: ['ENDPOINT_NOT_FOUND', 'BAD_FIELD'],
    source: 'ours, because what is wanted first is often known only when others wait already',
  },
  jobProgress: {
    methods: ['GET'],
    path: '/api/jobs/:jobId/progress',
    summary: 'How far a job is: its state, why it waits, and the latest progress that its worker reported',
    answer: jobProgress,
    errors: ['JOB_NOT_FOUND', 'PAYLOAD_LOST'],
    source: 'ours, because a page that shows previews reads this ten times a second, and an input may be megabytes',
  },
  jobChunks: {
    methods: ['GET'],
    path: '/api/jobs/:jobId/chunks',
    summary: 'The chunks of a stream, to replay it',
    query: {
      after: wholeNumber.optional().describe('chunks to leave out'),
      limit: wholeNumber.refine((n) => n >= 1 && n <= limit('chunksPerJob'), 'is out of range').optional(),
    },
    answer: z.object({ chunks: z.array(streamChunk) }),
    errors: ['JOB_NOT_FOUND', 'BAD_FIELD'],
    source: 'ours',
  },
} as const satisfies Record<string, Route>
