import { z } from 'zod'
import type { ResponseOf } from '../../app/client/calls.ts'
import { readingTool, type Tool, tool } from '../../app/mcp/tool.ts'
import { endpointId, preview, when } from '../../app/mcp/tools/shared.ts'
import { loadTestCreate } from '../../contract/requests.ts'
import { SCHEDULE_ROUTES, type ScheduleView } from '../../contract/schedules.ts'
import { WHAT_IF_ROUTES } from '../../contract/what-if.ts'
import { durationText } from '../../lib/text.ts'
import { HOUR_MS } from '../../lib/units.ts'

const loadTestId = z.string().max(100).describe('id of the load test')

// Limit for an agent; larger tests are for people to start.
const REQUESTS_MAX = 10_000
const CONCURRENCY_MAX = 64
const HOURS_MAX = 31 * 24

const whatIfBody = WHAT_IF_ROUTES.whatIf.body
const schedule = SCHEDULE_ROUTES.scheduleCreate.body.shape

export const REQUEST_TOOLS: readonly Tool[] = [
  readingTool({
    name: 'saved_request_list',
    title: 'List saved requests',
    description: 'The requests that people saved for an endpoint under a name.',
    input: { endpointId },
    async run(path, { client }) {
      const { requests } = await client.call('savedRequestList', { path })
      return {
        data: {
          requests: requests.map(({ id, name, request, updatedAt }) => ({
            ...{ id, name, operation: request.operation, body: preview(request.body, BODY_LENGTH) },
            updatedAt: when(updatedAt),
          })),
        },
      }
    },
  }),
  tool({
    name: 'saved_request_run',
    title: 'Run a saved request',
    description: 'Sends a saved request as a job and gives its id; wait for it with job_wait.',
    input: { endpointId, name: z.string().max(100).describe('name of the saved request') },
    role: 'run',
    effect: 'writes',
    async run({ endpointId: id, name }, { client }) {
      const path = { endpointId: id }
      const { requests } = await client.call('savedRequestList', { path })
      const found = requests.find((one) => one.name === name)
      if (found === undefined) throw new Error(`${id} has no saved request ${name}. saved_request_list lists them.`)
      if (found.request.operation === 'request')
        throw new Error(`${name} is an HTTP request to a load-balanced endpoint, which makes no job.`)
      return { data: await client.call('run', { path, bodyText: found.request.body }) }
    },
  }),
  tool({
    name: 'load_test_start',
    title: 'Start a load test',
    description:
      'Sends many requests to an endpoint at once, and measures. One can run at a time. Read it with load_test_read; the jobs are real.',
    input: {
      endpointId,
      operation: loadTestCreate.shape.operation.default('runsync'),
      requests: z.number().int().min(1).max(REQUESTS_MAX),
      concurrency: z.number().int().min(1).max(CONCURRENCY_MAX),
      input: z.record(z.string(), z.unknown()).optional().describe('of jobs: what the handler gets'),
      method: loadTestCreate.shape.method,
      path: loadTestCreate.shape.path,
    },
    role: 'run',
    effect: 'writes',
    async run({ endpointId: id, input, ...plan }, { client }) {
      const body = {
        ...plan,
        ...(plan.operation === 'request' ? {} : { body: JSON.stringify({ input: input ?? {} }) }),
      }
      return { data: viewOf(await client.call('loadTestCreate', { path: { endpointId: id }, body })) }
    },
  }),
  readingTool({
    name: 'load_test_read',
    title: 'Read load tests',
    description: 'The figures of a load test, or of the newest ones of an endpoint.',
    input: { endpointId, loadTestId: loadTestId.optional() },
    async run({ endpointId: id, loadTestId: test }, { client }) {
      const path = { endpointId: id }
      if (test !== undefined)
        return { data: viewOf(await client.call('loadTestRead', { path: { ...path, loadTestId: test } })) }
      const { loadTests } = await client.call('loadTestList', { path })
      return { data: { loadTests: loadTests.slice(0, NEWEST).map(viewOf) } }
    },
  }),
  tool({
    name: 'load_test_stop',
    title: 'Stop a load test',
    description: 'Sends no further request; what was measured stays.',
    input: { endpointId, loadTestId },
    role: 'run',
    effect: 'writes',
    isIdempotent: true,
    run: async (path, { client }) => ({ data: viewOf(await client.call('loadTestStop', { path })) }),
  }),
  readingTool({
    name: 'what_if',
    title: 'Ask what other settings would have done',
    description:
      'Simulates an endpoint with other settings: waiting, cold starts, worker-seconds and cost, for the jobs of the last hours or a steady load. Nothing is changed; endpoint_update does that.',
    input: {
      endpointId,
      hours: z.number().min(0.1).max(HOURS_MAX).default(24).describe('how far back its jobs are replayed'),
      perSecond: z
        .number()
        .gt(0)
        .max(1000)
        .optional()
        .describe('simulate this many jobs per second for an hour instead'),
      vary: whatIfBody.shape.vary.describe('values to try for each setting; without it those around the present ones'),
      prices: whatIfBody.shape.prices,
      card: whatIfBody.shape.card,
    },
    rest: 'Try fewer values.',
    async run({ endpointId: id, hours, perSecond, ...asked }, { client, now }) {
      const load =
        perSecond === undefined
          ? { type: 'recorded' as const, from: Math.round(now() - hours * HOUR_MS), to: now() }
          : { type: 'steady' as const, perSecond, durationMs: HOUR_MS }
      const answer = await client.call('whatIf', { path: { endpointId: id }, body: { load, seed: 1, ...asked } })
      const rows = answer.rows.map(({ course: _course, ...row }) => row)
      return { data: { ...answer, rows: rows.slice(0, ROWS) }, more: moreRows(rows.length) }
    },
  }),
  readingTool({
    name: 'schedule_list',
    title: 'List schedules',
    description: 'The schedules of all endpoints or of one: when each is due, and its latest runs.',
    input: { endpointId: endpointId.optional() },
    async run({ endpointId: id }, { client }) {
      const { schedules } = await client.call('scheduleList', { query: id === undefined ? {} : { endpoint: id } })
      return { data: { schedules: schedules.map(scheduleRow) } }
    },
  }),
  tool({
    name: 'schedule_add',
    title: 'Add a schedule',
    description:
      'Lets the service queue a job by itself, on a cron pattern or at regular intervals, until schedule_remove.',
    input: {
      endpointId,
      name: schedule.name,
      cron: schedule.cron,
      everyMs: schedule.everyMs,
      timeZone: schedule.timeZone,
      missed: schedule.missed,
      input: z.record(z.string(), z.unknown()).default({}).describe('what the handler gets'),
    },
    role: 'run',
    effect: 'writes',
    async run({ endpointId: id, input, ...when }, { client }) {
      const body = { ...when, request: { input } }
      return { data: scheduleRow(await client.call('scheduleCreate', { path: { endpointId: id }, body })) }
    },
  }),
  tool({
    name: 'schedule_remove',
    title: 'Remove a schedule',
    description: 'Deletes a schedule; jobs that it has queued stay.',
    input: { endpointId, scheduleId: z.string().max(100).describe('id of the schedule, as schedule_list has it') },
    role: 'run',
    effect: 'dangerous',
    run: async (path, { client }) => ({ data: await client.call('scheduleDelete', { path }) }),
  }),
]

