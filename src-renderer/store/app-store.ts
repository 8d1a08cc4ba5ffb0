import { createStore, type StateCreator, type StoreApi } from 'zustand/vanilla'
import type { WorkerView } from '../../src-main/contract/endpoint.ts'
import type { LiveEndpoint, LiveSnapshot } from '../../src-main/contract/live.ts'
import type { ModelKey } from '../../src-main/contract/models.ts'
import type { NodePackagesResponse } from '../../src-main/contract/workflows.ts'
import type { PackagesByClass } from '../../src-main/features/workflows/rules/node-packages.ts'
import type { NumberedEvent } from '../api-client/event-stream.ts'
import type { Platform } from '../browser/platform.ts'
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

export type AppStore = StoreApi<AppState>

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

/** Filters of visited lists, so that going back restores them; kept until the window closes. */
type LocationSlice = {
  readonly searches: Readonly<Record<string, string>>
  readonly setSearch: (path: string, search: string) => void
}

const createLocationSlice: StateCreator<LocationSlice> = (set, get) => ({
  searches: {},
  setSearch: (path, search) => set({ searches: { ...get().searches, [path]: search === '' ? '' : `?${search}` } }),
})

/** Unsaved input by name, like `job hello`, never written to disk, as inputs may hold secrets. */
type DraftsSlice = {
  readonly drafts: Readonly<Record<string, unknown>>
  readonly setDraft: (name: string, draft: unknown) => void
}

const createDraftsSlice: StateCreator<DraftsSlice> = (set, get) => ({
  drafts: {},
  setDraft: (name, draft) => set({ drafts: { ...get().drafts, [name]: draft } }),
})

/** How often this window had the classes of nodes read again, by endpoint; older copies are dropped. */
type NodeTypesSlice = {
  readonly nodeTypesRead: Readonly<Record<string, number>>
  readonly noteNodeTypes: (endpointId: string) => void
}

const createNodeTypesSlice: StateCreator<NodeTypesSlice> = (set, get) => ({
  nodeTypesRead: {},
  noteNodeTypes(endpointId) {
    const { nodeTypesRead } = get()
    set({ nodeTypesRead: { ...nodeTypesRead, [endpointId]: (nodeTypesRead[endpointId] ?? 0) + 1 } })
  },
})

type ModelsSlice = {
  readonly modelsHere: readonly ModelKey[]
  readonly showModels: (models: readonly ModelKey[]) => void
}

const createModelsSlice: StateCreator<ModelsSlice> = (set, get) => ({
  modelsHere: [],
  showModels(models) {
    const before = get().modelsHere
    // Unchanged models stay the same object, so that nothing is checked again for them.
    const isSame =
      before.length === models.length &&
      before.every((one, at) => one.name === models[at]?.name && one.directory === models[at]?.directory)
    if (!isSame) set({ modelsHere: models.map(({ directory, name }) => ({ directory, name })) })
  },
})

type PackagesSlice = {
  readonly indexedPackages: PackagesByClass
  readonly packageIndexProblem: string | undefined
  readonly showPackages: (asked: readonly string[], response: NodePackagesResponse) => void
}

const createPackagesSlice: StateCreator<PackagesSlice> = (set, get) => ({
  indexedPackages: new Map(),
  packageIndexProblem: undefined,
  showPackages(asked, { classes, fault }) {
    const before = get().indexedPackages
    const now = new Map(before)
    for (const name of asked) now.delete(name)
    for (const { name, packages } of classes) now.set(name, packages)
    const isSame = asked.every((name) => JSON.stringify(before.get(name)) === JSON.stringify(now.get(name)))
    set(isSame ? { packageIndexProblem: fault } : { indexedPackages: now, packageIndexProblem: fault })
  },
})

/**
 * Snapshots of endpoints and workers, patched by events. Either may arrive ahead: known events are skipped, newer ones
 * are reapplied, and a snapshot too far behind is dropped.
 */
type LiveSlice = {
  readonly live: LiveEntities & {
    readonly loaded: boolean
    readonly command: string
    readonly eventId: number
    readonly recent: readonly NumberedEvent[]
  }
  readonly feed: EventFeed
  /** Starts again: known data may be of another run of the service. */
  readonly beginWith: (snapshot: LiveSnapshot) => void
  readonly showSnapshot: (snapshot: LiveSnapshot) => void
  /** @returns true if a new snapshot is needed because the events do not tell everything */
  readonly receiveEvents: (events: readonly NumberedEvent[]) => boolean
  readonly patchEndpoint: (endpointId: string, changes: Partial<LiveEndpoint>) => void
  readonly showWorker: (worker: WorkerView) => void
}

/** The latest events, for `followEvents`; each batch is a new object. */
type EventFeed = {
  readonly missed: number
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

// A snapshot is at most a few hundred ms old when it arrives; at 200 events a second, that is fewer than a hundred
// events.
const MAX_RECENT = 1000

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
