/**
 * What workers ask of the service: jobs, stop orders, signs of life, reports. Every call is a sign of life. A worker
 * that is to leave is answered quickly and gets nothing. Source: worker-protocol, Calls.
 */
import { limit } from '../../contract/limits.ts'
import type { Report } from '../../domain/job/result.ts'
import type { Clock, Fleet, Job, Storage } from '../ports.ts'
import { appendStream } from '../queue/append-stream.ts'
import { finishJob, type ReportOutcome } from '../queue/finish.ts'
import type { Leases } from '../queue/leases.ts'
import type { ParkedTakes } from '../queue/parked-takes.ts'
import { type HandOut, readHandOuts } from '../queue/read-hand-outs.ts'
import { releaseJobs } from '../queue/release-jobs.ts'
import type { JobWaiters } from '../queue/wait-for-job.ts'
import { wait } from '../wait.ts'
import { closeJobSpan } from './job-spans.ts'
import { type LiveWorker, loadOf, takesJobs, type WorkerRegistry } from './worker-registry.ts'

/** Ping of a worker. `jobIds` undefined: it did not say. */
export type Ping = { readonly jobIds: readonly string[]; readonly unhealthy: string | undefined }

/** The calls. */
export type WorkerCalls = {
  readonly take: (
    worker: LiveWorker,
    request: { readonly max: number; readonly busy: boolean; readonly signal: AbortSignal | undefined },
  ) => Promise<readonly HandOut[]>
  /** The answer with these jobs did not reach the worker: nobody runs them. */
  readonly undelivered: (jobs: readonly Job[]) => Promise<void>
  readonly waitForStopOrders: (worker: LiveWorker, signal: AbortSignal | undefined) => Promise<readonly string[]>
  readonly ping: (worker: LiveWorker, ping: Ping) => void
  readonly report: (worker: LiveWorker, jobId: string, report: Report) => Promise<ReportOutcome>
  readonly stream: (
    worker: LiveWorker,
    jobId: string,
    chunk: { readonly output: string; readonly metrics: string | undefined },
  ) => Promise<ReportOutcome>
  /** Gives the worker an order to end a job, and tells it at once if it listens. */
  readonly orderStop: (
    worker: LiveWorker,
    job: { readonly jobId: string; readonly seq: number; readonly graceMs: number },
  ) => void
  /** The worker may take jobs now: a request that it made before counts. */
  readonly goOn: (workerId: string) => void
  /** Answers all open calls of a worker with nothing, at once. */
  readonly dismiss: (workerId: string) => void
  readonly lateReports: () => number
}

// A leaving worker that asks once more must neither wait long nor spin.
const LEAVING_HOLD_MS = 250

type Deps = {
  readonly storage: Storage
  readonly clock: Clock
  readonly fleet: Pick<Fleet, 'drainOutput'>
  readonly leases: Leases
  readonly takes: ParkedTakes
  readonly waiters: JobWaiters
  readonly registry: WorkerRegistry
  /** Called when something about a worker changed that scaling cares for. */
  readonly onWorkerChange: (worker: LiveWorker) => void
}

