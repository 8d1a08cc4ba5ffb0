/**
 * Calls of workers: jobs, stop orders, pings, reports. Each renews leases; stopping workers get a quick empty answer.
 * Source: docs/spec/worker-protocol.md, 2.
 */
import { limit } from '../../contract/limits.ts'
import type { Clock } from '../../lib/clock.ts'
import { createKeyedEmitter } from '../../lib/emitter.ts'
import { wait } from '../../lib/wait.ts'
import type { Fleet } from '../../runtimes/port.ts'
import type { Job, Storage } from '../../storage/storage.ts'
import { appendStream, finishJob, type Leases, type ReportOutcome } from '../jobs/queue/leases.ts'
import { requeueJobs } from '../jobs/queue/lost-and-overdue-jobs.ts'
import type { LostChunks } from '../jobs/queue/lost-chunks.ts'
import type { ParkedTakes } from '../jobs/queue/parked-takes.ts'
import { type Dispatch, readDispatches } from '../jobs/queue/read-dispatches.ts'
import type { JobWaiters } from '../jobs/queue/wait-for-job.ts'
import type { Report } from '../jobs/rules/report.ts'
import type { SentChunk } from '../jobs/rules/stream.ts'
import type { EndpointLog } from '../monitoring/logs/endpoint-log.ts'
import { endJob, type LiveWorker, loadOf, type StopOrder, type WorkerRegistry } from './registry/worker-registry.ts'
import { takesJobs } from './rules/transitions.ts'

export type Ping = { readonly jobIds: readonly string[]; readonly unhealthy: string | undefined }

export type WorkerCalls = ReturnType<typeof createWorkerCalls>

// A stopping worker must neither wait long nor spin.
const LEAVING_HOLD_MS = 250

const ABOVE_LIMIT = `more than ${limit('chunksPerJob').toLocaleString('en')}`

const allSent = (orders: ReadonlyMap<string, StopOrder>) =>
  new Map([...orders].map(([jobId, order]) => [jobId, { ...order, sent: true }]))

