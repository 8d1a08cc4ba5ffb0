import type { JobList, JobListItem, JobState } from '../../contract/job.ts'
import { limit } from '../../contract/limits.ts'
import { shortError } from '../../domain/job/read-error.ts'
import type { Clock, Job, JobFilter, Storage } from '../ports.ts'
import { viewJobRow } from './views.ts'

/** Filter and page as a client sends them. */
export type ListRequest = {
  readonly endpointId: string | undefined
  readonly states?: readonly JobState[] | undefined
  readonly workerId?: string | undefined
  /** Only jobs that the job API has forgotten, or only those that it knows. */
  readonly archived?: boolean | undefined
  readonly from?: number | undefined
  readonly to?: number | undefined
  readonly q: string | undefined
  readonly cursor: string | undefined
  readonly offset?: number | undefined
  readonly limit: number | undefined
}

type Deps = { readonly storage: Storage; readonly clock: Clock }

// One search catches the index up so far at most; the rest follows in the background.
const CATCH_UP = 500

/** A page of jobs, newest first. With `q` every word of it must occur in id, input, output or error. */
export async function listJobs({ storage, clock }: Deps, request: ListRequest): Promise<JobList> {
  const count = request.limit ?? limit('listPage')
  const filter = await searchable(storage, request)
  const jobs = storage.jobs.list({ ...filter, offset: request.offset, limit: count + 1 })
  const page = jobs.slice(0, count)
  const last = page.at(-1)
  const more = jobs.length > count && last !== undefined
  return { requests: page.map((job) => viewListed(clock, job)), ...(more ? { cursor: String(last.seq) } : {}) }
}

/** These jobs alone, in the order asked for; those that are gone are left out. */
export function listJobsById({ storage, clock }: Deps, ids: readonly string[]): JobList {
  const jobs = ids.map((id) => storage.jobs.find(id)).filter((job) => job !== undefined)
  return { requests: jobs.map((job) => viewListed(clock, job)) }
}

/** A page of the jobs of a published graph that the job API knows, newest first. With `status` it may be shorter than `limit`. */
export function listGraphJobs(
  { storage, clock }: Deps,
  graphId: string,
  { status, cursor, limit: count = limit('listPage') }: GraphJobsRequest,
): JobList {
  const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursor)
  const seqs = storage.graphs.jobs(graphId, count + 1, before)
  const jobs = seqs.slice(0, count).map((seq) => storage.jobs.read(seq))
  const found = jobs.filter((job) => job !== undefined && (status === undefined || job.status === status))
  const last = seqs.slice(0, count).at(-1)
  const more = seqs.length > count && last !== undefined
  return {
    requests: found.filter((job) => job !== undefined).map((job) => viewListed(clock, job)),
    ...(more ? { cursor: String(last) } : {}),
  }
}

type GraphJobsRequest = {
  readonly status: JobState | undefined
  readonly cursor: string | undefined
  readonly limit: number | undefined
}

/** The filter as storage takes it; where it searches, the index has caught up as far as one request may wait for. */
export async function searchable(
  storage: Storage,
  { q, cursor, ...rest }: Omit<ListRequest, 'limit' | 'offset'>,
): Promise<JobFilter> {
  const text = q?.trim() === '' ? undefined : q
  if (text !== undefined && storage.search.behind()) await storage.write(() => storage.search.catchUp(CATCH_UP))
  const { endpointId, states, workerId, archived, from, to } = rest
  return {
    endpointId,
    states,
    workerId,
    archived,
    from,
    to,
    text,
    before: cursor === undefined ? undefined : Number(cursor),
  }
}

// An error may hold a long traceback; whoever opens the job sees it whole.
function viewListed(clock: Clock, job: Job): JobListItem {
  const error = job.error === null ? null : shortError(job.error, limit('listErrorLength'))
  return viewJobRow({ clock }, { ...job, error })
}
