/** What the services store: jobs, endpoints, events, and all that storage offers. storage/ implements it. */
import type { EndpointConfig } from '../../contract/endpoint.ts'
import type { AppError } from '../../contract/errors.ts'
import type { FleetEvent } from '../../contract/fleet-events.ts'
import type { JobState } from '../../contract/job.ts'
import type { JobStateCounts } from '../../contract/job-routes.ts'
import type { JobHistoryEntry, WebhookDelivery } from '../../contract/management.ts'
import type { JobEvent } from '../../domain/job/transitions.ts'
import type { Json } from '../../domain/json/json.ts'
import type { EndpointRevision } from '../../domain/platform/endpoint-view.ts'
import type { AppStore, ArtifactFiles } from './apps.ts'
import type {
  BatchStore,
  ChunkStore,
  JobArchive,
  PayloadStore,
  PendingBulkStore,
  SentJson,
  StoredPayload,
} from './job-storage.ts'
import type { KeyStore } from './keys.ts'
import type { MachineStore } from './machines.ts'
import type { ModelDownloadStore, ModelFiles } from './models.ts'
import type { PlatformStore } from './platform.ts'
import type { ProjectStore } from './projects.ts'
import type { ComparisonStore, LoadTestStore, SavedRequestStore } from './requests.ts'
import type { ScheduleStore } from './schedules.ts'
import type { SecretStore } from './secrets.ts'
import type { TargetDeployStore } from './targets.ts'
import type { TraceStore } from './traces.ts'
import type { LogStore, RequestStore, WorkerStore } from './worker-records.ts'
import type { GraphStore, RunChange, WorkflowStorage } from './workflows.ts'

/** A job as stored, without its payloads. `queuedAt`, `startedAt`, `deadlineAt` are steady ms. */
export type Job = {
  readonly seq: number
  readonly id: string
  readonly endpointId: string
  readonly status: JobState
  readonly lowPriority: 0 | 1
  readonly attempt: number
  readonly retries: number
  readonly workerId: string | null
  readonly createdAt: number
  readonly queuedAt: number
  readonly startedAt: number | null
  readonly finishedAt: number | null
  readonly delayMs: number | null
  readonly executionMs: number | null
  readonly executionTimeoutMs: number
  readonly ttlMs: number
  readonly retentionMs: number
  readonly deadlineAt: number
  readonly streamCursor: number
  readonly webhook: string | null
  readonly error: string | null
  /** 1: its retention is over. The job API does not know it any more, and nothing moves it. */
  readonly archived: 0 | 1
  /** Higher ones are claimed first; low priority stands behind them all. */
  readonly priority: number
  /** Among the jobs of its endpoint with its priority: lower ones are claimed first, of equal ones the older job. */
  readonly place: number
}

/** A new job. `s3Config` is JSON text as it came. */
export type NewJob = {
  readonly id: string
  readonly endpointId: string
  readonly input: StoredPayload
  readonly s3Config: string | undefined
  readonly webhook: string | undefined
  readonly lowPriority: boolean
  /** 0 without it. */
  readonly priority?: number | undefined
  readonly executionTimeoutMs: number
  readonly ttlMs: number
  readonly retentionMs: number
  readonly idempotencyKey: string | undefined
}

/** By what a payload is found, and named in messages. */
export type JobName = Pick<Job, 'seq' | 'id'>

/** The two times of one moment. */
export type Moment = { readonly now: number; readonly steady: number }

/** What a move carries besides the moment. A given `workerId` or `attempt` must be the job's, or nothing moves. */
export type MoveFields = {
  readonly workerId?: string | undefined
  readonly attempt?: number | undefined
  readonly reason?: string | undefined
  readonly error?: string | undefined
  readonly output?: StoredPayload | undefined
}

/** A committed move, as listeners receive it. */
export type JobChange = {
  readonly type: 'job'
  readonly eventId: number
  readonly at: number
  readonly seq: number
  readonly jobId: string
  readonly endpointId: string
  /** `reorder` changes its position in the queue and no state. */
  readonly event: JobEvent | 'submit' | 'reorder'
  readonly from: JobState | undefined
  readonly to: JobState
  readonly workerId: string | undefined
  readonly attempt: number
  readonly reason: string | undefined
  readonly job: Job
}

/** A committed change of a worker or an endpoint, as listeners receive it. */
export type FleetChange = {
  readonly type: 'worker' | 'endpoint'
  readonly eventId: number
  readonly at: number
  readonly endpointId: string
  readonly workerId: string | undefined
  /** For a worker its new state, for an endpoint what was done. */
  readonly event: string
  readonly reason: string | undefined
}

