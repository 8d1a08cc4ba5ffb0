import { limit } from '../../contract/limits.ts'
import type { Clock, Log } from '../../lib/clock.ts'
import type { WorkerOutput } from '../../runtimes/port.ts'
import type { Endpoint, NewLogLine, Storage } from '../../storage/storage.ts'
import { type AppTarget, isSameTarget, targetOf } from '../apps/rules/app-environment.ts'
import { ownSecrets, secretValues } from '../apps/variables.ts'
import { finishJob, type Leases } from '../jobs/queue/leases.ts'
import type { LostChunks } from '../jobs/queue/lost-chunks.ts'
import { unsentError } from '../jobs/rules/unsent-error.ts'
import { accountSecretValues } from '../keys/account-secrets.ts'
import type { LiveWorker, WorkerRegistry } from '../workers/registry/worker-registry.ts'
import {
  createMask,
  EXCEPTION_FOLLOWS,
  jobAt,
  readLogLine,
  readUnsentResult,
  unsentKind,
} from '../workers/rules/log-lines.ts'
import { hasFlag, readTestMode } from '../workers/rules/test-modes.ts'
import type { EndpointLog } from './logs/endpoint-log.ts'

// Enough for two long tracebacks; lastWords reads no more.
const LAST_LINES = 100
// Trimming rewrites indexes, so it handles many lines at a time.
const TRIM_EVERY = 5000

/**
 * Stores worker output. A line belongs to the job it names (JSON with requestId), otherwise to the worker's only job,
 * cancelled ones included until stopped; late lines by time. Excess lines are dropped with a final notice.
 */
export function createLogCollector(deps: {
  readonly storage: Storage
  readonly clock: Clock
  readonly registry: WorkerRegistry
  readonly leases: Leases
  readonly log: Log
  readonly lostChunks: LostChunks
  readonly endpointLog: EndpointLog
  readonly mask: MaskLogs
  readonly stored: () => void
}): (output: WorkerOutput) => void {
  const { storage, clock, registry, leases, log, lostChunks, endpointLog, mask, stored } = deps
  const unsent = createUnsentResults({ storage, clock, leases, log, lostChunks, endpointLog })
  const perJob = new Map<string, { lines: number; readonly endpointId: string | undefined }>()

  // A worker may name any job; only jobs of its endpoint count.
  function countOf(worker: LiveWorker, jobId: string | undefined): { lines: number } | undefined {
    if (jobId === undefined) return undefined
    const known = perJob.get(jobId)
    const count = known ?? { lines: 0, endpointId: storage.jobs.find(jobId)?.endpointId }
    if (known === undefined) perJob.set(jobId, count)
    return count.endpointId === worker.endpointId ? count : undefined
  }

  function toLine(worker: LiveWorker, only: string | undefined, raw: string, at: number): NewLogLine | undefined {
    const { jobId: named, level, line } = readLogLine(raw, limit('logLineBytes'))
    unsent(worker, named, line)
    const mode = readTestMode(line)
    if (mode !== undefined) registry.note(worker, mode)
    const base = { at, endpointId: worker.endpointId, workerId: worker.id, level, line }
    const jobId = named ?? only
    const count = countOf(worker, jobId)
    if (count === undefined || jobId === undefined) return base
    count.lines += 1
    const most = limit('logLinesPerJob')
    if (count.lines <= most) return { ...base, jobId }
    if (count.lines > most + 1) return undefined
    return { ...base, jobId, level: 'WARN', line: `Further lines of this job are not stored: the limit is ${most}.` }
  }

  function trimPlan(worker: LiveWorker, added: number): boolean {
    const before = worker.storedLines
    const after = before + added
    registry.note(worker, { storedLines: after })
    const most = limit('logLinesPerWorker')
    return after > most && Math.floor(before / TRIM_EVERY) !== Math.floor(after / TRIM_EVERY)
  }

  return ({ workerId, lines: printed, at, writtenAt, stored: remember }) => {
    const worker = registry.get(workerId)
    if (worker === undefined || printed.length === 0) return
    const lines = mask(worker, printed)
    registry.note(worker, { lastLines: [...worker.lastLines, ...lines.slice(-LAST_LINES)].slice(-LAST_LINES) })
    const running = [...leases.ofWorker(workerId).map((lease) => lease.jobId), ...worker.stopOrders.keys()]
    const only = running.length === 1 ? running[0] : undefined
    const storedLines = lines.flatMap((raw, index) => {
      // An engine clock that runs ahead must not put lines into the future.
      const time = Math.min(writtenAt?.[index] ?? at, at)
      return toLine(worker, writtenAt === undefined ? only : jobAt(worker.jobSpans, time), raw, time) ?? []
    })
    const trim = trimPlan(worker, storedLines.length)
    for (const jobId of perJob.keys()) if (perJob.size > 10_000) perJob.delete(jobId)
    storage
      .write(() => {
        storage.logs.append(storedLines)
        if (trim) storage.logs.trimWorker({ workerId, keep: limit('logLinesPerWorker') })
      })
      .then(remember)
      .then(stored)
      .catch((error) => log.warn('worker output not stored', { workerId, error }))
  }
}

