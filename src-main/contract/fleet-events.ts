import { z } from 'zod'
import { GET, moment, type Route } from './routes.ts'

const momentText = z
  .string()
  .regex(/^\d{1,15}$/, 'must be a time in ms since the epoch')
  .transform(Number)

export const fleetEvent = z.object({
  id: z.number().int().describe('grows by time; send it back as `before` to get those before it'),
  at: moment,
  kind: z
    .enum(['endpoint', 'release', 'scale', 'crash', 'worker'])
    .describe(
      'scale: a worker started or was stopped; crash: one ended unexpectedly; worker: any other change of state',
    ),
  endpointId: z.string(),
  workerId: z.string().optional(),
  event: z
    .string()
    .describe(
      'what was done to the endpoint, the state the worker went to, or `activated`, `reloaded`, `not reloaded`',
    ),
  reason: z.string().optional().describe('why, as a person reads it'),
})

export type FleetEvent = z.infer<typeof fleetEvent>

export const FLEET_EVENT_ROUTES = {
  fleetEventList: GET('/api/fleet-events', 'List events of endpoints and workers, newest first', {
    query: {
      endpoint: z.string().optional(),
      kinds: z.string().max(100).optional().describe('separated by commas (default: all but `worker`)'),
      from: momentText.optional(),
      to: momentText.optional(),
      before: momentText.optional().describe('id of an event'),
      limit: momentText.refine((n) => n >= 1 && n <= 1000, 'must be from 1 to 1000').optional(),
    },
    response: z.object({
      events: z.array(fleetEvent),
      more: z.literal(true).optional().describe('there are older events'),
    }),
    errors: ['BAD_FIELD'],
  }),
} as const satisfies Record<string, Route>
