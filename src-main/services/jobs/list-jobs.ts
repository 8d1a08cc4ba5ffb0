/** Jobs of a filter: a page of them, their number, and all of them as lines of JSON. */
import { AppError } from '../../contract/errors.ts'
import type { JobList, JobListItem, JobState } from '../../contract/job.ts'
import type { JobCount, JobStateCounts } from '../../contract/job-routes.ts'
import { limit } from '../../contract/limits.ts'
import { longestSecret, payloadPreview } from '../../domain/job/payload-preview.ts'
import { errorLine, shortError } from '../../domain/job/read-error.ts'
import { type Excerpt, findExcerpts } from '../../domain/job/search-excerpt.ts'
import type { Json, SentJson } from '../../domain/json/json.ts'
import { piecesOf } from '../../domain/json/json.ts'
import { keepEnds } from '../../domain/text.ts'
import { hiddenValues } from '../apps/variables.ts'
import { viewJobRow } from '../endpoints/views.ts'
import type { Endpoint, Job, JobFilter, Storage } from '../ports/storage.ts'
import type { Clock } from '../ports/system.ts'
import { type JobSelection, selectedJobs } from '../queue/change-many-jobs.ts'

/** Filter and page as a client sends them. */
export type ListRequest = {
  readonly endpointId: string | undefined
  readonly states?: readonly JobState[] | undefined
  /** Whether TIMED_OUT means this state alone, as for the job API, and not all that a time limit stopped. */
  readonly exactStates?: boolean | undefined
  readonly workerId?: string | undefined
  /** Only jobs that the job API has forgotten, or only those that it knows. */
  readonly archived?: boolean | undefined
  readonly from?: number | undefined
  readonly to?: number | undefined
  readonly q: string | undefined
  readonly cursor: string | undefined
  readonly offset?: number | undefined
  readonly limit: number | undefined
  /** With the beginnings of inputs and outputs, and of a search with the place where a job was found. */
  readonly previews?: boolean | undefined
  /** Of a search: jobs whose error has the text as a phrase come first. Further pages are asked for by `offset` alone. */
  readonly order?: 'match' | undefined
}

type Deps = { readonly storage: Storage; readonly clock: Clock }

type Page = {
  readonly jobs: readonly Job[]
  readonly previews?: boolean | undefined
  readonly searched?: string | undefined
}

// One search catches the index up so far at most, in steps between which others are answered; the rest follows in the
// background.
const CATCH_UP = 100
const CATCH_UP_STEPS = 10

/** A page of jobs, newest first. With `q` every word of it must occur in id, input, output or error. */
export async function listJobs({ storage, clock }: Deps, request: ListRequest): Promise<JobList> {
  const count = request.limit ?? limit('listPage')
  const filter = await searchable(storage, request)
  const phraseFirst = request.order === 'match' && filter.text !== undefined
  const jobs = storage.jobs.list({ ...filter, offset: request.offset, limit: count + 1, phraseFirst })
  const page = jobs.slice(0, count)
  const last = page.at(-1)
  const more = jobs.length > count && last !== undefined
  const requests = viewPage({ storage, clock }, { jobs: page, previews: request.previews, searched: filter.text })
  const cursor = phraseFirst ? (request.cursor ?? String(storage.jobs.newestSeq() + 1)) : String(last?.seq)
  return { requests, ...(more ? { cursor } : {}) }
}

/** These jobs alone, in the order asked for; those that are gone are left out. */
export function listJobsById({ storage, clock }: Deps, ids: readonly string[], previews?: boolean): JobList {
  const jobs = ids.map((id) => storage.jobs.find(id)).filter((job) => job !== undefined)
  return { requests: viewPage({ storage, clock }, { jobs, previews }) }
}

/** One job as in a list, with longer beginnings of its payloads and its error. */
export function previewJob({ storage, clock }: Deps, job: Job): JobListItem {
  const length = limit('jobPreviewLength')
  const preview = previewsOf(storage, [job], length).get(job.seq)
  return { ...rowsOfList(clock, length)(job), ...(preview === undefined ? {} : { preview }) }
}

/** A page of jobs as the job API asks for it. */
export type JobPageRequest = Pick<ListRequest, 'q' | 'cursor' | 'limit'> & { readonly status: JobState | undefined }

/** A page of the jobs of an endpoint that the job API knows, newest first. */
export function listEndpointJobs(
  deps: Deps,
  { id }: Endpoint,
  { status, ...request }: JobPageRequest,
): Promise<JobList> {
  const states = status === undefined ? undefined : [status]
  return listJobs(deps, { endpointId: id, states, archived: false, exactStates: true, ...request })
}