type UnsentResults = (worker: LiveWorker, jobId: string | undefined, line: string) => void

/** The public SDK only logs an unsent result and continues, and the job would run again in vain. */
function createUnsentResults(deps: {
  readonly storage: Storage
  readonly clock: Clock
  readonly leases: Leases
  readonly log: Log
  readonly lostChunks: LostChunks
  readonly endpointLog: EndpointLog
}): UnsentResults {
  const { storage, log, lostChunks, endpointLog } = deps
  const problems = new Map<string, string>()
  const exceptions = new Map<string, string>()
  const awaited = new Map<string, string>()
  const remember = (of: Map<string, string>, key: string, text: string) => {
    of.set(key, text)
    for (const oldest of of.keys()) if (of.size > limit('unsentResults')) of.delete(oldest)
  }
  return (worker, jobId, line) => {
    if (jobId === undefined) {
      const failed = awaited.get(worker.id)
      if (failed !== undefined && line.startsWith('{')) remember(exceptions, failed, line)
      awaited.delete(worker.id)
      return
    }
    if (line === EXCEPTION_FOLLOWS) return remember(awaited, worker.id, jobId)
    const said = readUnsentResult(line)
    if (said === undefined) return
    const job = storage.jobs.find(jobId)
    if (job?.workerId !== worker.id) return
    if (said.kind === 'yielded') return lostChunks.yielded(jobId)
    if (said.kind === 'unsent') {
      lostChunks.lose(jobId, unsentKind(said.problem))
      return remember(problems, jobId, said.problem)
    }
    const problem = said.problem ?? problems.get(jobId)
    const exception = exceptions.get(jobId)
    for (const known of [problems, exceptions]) known.delete(jobId)
    const lost = lostChunks.tell(jobId, () => storage.chunks.count(job.seq))
    if (lost !== undefined) endpointLog({ endpointId: worker.endpointId, workerId: worker.id, jobId, line: `${lost}.` })
    if (problem === undefined) return
    const config = storage.endpoints.get(worker.endpointId)?.config
    const error = unsentError(problem, exception, config !== undefined && hasFlag(config, '--rp_debugger'))
    const report = { kind: 'fail', error, output: undefined, replaceWorker: false } as const
    finishJob(deps, { jobId, workerId: worker.id, report }).catch((cause) =>
      log.warn('job whose result was not sent did not fail', { jobId, workerId: worker.id, error: cause }),
    )
  }
}

type MaskLogs = (worker: Pick<LiveWorker, 'app' | 'endpointId'>, lines: readonly string[]) => readonly string[]

export type LogMasks = {
  /** Called before a worker gets variables: their version may be gone while the worker lives. */
  readonly learn: (endpoint: Pick<Endpoint, 'id' | 'config'>) => void
  /** Masks secrets of single jobs in the logs of the endpoint. */
  readonly hide: (endpointId: string, values: readonly string[]) => void
  readonly mask: MaskLogs
}

