/**
 * Endpoints and workers as they are now. A snapshot says up to which event it holds all; events patch it from there on.
 * Snapshots and events come on different ways, so either may be ahead: an event that the snapshot holds is left out, and
 * on a snapshot that is behind the events heard since are applied again. One that is too far behind for that is dropped.
 */
import type { StateCreator } from 'zustand/vanilla'
import type { WorkerView } from '../../src-main/contract/endpoint.ts'
import type { LiveEndpoint, LiveSnapshot } from '../../src-main/contract/live.ts'
import type { NumberedEvent } from '../api-client/event-stream.ts'
import { applyEvent, type LiveEntities, needsReload } from './apply-event.ts'

/** Endpoints and workers, and how they change. */
export type LiveSlice = {
  readonly live: LiveEntities & {
    /** Whether a snapshot has come. */
    readonly loaded: boolean
    /** How the command line was called that started the service. */
    readonly command: string
    /** The last event that is in it. */
    readonly eventId: number
    /** Events of the last while, oldest first. */
    readonly recent: readonly NumberedEvent[]
  }
  /**
   * The events as they came last, for those who follow more than endpoints and workers; each batch is another array.
   * `begun` grows when the stream was opened anew, so that something may have been missed.
   */
  readonly heard: { readonly begun: number; readonly events: readonly NumberedEvent[] }
  /** Begins anew: whatever was known may be of another run of the service. */
  readonly beginWith: (snapshot: LiveSnapshot) => void
  readonly showSnapshot: (snapshot: LiveSnapshot) => void
  /** @returns whether a new snapshot is needed, as the events do not tell everything */
  readonly hearEvents: (events: readonly NumberedEvent[]) => boolean
  /** Shows settings of an endpoint as the service answered them. */
  readonly patchEndpoint: (endpointId: string, changes: Partial<LiveEndpoint>) => void
  /** Shows a worker as it is about to be; one that has ended stays away. */
  readonly showWorker: (worker: WorkerView) => void
}

// A snapshot is at most some hundred ms old when it comes; at 200 events a second that is some ten.
const RECENT_KEPT = 1000

/** The slice. */
export const createLiveSlice: StateCreator<LiveSlice> = (set, get) => ({
  live: { loaded: false, command: 'drydock', eventId: 0, endpoints: {}, workers: {}, recent: [] },
  heard: { begun: 0, events: [] },

  beginWith({ eventId, endpoints, workers, command }) {
    const live = { loaded: true, command, eventId, recent: [], endpoints: byId(endpoints), workers: byId(workers) }
    set({ live, heard: { begun: get().heard.begun + 1, events: [] } })
  },

  showSnapshot({ eventId, endpoints, workers }) {
    const { live } = get()
    const missed = live.recent.filter(({ id }) => id > eventId)
    if (missed.length === RECENT_KEPT) return
    const entities = { endpoints: byId(endpoints), workers: byId(workers) }
    const patched = missed.reduce<LiveEntities>((sum, { event }) => applyEvent(sum, event), entities)
    set({ live: { ...live, ...patched, eventId: Math.max(eventId, live.eventId) } })
  },

  hearEvents(events) {
    const { live } = get()
    const heard = { begun: get().heard.begun, events }
    const fresh = events.filter(({ id }) => id > live.eventId)
    const last = fresh.at(-1)
    if (last === undefined) {
      set({ heard })
      return false
    }
    const reload = fresh.some(({ event }) => needsReload(live, event))
    const patched = fresh.reduce<LiveEntities>((sum, { event }) => applyEvent(sum, event), live)
    const recent = [...live.recent, ...fresh].slice(-RECENT_KEPT)
    set({ heard, live: { ...live, ...patched, eventId: last.id, recent } })
    return reload
  },

  patchEndpoint(endpointId, changes) {
    const { live } = get()
    const endpoint = live.endpoints[endpointId]
    if (endpoint === undefined) return
    set({ live: { ...live, endpoints: { ...live.endpoints, [endpointId]: { ...endpoint, ...changes } } } })
  },

  showWorker(worker) {
    const { live } = get()
    if (live.workers[worker.id] === undefined) return
    set({ live: { ...live, workers: { ...live.workers, [worker.id]: worker } } })
  },
})

function byId<T extends { readonly id: string }>(items: readonly T[]): Readonly<Record<string, T>> {
  return Object.fromEntries(items.map((item) => [item.id, item]))
}