const ROWS = 30
const RUNS_SHOWN = 5

const moreRows = (count: number) => (count > ROWS ? `${count - ROWS} more settings: try fewer values.` : undefined)

function scheduleRow({ request, runs, upcoming, createdAt, nextAt, ...rest }: ScheduleView) {
  return {
    ...rest,
    request: preview(request, BODY_LENGTH),
    createdAt: when(createdAt),
    nextAt: nextAt === undefined ? undefined : when(nextAt),
    upcoming: upcoming.map(when),
    runs: runs.slice(0, RUNS_SHOWN).map(({ dueAt, ...run }) => ({ dueAt: when(dueAt), ...run })),
  }
}

const BODY_LENGTH = 1000
const NEWEST = 10

type LoadTest = ResponseOf<'loadTestRead'>

function viewOf({ id, endpointId: endpoint, state, reason, plan, startedAt, result }: LoadTest) {
  const { elapsedMs, latency, delay, execution, ...counts } = result
  return {
    ...{ id, endpointId: endpoint, state, reason, plan },
    startedAt: when(startedAt),
    elapsed: durationText(elapsedMs),
    perSecond: elapsedMs === 0 ? undefined : Math.round((counts.done / elapsedMs) * 10_000) / 10,
    ...counts,
    ...{ latency: spansText(latency), delay: spansText(delay), execution: spansText(execution) },
  }
}

const spansText = (spans: NonNullable<LoadTest['result']['latency']> | undefined) =>
  spans &&
  `p50 ${durationText(spans.p50)}, p90 ${durationText(spans.p90)}, p99 ${durationText(spans.p99)}, longest ${durationText(spans.max)}`
