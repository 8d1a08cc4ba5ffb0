import type { Context } from 'hono'
import { streamSSE } from 'hono/streaming'
import type { BATCH_V2_ROUTES } from '../../../contract/batch.ts'
import { AppError } from '../../../contract/errors.ts'
import { limit } from '../../../contract/limits.ts'
import { V2_ROUTES, type V2Operation } from '../../../contract/v2-routes.ts'
import {
  type JobApiServices,
  JSON_TYPE,
  jsonResponse,
  type OperationRequest,
  type V2Operate,
} from '../../../http/operation.ts'
import { parseRequest } from '../../../http/read-request.ts'
import { afterResponse } from '../../../http/send-response.ts'
import type { SentJson } from '../../../lib/json/bytes.ts'
import { writeJson } from '../../../lib/json/value.ts'
import type { Endpoint, Job, JobStore } from '../../../storage/storage.ts'
import { kindOf, workedBy } from '../../endpoints/kinds/endpoint-kinds.ts'
import { readHealth } from '../../endpoints/views.ts'
import { withLivePackages } from '../../platform-api/live-packages.ts'
import { describeGraph } from '../../workflows/rules/publish/describe-graph.ts'
import { cancelJob, retryJob } from '../queue/change-job.ts'
import type { StreamClient } from '../queue/stream-clients.ts'
import type { Submission } from '../queue/submit.ts'
import { EMPTY_INPUT, isEmptyInput } from '../rules/empty-input.ts'
import { jobRecordPieces } from '../rules/job-record.ts'
import { isFinal } from '../rules/transitions.ts'
import { submissionOf } from './submission.ts'

type V2Operations = { readonly [Name in V2Operation]: V2Operate<Name> }
type JobOperations = Omit<V2Operations, keyof typeof BATCH_V2_ROUTES>

// A job waits for its own commit, and a power cut may undo health's stats.
const WAITS_FOR_NO_OTHERS: ReadonlySet<V2Operation> = new Set(['run', 'runsync', 'health'])

/**
 * Responds once everything in the answer is durable.
 * @throws AppError of parseRequest and of the operation, STORAGE_FAILED
 */
export async function operateV2(
  operations: V2Operations,
  name: V2Operation,
  request: OperationRequest,
): Promise<Response> {
  // Row and operation have the same name, which the compiler cannot see through a variable.
  const operate = operations[name] as (request: object) => Promise<Response> | Response
  const answer = await operate({ ...request, ...(await readOrNote(name, request)) })
  if (!WAITS_FOR_NO_OTHERS.has(name)) await request.service.storage.durable()
  return answer
}

/** An unusable input is also logged for the endpoint, where its owner looks next. */
async function readOrNote(name: V2Operation, { c, service, endpoint }: OperationRequest): Promise<object> {
  try {
    return await parseRequest(c, V2_ROUTES[name], service)
  } catch (error) {
    if (error instanceof AppError && error.code === 'BAD_INPUT')
      service.endpointLog({ endpointId: endpoint.id, line: `A request was refused: ${error.message}` })
    throw error
  }
}

export const LIMIT_NAMES: Readonly<Partial<Record<V2Operation, string>>> = {
  run: 'run',
  runsync: 'runsync',
  status: 'status',
  statusSync: 'status',
  stream: 'stream',
  cancel: 'cancel',
  purgeQueue: 'purge-queue',
  requests: 'requests',
}

const run: JobOperations['run'] = async (request) => {
  const { c, service } = request
  const header = c.req.header('idempotency-key')
  const trace = service.traces.read((name) => c.req.header(name))
  const submission = submissionOf(request, { kind: 'run', waitMs: undefined, header, trace })
  const endpoint = await withLivePackages(service, request.endpoint, submission.input)
  const job = await submitNoted(service, endpoint, submission)
  service.streamClients.hasRun(clientOf(request))
  return handleText(job)
}

async function submitNoted(service: JobApiServices, endpoint: Endpoint, submission: Submission): Promise<Job> {
  const job = await kindOf(endpoint).submit(service, endpoint, submission)
  if (isEmptyInput(submission.input))
    service.endpointLog({ endpointId: endpoint.id, line: `A job came with an empty input. ${EMPTY_INPUT}` })
  return job
}

function handleText(job: Pick<Job, 'id' | 'status'>): Response {
  return jsonResponse(`{"id":"${job.id}","status":"${job.status}"}`)
}

function clientOf({ c, endpoint }: OperationRequest): StreamClient {
  return {
    endpointId: endpoint.id,
    authorization: c.req.header('authorization') ?? '',
    userAgent: c.req.header('user-agent') ?? '',
  }
}

const runsync: JobOperations['runsync'] = async (request) => {
  const { c, service, query } = request
  const header = c.req.header('idempotency-key')
  const trace = service.traces.read((name) => c.req.header(name))
  const submission = submissionOf(request, { kind: 'runsync', waitMs: query.wait, header, trace })
  const endpoint = await withLivePackages(service, request.endpoint, submission.input)
  const job = await submitNoted(service, endpoint, submission)
  return respondAtEnd(c, service, job, query.wait ?? limit('waitDefaultMs'))
}

function jobOf({
  path: { jobId },
  service,
  endpoint,
}: Pick<OperationRequest, 'service' | 'endpoint'> & { readonly path: { readonly jobId: string } }): Job {
  const job = service.storage.jobs.find(jobId)
  // Archived: retention has passed, and production would not know the job.
  if (job === undefined || job.archived === 1 || !kindOf(endpoint).hasJob(service.storage, endpoint, job))
    throw new AppError('JOB_NOT_FOUND', { jobId: jobId.slice(0, 100) })
  return job
}

