import { setImmediate as nextTurn } from 'node:timers/promises'
import { BATCH_V2_ROUTES } from '../../../contract/batch.ts'
import { AppError } from '../../../contract/errors.ts'
import type { JobState } from '../../../contract/job.ts'
import { limit } from '../../../contract/limits.ts'
import { bodyOf, JSON_TYPE, type OperationRequest, type V2Operate } from '../../../http/operation.ts'
import { readBody } from '../../../http/read-request.ts'
import type { Json } from '../../../lib/json/bytes.ts'
import { KIB } from '../../../lib/units.ts'
import type { Batch, BatchLine, Job } from '../../../storage/storage.ts'
import { fieldOf } from '../../jobs/list-jobs.ts'
import type { Submission } from '../../jobs/queue/submit.ts'
import { readSubmission } from '../../jobs/routes/submission.ts'
import { isFinal } from '../../jobs/rules/transitions.ts'
import { countBatch, deleteBatch, requireBatch, startBatch } from '../batches.ts'
import { UNQUEUED_AS, wireState } from '../rules/counts.ts'

type Named = OperationRequest & { readonly path: { readonly batchId: string } }

function batchOf({ path, service, endpoint }: Named): Batch {
  const batch = requireBatch(service.storage, path.batchId)
  if (batch.endpointId !== endpoint.id) throw new AppError('BATCH_NOT_FOUND', { batchId: path.batchId.slice(0, 100) })
  return batch
}

function handleOf({ service: { storage } }: OperationRequest, id: string) {
  const batch = requireBatch(storage, id)
  return { id, status: wireState(batch.state, countBatch(storage, batch).isOpen) }
}

function recordOf(request: OperationRequest, batch: Batch) {
  const { id, endpointId, name, total, createdAt } = batch
  const { jobs, refused, gone } = countBatch(request.service.storage, batch)
  return {
    ...{ ...handleOf(request, id), endpointId, name },
    requestTotal: total,
    requestInProgress: jobs.IN_PROGRESS,
    requestCompleted: jobs.COMPLETED,
    requestFailed: jobs.FAILED + jobs.TIMED_OUT + jobs.CANCELLED + refused + gone,
    createdAt,
  }
}

// Bytes of requests parsed in one turn of the event loop. Source: ours.
const TURN_BYTES = 128 * KIB

async function readRequests({ c, service }: OperationRequest, field?: 'requests'): Promise<readonly Submission[]> {
  const { bytes, name } = BATCH_V2_ROUTES.batchAppendV2.bodyLimit
  const body = await readBody(c, bytes, name)
  if (body.length === 0 && field === undefined) return []
  const read = await service.readInThread.items(body, field)
  if ('problem' in read) throw new AppError('BAD_FIELD', { field: field ?? 'body', why: read.problem })
  const most = limit('batchRequests')
  if (read.items.length > most) throw new AppError('BATCH_FULL', { limit: most, total: read.items.length })
  const submissions: Submission[] = []
  let parsed = 0
  for (const [at, item] of read.items.entries()) {
    submissions.push(
      await readSubmission(service, Buffer.from(item)).catch((error) => Promise.reject(inItem(error, at))),
    )
    parsed += item.length
    if (parsed < TURN_BYTES) continue
    await nextTurn()
    parsed = 0
  }
  return submissions
}

function inItem(error: unknown, at: number): unknown {
  if (!(error instanceof AppError) || typeof error.data.why !== 'string') return error
  return new AppError(error.code, { ...error.data, why: `request ${at + 1}: ${error.data.why}` }, { cause: error })
}

