import { z } from 'zod'

const percent = z.number().min(0).max(100).optional()

/** The injected faults; a missing one, 0 or false is off. Durations in ms. */
export const faults = z.strictObject({
  delayMs: z
    .number()
    .int()
    .min(0)
    .max(600_000)
    .optional()
    .describe('minimum time that a job waits for a worker; requests to a load-balanced endpoint are delayed as long'),
  failPercent: percent.describe('percentage of jobs that end as FAILED, and of requests answered with 500'),
  killPercent: percent.describe('percentage of attempts whose worker is killed as it gets them'),
  outOfMemoryPercent: percent.describe('the same, reported as out of memory'),
  throttle: z.boolean().optional().describe('no capacity for further workers'),
  coldStart: z.boolean().optional().describe('each worker runs one job and ends'),
})

export type Faults = z.infer<typeof faults>

export const ALL_FAULTS_OFF = {
  delayMs: 0,
  failPercent: 0,
  killPercent: 0,
  outOfMemoryPercent: 0,
  throttle: false,
  coldStart: false,
} as const satisfies Required<Faults>
