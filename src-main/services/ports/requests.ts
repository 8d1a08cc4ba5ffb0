/** What is sent out: saved requests, load tests, pings, webhooks. */
import type { LoadTest, SavedRequest } from '../../contract/requests.ts'
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
  readonly trim: (endpointId: string, keep: number) => void
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

/** Asks GET /ping of a worker. Never rejects: a failure is a result. */
export type Pinger = (
  address: Pick<WorkerAddress, 'host' | 'healthPort'>,
  options: { readonly timeoutMs: number; readonly signal: AbortSignal },
) => Promise<PingResult>

/** Sends one POST out. Never rejects: a failure is a result. */
export type Poster = (request: {
  readonly url: string
  readonly body: Json
  readonly timeoutMs: number
  readonly maxResponseBytes: number
  readonly allowPrivate: boolean
}) => Promise<{ readonly status: number | undefined; readonly error: string | undefined }>