const status: JobOperations['status'] = async (request) => {
  const { service } = request
  const { storage } = service
  const { ttl } = request.query
  const found = jobOf(request)
  if (ttl !== undefined && !isFinal(found.status))
    await storage.write(() => storage.jobs.setTtl({ seq: found.seq, ttlMs: ttl }))
  const job = ttl === undefined ? found : storage.jobs.read(found.seq)
  if (job === undefined) throw new AppError('JOB_NOT_FOUND', { jobId: found.id })
  return jsonResponse(await openJobRecord(storage.jobs, job))
}

const statusSync: JobOperations['statusSync'] = async (request) => {
  const waitMs = request.query.wait ?? limit('waitDefaultMs')
  return respondAtEnd(request.c, request.service, jobOf(request), waitMs)
}

async function respondAtEnd(
  c: Context,
  { storage, waiters }: Pick<JobApiServices, 'storage' | 'waiters'>,
  job: Job,
  waitMs: number,
): Promise<Response> {
  const ended = await waiters.untilEnd(job, waitMs, c.req.raw.signal)
  if (ended === undefined || !isFinal(ended.status)) return handleText(ended ?? job)
  return jsonResponse(await openJobRecord(storage.jobs, ended))
}

async function openJobRecord(jobs: Pick<JobStore, 'openInput' | 'openOutput'>, job: Job): Promise<readonly SentJson[]> {
  const input = isFinal(job.status) ? undefined : await jobs.openInput(job)
  return jobRecordPieces<SentJson>({ ...job, output: await jobs.openOutput(job), input, webhook: undefined })
}

/**
 * The specification shows an array; features/jobs/rules/stream decides who gets an object. Source: docs/spec/job-api.md, 1, 5.
 */
const stream: JobOperations['stream'] = async (request) => {
  const { c, service } = request
  const { wait: holdMs = limit('streamHoldMs'), format: asked } = request.query
  const job = jobOf(request)
  if (/\btext\/event-stream\b/.test(c.req.header('accept') ?? '')) return streamEvents(c, service, job)
  const read = await service.streams.read(job, { holdMs, signal: c.req.raw.signal })
  afterResponse(c, {
    written: () =>
      void read.delivered().catch((error) => service.log.warn('stream cursor not moved', { jobId: job.id, error })),
    lost: read.lost,
  })
  const array = `[${read.chunks.join(',')}]`
  const form = service.streamClients.formFor(
    clientOf(request),
    { jobId: job.id, status: read.status, chunks: read.chunks.length },
    {
      asked,
      ofEndpoint: request.endpoint.config.streamForm,
      ofService: service.settings.get().streamForm,
      announcesJson: /^application\/json\b/i.test(c.req.header('content-type') ?? ''),
    },
  )
  const body = form === 'object' ? `{"status":"${read.status}","stream":${array}}` : array
  return new Response(body, { headers: { ...JSON_TYPE, 'job-status': read.status } })
}

function streamEvents(c: Context, service: Pick<JobApiServices, 'streams'>, job: Job): Response {
  return streamSSE(c, async (events) => {
    for (;;) {
      const read = await service.streams.read(job, { holdMs: limit('takeHoldMs'), signal: c.req.raw.signal })
      if (events.aborted || events.closed) return read.lost()
      try {
        for (const chunk of read.chunks) await events.writeSSE({ event: 'chunk', data: chunk })
        if (read.chunks.length === 0 && !isFinal(read.status)) await events.write(': still here\n\n')
      } catch (error) {
        read.lost()
        throw error
      }
      if (events.aborted) return read.lost()
      await read.delivered()
      if (read.chunks.length === 0 && isFinal(read.status)) {
        await events.writeSSE({ event: 'end', data: JSON.stringify({ status: read.status }) })
        return
      }
    }
  })
}

const cancel: JobOperations['cancel'] = async (request) => handleText(await cancelJob(request.service, jobOf(request)))

const retry: JobOperations['retry'] = async (request) => handleText(await retryJob(request.service, jobOf(request)))

const purge: JobOperations['purgeQueue'] = async ({ service, endpoint }) => {
  const removed = await kindOf(endpoint).purge(service, endpoint.id)
  return jsonResponse(JSON.stringify({ removed, status: 'completed' }))
}

const health: JobOperations['health'] = ({ service, endpoint }) => {
  const worker = workedBy(service.storage, endpoint)
  return jsonResponse(JSON.stringify(readHealth(service.views, worker)))
}

const openapi: JobOperations['openapi'] = ({ service: { storage, info }, endpoint: { id, config } }) => {
  const version = config.graph && storage.graphs.get(id, config.graph.version)
  const url = `${info().url}/v2/${id}`
  return jsonResponse(writeJson(describeGraph({ id, name: config.name, url, ...version }), 2))
}

/** Newest first, with full-text search except for published graphs. */
const requests: JobOperations['requests'] = async ({ query, service, endpoint }) => {
  const page = await kindOf(endpoint).list(service, endpoint, {
    status: query.status,
    q: query.q,
    cursor: query.cursor,
    limit: query.limit,
  })
  return jsonResponse(JSON.stringify(page))
}

export const JOB_V2_OPERATIONS: JobOperations = {
  run,
  runsync,
  status,
  statusSync,
  stream,
  cancel,
  retry,
  purgeQueue: purge,
  health,
  openapi,
  requests,
}
