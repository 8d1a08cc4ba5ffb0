import type { JobCount } from '../../contract/job-routes.ts'
import type { Storage } from '../ports.ts'
import { type ListRequest, searchable } from './list-jobs.ts'

/** What is counted: a filter, of jobs that came after a cursor where one is given. */
export type CountRequest = Omit<ListRequest, 'limit' | 'offset'> & { readonly after: string | undefined }

/** Counts jobs, and says with which cursor a list holds just those that there are now. */
export async function countJobs(storage: Storage, { after, ...request }: CountRequest): Promise<JobCount> {
  const filter = await searchable(storage, request)
  // Read before the count: what comes in between would be in neither.
  const cursor = request.cursor ?? String(storage.jobs.newestSeq() + 1)
  // A cursor stands for the jobs older than it, so those that came after begin with its own number.
  const since = after === undefined ? undefined : Number(after) - 1
  return { ...storage.jobs.count({ ...filter, before: Number(cursor), after: since }), cursor }
}
