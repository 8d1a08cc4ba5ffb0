/**
 * Turns the requests of finalized batches into jobs. A transition is one guarded statement; the jobs follow in short
 * commits. The remaining requests stay stored, so the next start resumes after a kill.
 */
import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import type { Log } from '../../lib/clock.ts'
import { createTurns } from '../../lib/turns.ts'
import { KIB, MIB } from '../../lib/units.ts'
import type { Batch, Draft, DraftPlace, Endpoint } from '../../storage/storage.ts'
import { kindOf, type SubmitDeps, workedBy } from '../endpoints/kinds/endpoint-kinds.ts'
import { jobId } from '../endpoints/rules/ids.ts'
import { type BulkResult, moveJobs } from '../jobs/queue/change-many-jobs.ts'
import { type QueueCounts, waitingJobs } from '../jobs/queue/queue-counts.ts'
import { requireFields, requireWorkers, type Submission } from '../jobs/queue/submit.ts'
import { countBatch, requireBatch } from './batches.ts'
import { isOfLine } from './rules/is-of-line.ts'
import { mayMove } from './rules/transitions.ts'

// Requests per commit, and bytes of their inputs in rows; about 5 ms. Source: ours.
const AT_ONCE = 50
const BYTES_AT_ONCE = MIB
const DROPPED_AT_ONCE = 500
const RETRY_AFTER_MS = 5000

type Deps = SubmitDeps & { readonly log: Log; readonly counts: Pick<QueueCounts, 'of'> }

/** `held` resolves with the error while the next attempt is pending. */
type Settling = { ended?: Promise<void>; held: PromiseWithResolvers<AppError> }

export type BatchQueue = ReturnType<typeof createBatchQueue>

