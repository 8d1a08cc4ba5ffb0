import { z } from 'zod'
import { WORKER_STATES } from './endpoint.ts'
import { jobState } from './job.ts'

/**
 * What the pages and the CLI hear at `/events`, as server-sent events: `id` is the number to resume from with
 * Last-Event-ID, `event` is the type, `data` is the JSON of one of these.
 */
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
    event: z.enum(['created', 'updated', 'deleted', 'paused', 'resumed', 'activated']),
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

/** One event of the service. */
export type ServiceEvent = z.infer<typeof serviceEvent>