/** Anything committed that others want to be notified of. */
export type Change = JobChange | FleetChange | RunChange

/**
 * Runs writes. All writes asked for in one turn of the event loop commit together; the promise resolves when the commit
 * is on the disk. Others may have read and changed what was written by then. `work` may run twice (again alone when another write of the group failed), so it only writes and returns.
 */
export type Writer = <T>(work: () => T) => Promise<T>

/** What follows a commit: at once, and when it is on the disk, so that a power cut cannot take it back. */
export type AfterCommit = { readonly committed?: () => void; readonly durable?: () => void }

/**
 * Which jobs: all of it holds. Times of creation in wall ms, both inclusive; `before` and `after` are seqs, exclusive.
 */
export type JobFilter = {
  readonly endpointId?: string | undefined
  readonly states?: readonly JobState[] | undefined
  /** Whether TIMED_OUT stands for all that a time limit stopped, see domain/job/time-limit. */
  readonly withTimeLimits?: boolean | undefined
  readonly workerId?: string | undefined
  readonly text?: string | undefined
  /** Only jobs that the job API has forgotten, or only those that it knows. */
  readonly archived?: boolean | undefined
  readonly from?: number | undefined
  readonly to?: number | undefined
  readonly before?: number | undefined
  readonly after?: number | undefined
}

/** Jobs by their ids, or all that a filter lets through. */
export type NamedJobs = { readonly ids: readonly string[] } | { readonly filter: JobFilter }

/** A page of a list of jobs, newest first unless it says otherwise. */
export type JobQuery = JobFilter & {
  readonly limit: number
  readonly offset?: number | undefined
  readonly oldestFirst?: boolean | undefined
  /** Of a search: jobs whose error has the text as a phrase come first. */
  readonly phraseFirst?: boolean | undefined
}

/** The input of a job, and the credentials of its bucket as JSON, which are sealed until somebody needs them. */
export type StoredInput = {
  readonly input: Json
  /** @throws AppError SECRET_LOST */
  readonly openS3Config: () => string | undefined
}

/** The jobs. Methods that write are called inside a Writer's work only. */
export type JobStore = {
  readonly insert: (job: NewJob, moment: Moment) => Job
  readonly findByIdempotencyKey: (endpointId: string, key: string) => Job | undefined
  /** Also an archived one, as all reads by id or number do. */
  readonly find: (id: string) => Job | undefined
  readonly read: (seq: number) => Job | undefined
  /** Payloads to be sent. @throws AppError PAYLOAD_LOST when its file is missing; so do the others below */
  readonly openInput: (job: JobName) => Promise<SentJson | undefined>
  readonly openOutput: (job: JobName) => Promise<SentJson | undefined>
  readonly readInput: (job: JobName) => Promise<StoredInput | undefined>
  readonly readOutput: (job: JobName) => Promise<Json | undefined>
  /** The first characters of payloads. A job without an output has null; a job that is gone is left out. */
  readonly beginnings: (
    seqs: readonly number[],
    characters: number,
  ) => readonly { readonly seq: number; readonly input: string; readonly output: string | null }[]
  /** The only way a state changes: moves the job if the table and the fields allow it, else undefined. */
  readonly move: (seq: number, event: JobEvent, fields: MoveFields, moment: Moment) => Job | undefined
  /**
   * Claims the first waiting job of the endpoint: normal priority before low, higher numbers before lower ones, else in
   * the order of places; skips the given seqs.
   */
  readonly claim: (endpointId: string, workerId: string, except: readonly number[], moment: Moment) => Job | undefined
  /** Places a waiting job before all others of its endpoint with its priority; undefined: it does not wait any more. */
  readonly moveToFront: (seq: number, moment: Moment) => Job | undefined
  /** Places it behind all that wait now with its priority. */
  readonly moveToBack: (seq: number, moment: Moment) => Job | undefined
  /**
   * Places it right before or after another job, which has the same priority; undefined: one of them does not wait any
   * more.
   */
  readonly moveBeside: (seq: number, side: 'before' | 'after', otherSeq: number, moment: Moment) => Job | undefined
  /** Gives a waiting job another priority; among those with it, it stands by its place. */
  readonly setPriority: (seq: number, priority: number, moment: Moment) => Job | undefined
  /** Lets two waiting jobs of a queue swap positions; undefined: one of them does not wait any more. */
  readonly swapPositions: (seq: number, otherSeq: number, moment: Moment) => Job | undefined
  /** Waiting jobs in the order of claims. */
  readonly inOrder: (endpointId: string, limit: number) => readonly Job[]
  /** Sets the whole life of a job that has not ended, counted from submission. */
  readonly setTtl: (set: { seq: number; ttlMs: number }) => Job | undefined
  /** Remembers how far the stream of this attempt was read. */
  readonly setStreamCursor: (set: { seq: number; attempt: number; cursor: number }) => void
  /** Jobs that are not archived and whose deadline has passed, oldest deadline first. */
  readonly pastDeadline: (steady: number, limit: number) => readonly Job[]
  /** Seq of the newest job, 0 without any. */
  readonly newestSeq: () => number
  /** Waiting jobs, none newer than `newest`. */
  readonly waiting: (endpointId: string, newest: number, limit: number) => readonly Job[]
  readonly oldestWaiting: (endpointId: string, lowPriority: 0 | 1) => Job | undefined
  /** How many jobs of the endpoint are claimed before this one, counted up to `limit`. */
  readonly waitingBefore: (job: Job, limit: number) => number
  readonly inProgress: () => readonly Job[]
  readonly counts: () => readonly { endpointId: string; status: JobState; lowPriority: 0 | 1; count: number }[]
  readonly hasPendingDelivery: (seq: number) => boolean
  /** Deletes a job with all that belongs to it. */
  readonly remove: (seq: number) => void
  /** Looks at the deadline of an ended job again at `steady`, not before. */
  readonly postponeArchiving: (set: { seq: number; steady: number }) => void
  /** Newest first. */
  readonly list: (query: JobQuery) => readonly Job[]
  /** How many there are; `more` where the count was given up. */
  readonly count: (filter: JobFilter) => { readonly count: number; readonly more: boolean }
  /** How many of each state, whatever states the filter has; each is counted up to a limit. */
  readonly countByState: (filter: JobFilter) => JobStateCounts['states']
  readonly history: (seq: number) => readonly JobHistoryEntry[]
}

