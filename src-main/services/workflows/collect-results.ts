/**
 * Takes what jobs of runs gave into the assets store when they end, also those that ended while the service was down. Until
 * then a run is in progress. One after the other, as an output may be 20 MB in memory.
 */

import { AppError } from '../../contract/errors.ts'
import { writeNodeError } from '../../domain/job/node-error.ts'
import { readJobError } from '../../domain/job/read-error.ts'
import { isFinal } from '../../domain/job/transitions.ts'
import type { Json } from '../../domain/json/json.ts'
import type { RunEnd } from '../ports/workflows.ts'
import type { Clock, Job, Log, Storage } from '../ports.ts'
import type { AssetDeps } from './assets.ts'
import { keepResults } from './keep-results.ts'

type Deps = AssetDeps & {
  readonly storage: Storage
  readonly clock: Clock
  readonly log: Log
}

/** The collector. */
export type ResultCollector = {
  /** Begins with the runs that were left open. */
  readonly start: () => void
  /** Tries again what could not be kept before, on a full disk say. */
  readonly look: () => void
  /** Waits for what is under way; what is left comes with the next start. */
  readonly stop: () => Promise<void>
}

/** Makes the collector; it listens from `start` on. */
export function createResultCollector(deps: Deps): ResultCollector {
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

  function look(): void {
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
      log.error('results of a run not kept', { runId, error })
    }
  }

  // Its results come a second time; those of before are gone when the new ones are here.
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
      // A job that is queued at once may end in the same turn, so the run is known by then: it was written with its job.
      if (change.type === 'job' && isFinal(change.to) && open.has(change.jobId)) collectLater(change.jobId, change.job)
    }
  })

  return {
    start() {
      if (state !== 'new') return
      state = 'running'
      look()
    },
    look,
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
  const value: unknown = output === undefined ? undefined : JSON.parse(Buffer.from(output).toString())
  const nothing = { results: [], previews: [], errors: [] }
  const { results, previews, errors } = made === undefined ? nothing : await keepResults(deps, value, made)
  return {
    status: job.status as RunEnd['status'],
    endedAt: job.finishedAt ?? clock.now(),
    executionMs: job.executionMs ?? undefined,
    results,
    previews,
    errors: shortened([...(job.error === null ? [] : [errorOf(job.error)]), ...lost, ...errors]),
  }
}

// They stand in each list of runs; the job has them whole. Source: ours, a page of text.
const [ERRORS_MAX, ERROR_LENGTH_MAX] = [50, 4000]

// Which node is to blame is shown at it, so that stays as it can be read.
function errorOf(error: string): string {
  const { node, message } = readJobError(error)
  return node === undefined ? message : writeNodeError(node, ERROR_LENGTH_MAX)
}

function shortened(errors: readonly string[]): readonly string[] {
  const more = errors.length - ERRORS_MAX
  const cut = errors
    .slice(0, ERRORS_MAX)
    .map((error) => (error.length > ERROR_LENGTH_MAX ? `${error.slice(0, ERROR_LENGTH_MAX)}…` : error))
  return more > 0 ? [...cut, `${more} more errors are in the output of the job.`] : cut
}

type Output = { readonly output: Json | undefined; readonly lost: readonly string[] }

// A file that somebody deleted will not come back: the run ends without it.
async function readOutput({ storage }: Deps, job: Job): Promise<Output> {
  try {
    return { output: await storage.jobs.readOutput(job), lost: [] }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { output: undefined, lost: [error.message] }
  }
}

function gone(now: number): RunEnd {
  const why = 'The record of its job was deleted before its results could be kept.'
  return { status: 'FAILED', endedAt: now, executionMs: undefined, results: [], previews: [], errors: [why] }
}
