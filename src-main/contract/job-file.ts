/**
 * A portable job in two JSON lines: its history here, then the exported job with unrounded numbers, so that it can be
 * queued again.
 */
import { z } from 'zod'
import { jobHistoryEntry, logLine, webhookDelivery } from './management.ts'

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

export type JobFileHead = z.infer<typeof jobFileHead>
