import type { Context } from 'hono'
import { streamSSE } from 'hono/streaming'
import { limit } from '../../contract/limits.ts'
import { V2_ROUTES } from '../../contract/v2-routes.ts'
import { isFinal } from '../../domain/job/transitions.ts'
import type { Job } from '../../services/ports.ts'
import type { ServiceContext } from '../../services/service-context.ts'
import { afterAnswer } from '../delivery.ts'
import { clientOf, jobOf, type Operation, queryValue } from './operation.ts'

/**
 * GET or POST stream. The specification shows an array; who needs an object instead is decided in domain/job/stream-form.
 * Source: job-api, Operations and Stream.
 */
export const stream: Operation = async (request) => {
  const { c, service } = request
  const { wait, format } = V2_ROUTES.stream.query
  const holdMs = queryValue(c, 'wait', wait) ?? limit('streamHoldMs')
  const asked = queryValue(c, 'format', format)
  const job = jobOf(request)
  if (/\btext\/event-stream\b/.test(c.req.header('accept') ?? '')) return streamEvents(c, service, job)
  const read = await service.streams.read(job, { holdMs, signal: c.req.raw.signal })
  afterAnswer(c, {
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
  return new Response(body, { headers: { 'content-type': 'application/json', 'job-status': read.status } })
}

// Server-sent events of the same chunks (ours); they move the same cursor.
function streamEvents(c: Context, service: ServiceContext, job: Job): Response {
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
