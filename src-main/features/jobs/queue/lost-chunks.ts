/** Counts stream chunks that did not arrive (unwritable or NaN) until the job's end, in memory only. */
import { limit } from '../../../contract/limits.ts'
import { counted } from '../../../lib/text.ts'
import type { Storage } from '../../../storage/storage.ts'

export type LostChunks = ReturnType<typeof createLostChunks>

type Lost = { yielded: number; count: number; readonly named: string[] }

const NAMED = 5

export function createLostChunks(storage: Pick<Storage, 'onCommit'>) {
  const jobs = new Map<string, Lost>()

  // A new attempt restarts its stream, so the counts of the previous one are dropped.
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
    yielded(jobId: string) {
      of(jobId).yielded += 1
    },
    lose(jobId: string, what: string, arrived?: number) {
      const lost = of(jobId)
      const at = arrived === undefined ? lost.yielded - 1 : arrived + lost.count
      lost.count += 1
      if (lost.named.length < NAMED) lost.named.push(at < 0 ? what : `${what} at [${at}]`)
    },
    tell(jobId: string, arrivedOf: (jobId: string) => number): string | undefined {
      const lost = jobs.get(jobId)
      jobs.delete(jobId)
      if (lost === undefined || lost.count === 0) return undefined
      const { yielded, count, named } = lost
      const arrived = arrivedOf(jobId)
      // Without a stream, or with all chunks, it was a progress update.
      if (yielded === 0 ? arrived === 0 : arrived >= yielded) return undefined
      const more = count > named.length ? ` and ${count - named.length} more` : ''
      const all = Math.max(yielded, arrived + count)
      return `${count.toLocaleString('en')} of ${counted(all, 'chunk')} could not be sent: ${named.join(', ')}${more}`
    },
  }
}
