import type { JobList, JobState } from '../../contract/job.ts'
import { limit } from '../../contract/limits.ts'
import type { Storage } from '../ports.ts'
import { viewJobRow } from './views.ts'

/** Filter and page as a client sends them. */
export type ListRequest = {
  readonly endpointId: string | undefined
  readonly status: JobState | undefined
  readonly q: string | undefined
  readonly cursor: string | undefined
  readonly limit: number | undefined
}

// One search catches the index up so far at most; the rest follows in the background.
const CATCH_UP = 500

/** A page of jobs, newest first. With `q` every word of it must occur in id, input, output or error. */
export async function listJobs(storage: Storage, request: ListRequest): Promise<JobList> {
  const count = request.limit ?? limit('listPage')
  const text = request.q?.trim() === '' ? undefined : request.q
  if (text !== undefined && storage.search.behind()) await storage.write(() => storage.search.catchUp(CATCH_UP))
  const jobs = storage.jobs.list({
    endpointId: request.endpointId,
    status: request.status,
    text,
    before: request.cursor === undefined ? undefined : Number(request.cursor),
    limit: count + 1,
  })
  const page = jobs.slice(0, count)
  const last = page.at(-1)
  const more = jobs.length > count && last !== undefined
  return { requests: page.map(viewJobRow), ...(more ? { cursor: String(last.seq) } : {}) }
}
