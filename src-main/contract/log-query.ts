import { z } from 'zod'
import { wholeNumber } from './routes.ts'

export const logQuery = {
  tail: wholeNumber.refine((n) => n <= 5000, 'must be at most 5000').optional(),
  since: z.iso.datetime({ offset: true, error: 'must be a time like 2026-11-23T10:00:00Z' }).optional(),
}

export const workerLogQuery = { ...logQuery, source: z.enum(['container', 'system']).optional() }
