import { z } from 'zod'
import { endpointView, WORKER_STATES, workerView } from './endpoint.ts'
import { jobState } from './job.ts'
import { DELETE, GET, moment, POST, type Route } from './routes.ts'

export const liveEndpoint = endpointView.extend({ inQueue: z.number().int(), inProgress: z.number().int() })

export type LiveEndpoint = z.infer<typeof liveEndpoint>

/** All endpoints and workers right after one event of `/events`. */
export const liveSnapshot = z.object({
  eventId: z.number().int().describe('all events up to this one are in it; 0 before the first'),
  at: moment,
  endpoints: z.array(liveEndpoint),
  workers: z.array(workerView),
  command: z
    .string()
    .describe(
      'how to call the command line for this service from any folder, like `node /clone/src-main/app/cli/drydock.mjs`, with --data if its data folder is not the default',
    ),
})

export type LiveSnapshot = z.infer<typeof liveSnapshot>

/** Stats of an endpoint over the last hour. Durations in ms; missing if no job ended. */
export const endpointStats = z.object({
  endpointId: z.string(),
  executionP50: z.number().optional(),
  executionP99: z.number().optional(),
  submitted: z.array(z.number().int()).describe('jobs or requests that came in each of the 60 minutes, oldest first'),
  lastError: z
    .object({ jobId: z.string().optional(), at: z.number().int(), error: z.string() })
    .optional()
    .describe('of the newest failed job or request, whenever that was; without a job id it is of a request'),
})

export type EndpointStats = z.infer<typeof endpointStats>

export const serviceStats = z.object({ at: z.number().int(), endpoints: z.array(endpointStats) })

export type ServiceStats = z.infer<typeof serviceStats>

/** A URL that signs a browser in, valid for a single use. */
export const sessionLink = z.object({
  url: z.string(),
  expiresAt: moment,
  sameUser: z.boolean().describe('whether it works only for the user of the machine who created it, and for root'),
})

export type SessionLink = z.infer<typeof sessionLink>

/** Server-sent events of `/events`: `id` resumes with Last-Event-ID, `event` is the type, `data` is this JSON. */
export const serviceEvent = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('job'),
    at: z.number().int(),
    endpointId: z.string(),
    jobId: z.string(),
    event: z.string(),
    from: jobState.optional(),
    to: jobState,
    workerId: z.string().optional(),
    attempt: z.number().int(),
    reason: z.string().optional(),
  }),
  z.object({
    type: z.literal('worker'),
    at: z.number().int(),
    endpointId: z.string(),
    workerId: z.string(),
    to: z.enum(WORKER_STATES),
    reason: z.string().optional(),
  }),
  z.object({
    type: z.literal('endpoint'),
    at: z.number().int(),
    endpointId: z.string(),
    event: z.enum(['created', 'updated', 'deleted', 'paused', 'resumed', 'activated', 'reloaded', 'not reloaded']),
    reason: z.string().optional(),
  }),
  z.object({
    type: z.literal('run'),
    at: z.number().int(),
    endpointId: z.string(),
    runId: z.string(),
    event: z.enum(['created', 'results']).describe('results: it has ended, and what it gave is here'),
  }),
])

export type ServiceEvent = z.infer<typeof serviceEvent>

export const PAGE_ROUTES = {
  sessionLinkCreate: POST('/api/session-links', 'Create a sign-in link for a browser: it works once, within a minute', {
    role: 'read',
    // Other users of the machine can read the command line that opens a link.
    query: { sameUser: z.literal('true').optional() },
    response: sessionLink,
  }),
  sessionEnd: DELETE('/api/session', 'Sign out this browser', {
    role: 'read',
    isStep: true,
    response: z.object({ ok: z.literal(true) }),
  }),
  liveRead: GET('/api/live', 'Read a consistent snapshot of all endpoints, queues and workers', {
    response: liveSnapshot,
    source: 'ours, because events are changes and need something to change',
  }),
  figuresRead: GET('/api/figures', 'Read statistics of all endpoints over the last hour', {
    response: serviceStats,
    source: 'ours, because asking each endpoint for its metrics would take as many requests',
  }),
} as const satisfies Record<string, Route>