/** An endpoint as stored. */
export type Endpoint = {
  readonly id: string
  readonly config: EndpointConfig
  readonly paused: boolean
  readonly keyHash: Uint8Array
  readonly revision: number
  readonly createdAt: number
  readonly updatedAt: number
}

/** Totals of an endpoint since it was made. */
export type EndpointTotals = { readonly completed: number; readonly failed: number; readonly retried: number }

/** The endpoints, all held in memory; reads are free. */
export type EndpointStore = {
  readonly get: (id: string) => Endpoint | undefined
  readonly all: () => readonly Endpoint[]
  /** The endpoint as it is inside a write, where `get` does not yet show what the same transaction has written. */
  readonly read: (id: string) => Endpoint | undefined
  /** All of them as `read` shows one. */
  readonly readAll: () => readonly Endpoint[]
  readonly save: (endpoint: Endpoint, event: 'created' | 'updated' | 'paused' | 'resumed', now: number) => void
  readonly remove: (id: string, now: number) => void
  /** The changes that replaced its workers, newest first; as many as are kept. */
  readonly revisions: (id: string) => readonly EndpointRevision[]
  readonly totals: (id: string) => EndpointTotals
  /** Adds what is no job to the totals, inside a write; `reread` afterwards makes it seen. */
  readonly addTotals: (id: string, sums: Omit<EndpointTotals, 'retried'>) => void
  readonly reread: (id: string) => void
}

/** A webhook that is due. */
export type DueDelivery = { readonly id: number; readonly seq: number; readonly url: string; readonly attempts: number }

/** The durable queue of webhooks. `due` and `nextAt` are steady ms; `now` is wall ms. */
export type WebhookStore = {
  readonly due: (steady: number, limit: number) => readonly DueDelivery[]
  readonly nextDueAt: () => number | undefined
  readonly record: (id: number, result: DeliveryResult, now: number) => void
  readonly ofJob: (seq: number) => readonly WebhookDelivery[]
  /** Makes a delivery due again; undefined where there is none. */
  readonly resend: (id: number, moment: Moment) => WebhookDelivery | undefined
}

/** How one try went. `nextAt` set: another try follows. */
export type DeliveryResult = {
  readonly delivered: boolean
  readonly status: number | undefined
  readonly error: string | undefined
  readonly nextAt: number | undefined
}

/** Which events of the fleet: of these kinds, from and to a time in wall ms (both inclusive), older than `before`. */
export type FleetEventQuery = {
  readonly kinds: readonly FleetEvent['kind'][]
  readonly endpointId: string | undefined
  readonly from: number
  readonly to: number
  readonly before: number
  readonly limit: number
}

