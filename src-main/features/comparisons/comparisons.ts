/**
 * Comparisons: each input runs as a job per version, a few inputs at once, and is compared when they end. Runs are
 * stored with their jobs, so a killed service resumes without duplicates; rules/plan.ts decides the next step.
 */
import type { ComparisonCreate, ComparisonRow, ComparisonVersion, ComparisonView } from '../../contract/compare.ts'
import { AppError } from '../../contract/errors.ts'
import { limit, utf8Bytes } from '../../contract/limits.ts'
import { type Log, momentOf } from '../../lib/clock.ts'
import { present } from '../../lib/json/plain.ts'
import { jsonText } from '../../lib/json/text.ts'
import { HOUR_MS } from '../../lib/units.ts'
import type {
  Comparison,
  ComparisonItem,
  ComparisonRunEnd,
  Endpoint,
  Job,
  StoredVersion,
} from '../../storage/storage.ts'
import { deleteEndpoint, newEndpoint, setPaused } from '../endpoints/endpoints.ts'
import { kindOf, requireQueue, type SubmitDeps } from '../endpoints/kinds/endpoint-kinds.ts'
import { type JobSelection, selectedJobs } from '../jobs/queue/change-many-jobs.ts'
import type { JobWaiters } from '../jobs/queue/wait-for-job.ts'
import { isFinal } from '../jobs/rules/transitions.ts'
import { percentileOf } from '../what-if/rules/answer.ts'
import type { Comparer, StoredOutput } from './ports.ts'
import { requireComparison } from './require-comparison.ts'
import { withTime } from './rules/outputs.ts'
import { nextStep, withValues } from './rules/plan.ts'

type NewComparison = Omit<ComparisonCreate, 'filter' | 'ids'> & { readonly selection: JobSelection | undefined }

type ComparisonPage = { readonly version: number | undefined; readonly limit: number; readonly offset: number }

export type Comparisons = ReturnType<typeof createComparisons>

type Deps = SubmitDeps & {
  readonly log: Log
  readonly waiters: Pick<JobWaiters, 'untilEnd'>
  readonly comparer: Comparer
  readonly info: () => { readonly url: string }
}

const STOPPED = 'It was stopped before it ended.'

export function createComparisons(deps: Deps) {
  const { storage, clock, newId, log, comparer } = deps
  const { comparisons } = storage
  const running = new Map<string, { readonly abort: AbortController; readonly ended: Promise<void> }>()
  let closed = false

  function begin(id: string): void {
    const abort = new AbortController()
    const ended = goOn(deps, id, abort.signal)
      .catch((error) => log.error('comparison not continued', { comparisonId: id, error }))
      .then(async () => {
        running.delete(id)
        if (running.size === 0) await comparer.release()
      })
    running.set(id, { abort, ended })
  }

  async function endRunning(id: string): Promise<void> {
    const one = running.get(id)
    one?.abort.abort()
    await one?.ended
  }

  const find = (id: string) => requireComparison(storage, id)

  async function stop(comparison: Comparison): Promise<void> {
    const { id } = comparison
    if (comparison.state !== 'running') return
    await storage.write(() => comparisons.end(id, 'stopped', { result: 'incomplete', text: STOPPED }, clock.now()))
    await endRunning(id)
    await storage.write(() => {
      for (const jobId of comparisons.openJobs(id)) {
        const seq = storage.jobs.find(jobId)?.seq
        if (seq !== undefined)
          storage.jobs.move(seq, 'cancel', { reason: 'its comparison was stopped' }, momentOf(clock))
      }
    })
    await pauseCopies(deps, comparison)
  }

  async function remove(comparison: Comparison): Promise<void> {
    await stop(comparison)
    for (const { copy } of comparison.versions) {
      const endpoint = copy === undefined ? undefined : storage.endpoints.get(copy)
      if (endpoint !== undefined) await deleteEndpoint(deps, endpoint)
    }
    await storage.write(() => comparisons.remove(comparison.id))
  }

  async function removeOld(): Promise<void> {
    for (const old of comparisons.list().slice(limit('comparisonsKept'))) if (old.state !== 'running') await remove(old)
  }

  return {
    list: (): readonly ComparisonView[] => comparisons.list().map((one) => view(deps, one)),
    read: (id: string): ComparisonView => view(deps, find(id)),
    rows: (id: string, page: ComparisonPage): readonly ComparisonRow[] => comparisons.rows(find(id).id, page),
    async add(wanted: NewComparison): Promise<ComparisonView> {
      if (closed) throw new AppError('STOPPING')
      const items = await itemsOf(deps, wanted)
      const id = newId.uuid()
      const made = await storage.write(() => {
        const isRunning = comparisons.list().filter(({ state }) => state === 'running').length
        if (isRunning >= limit('comparisonsAtOnce'))
          throw new AppError('TOO_MANY_COMPARISONS', { limit: limit('comparisonsAtOnce') })
        const { mode, rules, atOnce } = wanted
        const versions = wanted.versions.map((version, at) =>
          versionOf(deps, version, `compare-${id.slice(0, 8)}-${at}`),
        )
        const name =
          wanted.name ??
          versions
            .map((version) => version.name)
            .join(', ')
            .slice(0, 100)
        const facts = { id, name, mode, versions, rules, atOnce, items: items.length, createdAt: clock.now() }
        const comparison: Comparison = { ...facts, state: 'running', verdict: undefined, endedAt: undefined }
        comparisons.insert(comparison, items)
        return comparison
      })
      begin(id)
      await removeOld()
      return view(deps, made)
    },
    async stop(id: string): Promise<ComparisonView> {
      await stop(find(id))
      return view(deps, find(id))
    },
    remove: (id: string): Promise<void> => remove(find(id)),
    start() {
      for (const { id, state } of comparisons.list()) if (state === 'running' && !running.has(id)) begin(id)
    },
    async close() {
      closed = true
      const ends = [...running.keys()].map(endRunning)
      await comparer.stop()
      await Promise.all(ends)
    },
  }
}

