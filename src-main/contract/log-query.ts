import { z } from 'zod'
import { wholeNumber } from './routes.ts'

const LINE_SOURCES = ['container', 'system'] as const

export const logQuery = {
  tail: wholeNumber.refine((n) => n <= 5000, 'must be at most 5000').optional(),
  since: z.iso.datetime({ offset: true, error: 'must be a time like 2026-11-23T10:00:00Z' }).optional(),
}

export const workerLogQuery = { ...logQuery, source: z.enum(LINE_SOURCES).optional() }

export type LineSource = (typeof LINE_SOURCES)[number]

/** A line of a worker or a pod; `ts` in ISO 8601. */
export type WorkerLine = { readonly source: LineSource; readonly line: string; readonly ts: string }