/** The log of events. */
export type EventStore = {
  readonly after: (id: number, limit: number) => readonly Change[]
  readonly lastId: () => number
  /** Newest first. */
  readonly fleet: (query: FleetEventQuery) => readonly FleetEvent[]
  /** Notes that a release with this endpoint became active, inside a write. @param release as text */
  readonly recordActivation: (endpointId: string, release: string, now: number) => void
  /** Notes that changed code is live, or does not start, inside a write. */
  readonly recordReload: (
    endpointId: string,
    outcome: { readonly hasFailed: boolean; readonly reason: string },
    now: number,
  ) => void
  readonly trimFleet: (before: number) => void
}

/** The full-text index of jobs, fed from the event log. */
export type SearchIndex = {
  /** Indexes up to `limit` more jobs; returns whether more wait. */
  readonly catchUp: (limit: number) => boolean
  readonly behind: () => boolean
}

/** Steps of metrics as JSON. */
export type MetricsStore = {
  readonly save: (endpointId: string, at: number, point: string) => void
  readonly read: (
    endpointId: string,
    from: number,
    to: number,
  ) => readonly { readonly at: number; readonly point: string }[]
  /** Start of the newest step in which work came or ended; reads all steps since then. */
  readonly lastActiveAt: (endpointId: string) => number | undefined
  readonly trim: (before: number) => void
}

/** Small values of the service itself, as JSON. */
export type StateStore = {
  readonly get: (name: string) => unknown
  readonly set: (name: string, value: unknown) => void
}

/** What the database takes, and how long the disk takes for it. */
export type DatabaseFigures = {
  readonly sizeBytes: number
  readonly logBytes: number
  readonly syncs: { readonly count: number; readonly seconds: number }
}

/** Everything that storage offers. */
export type Storage = WorkflowStorage & {
  readonly write: Writer
  readonly payloads: PayloadStore
  readonly jobs: JobStore
  readonly archive: JobArchive
  readonly chunks: ChunkStore
  readonly endpoints: EndpointStore
  readonly workers: WorkerStore
  readonly webhooks: WebhookStore
  readonly logs: LogStore
  readonly requests: RequestStore
  readonly events: EventStore
  readonly search: SearchIndex
  readonly metrics: MetricsStore
  readonly secrets: SecretStore
  readonly keys: KeyStore
  readonly apps: AppStore
  readonly savedRequests: SavedRequestStore
  readonly schedules: ScheduleStore
  readonly batches: BatchStore<Job>
  readonly pendingBulk: PendingBulkStore<NamedJobs>
  readonly loadTests: LoadTestStore
  readonly comparisons: ComparisonStore
  readonly projects: ProjectStore
  readonly platform: PlatformStore
  readonly targetDeploys: TargetDeployStore
  readonly machines: MachineStore
  readonly traces: TraceStore
  readonly artifacts: ArtifactFiles
  readonly graphs: GraphStore
  readonly modelDownloads: ModelDownloadStore
  readonly modelFiles: ModelFiles
  readonly state: StateStore
  /** Sizes of the files of the database, and the syncs since it was opened. */
  readonly figures: () => Promise<DatabaseFigures>
  /** Version of the database engine. */
  readonly engineVersion: string
  /** Forgets what is held in memory for speed alone. */
  readonly releaseMemory: () => void
  /** Called right after each commit with what changed, in order: for what the service itself goes by. */
  readonly onCommit: (listener: (changes: readonly Change[]) => void) => void
  /** Called with the same when it is on the disk: for whatever leaves the service. */
  readonly onDurable: (listener: (changes: readonly Change[]) => void) => void
  /**
   * Resolves when all that can be read now is on the disk: whoever tells somebody outside what was read waits for it.
   * @throws AppError STORAGE_FAILED
   */
  readonly durable: () => Promise<void>
  /** Called once when nothing becomes durable any more. */
  readonly onFailure: (listener: (failure: AppError) => void) => void
  /** Called inside each transaction after its works: claims for parked workers happen here. */
  readonly beforeCommit: (hook: (changes: readonly Change[]) => AfterCommit | undefined) => void
  /** Asks for a transaction even without a write, so that the hook runs. */
  readonly poke: () => void
  /** Writes the file again after somebody deleted it; nothing may be written to the open one after that. */
  readonly saveAgain: () => void
  readonly close: () => Promise<void>
}
