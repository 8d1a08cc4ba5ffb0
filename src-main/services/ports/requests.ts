/** Requests that are sent out: of load tests, comparisons, pings, webhooks. */
import type { ComparisonRules } from '../../contract/compare.ts'
import type { Compared } from '../../domain/compare/outputs.ts'
import type { FileItem, Problem } from '../../domain/compare/plan.ts'
import type { Json } from '../../domain/json/json.ts'
import type { PingResult } from '../../domain/load-balanced/evaluate-ping.ts'
import type { WorkerAddress } from './fleet.ts'

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
