import { z } from 'zod'
import type { ServiceClient } from '../../app/client/service-client.ts'
import { readingTool, type Tool, type ToolContext, tool } from '../../app/mcp/tool.ts'
import { endpointId, jobId, jobRow, logText, preview, rows, when } from '../../app/mcp/tools/shared.ts'
import { JOB_STATES, jobPriority } from '../../contract/job.ts'
import { limit } from '../../contract/limits.ts'
import { writeExact } from '../../lib/json/plain.ts'
import { durationText } from '../../lib/text.ts'
import { explainJob } from './rules/explain-job.ts'
import { isFinal } from './rules/transitions.ts'

const PAYLOAD_PREVIEW = 2000
const LOG_TAIL = 20
const MOMENT = z.number().int().min(0)

const PAYLOAD_REST = 'Read an input or output in pieces with job_payload.'

const policy = z
  .strictObject({
    executionTimeout: MOMENT.optional().describe('ms that it may run'),
    ttl: MOMENT.optional().describe('ms that it may wait and run; 10000 at least'),
    lowPriority: z.boolean().optional(),
    priority: jobPriority.optional().describe('higher ones run first; 0 without it'),
  })
  .optional()

export const JOB_TOOLS: readonly Tool[] = [
  readingTool({
    name: 'job_read',
    title: 'Read a job',
    description:
      'A job with what happened to it and why, in sentences: its timeline, why it waits or failed, its cold start, its webhooks, its newest log lines. The first call when a job is slow, stuck or failed.',
    input: { jobId },
    rest: PAYLOAD_REST,
    run: async ({ jobId: id }, context) => ({ data: await describeJob(context, id) }),
  }),
  readingTool({
    name: 'job_wait',
    title: 'Wait for a job',
    description: `Waits until a job has ended, for ${limit('mcpWaitMs') / 1000} s at most, and reads it. If it has not ended by then, call it again: jobs lose nothing.`,
    input: {
      jobId,
      seconds: z
        .number()
        .min(0)
        .max(limit('mcpWaitMs') / 1000)
        .default(30),
    },
    rest: PAYLOAD_REST,
    run: waitForJob,
  }),
  readingTool({
    name: 'job_search',
    title: 'Search jobs',
    description: 'Jobs of all endpoints that match, newest first, and how many there are.',
    input: {
      endpointId: endpointId.optional(),
      status: z.array(z.enum(JOB_STATES)).min(1).optional(),
      text: z
        .string()
        .max(500)
        .optional()
        .describe('words that must all occur in input, output or error; or a job id or the end of one'),
      workerId: z.string().max(100).optional(),
      batchId: z.string().max(100).optional(),
      from: MOMENT.optional().describe('created at or after, ms since the epoch'),
      to: MOMENT.optional().describe('created at or before, ms since the epoch'),
      rows: rows(20),
      cursor: z.string().max(20).optional().describe('`cursor` of an earlier answer, for the next page'),
    },
    rest: 'Ask for fewer rows, and go on with `cursor`.',
    async run({ endpointId, status, text: q, workerId, batchId, from, to, rows: count, cursor }, { client }) {
      const of = { endpoint: endpointId, worker: workerId, batch: batchId }
      const query = { ...of, status: status?.join(','), q, from, to }
      const [page, total] = await Promise.all([
        client.call('jobList', { query: { ...query, limit: count, cursor } }),
        client.call('jobCount', { query }),
      ])
      return {
        data: { count: total.count, jobs: page.requests.map(jobRow), cursor: page.cursor },
        more: page.cursor === undefined ? undefined : `There are more: cursor=${page.cursor}.`,
      }
    },
  }),
  readingTool({
    name: 'job_payload',
    title: 'Read an input or output in pieces',
    description: 'The whole input, output, error or stream of a job as text, in pieces.',
    input: {
      jobId,
      part: z.enum(['input', 'output', 'error', 'stream']),
      offset: MOMENT.default(0).describe('characters to leave out'),
    },
    async run({ jobId: id, part, offset }, { client }) {
      const { text, left } = await payloadText(client, id, part)
      const piece = limit('mcpTextCharacters')
      const end = Math.min(text.length, offset + piece)
      return {
        data: { text: text.slice(offset, end), from: offset, to: end, of: text.length },
        more: end < text.length ? `The next piece: offset=${end}.` : left,
      }
    },
  }),
  tool({
    name: 'job_submit',
    title: 'Send a job',
    description: 'Queues a job and gives its id; wait for it with job_wait.',
    input: {
      endpointId,
      input: z.record(z.string(), z.unknown()).describe('what the handler gets as job["input"]'),
      policy,
      webhook: z.url().max(limit('webhookUrlLength')).optional(),
      idempotencyKey: z.string().min(1).max(limit('idempotencyKeyLength')).optional(),
    },
    role: 'run',
    effect: 'writes',
    run: async ({ endpointId: id, ...body }, { client }) => ({
      data: await client.call('run', { path: { endpointId: id }, body }),
    }),
  }),
  tool({
    name: 'job_cancel',
    title: 'Cancel a job',
    description:
      'Cancels a waiting or running job. If its handler does not stop in time, its worker ends, and other jobs of that worker start again.',
    input: { jobId },
    role: 'run',
    effect: 'writes',
    isIdempotent: true,
    async run({ jobId: id }, { client }) {
      const { endpointId: endpoint } = await client.call('jobProgress', { path: { jobId: id } })
      return { data: await client.call('cancel', { path: { endpointId: endpoint, jobId: id } }) }
    },
  }),
  tool({
    name: 'job_replay',
    title: 'Run a job again',
    description:
      'Runs an ended job again: "same" retries a failed or timed-out job under its id, "new" makes a new job of its input, which works for any ended job.',
    input: { jobId, as: z.enum(['same', 'new']).default('new') },
    role: 'run',
    effect: 'writes',
    async run({ jobId: id, as }, { client }) {
      if (as === 'new') return { data: await client.call('jobRerun', { path: { jobId: id } }) }
      const { endpointId: endpoint } = await client.call('jobProgress', { path: { jobId: id } })
      return { data: await client.call('retry', { path: { endpointId: endpoint, jobId: id } }) }
    },
  }),
  tool({
    name: 'webhook_resend',
    title: 'Send a webhook again',
    description: 'Sends the webhook of an ended job again.',
    input: { deliveryId: MOMENT.describe('id of the delivery, as job_read has it') },
    role: 'run',
    effect: 'writes',
    run: async ({ deliveryId }, { client }) => ({
      data: await client.call('deliveryResend', { path: { deliveryId: String(deliveryId) } }),
    }),
  }),
]