async function itemsOf(
  { storage, comparer }: Deps,
  { selection, file = '' }: NewComparison,
): Promise<readonly ComparisonItem[]> {
  if (selection === undefined) {
    const found = utf8Bytes(file) > limit('comparisonFileBytes') ? TOO_LARGE : await comparer.readItems(file)
    if ('problem' in found) throw new AppError('BAD_FIELD', { field: 'file', why: found.problem })
    return found
  }
  const field = 'ids' in selection ? 'ids' : 'filter'
  const items: ComparisonItem[] = []
  for await (const { jobs, unknown } of selectedJobs(storage, selection, { most: 200, oldestFirst: true })) {
    if (unknown > 0) throw new AppError('BAD_FIELD', { field, why: `holds ${unknown} ids of jobs that are not stored` })
    for (const { id } of jobs) items.push({ source: id, jobId: id })
    if (items.length > limit('comparisonItems'))
      throw new AppError('BAD_FIELD', { field, why: `holds more than ${limit('comparisonItems')} jobs. Choose fewer` })
  }
  if (items.length === 0) throw new AppError('BAD_FIELD', { field, why: 'holds no job' })
  return items
}

const TOO_LARGE = { problem: `is larger than ${limit('comparisonFileBytes')} bytes. Send a part of it` } as const

/** A version with an image runs on a saved copy of the endpoint. */
function versionOf(deps: Deps, wanted: ComparisonVersion, copyId: string): StoredVersion {
  const { storage, newId, clock } = deps
  const { endpoint: named, image, name } = wanted
  const endpoint = storage.endpoints.get(named) ?? storage.endpoints.all().find(({ config }) => config.name === named)
  if (endpoint === undefined) throw new AppError('ENDPOINT_NOT_FOUND', { endpointId: named })
  requireQueue(endpoint, deps)
  const set =
    wanted.set === undefined
      ? ''
      : ` with ${Object.entries(wanted.set)
          .map((one) => one.join('='))
          .join(', ')}`
  const stored = {
    ...wanted,
    endpoint: endpoint.id,
    name: name ?? `${image ?? endpoint.config.name}${set}`.slice(0, 100),
  }
  if (image === undefined) return stored
  const { container, app: _app, platform: _platform, ...config } = endpoint.config
  if (container?.image === undefined)
    throw new AppError('BAD_FIELD', {
      field: 'versions',
      why: `${endpoint.id} has no image of its own to replace`,
    })
  const copied = { ...config, name: copyId, container: { ...container, image }, workersMin: 0 }
  const copy = newEndpoint(deps, { config: copied, wantedId: copyId, key: newId.key(), now: clock.now() })
  storage.endpoints.save(copy, 'created', copy.createdAt)
  return { ...stored, copy: copy.id }
}

