/**
 * Jobs as lines of JSON, one a job, oldest first: what is known of it, its input, and its output with the chunks of its
 * stream. A line is a request body too, so that a file of them can be taken in again as new jobs, in their order; what
 * belongs to the old request alone, its webhook and the credentials of its bucket, is in none.
 */
import type { Json } from '../../domain/json/json.ts'
import type { Clock, Job, Storage } from '../ports.ts'
import { type JobSelection, selectedJobs } from './select-jobs.ts'
import { viewJobRow } from './views.ts'

type Deps = { readonly storage: Storage; readonly clock: Clock }

// Rows are small; payloads are read one job at a time.
const BATCH = 50
const CHUNKS = 200

/**
 * The lines of the selected jobs in pieces, those of a filter oldest first and those of ids in their order, made as they are asked for. A job that goes meanwhile is left out; a payload whose
 * file is lost is left out of its line.
 */
export async function* exportJobs(deps: Deps, selection: JobSelection): AsyncGenerator<Json> {
  for await (const { jobs } of selectedJobs(deps.storage, selection, { most: BATCH, oldestFirst: true })) {
    for (const job of jobs) yield* lineOf(deps, job)
  }
}

async function* lineOf({ storage, clock }: Deps, job: Job): AsyncGenerator<Json> {
  const input = await storage.jobs.readInput(job).catch(() => undefined)
  if (input === undefined && storage.jobs.read(job.seq) === undefined) return
  const output = await storage.jobs.readOutput(job).catch(() => undefined)
  const removed = storage.archive.isOutputRemoved(job.seq) ? { outputRemoved: true } : {}
  yield JSON.stringify({ ...viewJobRow({ clock }, job), ...removed }).slice(0, -1)
  if (input !== undefined) {
    yield ',"input":'
    yield input.input
  }
  if (output !== undefined) {
    yield ',"output":'
    yield output
  }
  yield* streamOf(storage, job)
  yield '}\n'
}

function* streamOf({ chunks }: Pick<Storage, 'chunks'>, { seq }: Job): Generator<Json> {
  let rows = chunks.after(seq, 0, CHUNKS)
  if (rows.length === 0) return
  yield ',"stream":['
  for (let isFirst = true; rows.length > 0; isFirst = false) {
    yield `${isFirst ? '' : ','}${rows.map(({ chunk }) => chunk).join(',')}`
    rows = chunks.after(seq, rows.at(-1)?.n ?? 0, CHUNKS)
  }
  yield ']'
}
