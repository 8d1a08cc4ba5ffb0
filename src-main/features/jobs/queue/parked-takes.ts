import type { Change, Endpoint, Job, Storage } from '../../../storage/storage.ts'
/**
 * Workers waiting for jobs. Dispatch is the last write of each group commit, without polling and before the disk sync:
 * see docs/decisions.md, "Commits are synced off the event loop".
 */

import type { WorkerPool } from '../../../contract/endpoint.ts'
import { type Clock, momentOf } from '../../../lib/clock.ts'
import type { ExclusiveGroups } from '../../workers/registry/exclusive-groups.ts'
import type { FleetStatuses } from '../../workers/registry/fleet-status.ts'
import { loadOf, type WorkerRegistry } from '../../workers/registry/worker-registry.ts'
import type { WorkflowServers } from '../../workers/registry/workflow-servers.ts'
import { bestFirst, mostPerTake } from '../../workers/rules/dispatch.ts'
import { isUsedUp } from '../../workers/rules/faults.ts'
import { batchWorkersMax, sharingOf } from '../../workers/rules/pools.ts'
import { takesJobs } from '../../workers/rules/transitions.ts'
import { hasSeveralServers } from '../../workflows/rules/server-address.ts'
import { claimByServer } from './claim-by-server.ts'
import type { Leases } from './leases.ts'
import { type QueueCounts, waitingJobs } from './queue-counts.ts'

type Parked = {
  readonly endpointId: string
  readonly workerId: string
  readonly pool: WorkerPool
  readonly max: number
  readonly respond: (jobs: readonly Job[]) => void
}

type Call = Omit<Parked, 'respond'>

type TakeDeps = {
  readonly storage: Pick<Storage, 'beforeCommit' | 'onRollback' | 'poke' | 'jobs' | 'endpoints' | 'runs'>
  readonly clock: Clock
  readonly counts: QueueCounts
  readonly registry: Pick<WorkerRegistry, 'get' | 'ofEndpoint'>
  readonly leases: Pick<Leases, 'ofWorker'>
  readonly status: Pick<FleetStatuses, 'of'>
  readonly servers: WorkflowServers
  readonly groups: Pick<ExclusiveGroups, 'mayTake' | 'took'>
}

export type ParkedTakes = ReturnType<typeof createParkedTakes>

