import { streamSSE } from 'hono/streaming'
import { AppError } from '../../../contract/errors.ts'
import { limit } from '../../../contract/limits.ts'
import { OPENAI_ROUTE } from '../../../contract/v2-routes.ts'
import { joinedJson } from '../../../http/body-text.ts'
import { openAiResponse } from '../../../http/error-response.ts'
import { type JobApiServices, jsonResponse, type Operation, type OperationRequest } from '../../../http/operation.ts'
import { objectPieces, parseRequest } from '../../../http/read-request.ts'
import type { Json } from '../../../lib/json/bytes.ts'
import { cutText, rawFields } from '../../../lib/json/scan.ts'
import type { Job } from '../../../storage/storage.ts'
import { kindOf } from '../../endpoints/kinds/endpoint-kinds.ts'
import type { StreamRead } from '../queue/read-stream.ts'
import {
  errorEvent,
  failureOfJob,
  missingAnswer,
  type OpenAiAnswer,
  type OpenAiFailure,
  unreadAnswer,
} from '../rules/openai-error.ts'
import { isFinal } from '../rules/transitions.ts'
import { cancelWithClient } from './cancel-with-client.ts'

/**
 * Any method on openai/*: a job whose input is `{openai_route, openai_input}`. A stream is passed on as it comes; a
 * list of one answer is unwrapped. Failures have the form that OpenAI's clients understand. Source:
 * docs/spec/job-api.md, 7.
 */
export const openai: Operation = async (request) => {
  const { c, service, endpoint } = request
  const route = c.req.path.slice(`/v2/${endpoint.id}/openai`.length)
  const hasBody = c.req.method !== 'GET' && c.req.method !== 'HEAD'
  const body = hasBody ? (await parseRequest(c, OPENAI_ROUTE, service)).sent : undefined
  const given = body === undefined ? [] : [',"openai_input":', ...objectPieces(body)]
  const input = joinedJson([`{"openai_route":${JSON.stringify(route)}`, ...given, '}'])
  const job = await kindOf(endpoint).submit(service, endpoint, {
    kind: 'runsync',
    request: {},
    input,
    s3Config: undefined,
    waitMs: limit('waitMaxMs'),
  })
  cancelWithClient(request, job)
  return body?.value.stream === true ? respondAsStream(request, job) : respondWhole(request, job)
}

async function respondWhole({ c, service }: OperationRequest, job: Job): Promise<Response> {
  const ended = await service.waiters.untilEnd(job, limit('waitMaxMs'), c.req.raw.signal)
  if (ended === undefined || !isFinal(ended.status)) throw new AppError('WORKER_TOO_SLOW', { jobId: job.id })
  if (ended.status !== 'COMPLETED') return openAiResponse(failureOfJob(ended))
  const { failure, json } = await wholeAnswer(service, ended)
  return failure === undefined ? jsonResponse(json) : openAiResponse(failure)
}

async function wholeAnswer(service: AnswerDeps, ended: Job): Promise<OpenAiAnswer> {
  const output = await service.storage.jobs.readOutput(ended)
  const [first] = service.storage.chunks.after(ended.seq, 0, 1).rows
  if (output !== undefined && output !== '[]') return readAnswer(service, output, 'output')
  // A generator worker without return_aggregate_stream leaves its single answer in the stream.
  const given = first && rawFields(first.chunk, cutText(first.chunk))('output')
  return given === undefined ? missingAnswer(ended) : readAnswer(service, given, 'output')
}

type AnswerDeps = Pick<JobApiServices, 'storage' | 'readInThread'>

async function readAnswer({ readInThread }: AnswerDeps, given: Json, from: 'output' | 'chunk'): Promise<OpenAiAnswer> {
  const read = await readInThread.openAi(given, from)
  return 'problem' in read ? unreadAnswer(read.problem) : read
}

/** Waits for the first event, so that an immediate failure gets a status; after one hold it starts anyway. */
async function respondAsStream({ c, service }: OperationRequest, job: Job): Promise<Response> {
  const { signal } = c.req.raw
  const read = () => service.streams.read(job, { holdMs: limit('takeHoldMs'), signal })
  const first = await read()
  if (signal.aborted) {
    first.lost()
    return new Response(null, { status: 499 })
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
      for (const chunk of next.chunks) await events.write((await readAnswer(service, chunk, 'chunk')).event)
      await next.delivered()
      sent += next.chunks.length
      if (next.chunks.length > 0 || !isFinal(next.status)) continue
      const ended = service.storage.jobs.read(job.seq)
      if (ended === undefined) return
      if (ended.status !== 'COMPLETED') return void (await events.write(errorEvent(failureOfJob(ended))))
      // The handler does not stream, so its one answer is sent.
      if (sent === 0) await events.write((await wholeAnswer(service, ended)).event)
      return
    }
  })
}

async function failureBefore(
  service: AnswerDeps,
  job: Job,
  { chunks: [chunk], status }: StreamRead,
): Promise<OpenAiFailure | undefined> {
  if (chunk !== undefined) return (await readAnswer(service, chunk, 'chunk')).failure
  const ended = isFinal(status) ? service.storage.jobs.read(job.seq) : undefined
  if (ended === undefined) return undefined
  return ended.status === 'COMPLETED' ? (await wholeAnswer(service, ended)).failure : failureOfJob(ended)
}
