/** What is sent out: saved requests, load tests, comparisons, pings, webhooks. */
import type {
  ComparisonCreate,
  ComparisonRow,
  ComparisonRules,
  ComparisonVerdict,
  ComparisonVersion,
} from '../../contract/compare.ts'
import type { LoadTest, SavedRequest } from '../../contract/requests.ts'
import type { Compared } from '../../domain/compare/outputs.ts'
import type { FileItem, Problem, VersionCounts } from '../../domain/compare/plan.ts'
import type { Json } from '../../domain/json/json.ts'
import type { PingResult } from '../../domain/load-balanced/evaluate-ping.ts'
import type { WorkerAddress } from './fleet.ts'

/** Saved requests. Methods that write are called inside a Writer's work only. */
export type SavedRequestStore = {
  /** By name. */
  readonly list: (endpointId: string) => readonly SavedRequest[]
  readonly get: (endpointId: string, id: string) => SavedRequest | undefined
  readonly named: (endpointId: string, name: string) => SavedRequest | undefined
  /** How many an endpoint has, and how large they are together. */
  readonly size: (endpointId: string) => { readonly count: number; readonly bytes: number }
  /** Inserts it, or replaces the one with its id. */
  readonly save: (endpointId: string, request: SavedRequest) => void
  /** @returns whether there was one */
  readonly remove: (endpointId: string, id: string) => boolean
}

/** Load tests. Methods that write are called inside a Writer's work only. */
export type LoadTestStore = {
  /** Newest first. */
  readonly list: (endpointId: string, limit: number) => readonly LoadTest[]
  readonly get: (endpointId: string, id: string) => LoadTest | undefined
  readonly insert: (test: LoadTest) => void
  /** Writes how it ended; only one that runs can end. */
  readonly end: (test: LoadTest) => void
  /** Ends those that a service which was killed has left. @returns how many */
  readonly endAll: (reason: string) => number
  readonly trim: (trim: { endpointId: string; keep: number }) => void
}

/** A version of a comparison. `copy` is the id of the endpoint that was made for its image. */
export type StoredVersion = ComparisonVersion & { readonly name: string; readonly copy?: string }

/** A comparison as it is stored. Times are wall ms. */
export type Comparison = Pick<ComparisonCreate, 'mode' | 'rules' | 'atOnce'> & {
  readonly id: string
  readonly name: string
  readonly versions: readonly StoredVersion[]
  /** How many inputs. */
  readonly items: number
  readonly state: 'running' | 'done' | 'stopped'
  readonly verdict: ComparisonVerdict | undefined
  readonly createdAt: number
  readonly endedAt: number | undefined
}

/** An input: that of a stored job, or its text. */
export type ComparisonItem = { readonly source: string } & ({ readonly jobId: string } | { readonly input: string })

/** A job of a comparison; without an outcome it has not ended, or was not looked at. */
export type ComparisonRun = Pick<ComparisonRow, 'version' | 'jobId' | 'reason' | 'status' | 'ms'> & {
  readonly outcome: ComparisonRow['outcome'] | 'reference' | undefined
}

/** How a run ended. */
export type ComparisonRunEnd = Pick<ComparisonRow, 'item' | 'version' | 'reason' | 'status' | 'ms'> &
  Partial<Compared> & { readonly outcome: NonNullable<ComparisonRun['outcome']> }

/** Comparisons, their inputs and their jobs. Methods that write are called inside a Writer's work only. */
export type ComparisonStore = {
  /** Newest first. */
  readonly list: () => readonly Comparison[]
  readonly get: (id: string) => Comparison | undefined
  readonly insert: (comparison: Comparison, items: readonly ComparisonItem[]) => void
  /** Ends one that runs. @returns false where it has ended, or is gone */
  readonly end: (id: string, state: 'done' | 'stopped', verdict: ComparisonVerdict, now: number) => boolean
  readonly item: (id: string, item: number) => ComparisonItem | undefined
  readonly runs: (id: string, item: number) => readonly ComparisonRun[]
  /** Notes the job of a run, once: a second one fails with its transaction. */
  readonly addRun: (id: string, run: Pick<ComparisonRow, 'item' | 'version'>, jobId: string) => void
  /** Writes how a run ended, whether it had a job or not; what is there stays. */
  readonly endRun: (id: string, end: ComparisonRunEnd) => void
  /** Jobs that have no outcome. */
  readonly openJobs: (id: string) => readonly string[]
  /** By the place of a version; the first has only ended ones, as `same`. */
  readonly counts: (id: string) => ReadonlyMap<number, VersionCounts>
  /** Execution times on a version, in their order. */
  readonly times: (id: string, version: number) => readonly number[]
  /** The worst first. */
  readonly rows: (
    id: string,
    page: { readonly version: number | undefined; readonly limit: number; readonly offset: number },
  ) => readonly ComparisonRow[]
  readonly remove: (id: string) => void
}

/** The output of a job as it is stored: JSON, and the chunks of its stream. */
export type StoredOutput = {
  readonly status: string
  readonly error: string | undefined
  readonly output: Json | undefined
  readonly chunks: readonly string[]
}

/** Reads and compares outputs beside the event loop, one pair at a time. */
export type Comparer = {
  /** @returns a problem where it took too long, or more memory than there is */
  readonly compare: (pair: readonly [StoredOutput, StoredOutput], rules: ComparisonRules) => Promise<Compared | Problem>
  readonly readItems: (text: string) => Promise<readonly FileItem[] | Problem>
  /** Gives its memory back; it can be used again. */
  readonly release: () => Promise<void>
  /** Ends at once; all that is asked has a problem. */
  readonly stop: () => Promise<void>
}

/** A request of a load test. */
export type SentRequest = {
  /** Address of the service. */
  readonly url: string
  /** Path and query, sent as they are: `..` in them is for the worker to read. */
  readonly target: string
  readonly method: string
  readonly key: string
  readonly body: string | undefined
  readonly signal: AbortSignal
}

/**
 * Its response: status undefined where none came, and then why. The text is cut where it is longer than anybody needs.
 */
export type SentResponse = {
  readonly ms: number
  readonly status: number | undefined
  readonly text: string
  readonly error: string | undefined
}

/** Sends a request as any client of this machine does. Never rejects. */
export type RequestSender = (request: SentRequest) => Promise<SentResponse>

/** Asks a worker for its health. Never rejects: a failure is a result. */
export type Pinger = (
  address: Pick<WorkerAddress, 'host' | 'healthPort'>,
  options: { readonly path: string; readonly timeoutMs: number; readonly signal: AbortSignal },
) => Promise<PingResult>

/** Sends one POST out. Never rejects: a failure is a result. */
export type Poster = (request: {
  readonly url: string
  readonly body: Json
  readonly timeoutMs: number
  readonly maxResponseBytes: number
  readonly allowPrivate: boolean
}) => Promise<{ readonly status: number | undefined; readonly error: string | undefined }>