// Source: ours; each is the key of an account.
const OF_JOBS_MAX = 100

type Masked = { readonly values: ReadonlySet<string>; readonly mask: (line: string) => string }
type Known = Masked & { readonly target: AppTarget; readonly environmentId: number; readonly version: number }

// Hidden values stay hidden: older workers may still print them.
function withValues(before: Masked | undefined, more: readonly string[]): Masked {
  const values = new Set([...(before?.values ?? []), ...more])
  return { values, mask: createMask([...values]) }
}

export function createLogMasks(
  storage: Pick<Storage, 'apps' | 'endpoints' | 'secrets'>,
  registry: Pick<WorkerRegistry, 'all' | 'ofEndpoint'>,
): LogMasks {
  const known = new Map<string, Known>()
  const ofEndpoints = new Map<string, Masked>()
  const ofJobs = new Map<string, Masked>()
  let ofAccount: Masked | undefined

  // Any worker may have been given any secret of the account.
  function learnOfAccount() {
    ofAccount = withValues(ofAccount, accountSecretValues(storage))
    return ofAccount
  }

  function learnOfEndpoint({ id, config }: Pick<Endpoint, 'id' | 'config'>): Masked {
    const before = ofEndpoints.get(id)
    const secrets = ownSecrets(config.env)
    if (before !== undefined && secrets.every((value) => before.values.has(value))) return before
    forgetDeleted()
    const current = withValues(before, secrets)
    ofEndpoints.set(id, current)
    return current
  }

  // An adopted worker may print before its endpoint is known.
  function maskOfEndpoint(endpointId: string): Masked['mask'] | undefined {
    const endpoint = ofEndpoints.has(endpointId) ? undefined : storage.endpoints.get(endpointId)
    return (endpoint === undefined ? ofEndpoints.get(endpointId) : learnOfEndpoint(endpoint))?.mask
  }

  function learnOfApp(target: AppTarget | undefined): Known | undefined {
    if (target === undefined) return undefined
    const key = JSON.stringify([target.app, target.environment])
    const before = known.get(key)
    const environment = storage.apps.environment(target.app, target.environment)
    if (environment === undefined) return before
    const { id: environmentId, variables: version } = environment
    if (before?.environmentId === environmentId && before.version === version) return before
    forgetDeleted()
    const current = { target, environmentId, version, ...withValues(before, secretValues(storage, environment)) }
    known.set(key, current)
    return current
  }

  const isGone = (endpointId: string) =>
    storage.endpoints.get(endpointId) === undefined && registry.ofEndpoint(endpointId).length === 0

  // Secrets are kept only while somebody could print them.
  function forgetDeleted(): void {
    for (const [key, { target }] of known) {
      const isThere = storage.apps.environment(target.app, target.environment) !== undefined
      if (!isThere && !registry.all().some(({ app }) => isSameTarget(app, target))) known.delete(key)
    }
    for (const id of ofEndpoints.keys()) if (isGone(id)) ofEndpoints.delete(id)
    for (const id of ofJobs.keys()) if (isGone(id)) ofJobs.delete(id)
  }

  return {
    learn(endpoint) {
      learnOfAccount()
      learnOfApp(targetOf(endpoint.config.app))
      learnOfEndpoint(endpoint)
    },
    hide(endpointId, values) {
      const before = [...(ofJobs.get(endpointId)?.values ?? [])]
      if (values.every((value) => before.includes(value))) return
      forgetDeleted()
      ofJobs.set(endpointId, withValues(undefined, [...before, ...values].slice(-OF_JOBS_MAX)))
    },
    mask({ app, endpointId }, lines) {
      const { mask } = ofAccount ?? learnOfAccount()
      const masks = [learnOfApp(app)?.mask, maskOfEndpoint(endpointId), ofJobs.get(endpointId)?.mask, mask]
      return masks.reduce((masked, one) => (one === undefined ? masked : masked.map(one)), lines)
    },
  }
}