export function createParkedTakes(deps: TakeDeps) {
  const { storage, clock, counts, groups } = deps
  const rules = takeRules(deps)
  const parked = new Map<string, Set<Parked>>()
  // Answered by the next commit, even without a job.
  const leaving = new Set<Parked>()
  const delayedWakes = createDelayedWakes(storage, clock)
  const hold = createJobHold(storage, clock, delayedWakes)

  function add(entry: Parked): void {
    const set = parked.get(entry.endpointId) ?? new Set<Parked>()
    parked.set(entry.endpointId, set.add(entry))
  }

  function remove(entry: Parked): void {
    leaving.delete(entry)
    const set = parked.get(entry.endpointId)
    set?.delete(entry)
    if (set?.size === 0) parked.delete(entry.endpointId)
  }

  function withFaults(
    { endpointId, workerId, max }: Parked,
    pool: WorkerPool,
  ): Pick<Parked, 'max'> & { except: readonly number[] } {
    const except = rules.except(workerId)
    const faults = rules.faultsOf(endpointId)
    if (faults === undefined) return { max, except }
    const most = mostPerTake(max, faults)
    if (faults.delayMs === undefined) return { max: most, except }
    const { free, held } = hold.check(endpointId, pool, faults.delayMs)
    return { max: Math.min(most, free), except: [...except, ...held] }
  }

  function claimFor(entry: Parked, pool: WorkerPool): readonly Job[] {
    const jobs: Job[] = []
    const { max, except } = withFaults(entry, pool)
    while (jobs.length < max) {
      const job = storage.jobs.claim({ endpointId: entry.endpointId, pool }, entry.workerId, except, momentOf(clock))
      if (job === undefined) break
      jobs.push(job)
    }
    return jobs
  }

  function claimInOrder(entries: readonly Parked[], pool: WorkerPool): ReadonlyMap<Parked, readonly Job[]> {
    const claimed = new Map<Parked, readonly Job[]>()
    for (const entry of bestFirst(entries, rules.load)) {
      if (!rules.mayTake(entry.workerId)) continue
      const jobs = claimFor(entry, pool)
      if (jobs.length > 0) claimed.set(entry, jobs)
      else if (rules.except(entry.workerId).length === 0) break
    }
    return claimed
  }

  function claimForServers(
    endpoint: Endpoint,
    entries: readonly Parked[],
    pool: WorkerPool,
  ): ReadonlyMap<Parked, readonly Job[]> {
    const takers = entries
      .filter(({ workerId }) => rules.mayTake(workerId))
      .map((entry) => ({ ...withFaults(entry, pool), workerId: entry.workerId, entry }))
    const pokeIn = (ms: number) => delayedWakes.later(`${endpoint.id} servers`, ms)
    const claimed = claimByServer(deps, endpoint, { pool, takers, pokeIn })
    return new Map([...claimed].map(([{ entry }, jobs]) => [entry, jobs]))
  }

  storage.beforeCommit((changes: readonly Change[]) => {
    if (parked.size === 0) return undefined
    const claimed: { entry: Parked; jobs: readonly Job[] }[] = []
    const taken = new Set<string>()
    // Only changed or waiting endpoints, because a thousand may have parked workers.
    for (const endpointId of new Set([...queuedIn(changes), ...counts.waitingEndpoints()])) {
      const entries = parked.get(endpointId)
      const endpoint = storage.endpoints.get(endpointId)
      if (entries === undefined || endpoint === undefined || endpoint.paused) continue
      if (!groups.mayTake(endpoint, changes, taken)) continue
      const claimAll = (some: readonly Parked[], pool: WorkerPool) => {
        const got = hasSeveralServers(endpoint.config.workflows)
          ? claimForServers(endpoint, some, pool)
          : claimInOrder(some, pool)
        for (const [entry, jobs] of got) claimed.push({ entry, jobs })
        if (got.size > 0) {
          taken.add(endpointId)
          groups.took(endpoint)
        }
        return got
      }
      const main = [...entries].filter(({ pool }) => pool === 'main')
      const got = claimAll(main, 'main')
      const rest = main.filter((entry) => !got.has(entry))
      claimAll([...entries].filter(({ pool }) => pool === 'batch').concat(rules.standIns(endpointId, rest)), 'batch')
    }
    if (claimed.length === 0 && leaving.size === 0) return undefined
    const last = [...leaving]
    // Before the disk sync: a power cut that reverts the claim ends the worker too.
    return {
      committed: () => {
        for (const { entry, jobs } of claimed) entry.respond(jobs)
        for (const entry of last) entry.respond([])
      },
    }
  })

  storage.onRollback(() => {
    for (const entry of [...leaving]) remove(entry)
  })

  return {
    take: ({
      holdMs,
      signal,
      ...call
    }: Call & {
      holdMs: number
      signal: AbortSignal | undefined
    }): Promise<readonly Job[]> =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve([])
        const respond = (jobs: readonly Job[]) => {
          cancelHold()
          signal?.removeEventListener('abort', giveUp)
          remove(entry)
          resolve(jobs)
        }
        const giveUp = () => respond([])
        const entry: Parked = { ...call, respond }
        const cancelHold = clock.after(holdMs, giveUp)
        signal?.addEventListener('abort', giveUp, { once: true })
        add(entry)
        if (waitingJobs(counts.of(call.endpointId)) > 0) storage.poke()
      }),
    /**
     * Takes jobs in the commit of a write that calls `join`.
     * @returns `jobs` resolves after that commit, before the disk sync; never, if it fails
     */
    withCommit(call: Call) {
      const { promise: jobs, resolve } = Promise.withResolvers<readonly Job[]>()
      const entry: Parked = {
        ...call,
        respond(taken) {
          remove(entry)
          resolve(taken)
        },
      }
      const join = () => {
        add(entry)
        leaving.add(entry)
      }
      return { jobs, join, leave: () => remove(entry) }
    },
    dismiss(workerId: string) {
      for (const entries of [...parked.values()])
        for (const entry of [...entries]) if (entry.workerId === workerId) entry.respond([])
    },
    dismissAll() {
      delayedWakes.close()
      for (const entries of [...parked.values()]) for (const entry of [...entries]) entry.respond([])
    },
  }
}

