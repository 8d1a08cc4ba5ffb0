/** The operations of the job API and their table. */
import type { Context } from 'hono'
import { streamSSE } from 'hono/streaming'
import { AppError } from '../../contract/errors.ts'
import type { JobRequest } from '../../contract/job.ts'
import { limit } from '../../contract/limits.ts'
import { V2_ROUTES, type V2Operation } from '../../contract/v2-routes.ts'
import { EMPTY_INPUT, isEmptyInput } from '../../domain/job/empty-input.ts'
import { jobRecordPieces } from '../../domain/job/job-record.ts'
import { isFinal } from '../../domain/job/transitions.ts'
import type { SentJson } from '../../domain/json/json.ts'
import { kindOf, workedBy } from '../../services/endpoint-kinds.ts'
import { readHealth } from '../../services/endpoints/views.ts'
import { withLivePackages } from '../../services/platform/live-packages.ts'
import type { Endpoint, Job, JobStore } from '../../services/ports/storage.ts'
import { cancelJob, retryJob } from '../../services/queue/change-job.ts'
import type { StreamClient } from '../../services/queue/stream-clients.ts'
import type { Submission } from '../../services/queue/submit.ts'
import { type JobApiServices, JSON_TYPE, jsonResponse, type OperationRequest } from '../operation.ts'
import { type JsonBody, type Parsed, parseRequest } from '../read-request.ts'
import { afterResponse } from '../send-response.ts'

/** The operations of the job API: the request has been read by the row of the operation. */
type JobOperations = {
  readonly [Name in V2Operation]: (
    request: OperationRequest & Parsed<(typeof V2_ROUTES)[Name]>,
  ) => Promise<Response> | Response
}

// These need not wait for what others have written. A job is queued and reported on when its own commit is on the disk;
// health gives figures, which a power cut may take back.
const WAITS_FOR_NO_OTHERS: ReadonlySet<V2Operation> = new Set(['run', 'runsync', 'health'])

/**
 * Reads a request by its row, and answers it when all that the answer can hold is on the disk.
 * @throws AppError of parseRequest and of the operation, STORAGE_FAILED
 */
export async function operateJobs(name: V2Operation, request: OperationRequest): Promise<Response> {
  // Row and operation have one name, which the compiler cannot see through a variable.
  const operate = OPERATIONS[name] as (request: object) => Promise<Response> | Response
  const answer = await operate({ ...request, ...(await readOrNote(name, request)) })
  if (!WAITS_FOR_NO_OTHERS.has(name)) await request.service.storage.durable()
  return answer
}

/** Reads a request; one without a usable input is noted in the log of the endpoint too, where its owner looks next. */
async function readOrNote(name: V2Operation, { c, service, endpoint }: OperationRequest): Promise<object> {
  try {
    return await parseRequest(c, V2_ROUTES[name], service)
  } catch (error) {
    if (error instanceof AppError && error.code === 'BAD_INPUT')
      service.endpointLog({ endpointId: endpoint.id, line: `A request was refused: ${error.message}` })
    throw error
  }
}

/** Names under which strict limits know the operations. */
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

/** The body of run or runsync: its fields, and all of it as it came. */
type JobBody = { readonly body: JobRequest; readonly sent: JsonBody }

// Of a body whose payloads are passed on, longer fields come empty.
const READ_FIELDS = ['webhook', 'policy', 'idempotencyKey']
const LONGEST_READ = 64 * 1024

/**
 * Makes the submission of a body of run or runsync. The payloads stay as they came.
 * @param header the key of the request's header
 * @throws AppError BAD_FIELD
 */
export function submissionOf(
  { body, sent }: JobBody,
  {
    kind,
    waitMs,
    header,
    trace,
  }: Pick<Submission, 'kind' | 'waitMs' | 'trace'> & { readonly header: string | undefined },
): Submission {
  if (header !== undefined && header.length > limit('idempotencyKeyLength')) {
    throw new AppError('BAD_FIELD', {
      field: 'Idempotency-Key',
      why: `must be at most ${limit('idempotencyKeyLength')} characters`,
    })
  }
  for (const field of READ_FIELDS)
    if ((sent.payload(field)?.length ?? 0) > LONGEST_READ)
      throw new AppError('BAD_FIELD', { field, why: `must be at most ${LONGEST_READ} bytes of JSON` })
  const request = { ...body, idempotencyKey: body.idempotencyKey ?? (header || undefined) }
  const s3Config = body.s3Config === undefined || body.s3Config === null ? undefined : sent.raw('s3Config')
  return { kind, request, input: sent.payload('input') ?? '{}', s3Config, waitMs, trace }
}

