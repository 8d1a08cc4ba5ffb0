import { z } from 'zod'
import { DAY_MS } from '../lib/units.ts'
import { jobListItem, jobRequest } from './job.ts'
import { limit } from './limits.ts'
import { DELETE, done, GET, moment, PATCH, POST, type Route } from './routes.ts'

/** Handling of times while the service was stopped: nothing, or one job for the last of them. */
export const WHEN_MISSED = ['skip', 'run'] as const

/** The schedule that an app's code declares. The platform names no time zone. */
export const APP_SCHEDULE = { name: '@schedule', timeZone: 'UTC' } as const

const EVERY = `must be a whole number of ms from ${limit('scheduleEveryMinMs')} to ${366 * DAY_MS}`

const timing = {
  cron: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('five fields, or six with seconds first; or @daily and the like'),
  everyMs: z
    .number(EVERY)
    .int(EVERY)
    .min(limit('scheduleEveryMinMs'), EVERY)
    .max(366 * DAY_MS, EVERY)
    .optional()
    .describe('an interval instead, counted from when the schedule was made'),
  timeZone: z
    .string()
    .max(64)
    .optional()
    .describe('of the pattern, like Europe/Berlin; that of the machine without it'),
}

const settings = {
  name: z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(100, 'must be at most 100 characters')
    .regex(/^[^@]/, 'must not begin with @, as the schedules of apps do'),
  ...timing,
  missed: z
    .enum(WHEN_MISSED, `must be one of ${WHEN_MISSED.join(', ')}`)
    .optional()
    .describe('`skip` without it'),
}

const isOneTiming = ({ cron, everyMs }: { readonly cron?: unknown; readonly everyMs?: unknown }) =>
  (cron === undefined) !== (everyMs === undefined)

/** The request is the body of the operation run. */
const scheduleCreate = z
  .strictObject({ ...settings, request: jobRequest.pick({ input: true, webhook: true, policy: true }).strict() })
  .refine(isOneTiming, { path: ['cron'], message: 'give either cron or everyMs' })

export type ScheduleCreate = z.infer<typeof scheduleCreate>

export type ScheduleTiming = Pick<ScheduleCreate, 'cron' | 'everyMs' | 'timeZone'>

/** Result of a time: a job, no job with the reason, or missed because the service was stopped. */
const SCHEDULE_OUTCOMES = ['queued', 'refused', 'missed'] as const

/** One time of a schedule, or several missed ones together. */
export const scheduleRun = z.object({
  dueAt: moment.describe('the time of the schedule; of several, the first'),
  outcome: z.enum(SCHEDULE_OUTCOMES),
  count: z
    .number()
    .int()
    .describe(`how many times; ${limit('scheduleTimesCounted')} stands for more, too`),
  jobId: z.string().optional().describe('of a time that was missed: the one that stands in for it'),
  reason: z.string().optional().describe('why there is no job, or why it is late'),
})

export type ScheduleRun = z.infer<typeof scheduleRun>

export const scheduleView = z.object({
  id: z.string(),
  endpointId: z.string(),
  name: z.string(),
  cron: z.string().optional(),
  everyMs: z.number().int().optional(),
  timeZone: z.string().optional(),
  missed: z.enum(WHEN_MISSED),
  request: z.string().describe('JSON text of what is sent to run'),
  paused: z.boolean(),
  createdAt: moment,
  nextAt: moment.optional().describe('missing while it is paused, and where the pattern has no more times'),
  upcoming: z.array(moment).describe('the next times, the first of which is nextAt'),
  runs: z
    .array(scheduleRun.extend({ job: jobListItem.optional().describe('missing: it is no longer stored') }))
    .describe('newest first, each with its job as it is now'),
})

export type ScheduleView = z.infer<typeof scheduleView>

const SCHEDULE = '/api/endpoints/:endpointId/schedules/:scheduleId'

/** Part of the management API for schedules and their runs. Source: ours. */
export const SCHEDULE_ROUTES = {
  scheduleList: GET('/api/schedules', 'List schedules, of all endpoints or of one, by name', {
    query: { endpoint: z.string().optional() },
    response: z.object({ schedules: z.array(scheduleView) }),
  }),
  scheduleCreate: POST(
    '/api/endpoints/:endpointId/schedules',
    'Add a schedule: the service queues the request as a job at each of its times',
    {
      role: 'run',
      body: scheduleCreate,
      response: scheduleView,
      errors: [
        'NOT_JSON',
        'BAD_FIELD',
        'BAD_INPUT',
        'BODY_TOO_LARGE',
        'NOT_QUEUE_BASED',
        'SCHEDULE_EXISTS',
        'TOO_MANY_SCHEDULES',
      ],
    },
  ),
  scheduleRead: GET(SCHEDULE, 'Read a schedule', { response: scheduleView, errors: ['SCHEDULE_NOT_FOUND'] }),
  scheduleUpdate: PATCH(
    SCHEDULE,
    'Pause a schedule, or resume it; runs missed while it is paused are not made up for',
    {
      role: 'run',
      body: z.strictObject({ paused: z.boolean('must be true or false') }),
      response: scheduleView,
      errors: ['NOT_JSON', 'BAD_FIELD', 'SCHEDULE_NOT_FOUND'],
    },
  ),
  scheduleRunNow: POST(`${SCHEDULE}/run`, 'Queue the request of a schedule now, in addition to its times', {
    role: 'run',
    response: z.object({ jobId: z.string() }),
    errors: ['SCHEDULE_NOT_FOUND', 'ENDPOINT_PAUSED'],
  }),
  scheduleDelete: DELETE(SCHEDULE, 'Delete a schedule; jobs that it has queued stay', {
    role: 'run',
    response: done,
    errors: ['SCHEDULE_NOT_FOUND', 'NOT_DONE'],
  }),
} as const satisfies Record<string, Route>