function* queuedIn(changes: readonly Change[]): Generator<string> {
  for (const change of changes) if (change.type === 'job' && change.to === 'IN_QUEUE') yield change.endpointId
}

function takeRules({ storage, registry, leases, status }: Omit<TakeDeps, 'clock' | 'counts' | 'servers' | 'groups'>) {
  const faultsOf = (endpointId: string) => storage.endpoints.get(endpointId)?.config.faults
  const runsBatchJob = (workerId: string) => leases.ofWorker(workerId).some(({ pool }) => pool === 'batch')
  return {
    faultsOf,
    /** At most as many main workers stand in as there could be batch workers. */
    standIns(endpointId: string, main: readonly Parked[]): readonly Parked[] {
      const config = storage.endpoints.get(endpointId)?.config
      const sharing = config === undefined ? 'never' : sharingOf(config, status.of(endpointId).batch.decision)
      if (config === undefined || sharing === 'never') return []
      if (sharing === 'always') return main
      const standing = registry.ofEndpoint(endpointId).filter(({ pool, id }) => pool === 'main' && runsBatchJob(id))
      const others = main.filter(({ workerId }) => !runsBatchJob(workerId))
      return main
        .filter((entry) => !others.includes(entry))
        .concat(others.slice(0, Math.max(0, batchWorkersMax(config) - standing.length)))
    },
    mayTake(workerId: string): boolean {
      const worker = registry.get(workerId)
      return worker !== undefined && takesJobs(worker) && !isUsedUp(faultsOf(worker.endpointId), worker)
    },
    load(workerId: string): number {
      const worker = registry.get(workerId)
      return worker === undefined ? 0 : loadOf(worker, leases)
    },
    /** Jobs of which the worker may still run an earlier attempt. */
    except: (workerId: string) => [...(registry.get(workerId)?.stopOrders.values() ?? [])].map(({ seq }) => seq),
  }
}

// Jobs checked per look; later ones go later anyway.
const WINDOW = 200

type DelayedWakes = ReturnType<typeof createDelayedWakes>

function createDelayedWakes(storage: Pick<Storage, 'poke'>, clock: Clock) {
  const timers = new Map<string, () => void>()
  return {
    /** Replaces an earlier one of the same key. */
    later(key: string, ms: number): void {
      timers.get(key)?.()
      const cancel = clock.after(ms, () => {
        timers.delete(key)
        storage.poke()
      })
      timers.set(key, cancel)
    },
    close() {
      for (const cancel of timers.values()) cancel()
      timers.clear()
    },
  }
}

function createJobHold(storage: Pick<Storage, 'jobs'>, clock: Clock, delayedWakes: DelayedWakes) {
  return {
    check(
      endpointId: string,
      pool: WorkerPool,
      delayMs: number,
    ): { readonly free: number; readonly held: readonly number[] } {
      const now = clock.steady()
      const next = storage.jobs.inOrder(endpointId, pool, WINDOW)
      const held = next.filter(({ queuedAt }) => queuedAt + delayMs > now)
      if (held.length > 0)
        delayedWakes.later(endpointId, Math.min(...held.map(({ queuedAt }) => queuedAt)) + delayMs - now)
      return { free: next.length - held.length, held: held.map(({ seq }) => seq) }
    },
  }
}
