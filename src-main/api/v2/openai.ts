import { streamSSE } from 'hono/streaming'
import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import { isFinal } from '../../domain/job/transitions.ts'
import type { Job } from '../../services/ports.ts'
import { submitRequest } from '../../services/workflows/submit-request.ts'
import { textOf } from '../body-text.ts'
import { readJson } from '../read-body.ts'
import { jsonAnswer, type Operation, type OperationRequest } from './operation.ts'

/**
 * Any method on openai/*: the request becomes a job whose input is `{openai_route, openai_input}`. A stream is passed on
 * as it comes; else a list of one answer is unwrapped. Source: job-api, OpenAI path.
 */
export const openai: Operation = async (request) => {
  const { c, service, endpoint } = request
  const route = c.req.path.slice(`/v2/${endpoint.id}/openai`.length)
  const hasBody = c.req.method !== 'GET' && c.req.method !== 'HEAD'
  const body = hasBody ? await readJson(c, limit('runsyncBodyBytes'), 'openai') : undefined
  const names = Object.keys(body?.value ?? {})
  const given = `{${names.map((name) => `${JSON.stringify(name)}:${body?.raw(name)}`).join(',')}}`
  const input = `{"openai_route":${JSON.stringify(route)}${body === undefined ? '' : `,"openai_input":${given}`}}`
  const job = await submitRequest(service, endpoint, {
    kind: 'runsync',
    request: {},
    input,
    s3Config: undefined,
    waitMs: limit('waitMaxMs'),
  })
  return body?.value.stream === true ? passStreamOn(request, job) : answerWhole(request, job)
}

async function answerWhole({ c, service }: OperationRequest, job: Job): Promise<Response> {
  const { storage, waiters } = service
  const ended = await waiters.untilEnd(job, limit('waitMaxMs'), c.req.raw.signal)
  if (ended === undefined || !isFinal(ended.status)) throw new AppError('WORKER_TOO_SLOW', { jobId: job.id })
  if (ended.status !== 'COMPLETED')
    throw new AppError('JOB_FAILED', { jobId: job.id, status: ended.status, why: ended.error ?? '' })
  const output = await storage.jobs.readOutput(ended)
  const chunks = storage.chunks.after(ended.seq, 0, 1)[0]?.chunk
  const value: unknown = output === undefined || output === '[]' ? onlyOutput(chunks) : JSON.parse(textOf(output))
  return jsonAnswer(JSON.stringify(Array.isArray(value) && value.length === 1 ? value[0] : (value ?? null)))
}

// A generator worker without return_aggregate_stream leaves its one answer in the stream.
function onlyOutput(chunk: string | undefined): unknown {
  return chunk === undefined ? undefined : (JSON.parse(chunk) as { output: unknown }).output
}

// Workers yield ready-made event text; anything else is sent as its JSON.
function eventText(output: unknown): string {
  return typeof output === 'string' ? output : `data: ${JSON.stringify(output)}\n\n`
}

function passStreamOn({ c, service }: OperationRequest, job: Job): Response {
  return streamSSE(c, async (events) => {
    let sent = 0
    for (;;) {
      const read = await service.streams.read(job, { holdMs: limit('takeHoldMs'), signal: c.req.raw.signal })
      if (events.aborted) return read.lost()
      for (const chunk of read.chunks) await events.write(eventText((JSON.parse(chunk) as { output: unknown }).output))
      await read.delivered()
      sent += read.chunks.length
      if (read.chunks.length > 0 || !isFinal(read.status)) continue
      const ended = service.storage.jobs.read(job.seq)
      const whole = await service.storage.jobs.readOutput(job)
      // The handler does not stream: its one answer is better than none.
      if (sent === 0 && ended?.status === 'COMPLETED' && whole !== undefined && whole !== '[]')
        await events.write(eventText(JSON.parse(textOf(whole))))
      if (ended?.error)
        await events.write(`data: ${JSON.stringify({ error: { message: ended.error, code: 500 } })}\n\n`)
      return
    }
  })
}
