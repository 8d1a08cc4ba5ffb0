/**
 * What is stored of workers: their lines, the requests to load-balanced ones, those that live, and how others ended.
 */

import type { WorkerState } from '../../contract/endpoint.ts'
import type { LogLine, ProxiedRequest } from '../../contract/management.ts'
import type { WorkerExit } from '../../domain/worker/crash-loop.ts'

/** A log line to be stored. */
export type NewLogLine = Omit<LogLine, 'id'>

/** Which log lines: of an endpoint, a worker or a job. */
export type LogScope = { readonly by: 'endpoint' | 'worker' | 'job'; readonly id: string }

/** Log lines of workers. */
export type LogStore = {
  readonly append: (lines: readonly NewLogLine[]) => void
  readonly after: (scope: LogScope, id: number, limit: number) => readonly LogLine[]
  readonly newest: (scope: LogScope, limit: number) => readonly LogLine[]
  readonly lastId: () => number
  readonly trim: (before: number, limit: number) => number
  readonly trimWorker: (trim: { workerId: string; keep: number }) => void
  /** How many lines are older than a time in wall ms, and about what they take. */
  readonly olderThan: (at: number) => { readonly lines: number; readonly bytes: number }
}

/**
 * Which requests of a list: those with a status in the range (also without one where it begins at 0), older than
 * `before`.
 */
export type RequestQuery = {
  readonly endpointId: string
  readonly statusFrom: number
  readonly statusTo: number
  readonly before: number
  readonly limit: number
}

/** Requests to load-balanced endpoints that have ended. Methods that write are called inside a Writer's work only. */
export type RequestStore = {
  readonly append: (requests: readonly Omit<ProxiedRequest, 'id'>[]) => void
  /** Newest first. */
  readonly list: (query: RequestQuery) => readonly ProxiedRequest[]
  /** Oldest first, those after an id. */
  readonly after: (endpointId: string, id: number, limit: number) => readonly ProxiedRequest[]
  readonly lastId: () => number
  readonly trim: (before: number, limit: number) => number
  readonly trimEndpoint: (trim: { endpointId: string; keep: number }) => void
}

/** A worker that was started and has not been seen to end. */
export type StoredWorker = {
  readonly id: string
  readonly endpointId: string
  readonly revision: number
  readonly tokenHash: Uint8Array
  /** JSON by which the fleet driver finds it again. */
  readonly handle: string
  readonly startedAt: number
}

/** How a worker ended. */
export type StoredExit = WorkerExit & { readonly endpointId: string }

/** Workers that live and how others ended, so that the next start of the service knows both. */
export type WorkerStore = {
  readonly all: () => readonly StoredWorker[]
  readonly save: (worker: StoredWorker) => void
  readonly remove: (id: string) => void
  /** Oldest first. */
  readonly exits: () => readonly StoredExit[]
  /** @param keep how many of the endpoint stay, the newest */
  readonly addExit: (exit: StoredExit, keep: number) => void
  readonly forgetExits: (endpointId: string) => void
  readonly recordState: (change: {
    endpointId: string
    workerId: string
    /** The state it was in; undefined: it is new. */
    from: WorkerState | undefined
    state: WorkerState
    reason: string | undefined
    now: number
  }) => void
}
