/** What happened to endpoints, workers and releases, for lists of events and marks over charts. Source: issue 6. */
import { z } from 'zod'
import type { Route } from './routes.ts'

const moment = z
  .string()
  .regex(/^\d{1,15}$/, 'must be a time in ms since the epoch')
  .transform(Number)

/** One thing that happened. */
export const fleetEvent = z.object({
  id: z.number().int().describe('grows by time; send it back as `before` to get those before it'),
  at: z.number().int().describe('ms since the epoch'),
  kind: z
    .enum(['endpoint', 'release', 'scale', 'crash', 'worker'])
    .describe('scale: a worker started or was stopped; crash: one ended by itself; worker: any other move of one'),
  endpointId: z.string(),
  workerId: z.string().optional(),
  event: z.string().describe('what was done to the endpoint, the state the worker went to, or `activated`'),
  reason: z.string().optional().describe('why, as a person reads it'),
})

/** One thing that happened. */
export type FleetEvent = z.infer<typeof fleetEvent>

/** Part of the management API. */
export const FLEET_EVENT_ROUTES = {
  fleetEventList: {
    methods: ['GET'],
    path: '/api/fleet-events',
    summary: 'What happened to endpoints and workers, newest first',
    query: {
      endpoint: z.string().optional(),
      kinds: z.string().max(100).optional().describe('with commas between; without it all but `worker`'),
      from: moment.optional(),
      to: moment.optional(),
      before: moment.optional().describe('id of an event'),
      limit: moment.refine((n) => n >= 1 && n <= 1000, 'must be from 1 to 1000').optional(),
    },
    answer: z.object({ events: z.array(fleetEvent) }),
    errors: ['BAD_FIELD'],
    source: 'issue 6, items 1 and 5',
  },
} as const satisfies Record<string, Route>
