/** Jobs as files of JSON lines: out of a list, and in as new jobs. Neither is ever held whole. */
import type { Context } from 'hono'
import { AppError } from '../../contract/errors.ts'
import { jobRequest } from '../../contract/job.ts'
import type { jobImportResult } from '../../contract/job-routes.ts'
import { limit } from '../../contract/limits.ts'
import { MIB } from '../../contract/units.ts'
import { writeJobFile } from '../../domain/job/job-file.ts'
import { hiddenValues } from '../../services/apps/variables.ts'
import { kindOf, type SubmitDeps } from '../../services/endpoint-kinds.ts'
import { viewDelivery, viewEndpoint } from '../../services/endpoints/views.ts'
import { exportJobs, searchable } from '../../services/jobs/list-jobs.ts'
import type { Endpoint, Job } from '../../services/ports/storage.ts'
import type { ServiceBase, ServiceContext } from '../../services/service-context.ts'
import { type Bytes, foldedText } from '../body-text.ts'
import { fileResponse, type ManagementOperations } from '../operation.ts'
import { type NodeBindings, parseJson, readFields } from '../read-request.ts'
import { submissionOf } from '../v2/routes.ts'
import { endpointOf } from './endpoints.ts'
import { filterOf, jobOf } from './jobs.ts'

const LINE_END = 10
// Jobs that are queued in one commit, and the bytes of their lines that are held for it.
const AT_ONCE = 100
const BYTES_AT_ONCE = 16 * MIB

/** What these operations use of the service. */
type Services = SubmitDeps & ServiceBase & Pick<ServiceContext, 'views' | 'webhooks'>

/** Export and import. */
export const JOB_FILE_OPERATIONS = {
  async jobExport({ query }, service) {
    const { ids } = query
    const selection = ids === undefined ? { filter: await searchable(service.storage, filterOf(query)) } : { ids }
    const pieces = exportJobs(service, selection)
    return fileResponse(pieces, { name: 'jobs.jsonl', type: 'application/x-ndjson' })
  },
  async jobFile({ path }, service) {
    const text = await jobFileText(service, jobOf(path, service))
    return fileResponse([text], { name: `${path.jobId}.job.jsonl`, type: 'application/x-ndjson' })
  },
  async jobImport({ c, path }, service) {
    return await importLines(c, service, endpointOf(path, service))
  },
} as const satisfies Partial<ManagementOperations<Services>>

// Lines of the log that travel; source: ours, as many as a page of them has.
const LOG_LINES = 10_000

async function jobFileText(service: Services, job: Job): Promise<string> {
  const { storage, views, clock, info } = service
  const endpoint = storage.endpoints.get(job.endpointId)
  const pieces: Buffer[] = []
  for await (const piece of exportJobs(service, { ids: [job.id] })) pieces.push(Buffer.from(piece))
  const head = {
    ...{ drydock: 'job' as const, format: 1 as const, version: info().version, exportedAt: clock.now(), jobId: job.id },
    ...(endpoint === undefined ? {} : { endpoint: { ...viewEndpoint(views, endpoint, info().url) } }),
    history: [...storage.jobs.history(job.seq)],
    deliveries: storage.webhooks.ofJob(job.seq).map((delivery) => viewDelivery(views, delivery)),
    logs: [...storage.logs.newest({ by: 'job', id: job.id }, LOG_LINES)],
  }
  return writeJobFile(head, Buffer.concat(pieces).toString(), hiddenValues(storage, endpoint))
}

type ImportResult = (typeof jobImportResult)['_output']

async function importLines(c: Context, service: SubmitDeps, endpoint: Endpoint): Promise<ImportResult> {
  const bad: { line: number; reason: string }[] = []
  let queued = 0
  let refused = 0
  let open: Promise<unknown>[] = []
  let held = 0

  async function take(line: number, bytes: Bytes | undefined): Promise<void> {
    if (bytes !== undefined && isBlank(bytes)) return
    const job = queueLine(service, endpoint, bytes).then(
      () => {
        queued += 1
      },
      (error: unknown) => {
        if (!(error instanceof AppError)) throw error
        refused += 1
        if (bad.length < limit('importBadLines')) bad.push({ line, reason: error.message })
      },
    )
    open.push(job)
    held += bytes?.length ?? 0
    if (open.length >= AT_ONCE || held >= BYTES_AT_ONCE) await finish()
  }

  async function finish(): Promise<void> {
    const jobs = open
    open = []
    held = 0
    await Promise.all(jobs)
  }

  let line = 0
  for await (const bytes of linesOf(bodyOf(c), limit('runBodyBytes'))) {
    line += 1
    await take(line, bytes)
  }
  await finish()
  return { queued, refused, bad: bad.sort((a, b) => a.line - b.line) }
}

/** @throws AppError for what is wrong with the line, and as submitting does */
async function queueLine(service: SubmitDeps, endpoint: Endpoint, bytes: Bytes | undefined): Promise<void> {
  if (bytes === undefined) {
    const bytesAtMost = `${limit('runBodyBytes') / 1024 / 1024} MiB`
    throw new AppError('BODY_TOO_LARGE', { limit: bytesAtMost, operation: 'a line' })
  }
  const sent = parseJson(bytes, foldedText)
  const body = readFields(jobRequest, sent)
  await kindOf(endpoint).submit(
    service,
    endpoint,
    submissionOf({ body, sent }, { kind: 'run', waitMs: undefined, header: undefined }),
  )
}

const isBlank = (bytes: Bytes) => bytes.length < 100 && bytes.toString().trim() === ''

function bodyOf(c: Context): AsyncIterable<Uint8Array> | Iterable<Uint8Array> {
  const { incoming } = (c.env ?? {}) as NodeBindings
  return incoming ?? c.req.raw.body ?? []
}

/** Cuts bytes into lines without their ends; undefined stands for a line above `most`, which is never held. */
async function* linesOf(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  most: number,
): AsyncGenerator<Bytes | undefined> {
  let parts: Uint8Array[] = []
  let bytes = 0
  const end = () => {
    const line = bytes > most ? undefined : Buffer.concat(parts)
    parts = []
    bytes = 0
    return line
  }
  for await (const piece of source) {
    let from = 0
    for (let at = piece.indexOf(LINE_END); at >= 0; at = piece.indexOf(LINE_END, from)) {
      parts.push(piece.subarray(from, at))
      bytes += at - from
      yield end()
      from = at + 1
    }
    bytes += piece.length - from
    if (bytes > most) parts = []
    else parts.push(piece.subarray(from))
  }
  if (bytes > 0) yield end()
}
