/**
 * Stores results of ended runs, also after downtime; until then a run is in progress. One at a time, as outputs may
 * take 20 MB.
 */
import { AppError } from '../../contract/errors.ts'
import type { RunResult } from '../../contract/workflows.ts'
import type { Clock, Log } from '../../lib/clock.ts'
import type { Json } from '../../lib/json/bytes.ts'
import { extensionOf, isShown, isShownName } from '../../lib/media.ts'
import { keepEnds } from '../../lib/text.ts'
import type { Job, RunEnd, Storage } from '../../storage/storage.ts'
import { writeNodeError } from '../jobs/rules/node-error.ts'
import { readJobError } from '../jobs/rules/read-error.ts'
import { isFinal } from '../jobs/rules/transitions.ts'
import { type AssetDeps, storeAsset } from './assets.ts'
import type { GraphOfPicture, ReadsGraphs } from './ports/readers.ts'
import { type FoundResult, plainName } from './rules/runs/find-results.ts'
import { isSocketPicture } from './rules/runs/socket-picture.ts'

type Deps = AssetDeps &
  ReadsGraphs & {
    readonly storage: Storage
    readonly clock: Clock
    readonly log: Log
  }

export function createResultCollector(deps: Deps) {
  const { storage, clock, log } = deps
  const open = new Set<string>()
  const busy = new Set<string>()
  let state: 'new' | 'running' | 'stopped' = 'new'
  let last: Promise<void> = Promise.resolve()

  function collectLater(runId: string, job: Job | undefined): void {
    open.delete(runId)
    busy.add(runId)
    last = last
      .then(() => (state === 'running' ? collect(runId, job) : undefined))
      .finally(() => void busy.delete(runId))
  }

  function check(): void {
    if (state !== 'running') return
    for (const runId of storage.runs.open()) {
      if (busy.has(runId)) continue
      const job = storage.jobs.find(runId)
      if (job === undefined || isFinal(job.status)) collectLater(runId, job)
      else open.add(runId)
    }
  }

  async function collect(runId: string, job: Job | undefined): Promise<void> {
    try {
      const end = job === undefined ? gone(clock.now()) : await endOf(deps, runId, job)
      await storage.write(() => storage.runs.end(runId, end))
    } catch (error) {
      log.error('results of a run not stored', { runId, error })
    }
  }

  function openAgain(runId: string): void {
    open.add(runId)
    last = last
      .then(() => storage.write(() => storage.runs.reopen(runId, clock.now())))
      .then(
        () => undefined,
        (error) => log.error('a run not opened again', { runId, error }),
      )
  }

  storage.onCommit((changes) => {
    for (const change of changes) {
      if (change.type === 'run' && change.event === 'created') open.add(change.runId)
      if (change.type === 'job' && change.event === 'retry' && storage.runs.get(change.jobId) !== undefined)
        openAgain(change.jobId)
      // A job may end in the turn that queued it, so its run was written with it.
      if (change.type === 'job' && isFinal(change.to) && open.has(change.jobId)) collectLater(change.jobId, change.job)
    }
  })

  return {
    start() {
      if (state !== 'new') return
      state = 'running'
      check()
    },
    check,
    async stop() {
      state = 'stopped'
      await last
    },
  }
}

async function endOf(deps: Deps, runId: string, job: Job): Promise<RunEnd> {
  const { storage, clock } = deps
  const { output, lost } = await readOutput(deps, job)
  const made = storage.runs.texts(runId)
  const nothing = { results: [], previews: [], errors: [] }
  const { results, previews, errors } =
    made === undefined || output === undefined ? nothing : await storeResults(deps, output, made)
  return {
    status: job.status as RunEnd['status'],
    endedAt: job.finishedAt ?? clock.now(),
    executionMs: job.executionMs ?? undefined,
    results,
    previews,
    errors: shortened([...(job.error === null ? [] : [errorOf(job.error)]), ...lost, ...errors]),
  }
}

// Shown in lists; the job has everything. Source: ours, a page of text.
const [ERRORS_MAX, ERROR_LENGTH_MAX] = [50, 4000]

function errorOf(error: string): string {
  const { node, message } = readJobError(error)
  return node === undefined ? message : writeNodeError(node, ERROR_LENGTH_MAX)
}

function shortened(errors: readonly string[]): readonly string[] {
  const more = errors.length - ERRORS_MAX
  const cut = errors.slice(0, ERRORS_MAX).map((error) => keepEnds(error, ERROR_LENGTH_MAX))
  return more > 0 ? [...cut, `${more} more errors are in the output of the job.`] : cut
}

type Output = { readonly output: Json | undefined; readonly lost: readonly string[] }

async function readOutput({ storage }: Deps, job: Job): Promise<Output> {
  try {
    return { output: await storage.jobs.readOutput(job), lost: [] }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { output: undefined, lost: [error.message] }
  }
}

function gone(now: number): RunEnd {
  const why = 'The record of its job was deleted before its results could be stored.'
  return { status: 'FAILED', endedAt: now, executionMs: undefined, results: [], previews: [], errors: [why] }
}

type StoredResults = {
  readonly results: readonly RunResult[]
  readonly previews: readonly RunResult[]
  readonly errors: readonly string[]
}

async function storeResults(deps: ResultDeps, output: Json, made: GraphOfPicture): Promise<StoredResults> {
  const found = await deps.readInThread.results(output)
  if ('problem' in found)
    return { results: [], previews: [], errors: [`The output of the job cannot be read: ${found.problem}.`] }
  const results = await storeAll(deps, found.results, made)
  const previews = await storeAll(deps, found.previews, made)
  return {
    results: results.stored,
    previews: previews.stored,
    errors: [...found.errors, ...results.errors, ...previews.errors],
  }
}

type ResultDeps = AssetDeps & ReadsGraphs

async function storeAll(deps: ResultDeps, found: readonly FoundResult[], made: GraphOfPicture) {
  const [stored, errors]: [RunResult[], string[]] = [[], []]
  for (const [at, one] of found.entries()) {
    const result = await storeOne(deps, { one, at, made })
    if (typeof result === 'string') errors.push(result)
    else {
      stored.push(result)
      const doubt = whyNotShown(result)
      if (doubt !== undefined) errors.push(doubt)
    }
  }
  return { stored, errors }
}

async function storeOne(
  deps: ResultDeps,
  { one, at, made }: { readonly one: FoundResult; readonly at: number; readonly made: GraphOfPicture },
): Promise<RunResult | string> {
  const name = one.filename ?? `result ${at + 1}`
  const { content } = one
  if (content.kind === 'address') return `${name} is not stored here: its worker left it at ${content.url}`
  const graph = isSocketPicture(name) ? undefined : made // its client gets the bytes that the node sent
  const file = await deps.readInThread.resultFile(content, graph)
  if ('problem' in file) return `${name} cannot be read: ${file.problem}.`
  if (file.length === 0) return `${name} is empty.`
  try {
    const { id, mediaType, width, height } = await storeAsset(deps, file)
    const filename = plainName(one.filename ?? '') ?? `result_${at + 1}.${extensionOf(mediaType)}`
    const size = width === undefined || height === undefined ? {} : { width, height }
    return { asset: id, filename, mediaType, ...(one.node === undefined ? {} : { node: one.node }), ...size }
  } catch (error) {
    if (error instanceof AppError) return `${name} was not stored: ${error.message}`
    throw error
  }
}

function whyNotShown({ filename, mediaType }: RunResult): string | undefined {
  if (isShown(mediaType) || !isShownName(filename)) return undefined
  return `${filename} is not a picture, video or sound: its worker sent ${mediaType}.`
}