export function createWorkerCalls(deps: {
  readonly storage: Storage
  readonly clock: Clock
  readonly fleet: Pick<Fleet, 'drainOutput'>
  readonly leases: Leases
  readonly takes: ParkedTakes
  readonly waiters: JobWaiters
  readonly registry: WorkerRegistry
  readonly endpointLog: EndpointLog
  readonly lostChunks: LostChunks
  readonly onChange: (endpointId: string) => void
  /** Masks secrets of jobs in a worker's log; called before the worker gets them. */
  readonly hide: (endpointId: string, values: readonly string[]) => void
}) {
  const { storage, clock, fleet, leases, takes, registry, endpointLog, lostChunks, onChange, hide } = deps
  const wakes = createKeyedEmitter()
  let late = 0

  const arrivedOf = (jobId: string) => storage.chunks.count(leases.get(jobId)?.seq ?? 0)

  const holds = ({ id }: LiveWorker, jobId: string) => leases.get(jobId)?.workerId === id

  const note = ({ id: workerId, endpointId }: LiveWorker, jobId: string, line: string) =>
    endpointLog({ endpointId, workerId, jobId, line })

  function lostOf(worker: LiveWorker, jobId: string): string | undefined {
    const lost = holds(worker, jobId) ? lostChunks.tell(jobId, arrivedOf) : undefined
    if (lost !== undefined) note(worker, jobId, `${lost}.`)
    return lost
  }

  function seen(worker: LiveWorker, named: readonly string[] = []): void {
    registry.note(worker, { lastSeenWallAt: clock.now() })
    leases.renew(worker.id, named)
  }

  function clearOrder(worker: LiveWorker, jobId: string): void {
    if (!worker.stopOrders.has(jobId)) return
    fleet.drainOutput(worker.id)
    const stopOrders = new Map(worker.stopOrders)
    stopOrders.delete(jobId)
    registry.note(worker, { stopOrders, ...endJob(worker, jobId, clock.now()) })
    if (loadOf(worker, leases) === 0) registry.move(worker, 'becomeIdle')
    onChange(worker.endpointId)
  }

  // Holds a call without an answer, shortly for stopping workers.
  function pause(worker: LiveWorker, signal: AbortSignal | undefined): Promise<unknown> {
    const ms = worker.state === 'stopping' ? LEAVING_HOLD_MS : limit('takeHoldMs')
    return wait(clock, { ms, signal, listen: (finish) => wakes.on(worker.id, finish) })
  }

  async function counted(outcome: Promise<ReportOutcome>): Promise<ReportOutcome> {
    const result = await outcome
    if (result === 'late') late += 1
    return result
  }

  function report(worker: LiveWorker, jobId: string, report: Report, inCommit?: () => void): Promise<ReportOutcome> {
    seen(worker, [jobId])
    fleet.drainOutput(worker.id)
    if (report.kind === 'dropped') {
      if (holds(worker, jobId)) note(worker, jobId, report.why)
      return Promise.resolve('accepted')
    }
    if (report.kind !== 'progress') {
      clearOrder(worker, jobId)
      const facts = { retiredBecause: 'its last result asked for a new worker' }
      if (report.replaceWorker && registry.move(worker, 'retire', facts)) onChange(worker.endpointId)
    }
    const reason = report.kind === 'complete' ? lostOf(worker, jobId) : undefined
    return counted(finishJob(deps, { jobId, workerId: worker.id, report, reason, inCommit }))
  }

  // A killed worker gets nothing: its jobs return when it has ended.
  async function dispatchTo(worker: LiveWorker, jobs: readonly Job[]): Promise<readonly Dispatch[]> {
    if (worker.duty === 'killed') return []
    const dispatches = await readDispatches(deps, jobs)
    for (const { secretInput } of dispatches)
      if (secretInput !== undefined) hide(worker.endpointId, Object.values(JSON.parse(secretInput)).map(String))
    return dispatches
  }

  return {
    async take(
      worker: LiveWorker,
      { max, busy, signal }: { readonly max: number; readonly busy: boolean; readonly signal: AbortSignal | undefined },
    ): Promise<readonly Dispatch[]> {
      seen(worker)
      if (registry.move(worker, 'ready')) onChange(worker.endpointId)
      if (!busy) {
        for (const jobId of [...worker.stopOrders.keys()]) clearOrder(worker, jobId)
        const neverGot = leases.ofWorker(worker.id).filter((lease) => lease.resumed && !lease.confirmed)
        await requeueJobs(deps, neverGot, 'the service was restarted before the worker had the job')
      }
      if (!takesJobs(worker)) {
        await pause(worker, signal)
        if (signal?.aborted || !takesJobs(worker)) return []
      }
      const jobs = await takes.take({
        endpointId: worker.endpointId,
        workerId: worker.id,
        pool: worker.pool,
        max,
        holdMs: limit('takeHoldMs'),
        signal,
      })
      return dispatchTo(worker, jobs)
    },
    undelivered: (jobs: readonly Job[]): Promise<void> => {
      const lost = jobs.flatMap(({ id, attempt }) => {
        const lease = leases.get(id)
        // Otherwise someone else has the job, or the worker has confirmed it.
        return lease?.attempt === attempt && !lease.confirmed ? [lease] : []
      })
      return requeueJobs(deps, lost, 'the worker closed its connection before it had the job')
    },
    async waitForStopOrders(worker: LiveWorker, signal: AbortSignal | undefined): Promise<readonly string[]> {
      seen(worker)
      const unsent = () => [...worker.stopOrders].flatMap(([jobId, order]) => (order.sent ? [] : [jobId]))
      if (unsent().length === 0) await pause(worker, signal)
      if (signal?.aborted) return []
      const jobIds = unsent()
      registry.note(worker, { stopOrders: allSent(worker.stopOrders) })
      return jobIds
    },
    ping(worker: LiveWorker, { jobIds, unhealthy }: Ping) {
      seen(worker, jobIds)
      for (const [jobId, order] of [...worker.stopOrders])
        if (order.sent && !jobIds.includes(jobId)) clearOrder(worker, jobId)
      if (unhealthy === undefined) return
      const facts = { reason: unhealthy, failure: unhealthy }
      if (registry.move(worker, 'reportUnhealthy', facts)) onChange(worker.endpointId)
    },
    report,
    /**
     * Like `report`, and takes the next jobs in the same commit. Local workers get them before the disk sync: a power
     * cut that reverts the commit ends the worker too.
     */
    async reportAndTake(
      worker: LiveWorker,
      jobId: string,
      { report: given, max }: { readonly report: Report; readonly max: number },
    ): Promise<readonly Dispatch[]> {
      const { id: workerId, endpointId, pool, machine } = worker
      const taking = takes.withCommit({ endpointId, workerId, pool, max })
      const reported = report(worker, jobId, given, taking.join).finally(taking.leave)
      const jobs = await Promise.race([taking.jobs, reported.then((): readonly Job[] => [])])
      if (jobs.length === 0 || machine !== undefined) await reported
      return dispatchTo(worker, jobs)
    },
    async stream(worker: LiveWorker, jobId: string, chunk: SentChunk): Promise<ReportOutcome> {
      seen(worker, [jobId])
      if ('problem' in chunk) {
        fleet.drainOutput(worker.id)
        if (holds(worker, jobId)) lostChunks.lose(jobId, chunk.problem, arrivedOf(jobId))
        return 'accepted'
      }
      const outcome = await counted(appendStream(deps, { jobId, workerId: worker.id, pieces: chunk.pieces }))
      if (outcome === 'late' && holds(worker, jobId)) lostChunks.lose(jobId, ABOVE_LIMIT, arrivedOf(jobId))
      return outcome
    },
    orderStop(
      worker: LiveWorker,
      { jobId, seq, graceMs }: { readonly jobId: string; readonly seq: number; readonly graceMs: number },
    ) {
      const order = { seq, until: clock.steady() + graceMs, sent: false }
      registry.note(worker, { stopOrders: new Map(worker.stopOrders).set(jobId, order) })
      wakes.emit(worker.id)
    },
    goOn: wakes.emit,
    dismiss(workerId: string) {
      takes.dismiss(workerId)
      wakes.emit(workerId)
    },
    lateReports: (): number => late,
  }
}