async function pauseCopies(deps: Deps, { versions }: Comparison): Promise<void> {
  for (const { copy } of versions) {
    const endpoint = copy === undefined ? undefined : deps.storage.endpoints.get(copy)
    if (endpoint !== undefined) await setPaused(deps, endpoint, true)
  }
}

async function goOn(deps: Deps, id: string, signal: AbortSignal): Promise<void> {
  const { storage, clock } = deps
  for (;;) {
    const comparison = storage.comparisons.get(id)
    if (comparison?.state !== 'running' || signal.aborted) return
    const step = stepOf(deps, comparison)
    if ('verdict' in step) {
      await storage.write(() => storage.comparisons.end(id, 'done', step.verdict, clock.now()))
      return pauseCopies(deps, comparison)
    }
    await runRound(deps, { comparison, versions: step.run, signal })
  }
}

function stepOf({ storage }: Pick<Deps, 'storage'>, { id, mode, versions, items }: Comparison) {
  const names = versions.map(({ name }) => name)
  return nextStep({ mode, versions: names, items, counts: storage.comparisons.counts(id) })
}

type Round = { readonly comparison: Comparison; readonly versions: readonly number[]; readonly signal: AbortSignal }

async function runRound(deps: Deps, round: Round): Promise<void> {
  const { comparison, versions, signal } = round
  const lanes = Math.max(1, Math.floor(comparison.atOnce / (versions.length + 1)))
  let next = 1
  const runSome = async () => {
    while (next <= comparison.items && !signal.aborted) {
      const item = next
      next += 1
      await runItem(deps, round, item)
    }
  }
  const ended = await Promise.allSettled(Array.from({ length: lanes }, runSome))
  const failed = ended.find((one) => one.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}

type Ended = { readonly job: Job } | { readonly reason: string }

async function runItem(deps: Deps, { comparison, versions, signal }: Round, item: number): Promise<void> {
  const { storage, comparer } = deps
  const { id, rules } = comparison
  const known = new Map(storage.comparisons.runs(id, item).map((run) => [run.version, run]))
  const open = versions.filter((version) => known.get(version)?.outcome === undefined)
  const source = storage.comparisons.item(id, item)
  if (open.length === 0 || source === undefined) return

  const endOf = (version: number) =>
    endedJob(deps, { comparison, source, item, version, run: known.get(version), signal })
  const end = (run: Omit<ComparisonRunEnd, 'item'>) =>
    storage.write(() => storage.comparisons.endRun(id, { item, ...run }))
  const [reference, ...others] = await Promise.all([0, ...open].map(endOf))
  if (signal.aborted || reference === undefined) return
  if (known.get(0)?.outcome === undefined) await end({ version: 0, ...factsOf(reference, 'reference') })
  for (const [at, version] of open.entries()) {
    const other = others[at]
    if (other === undefined || signal.aborted) return
    if ('reason' in reference || 'reason' in other) {
      const why =
        'reason' in reference ? `on the first version ${reference.reason}` : 'reason' in other ? other.reason : ''
      await end({ version, ...factsOf(other, 'failed'), reason: why })
      continue
    }
    const [one, two] = await Promise.all([outputOf(deps, reference.job), outputOf(deps, other.job)])
    const found = 'problem' in one ? one : 'problem' in two ? two : await comparer.compare([one, two], rules)
    if (signal.aborted) return
    if ('problem' in found) await end({ version, ...factsOf(other, 'failed'), reason: found.problem })
    else
      await end({
        version,
        ...factsOf(other, 'same'),
        ...withTime(found, [reference.job.executionMs, other.job.executionMs], rules),
      })
  }
}

function factsOf(ended: Ended, outcome: ComparisonRunEnd['outcome']) {
  if ('reason' in ended) return { outcome: 'failed' as const, reason: ended.reason }
  const { status, executionMs } = ended.job
  return { outcome, status, ...(executionMs === null ? {} : { ms: executionMs }) }
}

type Wanted = {
  readonly comparison: Comparison
  readonly source: ComparisonItem
  readonly item: number
  readonly version: number
  readonly run: { readonly jobId?: string | undefined; readonly reason?: string | undefined } | undefined
  readonly signal: AbortSignal
}

async function endedJob(deps: Deps, wanted: Wanted): Promise<Ended> {
  const { storage, waiters } = deps
  const { run, signal } = wanted
  if (run?.jobId === undefined && run?.reason !== undefined) return { reason: run.reason }
  let job = run?.jobId === undefined ? await queued(deps, wanted) : storage.jobs.find(run.jobId)
  while (job !== undefined && !('reason' in job) && !isFinal(job.status) && !signal.aborted)
    job = await waiters.untilEnd(job, HOUR_MS, signal)
  if (job === undefined) return { reason: 'its job was deleted' }
  return 'reason' in job ? job : { job }
}

async function queued(
  deps: Deps,
  { comparison, source, item, version }: Wanted,
): Promise<Job | { readonly reason: string }> {
  const { storage } = deps
  const { endpoint: endpointId = '', copy, set } = comparison.versions[version] ?? {}
  const endpoint: Endpoint | undefined = storage.endpoints.get(copy ?? endpointId)
  if (endpoint === undefined) return { reason: `there is no endpoint ${copy ?? endpointId} any more` }
  try {
    const stored = 'jobId' in source ? await storedInput(deps, source.jobId) : source.input
    if (stored === undefined) return { reason: 'the job that had its input was deleted' }
    const input = set === undefined ? stored : withValues(jsonText(stored), set)
    if (typeof input === 'object' && 'problem' in input) return { reason: input.problem }
    const submission = { kind: 'run', request: {}, input, s3Config: undefined, waitMs: undefined } as const
    return await kindOf(endpoint).submit(deps, endpoint, submission, (job) =>
      storage.comparisons.addRun(comparison.id, { item, version }, job.id),
    )
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'STORAGE_FAILED') throw error
    return { reason: error.message.replace(/\.$/, '') }
  }
}