/** POST run: queues a job and answers when it is durable. */
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

/** The short answer of run, cancel and retry. */
function handleText(job: Pick<Job, 'id' | 'status'>): Response {
  return jsonResponse(`{"id":"${job.id}","status":"${job.status}"}`)
}

/** The client that asks, for what is remembered of it. */
function clientOf({ c, endpoint }: OperationRequest): StreamClient {
  return {
    endpointId: endpoint.id,
    authorization: c.req.header('authorization') ?? '',
    userAgent: c.req.header('user-agent') ?? '',
  }
}

/** POST runsync: queues a job and answers with its record when it ends, or with its state when the wait is over. */
const runsync: JobOperations['runsync'] = async (request) => {
  const { c, service, query } = request
  const header = c.req.header('idempotency-key')
  const trace = service.traces.read((name) => c.req.header(name))
  const submission = submissionOf(request, { kind: 'runsync', waitMs: query.wait, header, trace })
  const endpoint = await withLivePackages(service, request.endpoint, submission.input)
  const job = await submitNoted(service, endpoint, submission)
  return respondAtEnd(c, service, job, query.wait ?? limit('waitDefaultMs'))
}

/**
 * Finds the job of the path on the endpoint.
 * @throws AppError JOB_NOT_FOUND
 */
function jobOf({
  path: { jobId },
  service,
  endpoint,
}: Pick<OperationRequest, 'service' | 'endpoint'> & { readonly path: { readonly jobId: string } }): Job {
  const job = service.storage.jobs.find(jobId)
  // Archived: its retention is over, and production would not know it.
  if (job === undefined || job.archived === 1 || !kindOf(endpoint).hasJob(service.storage, endpoint, job))
    throw new AppError('JOB_NOT_FOUND', { jobId: jobId.slice(0, 100) })
  return job
}

/** GET or POST status: the record of a job. `ttl` sets the whole life of a job that has not ended. */
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

/** GET or POST status-sync: the same for a job that exists. */
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

/**
 * Job record as pieces of JSON, for status, runsync and status-sync.
 * @throws AppError PAYLOAD_LOST
 */
async function openJobRecord(jobs: Pick<JobStore, 'openInput' | 'openOutput'>, job: Job): Promise<readonly SentJson[]> {
  const input = isFinal(job.status) ? undefined : await jobs.openInput(job)
  return jobRecordPieces<SentJson>({ ...job, output: await jobs.openOutput(job), input, webhook: undefined })
}

/**
 * GET or POST stream. The specification shows an array; who needs an object instead is decided in domain/job/stream.
 * Source: docs/spec/job-api.md, 1 and 5.
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

// Server-sent events of the same chunks (ours); they move the same cursor.
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

/** POST cancel. */
const cancel: JobOperations['cancel'] = async (request) => handleText(await cancelJob(request.service, jobOf(request)))

/** POST retry. */
const retry: JobOperations['retry'] = async (request) => handleText(await retryJob(request.service, jobOf(request)))

/** POST purge-queue. */
const purge: JobOperations['purgeQueue'] = async ({ service, endpoint }) => {
  const removed = await kindOf(endpoint).purge(service, endpoint.id)
  return jsonResponse(JSON.stringify({ removed, status: 'completed' }))
}

/** GET health; of a published graph that of the endpoint which does the work. */
const health: JobOperations['health'] = ({ service, endpoint }) => {
  const worker = workedBy(service.storage, endpoint)
  return jsonResponse(JSON.stringify(readHealth(service.views, worker)))
}

/**
 * GET requests: jobs of the endpoint that the job API knows, newest first, with full-text search; those of a published
 * graph without.
 */
const requests: JobOperations['requests'] = async ({ query, service, endpoint }) => {
  const page = await kindOf(endpoint).list(service, endpoint, {
    status: query.status,
    q: query.q,
    cursor: query.cursor,
    limit: query.limit,
  })
  return jsonResponse(JSON.stringify(page))
}

/** Which code answers which operation of the job API. */
const OPERATIONS: JobOperations = {
  run,
  runsync,
  status,
  statusSync,
  stream,
  cancel,
  retry,
  purgeQueue: purge,
  health,
  requests,
}
