/** Requests that are sent out: of load tests, comparisons, pings, webhooks. */
import type { ComparisonRules } from '../../contract/compare.ts'
import type { Json } from '../../lib/json.ts'
import type { WorkerAddress } from '../../runtimes/port.ts'
import type { Compared } from '../comparisons/rules/outputs.ts'
import type { FileItem, Problem } from '../comparisons/rules/plan.ts'
import type { PingResult } from '../load-balancing/rules/evaluate-ping.ts'

export type StoredOutput = {
  readonly status: string
  readonly error: string | undefined
  readonly output: Json | undefined
  readonly chunks: readonly string[]
}

export type Comparer = {
  /** @returns a problem if it takes too long or too much memory */
  readonly compare: (pair: readonly [StoredOutput, StoredOutput], rules: ComparisonRules) => Promise<Compared | Problem>
  readonly readItems: (text: string) => Promise<readonly FileItem[] | Problem>
  readonly release: () => Promise<void>
  readonly stop: () => Promise<void>
}

export type SentRequest = {
  readonly url: string
  /** Path and query, sent unchanged: `..` is for the worker to interpret. */
  readonly target: string
  readonly method: string
  readonly key: string
  readonly body: string | undefined
  readonly signal: AbortSignal
}

/** A response; an undefined status comes with the reason. Overlong text is truncated. */
export type SentResponse = {
  readonly ms: number
  readonly status: number | undefined
  readonly text: string
  readonly error: string | undefined
}

export type RequestSender = (request: SentRequest) => Promise<SentResponse>

export type Pinger = (
  address: Pick<WorkerAddress, 'host' | 'healthPort'>,
  options: { readonly path: string; readonly timeoutMs: number; readonly signal: AbortSignal },
) => Promise<PingResult>

export type Poster = (request: {
  readonly url: string
  readonly body: Json
  readonly timeoutMs: number
  readonly maxResponseBytes: number
  readonly allowPrivate: boolean
}) => Promise<{ readonly status: number | undefined; readonly error: string | undefined }>
