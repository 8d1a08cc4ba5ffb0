import type { Context } from 'hono'
import type { ZodType } from 'zod'
import { AppError } from '../../contract/errors.ts'
import type { Json } from '../../domain/json/json.ts'
import type { Endpoint, Job } from '../../services/ports.ts'
import type { StreamClient } from '../../services/queue/stream-clients.ts'
import type { ServiceContext } from '../../services/service-context.ts'

/** What an operation of the job API gets: host, page, key and endpoint have been checked. */
export type OperationRequest = {
  readonly c: Context
  readonly service: ServiceContext
  readonly endpoint: Endpoint
}

/** One operation of the job API. */
export type Operation = (request: OperationRequest) => Promise<Response> | Response

// Above this a string is made into bytes once; Node would go through it twice, first to measure it.
const LONG_TEXT = 65_536
const JSON_TYPE = { 'content-type': 'application/json' }

/** JSON as an answer, given whole or in pieces. */
export function jsonAnswer(json: string | readonly Json[]): Response {
  if (typeof json !== 'string') return piecesAnswer(json)
  return new Response(json.length > LONG_TEXT ? Buffer.from(json) : json, { headers: JSON_TYPE })
}

// Large payloads go out as they are: to join them would copy them once more.
function piecesAnswer(pieces: readonly Json[]): Response {
  if (pieces.every((piece) => typeof piece === 'string')) return jsonAnswer(pieces.join(''))
  const parts = pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece))
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  const body = new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part)
      controller.close()
    },
  })
  return new Response(body, { headers: { ...JSON_TYPE, 'content-length': String(length) } })
}

/** The short answer of run, cancel and retry. */
export function handleText(job: Pick<Job, 'id' | 'status'>): Response {
  return jsonAnswer(`{"id":"${job.id}","status":"${job.status}"}`)
}

/** The client that asks, for what is remembered of it. */
export function clientOf({ c, endpoint }: OperationRequest): StreamClient {
  return {
    endpointId: endpoint.id,
    authorization: c.req.header('authorization') ?? '',
    userAgent: c.req.header('user-agent') ?? '',
  }
}

/**
 * Finds the job of the path on the endpoint.
 * @throws AppError JOB_NOT_FOUND
 */
export function jobOf({ c, service, endpoint }: OperationRequest): Job {
  const jobId = c.req.param('jobId') ?? ''
  const job = service.storage.jobs.find(jobId)
  // Archived: its retention is over, and production would not know it.
  if (job === undefined || job.archived === 1 || !isOf(job, endpoint, service))
    throw new AppError('JOB_NOT_FOUND', { jobId: jobId.slice(0, 100) })
  return job
}

// Jobs of a published graph run on another endpoint.
function isOf(job: Job, { id, config }: Endpoint, { storage }: ServiceContext): boolean {
  return config.graph === undefined ? job.endpointId === id : storage.graphs.ofJob(job.seq)?.endpointId === id
}

/**
 * Reads one query parameter by its schema of the route table.
 * @throws AppError BAD_FIELD
 */
export function queryValue<T>(c: Context, name: string, schema: ZodType<T>): T {
  const parsed = schema.safeParse(c.req.query(name))
  if (parsed.success) return parsed.data
  throw new AppError('BAD_FIELD', { field: name, why: parsed.error.issues[0]?.message ?? 'is not valid' })
}
