/**
 * The store of the pages, put together from slices. Those that hold what the service said and where somebody was are
 * here, the others in `app-slices.ts`.
 */
import { createStore, type StateCreator, type StoreApi } from 'zustand/vanilla'
import type { WorkerView } from '../../src-main/contract/endpoint.ts'
import type { LiveEndpoint, LiveSnapshot } from '../../src-main/contract/live.ts'
import type { ModelKey } from '../../src-main/contract/models.ts'
import type { NodePackagesResponse } from '../../src-main/contract/workflows.ts'
import type { PackagesByClass } from '../../src-main/domain/workflow/node-packages.ts'
import type { NumberedEvent } from '../api-client/event-stream.ts'
import type { Platform } from '../platform/platform.ts'
import {
  type CommandsSlice,
  type ConnectionSlice,
  createCommandsSlice,
  createConnectionSlice,
  createLayoutSlice,
  createNoticesSlice,
  type LayoutSlice,
  type NoticesSlice,
} from './app-slices.ts'
import { applyEvent, type LiveEntities, needsReload } from './apply-event.ts'
import { createListsSlice, type ListsSlice } from './list-keys.ts'

/** All that the pages share. */
export type AppState = LiveSlice &
  ConnectionSlice &
  LayoutSlice &
  ModelsSlice &
  NodeTypesSlice &
  NoticesSlice &
  CommandsSlice &
  ListsSlice &
  DraftsSlice &
  PackagesSlice &
  LocationSlice

/** The store of the pages. */
export type AppStore = StoreApi<AppState>

/** Makes the store from its slices. */
export function createAppStore(platform: Platform): AppStore {
  return createStore<AppState>()((...creator) => ({
    ...createLiveSlice(...creator),
    ...createConnectionSlice(...creator),
    ...createLayoutSlice(platform)(...creator),
    ...createModelsSlice(...creator),
    ...createNodeTypesSlice(...creator),
    ...createNoticesSlice(...creator),
    ...createCommandsSlice(...creator),
    ...createListsSlice(...creator),
    ...createDraftsSlice(...creator),
    ...createPackagesSlice(...creator),
    ...createLocationSlice(...creator),
  }))
}

/** Where somebody was: a list is come back to as it was left, with its filters. It lives as long as the window. */
type LocationSlice = {
  /** The last search of a page's address, with its question mark, by its path. */
  readonly searches: Readonly<Record<string, string>>
  readonly setSearch: (path: string, search: string) => void
}

/** Begins with no list visited. */
const createLocationSlice: StateCreator<LocationSlice> = (set, get) => ({
  searches: {},
  setSearch: (path, search) => set({ searches: { ...get().searches, [path]: search === '' ? '' : `?${search}` } }),
})

/**
 * What a person is writing, by a name like `job hello`. It lives as long as the window: going to another page and back
 * loses nothing, and nothing of it is written to the disk, as inputs may hold secrets.
 */
type DraftsSlice = {
  readonly drafts: Readonly<Record<string, unknown>>
  readonly setDraft: (name: string, draft: unknown) => void
}

/** Begins with nothing written. */
const createDraftsSlice: StateCreator<DraftsSlice> = (set, get) => ({
  drafts: {},
  setDraft: (name, draft) => set({ drafts: { ...get().drafts, [name]: draft } }),
})

/**
 * Which classes of nodes this window had read anew: how often, by endpoint. Whoever keeps those of before drops them.
 */
type NodeTypesSlice = {
  readonly nodeTypesRead: Readonly<Record<string, number>>
  readonly noteNodeTypes: (endpointId: string) => void
}

/** Begins with no classes read anew. */
const createNodeTypesSlice: StateCreator<NodeTypesSlice> = (set, get) => ({
  nodeTypesRead: {},
  noteNodeTypes(endpointId) {
    const { nodeTypesRead } = get()
    set({ nodeTypesRead: { ...nodeTypesRead, [endpointId]: (nodeTypesRead[endpointId] ?? 0) + 1 } })
  },
})

/** The models of this machine, as they were last read; none before. */
type ModelsSlice = {
  readonly modelsHere: readonly ModelKey[]
  readonly showModels: (models: readonly ModelKey[]) => void
}

/** Begins with no models. */
const createModelsSlice: StateCreator<ModelsSlice> = (set, get) => ({
  modelsHere: [],
  showModels(models) {
    const before = get().modelsHere
    // The same models are the same object, so that nothing is checked again for them.
    const isSame =
      before.length === models.length &&
      before.every((one, at) => one.name === models[at]?.name && one.directory === models[at]?.directory)
    if (!isSame) set({ modelsHere: models.map(({ directory, name }) => ({ directory, name })) })
  },
})