/** Makes the calls. */
export function createWorkerCalls(deps: Deps): WorkerCalls {
  const { clock, fleet, leases, takes, registry, onWorkerChange } = deps
  const paused = new Map<string, Set<() => void>>()
  let late = 0

  function seen(worker: LiveWorker, named: readonly string[] = []): void {
    worker.lastSeen = clock.steady()
    worker.lastSeenWallAt = clock.now()
    leases.renew(worker.id, named)
  }

  function clearOrder(worker: LiveWorker, jobId: string): void {
    if (!worker.stopOrders.has(jobId)) return
    fleet.drainOutput(worker.id) // its lines so far belong to this job
    worker.stopOrders.delete(jobId)
    closeJobSpan(worker, jobId, clock.now())
    if (loadOf(worker, leases) === 0) registry.apply(worker, 'becomeIdle')
    onWorkerChange(worker)
  }

  // Holds a call that has nothing to get. A leaving worker is not held for long.
  function pause(worker: LiveWorker, signal: AbortSignal | undefined): Promise<unknown> {
    const ms = worker.state === 'stopping' ? LEAVING_HOLD_MS : limit('takeHoldMs')
    return wait(clock, { ms, signal, listen: (finish) => listenFor(worker.id, finish) })
  }

  function listenFor(workerId: string, finish: () => void): () => void {
    const mine = paused.get(workerId) ?? new Set()
    paused.set(workerId, mine.add(finish))
    return () => {
      mine.delete(finish)
      if (mine.size === 0 && paused.get(workerId) === mine) paused.delete(workerId)
    }
  }

  function wake(workerId: string): void {
    for (const finish of [...(paused.get(workerId) ?? [])]) finish()
  }

  async function counted(outcome: Promise<ReportOutcome>): Promise<ReportOutcome> {
    const result = await outcome
    if (result === 'late') late += 1
    return result
  }

  return {
    async take(worker, { max, busy, signal }) {
      seen(worker)
      if (registry.apply(worker, 'ready')) onWorkerChange(worker)
      if (!busy) {
        for (const jobId of [...worker.stopOrders.keys()]) clearOrder(worker, jobId)
        const neverGot = leases.ofWorker(worker.id).filter((lease) => lease.resumed && !lease.confirmed)
        await releaseJobs(deps, neverGot, 'the service was restarted before the worker had the job')
      }
      if (!takesJobs(worker)) {
        await pause(worker, signal)
        // One that was frozen just before its request came may have gone on meanwhile.
        if (signal?.aborted || !takesJobs(worker)) return []
      }
      const jobs = await takes.take({
        endpointId: worker.endpointId,
        workerId: worker.id,
        max,
        holdMs: limit('takeHoldMs'),
        signal,
      })
      // A fault switch kills it: what it was just given goes back when it has ended.
      if (worker.killedBy !== undefined) return []
      return readHandOuts(deps, jobs)
    },
    undelivered: (jobs) => {
      const lost = jobs.flatMap(({ id, attempt }) => {
        const lease = leases.get(id)
        // Else somebody else has it already, or the worker has said that it runs it.
        return lease?.attempt === attempt && !lease.confirmed ? [lease] : []
      })
      return releaseJobs(deps, lost, 'the worker closed its connection before it had the job')
    },
    async waitForStopOrders(worker, signal) {
      seen(worker)
      const unsent = () => [...worker.stopOrders].filter(([, order]) => !order.sent)
      if (unsent().length === 0) await pause(worker, signal)
      if (signal?.aborted) return []
      const orders = unsent()
      for (const [, order] of orders) order.sent = true
      return orders.map(([jobId]) => jobId)
    },
    ping(worker, { jobIds, unhealthy }) {
      seen(worker, jobIds)
      for (const [jobId, order] of [...worker.stopOrders])
        if (order.sent && !jobIds.includes(jobId)) clearOrder(worker, jobId)
      if (unhealthy === undefined || !registry.apply(worker, 'markUnhealthy', unhealthy)) return
      worker.failure = unhealthy
      onWorkerChange(worker)
    },
    report(worker, jobId, report) {
      seen(worker, [jobId])
      fleet.drainOutput(worker.id) // its lines so far belong to this job
      if (report.kind !== 'progress') {
        clearOrder(worker, jobId)
        if (report.replaceWorker && !worker.replace) {
          worker.replace = true
          onWorkerChange(worker)
        }
      }
      return counted(finishJob(deps, { jobId, workerId: worker.id, report }))
    },
    stream(worker, jobId, chunk) {
      seen(worker, [jobId])
      return counted(appendStream(deps, { jobId, workerId: worker.id, chunk }))
    },
    orderStop(worker, { jobId, seq, graceMs }) {
      worker.stopOrders.set(jobId, { seq, until: clock.steady() + graceMs, sent: false })
      wake(worker.id)
    },
    goOn: wake,
    dismiss(workerId) {
      takes.dismiss(workerId)
      wake(workerId)
    },
    lateReports: () => late,
  }
}
