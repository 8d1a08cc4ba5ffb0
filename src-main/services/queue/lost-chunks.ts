/**
 * Chunks of streams that did not arrive: the public SDK logs that it could not write one as JSON, or sends NaN, and goes
 * on. They are counted while the job runs, and reported when it ends. A restart of the service forgets them.
 */
import { limit } from '../../contract/limits.ts'
import { counted } from '../../domain/text.ts'
import type { Storage } from '../ports/storage.ts'

/** The chunks that were lost, by job. */
export type LostChunks = {
  /** Counts a chunk that the handler yielded, as its worker logs. */
  readonly yielded: (jobId: string) => void
  /** @param what like `bytes`; @param arrived chunks so far, if the lost one came next; undefined: it was the last yielded */
  readonly lose: (jobId: string, what: string, arrived?: number) => void
  /** Reports the lost chunks, once. @param arrived chunks of the job that are stored */
  readonly tell: (jobId: string, arrived: number) => string | undefined
}

type Lost = { yielded: number; count: number; readonly named: string[] }

const NAMED = 5

/** Makes the counts. */
export function createLostChunks(storage: Pick<Storage, 'onCommit'>): LostChunks {
  const jobs = new Map<string, Lost>()

  // A new attempt begins its stream anew.
  storage.onCommit((changes) => {
    for (const change of changes) if (change.type === 'job' && change.event === 'claim') jobs.delete(change.jobId)
  })

  function of(jobId: string): Lost {
    const lost = jobs.get(jobId) ?? { yielded: 0, count: 0, named: [] }
    jobs.set(jobId, lost)
    for (const oldest of jobs.keys()) if (jobs.size > limit('unsentResults')) jobs.delete(oldest)
    return lost
  }

  return {
    yielded(jobId) {
      of(jobId).yielded += 1
    },
    lose(jobId, what, arrived) {
      const lost = of(jobId)
      const at = arrived === undefined ? lost.yielded - 1 : arrived + lost.count
      lost.count += 1
      if (lost.named.length < NAMED) lost.named.push(at < 0 ? what : `${what} at [${at}]`)
    },
    tell(jobId, arrived) {
      const lost = jobs.get(jobId)
      jobs.delete(jobId)
      if (lost === undefined || lost.count === 0) return undefined
      const { yielded, count, named } = lost
      // Without a stream, or where each chunk has arrived, it was an update of the progress.
      if (yielded === 0 ? arrived === 0 : arrived >= yielded) return undefined
      const more = count > named.length ? ` and ${count - named.length} more` : ''
      const all = Math.max(yielded, arrived + count)
      return `${count.toLocaleString('en')} of ${counted(all, 'chunk')} could not be sent: ${named.join(', ')}${more}`
    },
  }
}
