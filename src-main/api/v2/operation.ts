import type { Context } from 'hono'
import type { ZodType } from 'zod'
import { AppError } from '../../contract/errors.ts'
import type { Endpoint, Job } from '../../services/ports.ts'
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

/** JSON text as an answer. */
export function jsonText(text: string): Response {
  return new Response(text.length > LONG_TEXT ? Buffer.from(text) : text, {
    headers: { 'content-type': 'application/json' },
  })
}

/** The short answer of run, cancel and retry. */
export function handleText(job: Pick<Job, 'id' | 'status'>): Response {
  return jsonText(`{"id":"${job.id}","status":"${job.status}"}`)
}

/**
 * Finds the job of the path on the endpoint.
 * @throws AppError JOB_NOT_FOUND
 */
export function jobOf({ c, service, endpoint }: OperationRequest): Job {
  const jobId = c.req.param('jobId') ?? ''
  const job = service.storage.jobs.find(jobId)
  if (job === undefined || job.endpointId !== endpoint.id)
    throw new AppError('JOB_NOT_FOUND', { jobId: jobId.slice(0, 100) })
  return job
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