/**
 * The same for a published graph. With `status` it may be shorter than `limit`.
 * @throws AppError BAD_FIELD with a search, which there is none of
 */
export async function listGraphJobs(
  { storage, clock }: Deps,
  { id: graphId }: Endpoint,
  { status, q, cursor, limit: count = limit('listPage') }: JobPageRequest,
): Promise<JobList> {
  if (q !== undefined)
    throw new AppError('BAD_FIELD', { field: 'q', why: 'jobs of a published graph cannot be searched here' })
  const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursor)
  const seqs = storage.graphs.jobs(graphId, before, count + 1)
  const jobs = seqs.slice(0, count).map((seq) => storage.jobs.read(seq))
  const found = jobs.filter((job) => job !== undefined && (status === undefined || job.status === status))
  const last = seqs.slice(0, count).at(-1)
  const more = seqs.length > count && last !== undefined
  return {
    requests: found.filter((job) => job !== undefined).map(rowsOfList(clock)),
    ...(more ? { cursor: String(last) } : {}),
  }
}

/** The filter as storage takes it; where it searches, the index has caught up as far as one request may wait for. */
export async function searchable(
  storage: Storage,
  { q, cursor, ...rest }: Omit<ListRequest, 'limit' | 'offset'>,
): Promise<JobFilter> {
  const text = q?.trim() === '' ? undefined : q
  for (let step = 0; text !== undefined && step < CATCH_UP_STEPS && storage.search.behind(); step++)
    await storage.write(() => storage.search.catchUp(CATCH_UP))
  const { endpointId, states, exactStates = false, workerId, archived, from, to } = rest
  return {
    endpointId,
    states,
    withTimeLimits: !exactStates,
    workerId,
    archived,
    from,
    to,
    text,
    before: cursor === undefined ? undefined : Number(cursor),
  }
}

// Letters of the errors of one list that are read to leave out what says least; further ones are cut as they stand.
// Source: ours, because a hostile one takes a hundred times as long as a traceback.
const ERRORS_READ = 1024 * 1024

// An error may hold a long traceback; the page of the job has it whole.
function rowsOfList(clock: Clock, most = limit('listErrorLength')): (job: Job) => JobListItem {
  let left = ERRORS_READ
  return (job) => {
    if (job.error === null) return viewJobRow({ clock }, job)
    if (job.error.length > most) left -= job.error.length
    const error = left < 0 ? keepEnds(job.error, most) : shortError(job.error, most)
    return viewJobRow({ clock }, { ...job, error })
  }
}

function viewPage({ storage, clock }: Deps, { jobs, previews, searched }: Page): JobListItem[] {
  const shown = previews === true ? previewsOf(storage, jobs) : undefined
  const viewRow = rowsOfList(clock)
  let left = EXCERPTS_READ
  const excerptsOf = (job: Job, error: string | undefined, { input, output }: Preview): readonly Excerpt[] => {
    if (searched === undefined) return []
    const ofError = [
      ['error', error && errorLine(error)],
      ['error', job.error?.slice(0, EXCERPT_READ)],
    ] as const
    const near = findExcerpts(searched, [...ofError, ['output', output], ['input', input]])
    if (near.hasAllWords || left <= 0) return near.excerpts
    left -= EXCERPT_READ
    const more = previewsOf(storage, [job], EXCERPT_READ).get(job.seq)
    return findExcerpts(searched, [...ofError, ['output', more?.output], ['input', more?.input]]).excerpts
  }
  return jobs.map((job) => {
    const [row, preview] = [viewRow(job), shown?.get(job.seq)]
    if (preview === undefined) return row
    const found = excerptsOf(job, row.error, preview)
    return { ...row, preview, ...(found.length === 0 ? {} : { found }) }
  })
}

type Preview = NonNullable<JobListItem['preview']>

// Letters of a payload in which a found word is looked for, and of all payloads of a list; source: ours, some 10 ms.
const EXCERPT_READ = 16 * 1024
const EXCERPTS_READ = 256 * 1024

