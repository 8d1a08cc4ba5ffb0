import type { z } from 'zod'
import { AppError } from '../../contract/errors.ts'
import type { JobList, JobListItem, JobState } from '../../contract/job.ts'
import type { JobCount, JobStateCounts, jobFilterBody } from '../../contract/job-routes.ts'
import { limit } from '../../contract/limits.ts'
import type { Clock } from '../../lib/clock.ts'
import { type Json, piecesOf, type SentJson } from '../../lib/json/bytes.ts'
import { keepEnds } from '../../lib/text.ts'
import type { Endpoint, Job, JobFilter, NamedJobs, Storage } from '../../storage/storage.ts'
import { hiddenValues } from '../apps/variables.ts'
import { viewJobRow } from '../endpoints/views.ts'
import { type JobSelection, selectedJobs } from './queue/change-many-jobs.ts'
import { longestSecret, payloadPreview } from './rules/payload-preview.ts'
import { errorLine, shortError } from './rules/read-error.ts'
import { type Excerpt, findExcerpts } from './rules/search-excerpt.ts'

export type ListRequest = {
  readonly endpointId: string | undefined
  readonly states?: readonly JobState[] | undefined
  readonly exactStates?: boolean | undefined
  readonly workerId?: string | undefined
  readonly batchId?: string | undefined
  readonly archived?: boolean | undefined
  readonly from?: number | undefined
  readonly to?: number | undefined
  readonly q: string | undefined
  readonly cursor: string | undefined
  readonly offset?: number | undefined
  readonly limit: number | undefined
  readonly previews?: boolean | undefined
  /** Search: exact phrases in errors first; further pages need `offset`. */
  readonly order?: 'match' | undefined
  readonly signal?: AbortSignal | undefined
}

type Deps = { readonly storage: Storage; readonly clock: Clock }

type Page = {
  readonly jobs: readonly Job[]
  readonly previews?: boolean | undefined
  readonly searched?: string | undefined
}

// Index batches caught up per search, with pauses for others; the rest follows in the background.
const CATCH_UP = 100
const CATCH_UP_STEPS = 10

export async function listJobs({ storage, clock }: Deps, request: ListRequest): Promise<JobList> {
  const count = request.limit ?? limit('listPage')
  const filter = await searchable(storage, request)
  const phraseFirst = request.order === 'match' && filter.text !== undefined
  const jobs = await storage.jobs.search({ ...filter, offset: request.offset, limit: count + 1, phraseFirst })
  const page = jobs.slice(0, count)
  const last = page.at(-1)
  const more = jobs.length > count && last !== undefined
  const requests = viewPage({ storage, clock }, { jobs: page, previews: request.previews, searched: filter.text })
  const cursor = phraseFirst ? (request.cursor ?? String(storage.jobs.newestSeq() + 1)) : String(last?.seq)
  return { requests, ...(more ? { cursor } : {}) }
}

export function listJobsById({ storage, clock }: Deps, ids: readonly string[], previews?: boolean): JobList {
  const jobs = ids.map((id) => storage.jobs.find(id)).filter((job) => job !== undefined)
  return { requests: viewPage({ storage, clock }, { jobs, previews }) }
}

export function previewJob({ storage, clock }: Deps, job: Job): JobListItem {
  const length = limit('jobPreviewLength')
  const preview = previewsOf(storage, [job], length).get(job.seq)
  return { ...rowsOfList(clock, length)(job), ...(preview === undefined ? {} : { preview }) }
}

export type JobPageRequest = Pick<ListRequest, 'q' | 'cursor' | 'limit'> & { readonly status: JobState | undefined }

export function listEndpointJobs(
  deps: Deps,
  { id }: Endpoint,
  { status, ...request }: JobPageRequest,
): Promise<JobList> {
  const states = status === undefined ? undefined : [status]
  return listJobs(deps, { endpointId: id, states, archived: false, exactStates: true, ...request })
}

/**
 * Same for a published graph.
 * @throws AppError BAD_FIELD for a search, which is unsupported
 */
export async function listGraphJobs(
  { storage, clock }: Deps,
  { id: graphId }: Endpoint,
  { status, q, cursor, limit: count = limit('listPage') }: JobPageRequest,
): Promise<JobList> {
  if (q !== undefined)
    throw new AppError('BAD_FIELD', { field: 'q', why: 'jobs of a published graph cannot be searched here' })
  const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursor)
  const seqs = storage.graphs.jobs({ endpointId: graphId, before, status: status ?? null, limit: count + 1 })
  const page = seqs.slice(0, count)
  const jobs = page.map((seq) => storage.jobs.read(seq)).filter((job) => job !== undefined)
  const more = seqs.length > count
  return { requests: jobs.map(rowsOfList(clock)), ...(more ? { cursor: String(page.at(-1)) } : {}) }
}

export async function selectionOf(storage: Storage, filter: z.infer<typeof jobFilterBody>): Promise<NamedJobs> {
  const { endpoint, status, worker, batch, from, to, q, expired, cursor } = filter
  const of = { endpointId: endpoint, states: status, workerId: worker, batchId: batch }
  return { filter: await searchable(storage, { ...of, from, to, q, archived: expired, cursor }) }
}

export async function searchable(
  storage: Storage,
  { q, cursor, ...rest }: Omit<ListRequest, 'limit' | 'offset'>,
): Promise<JobFilter> {
  const text = q?.trim() === '' ? undefined : q
  for (let step = 0; text !== undefined && step < CATCH_UP_STEPS && storage.search.behind(); step++)
    await storage.write(() => storage.search.catchUp(CATCH_UP))
  const { endpointId, states, exactStates = false, workerId, batchId, archived, from, to, signal } = rest
  return {
    endpointId,
    states,
    withTimeLimits: !exactStates,
    workerId,
    batchId,
    archived,
    from,
    to,
    text,
    before: cursor === undefined ? undefined : Number(cursor),
    signal,
  }
}

// Letters of errors shortened per list; further errors are cut. Source: ours, hostile ones are a hundred times slower
// than tracebacks.
const ERRORS_READ = 1024 * 1024

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

// Letters searched per payload and list; source: ours, about 10 ms.
const EXCERPT_READ = 16 * 1024
const EXCERPTS_READ = 256 * 1024

/** Previews by seq; none if the endpoint's secrets cannot be read for masking. */
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

type CountRequest = Omit<ListRequest, 'limit' | 'offset'> & { readonly after: string | undefined }

export async function countJobs(storage: Storage, { after, ...request }: CountRequest): Promise<JobCount> {
  const filter = await searchable(storage, request)
  // Read before the count, so that no job is missed.
  const cursor = request.cursor ?? String(storage.jobs.newestSeq() + 1)
  const since = after === undefined ? undefined : Number(after) - 1
  return { ...(await storage.jobs.countFound({ ...filter, before: Number(cursor), after: since })), cursor }
}

export async function countJobsByState(
  storage: Storage,
  request: Omit<ListRequest, 'limit' | 'offset' | 'states'>,
): Promise<JobStateCounts> {
  return { states: await storage.jobs.countByState(await searchable(storage, request)) }
}

// Export format: one JSON line per job with facts, input, output and chunks. Each is also a valid request body, so
// files can be reimported; webhook and bucket credentials are excluded.

const BATCH = 50

/** Streams export lines: filters oldest first, ids in order. Vanished jobs and lost payloads are left out. */
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
