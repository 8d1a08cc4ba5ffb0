import { WORKER_STATES, type WorkerState, type WorkerView } from '../../../src-main/contract/endpoint.ts'
import type { LiveEndpoint } from '../../../src-main/contract/live.ts'
import type { EndedWorker } from './ended-workers.ts'

/** Which workers are wanted; undefined: all. */
export type WorkerFilter = {
  readonly endpointId: string | undefined
  readonly state: WorkerState | undefined
}

/** The workers of one endpoint that are shown, oldest first, with those that ended lately. */
export type WorkerGroup = {
  readonly endpointId: string
  /** undefined: the endpoint has been deleted, or is still to come. */
  readonly endpoint: LiveEndpoint | undefined
  readonly workers: readonly WorkerView[]
  readonly ended: readonly EndedWorker[]
}

/** Reads a state from an address; undefined where it is none. */
export function stateIn(text: string | null): WorkerState | undefined {
  return WORKER_STATES.find((state) => state === text)
}

/** Puts workers together by endpoint, in the order of their names. An endpoint without any that fits is left out. */
export function groupWorkers(
  all: {
    readonly endpoints: readonly LiveEndpoint[]
    readonly workers: readonly WorkerView[]
    readonly ended: readonly EndedWorker[]
  },
  { endpointId, state }: WorkerFilter,
): readonly WorkerGroup[] {
  const fits = (worker: { readonly endpointId: string }) => endpointId === undefined || worker.endpointId === endpointId
  const alive = new Set(all.workers.map(({ id }) => id))
  const workers = all.workers.filter((worker) => fits(worker) && (state === undefined || worker.state === state))
  const ended = all.ended.filter(
    (worker) => fits(worker) && (state === undefined || state === 'ended') && !alive.has(worker.id),
  )
  const endpoints = new Map(all.endpoints.map((endpoint) => [endpoint.id, endpoint]))
  const ids = [...new Set([...workers, ...ended].map((worker) => worker.endpointId))]
  const name = (id: string) => endpoints.get(id)?.name ?? id
  return ids
    .toSorted((one, other) => name(one).localeCompare(name(other)))
    .map((id) => ({
      endpointId: id,
      endpoint: endpoints.get(id),
      workers: workers.filter((worker) => worker.endpointId === id).toSorted(byStart),
      ended: ended.filter((worker) => worker.endpointId === id),
    }))
}

const byStart = (one: WorkerView, other: WorkerView) =>
  one.startedAt - other.startedAt || one.id.localeCompare(other.id)
