import { streamSSE } from 'hono/streaming'
import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import { OPENAI_ROUTE } from '../../contract/v2-routes.ts'
import { failureOfAnswer, failureOfJob, failureOfOutput, type OpenAiFailure } from '../../domain/job/openai-error.ts'
import { isFinal } from '../../domain/job/transitions.ts'
import { kindOf } from '../../services/endpoint-kinds.ts'
import { jsonText } from '../../services/ports/job-storage.ts'
import type { Job } from '../../services/ports/storage.ts'
import { cancelJob } from '../../services/queue/change-job.ts'
import type { StreamRead } from '../../services/queue/read-stream.ts'
import { openAiResponse } from '../error-response.ts'
import { type JobApiServices, jsonResponse, type Operation, type OperationRequest } from '../operation.ts'
import { parseRequest } from '../read-request.ts'

/**
 * Any method on openai/*: the request becomes a job whose input is `{openai_route, openai_input}`. A stream is passed
 * on as it comes; else a list of one answer is unwrapped. Failures have the form that OpenAI's clients understand.
 * Source: docs/spec/job-api.md, 7.
 */
export const openai: Operation = async (request) => {
  const { c, service, endpoint } = request
  const route = c.req.path.slice(`/v2/${endpoint.id}/openai`.length)
  const hasBody = c.req.method !== 'GET' && c.req.method !== 'HEAD'
  const body = hasBody ? (await parseRequest(c, OPENAI_ROUTE)).sent : undefined
  const names = Object.keys(body?.value ?? {})
  const given = `{${names.map((name) => `${JSON.stringify(name)}:${body?.raw(name)}`).join(',')}}`
  const input = `{"openai_route":${JSON.stringify(route)}${body === undefined ? '' : `,"openai_input":${given}`}}`
  const job = await kindOf(endpoint).submit(service, endpoint, {
    kind: 'runsync',
    request: {},
    input,
    s3Config: undefined,
    waitMs: limit('waitMaxMs'),
  })
  if (endpoint.config.cancelOnDisconnect !== false) cancelWithClient(request, job)
  return body?.value.stream === true ? respondAsStream(request, job) : respondWhole(request, job)
}

/**
 * Cancels the job when its client disconnects, as servers of this API do: nobody will read its answer. A connection
 * that the service ends because it stops does not count.
 */
function cancelWithClient({ c, service }: OperationRequest, { seq }: Job): void {
  const { signal } = c.req.raw
  const cancel = async () => {
    const job = service.storage.jobs.read(seq)
    if (service.stopping.aborted || job === undefined || isFinal(job.status)) return
    try {
      await cancelJob(service, job)
    } catch (error) {
      service.log.warn('the job of a client that disconnected was not cancelled', { jobId: job.id, error })
    }
  }
  if (signal.aborted) void cancel()
  else signal.addEventListener('abort', () => void cancel(), { once: true })
}

async function respondWhole({ c, service }: OperationRequest, job: Job): Promise<Response> {
  const ended = await service.waiters.untilEnd(job, limit('waitMaxMs'), c.req.raw.signal)
  if (ended === undefined || !isFinal(ended.status)) throw new AppError('WORKER_TOO_SLOW', { jobId: job.id })
  if (ended.status !== 'COMPLETED') return openAiResponse(failureOfJob(ended))
  const value = await wholeResponse(service, ended)
  const failure = failureOfAnswer(ended, value)
  return failure === undefined ? jsonResponse(JSON.stringify(value)) : openAiResponse(failure)
}

/** The result of a job, a list of one unwrapped; undefined: it gave none. */
async function wholeResponse({ storage }: Pick<JobApiServices, 'storage'>, ended: Job): Promise<unknown> {
  const output = await storage.jobs.readOutput(ended)
  const [first] = storage.chunks.after(ended.seq, 0, 1).rows
  // A generator worker without return_aggregate_stream leaves its one answer in the stream.
  const value: unknown =
    output === undefined || output === '[]' ? first && outputOf(first.chunk) : JSON.parse(jsonText(output))
  return Array.isArray(value) && value.length === 1 ? value[0] : value
}

const outputOf = (chunk: string): unknown => (JSON.parse(chunk) as { output: unknown }).output

/**
 * Answers with a stream of events. It begins with the first of them, so that a request which fails at once is told with
 * a status as any other; after one hold without news it begins all the same, and a failure becomes an event.
 */
async function respondAsStream({ c, service }: OperationRequest, job: Job): Promise<Response> {
  const { signal } = c.req.raw
  const read = () => service.streams.read(job, { holdMs: limit('takeHoldMs'), signal })
  const first = await read()
  if (signal.aborted) {
    first.lost()
    return new Response(null, { status: 499 }) // nobody reads it
  }
  const failure = await failureBefore(service, job, first)
  if (failure !== undefined) {
    await first.delivered()
    return openAiResponse(failure)
  }
  return streamSSE(c, async (events) => {
    let sent = 0
    for (let next = first; ; next = await read()) {
      if (events.aborted) return next.lost()
      for (const chunk of next.chunks) await events.write(eventText(outputOf(chunk)))
      await next.delivered()
      sent += next.chunks.length
      if (next.chunks.length > 0 || !isFinal(next.status)) continue
      const ended = service.storage.jobs.read(job.seq)
      if (ended === undefined) return
      if (ended.status !== 'COMPLETED') return void (await events.write(errorEvent(failureOfJob(ended))))
      // The handler does not stream: its one answer is better than none.
      if (sent > 0) return
      const whole = await wholeResponse(service, ended)
      const failure = failureOfAnswer(ended, whole)
      return void (await events.write(failure === undefined ? eventText(whole) : errorEvent(failure)))
    }
  })
}

/** The failure with which a stream would begin. */
async function failureBefore(
  service: Pick<JobApiServices, 'storage'>,
  job: Job,
  { chunks: [chunk], status }: StreamRead,
): Promise<OpenAiFailure | undefined> {
  if (chunk !== undefined) return failureOfOutput(outputOf(chunk))
  const ended = isFinal(status) ? service.storage.jobs.read(job.seq) : undefined
  if (ended === undefined) return undefined
  return ended.status === 'COMPLETED'
    ? failureOfAnswer(ended, await wholeResponse(service, ended))
    : failureOfJob(ended)
}

// Workers yield ready-made event text; anything else is sent as its JSON.
function eventText(output: unknown): string {
  if (typeof output === 'string') return output
  const failure = failureOfOutput(output)
  return failure === undefined ? `data: ${JSON.stringify(output)}\n\n` : errorEvent(failure)
}

const errorEvent = ({ error }: OpenAiFailure) => `data: ${JSON.stringify({ error })}\n\n`
