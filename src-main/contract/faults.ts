/** Fault switches of an endpoint: what a client meets on a bad day, on purpose. Source: issue 6, item 7. */
import { z } from 'zod'

const percent = z.number().min(0).max(100).optional()

/** The switches; one that is missing, 0 or false is off. Spans in ms. */
export const faults = z.strictObject({
  delayMs: z
    .number()
    .int()
    .min(0)
    .max(600_000)
    .optional()
    .describe('a job waits at least so long for a worker; a request to a load-balanced endpoint is passed on later'),
  failPercent: percent.describe('share of the jobs that end as FAILED, and of the requests that are answered 500'),
  killPercent: percent.describe('share of the tries whose worker is killed as it gets them'),
  outOfMemoryPercent: percent.describe('the same, told as out of memory'),
  throttle: z.boolean().optional().describe('no place for a further worker'),
  coldStart: z.boolean().optional().describe('a worker runs one job and ends; none waits for the next one'),
})

/** The fault switches of an endpoint. */
export type Faults = z.infer<typeof faults>

/** All switches off, as an update takes it. */
export const ALL_FAULTS_OFF = {
  delayMs: 0,
  failPercent: 0,
  killPercent: 0,
  outOfMemoryPercent: 0,
  throttle: false,
  coldStart: false,
} as const satisfies Required<Faults>