async function waitForJob(
  { jobId: id, seconds }: { readonly jobId: string; readonly seconds: number },
  context: ToolContext,
) {
  const { client, now, pause, signal, report } = context
  const until = now() + seconds * 1000
  for (;;) {
    const job = await client.call('jobProgress', { path: { jobId: id } })
    const left = until - now()
    if (isFinal(job.status)) return { data: await describeJob(context, id) }
    const waitsInVain = job.waitingNeedsChange === true
    if (left <= 0 || waitsInVain) {
      const more = waitsInVain
        ? 'It cannot start by waiting: something has to be changed first.'
        : 'It has not ended yet. Call job_wait again to go on waiting.'
      return { data: await describeJob(context, id), more }
    }
    report(job.waitingReason ?? `${job.status} for ${durationText(now() - job.createdAt)}`)
    const path = { endpointId: job.endpointId, jobId: id }
    const ended = client.call('statusSync', { path, query: { wait: MOST_OF_A_LOOK_MS }, signal }).catch(() => undefined)
    await Promise.race([ended, pause(Math.min(left, LOOK_EVERY_MS), signal).catch(() => undefined)])
    if (signal.aborted) throw new Error('The call was given up.')
  }
}

const LOOK_EVERY_MS = 1000
const MOST_OF_A_LOOK_MS = 1000

export async function describeJob({ client, now }: Pick<ToolContext, 'client' | 'now'>, id: string) {
  const path = { jobId: id }
  const [job, { lines }] = await Promise.all([
    client.call('jobRead', { path }),
    client.call('jobLogs', { path, query: { tail: LOG_TAIL } }),
  ])
  const claim = job.history.find(({ event }) => event === 'claim')
  const { events } =
    claim === undefined
      ? { events: [] }
      : await client.call('fleetEventList', {
          query: { endpoint: job.endpointId, kinds: 'scale,worker,crash', to: claim.at, limit: WORKER_EVENTS },
        })
  const { input, output, history, deliveries, waitingReason, ...more } = job
  return {
    says: explainJob({ ...job, workerEvents: events, now: now() }),
    ...jobRow(job),
    finishedAt: job.finishedAt === undefined ? undefined : when(job.finishedAt),
    waitingReason,
    attempt: more.attempt,
    chunks: more.chunkCount === 0 ? undefined : more.chunkCount,
    timeline: timelineOf(job.createdAt, history),
    deliveries: deliveries.length === 0 ? undefined : deliveries,
    input: preview(input, PAYLOAD_PREVIEW),
    output: preview(output, PAYLOAD_PREVIEW),
    log: lines.length === 0 ? undefined : logText(lines),
  }
}

const WORKER_EVENTS = 200
const SHOWN_CHUNKS = 1000
const SHOWN_MOVES = 40

type Move = Awaited<ReturnType<typeof readHistory>>[number]

const readHistory = async (client: ServiceClient, id: string) =>
  (await client.call('jobRead', { path: { jobId: id } })).history

function timelineOf(createdAt: number, history: readonly Move[]): readonly string[] {
  return history.slice(-SHOWN_MOVES).map(({ at, event, to, workerId, attempt, reason }) => {
    const by = workerId === undefined ? '' : ` by worker ${workerId}, try ${attempt}`
    return `+${durationText(at - createdAt)} ${event} → ${to}${by}${reason === undefined ? '' : `: ${reason}`}`
  })
}

async function payloadText(client: ServiceClient, id: string, part: 'input' | 'output' | 'error' | 'stream') {
  if (part === 'stream') {
    const { chunks, more } = await client.call('jobChunks', { path: { jobId: id }, query: { limit: SHOWN_CHUNKS } })
    const left = more
      ? `The stream goes on after these ${chunks.length} chunks: drydock job export ${id} -o FILE writes all of it.`
      : undefined
    return { text: writeExact(chunks.map(({ output }) => output)) ?? '', left }
  }
  const { [part]: value } = await client.call('jobRead', { path: { jobId: id } })
  return { text: typeof value === 'string' ? value : (writeExact(value) ?? ''), left: undefined }
}
