/** What is stored of workers. */
import type { WorkerState } from '../../contract/endpoint.ts'
import type { WorkerExit } from '../../domain/worker/crash-loop.ts'

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
  /** @param keep how many of the endpoint are kept, the newest */
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