export function createBatchQueue(deps: Deps) {
  const { storage, clock, log, newId } = deps
  const { batches } = storage
  // Changes of one batch are serialized, so that the requests of two calls do not mix.
  const { inTurn, idle } = createTurns()
  const stopping = new AbortController()
  const settling = new Map<string, Settling>()

  // A running loop sees later transitions, because it reads the batch before each slice and at the end.
  function settle(id: string): void {
    if (settling.has(id)) return
    const work: Settling = { held: Promise.withResolvers() }
    settling.set(id, work)
    work.ended = settleBatch(id, work)
      .catch((error) => log.error('a batch was not queued completely', { batchId: id, error }))
      .finally(() => settling.delete(id))
  }

  async function settleBatch(id: string, work: Settling): Promise<void> {
    for (let batch = unsettled(id); batch !== undefined; batch = unsettled(id)) {
      try {
        await (batch.state === 'FINALIZED' ? queueSome(batch) : dropSome(batch))
      } catch (error) {
        if (batches.get(id) === undefined) return
        if (!(error instanceof AppError && TRANSIENT.includes(error.code))) throw error
        log.warn('a batch is queued later', { batchId: id, error })
        work.held.resolve(error)
        await pause()
        work.held = Promise.withResolvers()
      }
    }
  }

  function unsettled(id: string): Batch | undefined {
    const batch = stopping.signal.aborted ? undefined : batches.get(id)
    return batch?.settled === 0 ? batch : undefined
  }

  const pause = () =>
    new Promise<void>((resolve) => {
      const end = () => {
        cancel()
        stopping.signal.removeEventListener('abort', end)
        resolve()
      }
      const cancel = clock.after(RETRY_AFTER_MS, end)
      stopping.signal.addEventListener('abort', end)
    })

  async function queueSome(batch: Batch): Promise<void> {
    const endpoint = storage.endpoints.get(batch.endpointId)
    if (endpoint === undefined) return
    if (endpoint.config.loadBalanced !== undefined)
      return await storage.write(() => void batches.move(batch.seq, 'fail'))
    const drafts = withinBytes(batches.drafts(batch.seq, AT_ONCE), ({ bytes }) => bytes)
    if (drafts.length === 0) return await storage.write(() => batches.settle(batch.seq, batch.state))
    const results = await Promise.allSettled(drafts.map((draft) => queueOne(endpoint, draft)))
    for (const result of results) if (result.status === 'rejected') throw result.reason
  }

  async function queueOne(endpoint: Endpoint, draft: Draft): Promise<void> {
    const { batch, line, id } = draft
    const kind = kindOf(endpoint)
    try {
      const read = kind.readsInput ? await batches.readDraft(draft) : { input: '', s3Config: undefined }
      if (read === undefined) return
      await kind.submit(deps, endpoint, {
        ...{ kind: 'run', request: JSON.parse(draft.request), ...read, waitMs: undefined },
        ...{ batch: { batch, line, draftId: id }, draft: { batch, line } },
      })
    } catch (error) {
      if (error instanceof AppError && error.code === 'BATCH_CLOSED') return
      if (!isOfLine(error)) throw error
      await storage.write(() => {
        if (batches.mayQueue(batch, line) !== undefined) batches.refuse(batch, line, id, error.message)
      })
    }
  }

  /** Cancels the waiting jobs of a cancelled batch, and deletes requests that will not become jobs. */
  async function dropSome(batch: Batch): Promise<void> {
    const { seq, state } = batch
    if (state === 'CANCELLED') await moveJobs(deps, 'cancel', { batch: seq, states: ['IN_QUEUE'] })
    await dropDrafts(seq, 0, false)
    await storage.write(() => batches.settle(seq, state))
  }

  async function dropDrafts(seq: number, after: number, lines: boolean): Promise<void> {
    while (await storage.write(() => batches.dropDrafts(seq, after, { most: DROPPED_AT_ONCE, lines })));
  }

  async function dropUncounted(batch: Batch): Promise<void> {
    if (countBatch(storage, batch).uncounted > 0) await dropDrafts(batch.seq, batch.received, true)
  }

  async function store(
    endpoint: Endpoint,
    { batch, line }: DraftPlace,
    { input: given, request, s3Config }: Submission,
  ): Promise<string | undefined> {
    const id = jobId('run', newId.uuid())
    const { webhook, policy } = request
    const { input, secretInput } = await kindOf(endpoint).splitInput(deps, given)
    const draft = { batch, line, id, request: JSON.stringify({ webhook, policy }), s3Config, secretInput }
    return await storage.payloads.write(input, (stored) =>
      storage.write(() => {
        const isNew = batches.addDraft({ ...draft, input: stored })
        return { stored: isNew, result: isNew ? id : undefined }
      }),
    )
  }

  async function storeAll(
    endpoint: Endpoint,
    { seq, received }: Batch,
    submissions: readonly Submission[],
  ): Promise<readonly string[]> {
    const ids: (string | undefined)[] = []
    while (ids.length < submissions.length) {
      const from = ids.length
      const slice = withinBytes(submissions.slice(from, from + AT_ONCE), ({ input }) => input.length)
      ids.push(
        ...(await Promise.all(
          slice.map((one, at) => store(endpoint, { batch: seq, line: received + from + at + 1 }, one)),
        )),
      )
    }
    return ids.filter((id) => id !== undefined)
  }

  function requireRoom(endpoint: Endpoint, batch: Batch): void {
    const coming = batches
      .unsettled()
      .filter(({ endpointId, state }) => endpointId === endpoint.id && state === 'FINALIZED')
      .reduce((sum, { seq }) => sum + (batches.counts(seq).UNQUEUED ?? 0), 0)
    const total = waitingJobs(deps.counts.of(workedBy(storage, endpoint).id)) + coming + batch.total
    const most = limit('batchQueue')
    if (total > most)
      throw new AppError('QUEUE_FULL', { endpointId: endpoint.id, total, limit: most, batchId: batch.id })
  }

  return {
    /**
     * Adds all requests or none.
     * @returns their ids
     * @throws AppError BATCH_CLOSED, BATCH_FULL, BAD_INPUT, and those of storing
     */
    add: (endpoint: Endpoint, id: string, submissions: readonly Submission[]): Promise<readonly string[]> =>
      inTurn(id, async () => {
        const batch = requireDraft(requireBatch(storage, id))
        const [count, most] = [submissions.length, limit('batchRequests')]
        const { unsent } = countBatch(storage, batch)
        if (unsent > 0) throw new AppError('BATCH_CLOSED', { batchId: id, why: 'is the upload of a file' })
        if (batch.total + count > most) throw new AppError('BATCH_FULL', { limit: most, total: batch.total + count })
        for (const { input } of submissions) requireFields(endpoint, input)
        const { seq, received } = batch
        try {
          await dropUncounted(batch)
          const ids = await storeAll(endpoint, batch, submissions)
          if (!(await storage.write(() => batches.grow({ batch: seq, count, most }))))
            requireDraft(requireBatch(storage, id))
          return ids
        } catch (error) {
          await dropDrafts(seq, received, true).catch(() => undefined)
          throw error
        }
      }),
    /**
     * @returns false if the line has a request already
     * @throws AppError BATCH_CLOSED, BAD_INPUT, and those of storing
     */
    async addLine(endpoint: Endpoint, batch: Batch, line: number, submission: Submission): Promise<boolean> {
      requireFields(endpoint, submission.input)
      if ((await store(endpoint, { batch: batch.seq, line }, submission)) !== undefined) return true
      requireDraft(requireBatch(storage, batch.id))
      return false
    },
    removeRequest: (id: string, requestId: string): Promise<void> =>
      inTurn(id, async () => {
        const { seq } = requireDraft(requireBatch(storage, id))
        const line = batches.lineOf(seq, requestId)?.line
        if (line === undefined || !(await storage.write(() => batches.removeDraft(seq, line))))
          throw new AppError('JOB_NOT_FOUND', { jobId: requestId.slice(0, 100) })
      }),
    /**
     * @param isLimited whether the platform's limit of waiting jobs applies
     * @throws AppError BATCH_CLOSED, BATCH_INCOMPLETE, QUEUE_FULL, ENDPOINT_PAUSED
     */
    finalize: (endpoint: Endpoint, id: string, isLimited = false): Promise<Batch> =>
      inTurn(id, async () => {
        const batch = requireBatch(storage, id)
        if (batch.state === 'FINALIZED') return batch
        requireDraft(batch)
        const { unsent } = countBatch(storage, batch)
        if (unsent > 0) throw new AppError('BATCH_INCOMPLETE', { batchId: id, unsent })
        const worked = workedBy(storage, endpoint)
        // A graph without its endpoint refuses each request, with the reason.
        if (worked.config.graph === undefined) requireWorkers(worked)
        if (isLimited) requireRoom(endpoint, batch)
        await dropUncounted(batch)
        await storage.write(() => batches.move(batch.seq, 'finalize'))
        settle(id)
        return requireBatch(storage, id)
      }),
    cancel: (id: string, states: readonly ('IN_QUEUE' | 'IN_PROGRESS')[]): Promise<BulkResult> =>
      inTurn(id, async () => {
        const batch = requireBatch(storage, id)
        if (batch.state !== 'DRAFT' && !countBatch(storage, batch).isOpen) return { changed: 0, refused: [] }
        await dropUncounted(batch)
        const unqueued = await storage.write(() => {
          const { UNQUEUED = 0 } = batches.counts(batch.seq)
          return batches.move(batch.seq, 'cancel') ? UNQUEUED : 0
        })
        const moved = await moveJobs(deps, 'cancel', { batch: batch.seq, states })
        settle(id)
        return { ...moved, changed: moved.changed + unqueued }
      }),
    /**
     * Resolves once the jobs of a batch match its state.
     * @throws AppError DISK_FULL, DATABASE_BUSY while they cannot
     */
    async settled(id: string): Promise<void> {
      const work = settling.get(id)
      const error = await Promise.race([work?.ended, work?.held.promise])
      if (error !== undefined) throw error
    },
    start() {
      for (const { id } of batches.unsettled()) settle(id)
    },
    async stop() {
      stopping.abort()
      await Promise.all([idle(), ...[...settling.values()].map(({ ended }) => ended)])
    },
  }
}

const TRANSIENT: readonly string[] = ['DISK_FULL', 'DATABASE_BUSY']

export function requireDraft(batch: Batch): Batch {
  if (mayMove(batch.state, 'finalize')) return batch
  const why = { DRAFT: '', FINALIZED: 'is finalized', CANCELLED: 'was cancelled', FAILED: 'has failed' }[batch.state]
  throw new AppError('BATCH_CLOSED', { batchId: batch.id, why })
}

/** As many rows as a commit takes, and at least one; a file counts as 1 KiB. */
function withinBytes<Row>(rows: readonly Row[], bytesOf: (row: Row) => number): readonly Row[] {
  let sum = 0
  const end = rows.findIndex((row, at) => {
    sum += inRow(bytesOf(row))
    return at > 0 && sum > BYTES_AT_ONCE
  })
  return end < 0 ? rows : rows.slice(0, end)
}

const inRow = (bytes: number) => (bytes > limit('payloadInRowBytes') ? KIB : bytes)