/** What the index of the service has of classes of nodes that somebody asked for. */
type PackagesSlice = {
  readonly indexedPackages: PackagesByClass
  /** Why the index cannot be read, as it was last said. */
  readonly packageIndexProblem: string | undefined
  /** Takes an answer. @param asked the classes that it is about */
  readonly showPackages: (asked: readonly string[], response: NodePackagesResponse) => void
}

/** Begins with nothing known of packages. */
const createPackagesSlice: StateCreator<PackagesSlice> = (set, get) => ({
  indexedPackages: new Map(),
  packageIndexProblem: undefined,
  showPackages(asked, { classes, fault }) {
    const before = get().indexedPackages
    const now = new Map(before)
    for (const name of asked) now.delete(name)
    for (const { name, packages } of classes) now.set(name, packages)
    // The same packages are the same object, so that nothing is checked again for them.
    const isSame = asked.every((name) => JSON.stringify(before.get(name)) === JSON.stringify(now.get(name)))
    set(isSame ? { packageIndexProblem: fault } : { indexedPackages: now, packageIndexProblem: fault })
  },
})

/**
 * Endpoints and workers as they are now. A snapshot says up to which event it holds all; events patch it from there on.
 * Snapshots and events come on different ways, so either may be ahead: an event that the snapshot holds is left out,
 * and on a snapshot that is behind the events heard since are applied again. One that is too far behind for that is
 * dropped.
 */
type LiveSlice = {
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
  readonly feed: EventFeed
  /** Begins anew: whatever was known may be of another run of the service. */
  readonly beginWith: (snapshot: LiveSnapshot) => void
  readonly showSnapshot: (snapshot: LiveSnapshot) => void
  /** @returns whether a new snapshot is needed, as the events do not tell everything */
  readonly receiveEvents: (events: readonly NumberedEvent[]) => boolean
  /** Shows settings of an endpoint as the service answered them. */
  readonly patchEndpoint: (endpointId: string, changes: Partial<LiveEndpoint>) => void
  /** Shows a worker as it is about to be; one that has ended stays away. */
  readonly showWorker: (worker: WorkerView) => void
}

/** The events as they came last, for `followEvents`; each batch is another object. */
type EventFeed = {
  /** Grows when something may have been missed: the stream was opened anew, or a number is left out in it. */
  readonly missed: number
  /** Number of the last event of the stream. */
  readonly last: number
  readonly events: readonly NumberedEvent[]
}

function withBatch({ missed, last }: EventFeed, events: readonly NumberedEvent[]): EventFeed {
  let newest = last
  let hasGap = false
  for (const { id } of events) {
    hasGap ||= id > newest + 1
    newest = Math.max(newest, id)
  }
  return { missed: missed + Number(hasGap), last: newest, events }
}

// A snapshot is at most some hundred ms old when it comes; at 200 events a second that is some ten.
const MAX_RECENT = 1000

/** Begins with no snapshot: nothing is known of endpoints and workers yet. */
const createLiveSlice: StateCreator<LiveSlice> = (set, get) => ({
  live: { loaded: false, command: 'drydock', eventId: 0, endpoints: {}, workers: {}, recent: [] },
  feed: { missed: 0, last: 0, events: [] },

  beginWith({ eventId, endpoints, workers, command }) {
    const before = get()
    const live = { loaded: true, command, eventId, recent: [], endpoints: byId(endpoints), workers: byId(workers) }
    const missed = before.feed.missed + Number(before.live.loaded)
    set({ live, feed: { missed, last: eventId, events: [] } })
  },

  showSnapshot({ eventId, endpoints, workers }) {
    const { live } = get()
    const missed = live.recent.filter(({ id }) => id > eventId)
    if (missed.length === MAX_RECENT) return
    const entities = { endpoints: byId(endpoints), workers: byId(workers) }
    const patched = missed.reduce<LiveEntities>((sum, { event }) => applyEvent(sum, event), entities)
    set({ live: { ...live, ...patched, eventId: Math.max(eventId, live.eventId) } })
  },

  receiveEvents(events) {
    const { live, feed: before } = get()
    const feed = withBatch(before, events)
    const hasGap = feed.missed !== before.missed
    const fresh = events.filter(({ id }) => id > live.eventId)
    const last = fresh.at(-1)
    if (last === undefined) {
      set({ feed })
      return hasGap
    }
    const reload = hasGap || fresh.some(({ event }) => needsReload(live, event))
    const patched = fresh.reduce<LiveEntities>((sum, { event }) => applyEvent(sum, event), live)
    const recent = [...live.recent, ...fresh].slice(-MAX_RECENT)
    set({ feed, live: { ...live, ...patched, eventId: last.id, recent } })
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
