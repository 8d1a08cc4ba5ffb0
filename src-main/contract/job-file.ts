/**
 * A job as a file that another Drydock opens: two lines of JSON. The first tells what happened here; the second is the
 * job with its payloads as they are, a line of an export of jobs, so that it can be queued anew without a number rounded.
 */
import { z } from 'zod'
import { jobHistoryEntry, logLine, webhookDelivery } from './management.ts'

/** The first line. */
export const jobFileHead = z.object({
  drydock: z.literal('job'),
  format: z.literal(1),
  version: z.string().describe('of the Drydock that wrote it'),
  exportedAt: z.number().int(),
  jobId: z.string(),
  endpoint: z.looseObject({ id: z.string() }).optional().describe('settings, without values of variables'),
  history: z.array(jobHistoryEntry),
  deliveries: z.array(webhookDelivery),
  logs: z.array(logLine).describe('the newest lines'),
  masked: z
    .number()
    .int()
    .min(0)
    .optional()
    .describe('places in input, output and stream where a secret stood; 0: they are as they were'),
})

/** The first line. */
export type JobFileHead = z.infer<typeof jobFileHead>
