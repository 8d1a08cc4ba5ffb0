/** What the web pages show of everything at once: as it is now, and in figures of the last hour. */
import { z } from 'zod'
import { endpointView, workerView } from './endpoint.ts'

/** An endpoint with its queue. */
export const liveEndpoint = endpointView.extend({ inQueue: z.number().int(), inProgress: z.number().int() })

/** An endpoint with its queue. */
export type LiveEndpoint = z.infer<typeof liveEndpoint>

/** All endpoints and workers as they were right after one event of `/events`. */
export const liveSnapshot = z.object({
  eventId: z.number().int().describe('all events up to this one are in it; 0 before the first'),
  at: z.number().int().describe('ms since the epoch'),
  endpoints: z.array(liveEndpoint),
  workers: z.array(workerView),
  command: z.string().describe('how the command line was called that started the service, like `npx drydock`'),
})

/** All endpoints and workers. */
export type LiveSnapshot = z.infer<typeof liveSnapshot>

/** Figures of an endpoint over the last hour. Spans in ms; missing where no job ended. */
export const endpointFigures = z.object({
  endpointId: z.string(),
  executionP50: z.number().optional(),
  executionP99: z.number().optional(),
  submitted: z.array(z.number().int()).describe('jobs or requests that came in each of the 60 minutes, oldest first'),
  lastError: z
    .object({ jobId: z.string().optional(), at: z.number().int(), error: z.string() })
    .optional()
    .describe('of the newest job or request that failed, whenever that was; without a job it is of a request'),
})

/** Figures of an endpoint. */
export type EndpointFigures = z.infer<typeof endpointFigures>

/** Figures of all endpoints over the last hour. */
export const serviceFigures = z.object({ at: z.number().int(), endpoints: z.array(endpointFigures) })

/** Figures of all endpoints. */
export type ServiceFigures = z.infer<typeof serviceFigures>

/** An address that signs a browser in, once. */
export const sessionLink = z.object({
  url: z.string(),
  expiresAt: z.number().int().describe('ms since the epoch'),
})
