/**
 * Batches: requests that are counted, retried, cancelled and exported together. Each line has one job at a time, even if
 * sent twice.
 */
import { AppError } from '../../contract/errors.ts'
import type { BatchCreate, BatchDetail, BatchView } from '../../contract/job-routes.ts'
import { limit } from '../../contract/limits.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Json } from '../../lib/json/bytes.ts'
import { keepEnds } from '../../lib/text.ts'
import type { Batch, Endpoint, Storage } from '../../storage/storage.ts'
import type { SubmitDeps } from '../endpoints/kinds/endpoint-kinds.ts'
import { runJobAgain, whyNotAgain } from '../jobs/again/run-jobs-again.ts'
import { fieldOf, streamOf } from '../jobs/list-jobs.ts'
import { type BulkResult, createReasonCounts, moveJobs, selectedJobs } from '../jobs/queue/change-many-jobs.ts'
import { createFailureGroups, type Failure } from '../jobs/rules/failure-groups.ts'
import { errorLine } from '../jobs/rules/read-error.ts'
import { isFinal, TRANSITIONS } from '../jobs/rules/transitions.ts'
import { countsOf, UNQUEUED_AS } from './rules/counts.ts'

type Deps = { readonly storage: Storage; readonly clock: Clock }

const FAILED = TRANSITIONS.retry.from
const OPEN = TRANSITIONS.cancel.from

export function requireBatch({ batches }: Pick<Storage, 'batches'>, id: string): Batch {
  const batch = batches.get(id)
  if (batch === undefined) throw new AppError('BATCH_NOT_FOUND', { batchId: id.slice(0, 100) })
  return batch
}

export function listBatches({ storage }: Pick<Deps, 'storage'>, endpointId: string | undefined): readonly BatchView[] {
  const { batches } = storage
  const listed = endpointId === undefined ? batches.list(limit('batchesKept')) : batches.ofEndpoint(endpointId)
  return listed.map((batch) => viewBatch(storage, batch))
}

export const countBatch = ({ batches }: Pick<Storage, 'batches'>, batch: Batch) =>
  countsOf({ ...batch, counts: batches.counts(batch.seq) })

export function viewBatch(storage: Pick<Storage, 'batches'>, batch: Batch): BatchView {
  const { id, endpointId, name, createdAt, total, received } = batch
  const { isOpen: _open, uncounted: _uncounted, ...counts } = countBatch(storage, batch)
  return { id, endpointId, name, createdAt, total, received, ...counts }
}

export function readBatch({ storage, clock }: Deps, id: string): BatchDetail {
  const batch = requireBatch(storage, id)
  const view = viewBatch(storage, batch)
  const endsAt = expectedEnd(storage, batch, { view, now: clock.now() })
  return { ...view, failures: [...failuresOf(storage, batch)], ...(endsAt === undefined ? {} : { endsAt }) }
}

// Shown reasons; source: ours, a person reads no more.
const REASONS = 20
const REASON_LENGTH = 300
const TTL_OVER = 'its time to live was over before it ended'

function failuresOf({ batches }: Storage, { seq }: Batch): readonly Failure[] {
  const most = limit('batchFailuresRead')
  const groups = createFailureGroups()
  for (const state of FAILED)
    for (const { id, error } of batches.newest(seq, state, most)) {
      const reason = error === null ? TTL_OVER : keepEnds(errorLine(error), REASON_LENGTH)
      groups.add({ reason, count: 1, jobId: id })
    }
  for (const refusal of batches.refusals(seq, most)) groups.add(refusal)
  return groups.all().slice(0, REASONS)
}

// Latest ends that determine the rate; fewer are chance.
const ENDS_READ = 100
const ENDS_NEEDED = 5

function expectedEnd(
  { batches }: Storage,
  { seq }: Batch,
  { view, now }: { readonly view: BatchView; readonly now: number },
): number | undefined {
  if (view.state !== 'running') return undefined
  const open = OPEN.reduce((sum, state) => sum + view.jobs[state], 0)
  const ends = (['COMPLETED', 'FAILED'] as const)
    .flatMap((state) => batches.newest(seq, state, ENDS_READ))
    .flatMap(({ finishedAt }) => finishedAt ?? [])
    .sort((a, b) => b - a)
    .slice(0, ENDS_READ)
  const first = ends.at(-1)
  if (first === undefined || ends.length < ENDS_NEEDED) return undefined
  // Up to now, so that the estimate of a stalled batch moves on.
  return Math.round(now + ((now - first) / (ends.length - 1)) * open)
}

export async function createBatch(deps: SubmitDeps, endpoint: Endpoint, given: BatchCreate): Promise<BatchView> {
  const { storage } = deps
  const { name, total, fingerprint = null } = given
  const id = await storage.write(() => {
    if (storage.endpoints.get(endpoint.id) === undefined)
      throw new AppError('ENDPOINT_NOT_FOUND', { endpointId: endpoint.id })
    const before = fingerprint === null ? undefined : storage.batches.named(endpoint.id, fingerprint)
    if (before?.total === total && before.state === 'DRAFT') return before.id
    return insertBatch(deps, endpoint, { name, fingerprint, total })
  })
  await forgetOld(storage, endpoint.id)
  return viewBatch(storage, requireBatch(storage, id))
}