/** The beginnings of payloads, by seq; none of an endpoint whose secrets cannot be read, as they could not be masked. */
export function previewsOf(
  storage: Storage,
  jobs: readonly Job[],
  length = limit('listPreviewLength'),
): ReadonlyMap<number, NonNullable<JobListItem['preview']>> {
  return new Map(
    [...Map.groupBy(jobs, ({ endpointId }) => endpointId)].flatMap(([id, ofEndpoint]) => {
      const secrets = secretsOf(storage, id)
      if (secrets === undefined) return []
      const seqs = ofEndpoint.map(({ seq }) => seq)
      return storage.jobs.beginnings(seqs, length + longestSecret(secrets)).map(({ seq, input, output }) => {
        const ofOutput = output === null ? {} : { output: payloadPreview(output, secrets, length) }
        return [seq, { input: payloadPreview(input, secrets, length), ...ofOutput }] as const
      })
    }),
  )
}

function secretsOf(storage: Storage, endpointId: string): readonly string[] | undefined {
  try {
    return hiddenValues(storage, storage.endpoints.read(endpointId)).secrets
  } catch (error) {
    if (error instanceof AppError && error.code === 'SECRET_LOST') return undefined
    throw error
  }
}

/** What is counted: a filter, of jobs that came after a cursor where one is given. */
type CountRequest = Omit<ListRequest, 'limit' | 'offset'> & { readonly after: string | undefined }

/** Counts jobs, and says with which cursor a list holds just those that there are now. */
export async function countJobs(storage: Storage, { after, ...request }: CountRequest): Promise<JobCount> {
  const filter = await searchable(storage, request)
  // Read before the count: what comes in between would be in neither.
  const cursor = request.cursor ?? String(storage.jobs.newestSeq() + 1)
  // A cursor stands for the jobs older than it, so those that came after begin with its own number.
  const since = after === undefined ? undefined : Number(after) - 1
  return { ...storage.jobs.count({ ...filter, before: Number(cursor), after: since }), cursor }
}

/** Counts the jobs of each state. */
export async function countJobsByState(
  storage: Storage,
  request: Omit<ListRequest, 'limit' | 'offset' | 'states'>,
): Promise<JobStateCounts> {
  return { states: storage.jobs.countByState(await searchable(storage, request)) }
}

// A line of JSON has what is known of a job, its input, and its output with the chunks of its stream. It is a request
// body too, so that a file of lines can be taken in again as new jobs, in their order; what belongs to the old request
// alone, its webhook and the credentials of its bucket, is in none.

// Rows are small; payloads are read one job at a time.
const BATCH = 50

/**
 * The lines of the selected jobs in pieces, those of a filter oldest first and those of ids in their order, made as
 * they are asked for. A job that goes meanwhile is left out; a payload whose file is lost is left out of its line.
 */
export async function* exportJobs(deps: Deps, selection: JobSelection): AsyncGenerator<Json> {
  for await (const { jobs } of selectedJobs(deps.storage, selection, { most: BATCH, oldestFirst: true })) {
    for (const job of jobs) yield* lineOf(deps, job)
  }
}

async function* lineOf({ storage, clock }: Deps, job: Job): AsyncGenerator<Json> {
  const input = await storage.jobs.openInput(job).catch(() => undefined)
  if (input === undefined && storage.jobs.read(job.seq) === undefined) return
  const output = await storage.jobs.openOutput(job).catch(() => undefined)
  const removed = storage.archive.isOutputRemoved(job.seq) ? { outputRemoved: true } : {}
  yield JSON.stringify({ ...viewJobRow({ clock }, job), ...removed }).slice(0, -1)
  yield* fieldOf('input', input)
  yield* fieldOf('output', output)
  yield* streamOf(storage, job)
  yield '}\n'
}

/** A payload as a field of a line, with the comma before it; nothing without one, or if its file has gone meanwhile. */
export async function* fieldOf(name: string, payload: SentJson | undefined): AsyncGenerator<Json> {
  if (payload === undefined) return
  const pieces = piecesOf(payload)
  try {
    const first = await pieces.next().catch(() => undefined)
    if (first === undefined || first.done === true) return
    yield `,"${name}":`
    yield first.value
    yield* pieces
  } finally {
    await pieces.return(undefined)
  }
}

/** The field `stream` of a line, where a job has chunks; it begins with a comma. */
export function* streamOf({ chunks }: Pick<Storage, 'chunks'>, { seq }: Job): Generator<Json> {
  let page = chunks.after(seq, 0)
  if (page.rows.length === 0) return
  yield ',"stream":['
  for (let start = ''; page.rows.length > 0; start = ',') {
    yield `${start}${page.rows.map(({ chunk }) => chunk).join(',')}`
    page = chunks.after(seq, page.rows.at(-1)?.n ?? 0)
  }
  yield ']'
}
