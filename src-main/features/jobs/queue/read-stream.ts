/**
 * Stream reads return new chunks, or hold while there are none. The cursor advances only after a full response, and
 * each job has one reader at a time, so no chunk is repeated or lost. Source: docs/spec/job-api.md, 5.
 */
import type { JobState } from '../../../contract/job.ts'
import type { Clock } from '../../../lib/clock.ts'
import { wait } from '../../../lib/wait.ts'
import type { Job, Storage } from '../../../storage/storage.ts'
import { isFinal } from '../rules/transitions.ts'
import type { JobWaiters } from './wait-for-job.ts'

/** Call exactly one of `delivered` and `lost`; other reads of the job wait for it. */
export type StreamRead = {
  readonly status: JobState
  readonly chunks: readonly string[]
  readonly delivered: () => Promise<void>
  readonly lost: () => void
}

export type StreamReaders = ReturnType<typeof createStreamReaders>

export function createStreamReaders(storage: Storage, clock: Clock, waiters: JobWaiters) {
  const turns = new Map<number, Promise<void>>()

  async function takeTurn(seq: number): Promise<() => void> {
    const before = turns.get(seq)
    let release: () => void = () => undefined
    const mine = new Promise<void>((resolve) => {
      release = resolve
    })
    const chain = (before ?? Promise.resolve()).then(() => mine)
    turns.set(seq, chain)
    await before
    return () => {
      release()
      if (turns.get(seq) === chain) turns.delete(seq)
    }
  }

  function check(seq: number) {
    const job = storage.jobs.read(seq)
    if (job === undefined) return undefined
    const { rows, more } = storage.chunks.after(seq, job.streamCursor)
    // Clients stop at the first final state, so it comes with the last chunks.
    const status: JobState = more && isFinal(job.status) ? 'IN_PROGRESS' : job.status
    return { status, attempt: job.attempt, rows }
  }

  // Look and wait happen in one turn, so nothing is missed.
  function untilNews(jobId: string, ms: number, signal: AbortSignal | undefined): Promise<unknown> {
    return wait(clock, { ms, signal, listen: (wake) => waiters.listen(jobId, wake) })
  }

  async function look(job: Job, holdMs: number, signal: AbortSignal | undefined): Promise<ReturnType<typeof check>> {
    const until = clock.steady() + holdMs
    let seen = check(job.seq)
    while (seen !== undefined && seen.rows.length === 0 && !isFinal(seen.status)) {
      const left = until - clock.steady()
      if (left <= 0 || signal?.aborted) break
      await untilNews(job.id, left, signal)
      seen = check(job.seq)
    }
    await storage.durable()
    return seen
  }

  return {
    async read(
      job: Job,
      { holdMs, signal }: { readonly holdMs: number; readonly signal: AbortSignal | undefined },
    ): Promise<StreamRead> {
      const release = await takeTurn(job.seq)
      const seen = await look(job, holdMs, signal).catch((error) => {
        release()
        throw error
      })
      const rows = seen?.rows ?? []
      const last = rows.at(-1)?.n
      return {
        // A job only vanishes before its end with its endpoint, which cancels it.
        status: seen?.status ?? (isFinal(job.status) ? job.status : 'CANCELLED'),
        chunks: rows.map((row) => row.chunk),
        delivered: async () => {
          try {
            if (seen !== undefined && last !== undefined) {
              const { attempt } = seen
              await storage.write(() => storage.jobs.setStreamCursor({ seq: job.seq, attempt, cursor: last }))
            }
          } finally {
            release()
          }
        },
        lost: release,
      }
    },
  }
}
