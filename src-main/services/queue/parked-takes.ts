/**
 * Workers that wait for a job. A job is handed out inside the transaction that made it waiting: claims are the last
 * writes of each group commit, so a job is on its way to a worker as soon as it is durable, and nobody polls.
 */
import type { Faults } from '../../contract/faults.ts'
import type { Change, Clock, Job, Storage } from '../ports.ts'
import { momentOf } from '../steady-clock.ts'
import { createJobHold } from './hold-jobs.ts'

/** One open take call of a worker. */
type Parked = {
  readonly endpointId: string
  readonly workerId: string
  readonly max: number
  readonly order: number
  readonly answer: (jobs: readonly Job[]) => void
}

/** What the pool must know of the world to choose. */
export type TakeRules = {
  /** Whether jobs of the endpoint may be handed out now. */
  readonly mayHandOut: (endpointId: string) => boolean
  readonly waiting: (endpointId: string) => number
  /** Whether the worker may be given a job now. */
  readonly mayTake: (workerId: string) => boolean
  /** How many jobs the worker holds; the least loaded gets the next one. */
  readonly load: (workerId: string) => number
  /** Seqs that the worker must not get: it may still run an earlier attempt of these. */
  readonly except: (workerId: string) => readonly number[]
  readonly faultsOf: (endpointId: string) => Faults | undefined
}

/** The pool of waiting workers. */
export type ParkedTakes = {
  /** Waits until jobs are there, the signal aborts, or `holdMs` is over; the latter two answer with an empty list. */
  readonly take: (request: {
    endpointId: string
    workerId: string
    max: number
    holdMs: number
    signal: AbortSignal | undefined
  }) => Promise<readonly Job[]>
  /** Answers all open calls of a worker with nothing, at once. */
  readonly dismiss: (workerId: string) => void
  readonly dismissAll: () => void
}

/** Makes the pool and hooks it into the writer. */
export function createParkedTakes(
  storage: Pick<Storage, 'beforeCommit' | 'poke' | 'jobs'>,
  clock: Clock,
  rules: TakeRules,
): ParkedTakes {
  const parked = new Map<string, Set<Parked>>()
  const hold = createJobHold(storage, clock)
  let order = 0

  function remove(entry: Parked): void {
    const set = parked.get(entry.endpointId)
    set?.delete(entry)
    if (set?.size === 0) parked.delete(entry.endpointId)
  }

  // Least loaded first; among equals the one that came last, so that the others can fall idle and end.
  function inOrder(entries: Set<Parked>): readonly Parked[] {
    if (entries.size === 1) return [...entries]
    return [...entries].sort((a, b) => rules.load(a.workerId) - rules.load(b.workerId) || b.order - a.order)
  }

  function underFaults({ endpointId, workerId, max }: Parked): Pick<Parked, 'max'> & { except: readonly number[] } {
    const except = rules.except(workerId)
    const faults = rules.faultsOf(endpointId)
    if (faults === undefined) return { max, except }
    const most = faults.coldStart === true ? 1 : max
    if (faults.delayMs === undefined) return { max: most, except }
    const { free, held } = hold.look(endpointId, faults.delayMs)
    return { max: Math.min(most, free), except: [...except, ...held] }
  }

  function claimFor(entry: Parked): readonly Job[] {
    const jobs: Job[] = []
    const { max, except } = underFaults(entry)
    while (jobs.length < max) {
      const job = storage.jobs.claim(entry.endpointId, entry.workerId, except, momentOf(clock))
      if (job === undefined) break
      jobs.push(job)
    }
    return jobs
  }

  storage.beforeCommit((changes: readonly Change[]) => {
    if (parked.size === 0) return undefined
    const claimed: { entry: Parked; jobs: readonly Job[] }[] = []
    for (const [endpointId, entries] of parked) {
      const fresh = changes.some(
        (change) => change.type === 'job' && change.endpointId === endpointId && change.to === 'IN_QUEUE',
      )
      if ((!fresh && rules.waiting(endpointId) === 0) || !rules.mayHandOut(endpointId)) continue
      for (const entry of inOrder(entries)) {
        if (!rules.mayTake(entry.workerId)) continue
        const jobs = claimFor(entry)
        if (jobs.length > 0) claimed.push({ entry, jobs })
        else if (rules.except(entry.workerId).length === 0) break
      }
    }
    if (claimed.length === 0) return undefined
    return () => {
      for (const { entry, jobs } of claimed) entry.answer(jobs)
    }
  })

  return {
    take: ({ endpointId, workerId, max, holdMs, signal }) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve([])
        order += 1
        const answer = (jobs: readonly Job[]) => {
          cancelHold()
          signal?.removeEventListener('abort', giveUp)
          remove(entry)
          resolve(jobs)
        }
        const giveUp = () => answer([])
        const entry: Parked = { endpointId, workerId, max, order, answer }
        const cancelHold = clock.after(holdMs, giveUp)
        signal?.addEventListener('abort', giveUp, { once: true })
        const set = parked.get(endpointId) ?? new Set<Parked>()
        parked.set(endpointId, set.add(entry))
        if (rules.waiting(endpointId) > 0) storage.poke()
      }),
    dismiss(workerId) {
      for (const entries of [...parked.values()])
        for (const entry of [...entries]) if (entry.workerId === workerId) entry.answer([])
    },
    dismissAll() {
      hold.close()
      for (const entries of [...parked.values()]) for (const entry of [...entries]) entry.answer([])
    },
  }
}