function insertBatch(
  { storage, clock, newId }: SubmitDeps,
  { id: endpointId }: Endpoint,
  given: Pick<Batch, 'name' | 'fingerprint' | 'total'>,
): string {
  const id = `batch_${newId.uuid()}`
  storage.batches.insert({ ...given, id, endpointId, state: 'DRAFT', createdAt: clock.now() })
  return id
}

export async function startBatch(deps: SubmitDeps, endpoint: Endpoint): Promise<string> {
  const { storage, clock } = deps
  const most = limit('batchesActive')
  const name = `Batch of ${new Date(clock.now()).toISOString().slice(0, 16).replace('T', ' ')}`
  const id = await storage.write(() => {
    if (storage.endpoints.get(endpoint.id) === undefined)
      throw new AppError('ENDPOINT_NOT_FOUND', { endpointId: endpoint.id })
    const active = storage.batches.ofEndpoint(endpoint.id).filter((batch) => isActive(storage, batch))
    if (active.length >= most) {
      const named = active.map((batch) => `${batch.id} (${countBatch(storage, batch).state})`).join(', ')
      throw new AppError('TOO_MANY_BATCHES', { endpointId: endpoint.id, count: active.length, limit: most, named })
    }
    return insertBatch(deps, endpoint, { name, fingerprint: null, total: 0 })
  })
  await forgetOld(storage, endpoint.id)
  return id
}

const isActive = (storage: Storage, batch: Batch) => batch.state === 'DRAFT' || countBatch(storage, batch).isOpen

async function forgetOld(storage: Storage, endpointId: string): Promise<void> {
  for (const batch of storage.batches.ofEndpoint(endpointId).slice(limit('batchesKept')))
    if (!isActive(storage, batch)) await remove(storage, batch)
}

const LINES_AT_ONCE = 2000

async function remove(storage: Storage, { seq }: Batch): Promise<void> {
  while (!(await storage.write(() => storage.batches.remove(seq, LINES_AT_ONCE))));
}

export async function deleteBatch({ storage }: Deps, id: string): Promise<void> {
  await remove(storage, requireBatch(storage, id))
}

/** Retries failed and timed-out jobs; expired ones become new jobs on their lines. */
export async function retryBatch(deps: SubmitDeps, id: string): Promise<BulkResult> {
  const { storage } = deps
  const { seq: batch } = requireBatch(storage, id)
  const refused = createReasonCounts()
  let changed = 0
  const failed = { batch, states: FAILED }
  for await (const { jobs } of selectedJobs(storage, failed, { most: AT_ONCE }))
    for (const job of jobs) {
      if (job.archived === 0) continue
      const place = storage.batches.positionOf(job.seq)
      if (place === undefined) continue
      try {
        await runJobAgain(deps, job, { ...place, instead: job.seq })
        changed += 1
      } catch (error) {
        refused.add(whyNotAgain(error))
      }
    }
  const moved = await moveJobs(deps, 'retry', failed)
  return { changed: changed + moved.changed, refused: [...refused.all(), ...moved.refused] }
}

const AT_ONCE = 50

/**
 * Results as JSON lines in input order, produced on demand. Missing inputs have no line; those without a result only
 * their state.
 * @param from first line number
 */
export async function* exportBatch({ storage }: Deps, { seq: batch, state }: Batch, from = 1): AsyncGenerator<Json> {
  let lines = storage.batches.lines(batch, from - 1, AT_ONCE)
  for (let last = lines.at(-1); last !== undefined; last = lines.at(-1)) {
    for (const { line, id, seq, reason } of lines) {
      if (seq !== null) yield* resultOf(storage, line, seq)
      else if (reason !== null) yield `${JSON.stringify({ line, status: 'REFUSED', error: reason })}\n`
      else yield `${JSON.stringify({ line, id, status: UNQUEUED_AS[state] ?? 'DRAFT' })}\n`
    }
    lines = storage.batches.lines(batch, last.line, AT_ONCE)
  }
}

async function* resultOf(storage: Storage, line: number, seq: number): AsyncGenerator<Json> {
  const job = storage.jobs.read(seq)
  if (job === undefined) return yield `${JSON.stringify({ line, status: 'GONE' })}\n`
  const { id, status, error } = job
  const removed = storage.archive.isOutputRemoved(seq) ? { outputRemoved: true } : {}
  const output = isFinal(status) ? await storage.jobs.openOutput(job).catch(() => undefined) : undefined
  yield JSON.stringify({ line, id, status, ...(error === null ? {} : { error }), ...removed }).slice(0, -1)
  yield* fieldOf('output', output)
  if (isFinal(status)) yield* streamOf(storage, job)
  yield '}\n'
}