async function* rowOf(
  { service: { storage, clock } }: OperationRequest,
  batch: Batch,
  line: BatchLine,
): AsyncGenerator<Json> {
  const { id, seq, reason } = line
  const job = seq === null ? undefined : storage.jobs.read(seq)
  if (job === undefined) {
    const ended = seq !== null ? 'the job is no longer stored' : reason
    const status = ended === null ? (UNQUEUED_AS[batch.state] ?? 'DRAFT') : ('FAILED' satisfies JobState)
    yield JSON.stringify({
      id,
      status,
      ...(ended === null ? {} : { error: ended }),
      startedAt: null,
      completedAt: null,
    })
    return
  }
  const { status, error, finishedAt } = job
  const startedAt = startOf(job, clock.now() - clock.steady())
  const times = { startedAt: isoTime(startedAt), completedAt: isoTime(finishedAt) }
  const output = isFinal(status) ? await storage.jobs.openOutput(job).catch(() => undefined) : undefined
  yield JSON.stringify({ id: job.id, status, ...(error === null ? {} : { error }), ...times }).slice(0, -1)
  yield* fieldOf('output', output)
  yield '}'
}

// Starts are steady times. That of an ended job is computed from its end, which no clock jump moves.
function startOf({ startedAt, finishedAt, executionMs }: Job, offset: number): number | null {
  if (startedAt === null) return null
  return finishedAt === null || executionMs === null ? startedAt + offset : finishedAt - executionMs
}

const isoTime = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString())

export const BATCH_V2_OPERATIONS: { readonly [Name in keyof typeof BATCH_V2_ROUTES]: V2Operate<Name> } = {
  async batchCreateV2(request) {
    const { c, service, endpoint } = request
    const submissions = await readRequests(request)
    const id = await startBatch(service, endpoint)
    if (submissions.length > 0)
      await service.batches.add(endpoint, id, submissions).catch(async (error) => {
        await deleteBatch(service, id)
        throw error
      })
    return c.json(handleOf(request, id))
  },
  async batchAppendV2(request) {
    const { c, service, endpoint } = request
    const { id } = batchOf(request)
    const requestIds = await service.batches.add(endpoint, id, await readRequests(request, 'requests'))
    return c.json({ ...handleOf(request, id), requestTotal: batchOf(request).total, requestIds })
  },
  async batchFinalizeV2(request) {
    const { id } = batchOf(request)
    await request.service.batches.finalize(request.endpoint, id, true)
    return request.c.json(handleOf(request, id))
  },
  async batchUpdateV2(request) {
    const { storage } = request.service
    const { seq } = batchOf(request)
    const { name } = request.body
    if (name !== undefined) await storage.write(() => storage.batches.rename(name, seq))
    return request.c.json(recordOf(request, batchOf(request)))
  },
  async batchRemoveRequestV2(request) {
    const { id } = batchOf(request)
    await request.service.batches.removeRequest(id, request.path.requestId)
    return request.c.json({ ...handleOf(request, id), requestTotal: batchOf(request).total })
  },
  batchListV2(request) {
    const { c, service, endpoint } = request
    const batches = service.storage.batches.ofEndpoint(endpoint.id)
    return c.json({ batches: batches.map((batch) => recordOf(request, batch)) })
  },
  batchReadV2: (request) => request.c.json(recordOf(request, batchOf(request))),
  async batchCancelV2(request) {
    const { id } = batchOf(request)
    await request.service.batches.cancel(id, ['IN_QUEUE'])
    return request.c.json(handleOf(request, id))
  },
  batchRequests(request) {
    const { offset = 0, limit: most = limit('batchPage') } = request.query
    const { batches } = request.service.storage
    const batch = batchOf(request)
    const { seq, total, received } = batch
    const lines = batches.page(seq, received, most, offset)
    async function* page(): AsyncGenerator<Json> {
      yield '{"requests":['
      for (const [at, line] of lines.entries()) {
        if (at > 0) yield ','
        yield* rowOf(request, batch, line)
      }
      const hasMore = offset + lines.length < total && lines.length > 0
      yield `],"total":${total},"offset":${offset},"limit":${most},"hasMore":${hasMore}}`
    }
    return new Response(bodyOf(page()), { headers: JSON_TYPE })
  },
}