async function storedInput({ storage }: Deps, jobId: string) {
  const job = storage.jobs.find(jobId)
  return job === undefined ? undefined : (await storage.jobs.readInput(job))?.input
}

async function outputOf({ storage }: Deps, job: Job): Promise<StoredOutput | { readonly problem: string }> {
  const output = await storage.jobs.readOutput(job).catch(() => undefined)
  const chunks: string[] = []
  let bytes = output?.length ?? 0
  let { rows } = storage.chunks.after(job.seq, 0)
  while (rows.length > 0 && bytes <= limit('comparisonOutputBytes')) {
    for (const { chunk } of rows) {
      chunks.push(chunk)
      bytes += chunk.length
    }
    rows = storage.chunks.after(job.seq, rows.at(-1)?.n ?? 0).rows
  }
  if (bytes > limit('comparisonOutputBytes'))
    return { problem: `the output of job ${job.id} is larger than ${limit('comparisonOutputBytes')} bytes` }
  return { status: job.status, error: job.error ?? undefined, output, chunks }
}

function view(deps: Pick<Deps, 'storage'>, comparison: Comparison): ComparisonView {
  const { id, name, mode, state, createdAt, endedAt, items, rules, verdict } = comparison
  const counts = deps.storage.comparisons.counts(id)
  const versions = comparison.versions.map((version, at) => {
    const { same = 0, differs = 0, failed = 0, ended = 0 } = counts.get(at) ?? {}
    const times = deps.storage.comparisons.times(id, at)
    const spans = times.length === 0 ? {} : { p50Ms: percentileOf(times, 0.5), p95Ms: percentileOf(times, 0.95) }
    return { ...version, ended, same, differs, failed, ...spans }
  })
  return {
    ...{ id, name, mode, state, createdAt, items, versions, rules, rounds: [...stepOf(deps, comparison).rounds] },
    ...present({ endedAt, verdict }),
  }
}
