import { createStore, type StoreApi } from 'zustand/vanilla'
import type { Platform } from '../platform/platform.ts'
import { type CommandsSlice, createCommandsSlice } from './commands-slice.ts'
import { type ConnectionSlice, createConnectionSlice } from './connection-slice.ts'
import { createDraftsSlice, type DraftsSlice } from './drafts-slice.ts'
import { createLayoutSlice, type LayoutSlice } from './layout-slice.ts'
import { createLiveSlice, type LiveSlice } from './live-slice.ts'
import { createModelsSlice, type ModelsSlice } from './models-slice.ts'
import { createNodeTypesSlice, type NodeTypesSlice } from './node-types-slice.ts'
import { createNoticesSlice, type NoticesSlice } from './notices-slice.ts'
import { createPlacesSlice, type PlacesSlice } from './places-slice.ts'

/** All that the pages share. */
export type AppState = LiveSlice &
  ConnectionSlice &
  LayoutSlice &
  ModelsSlice &
  NodeTypesSlice &
  NoticesSlice &
  CommandsSlice &
  DraftsSlice &
  PlacesSlice

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
    ...createDraftsSlice(...creator),
    ...createPlacesSlice(...creator),
  }))
}
