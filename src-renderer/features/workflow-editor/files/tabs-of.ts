import { useStore } from 'zustand'
import { browserTexts } from '../../../platform/local-texts.ts'
import { type AppServices, useApp } from '../../../store/app-context.ts'
import type { AppStore } from '../../../store/app-store.ts'
import { createMissingThumbnails, type MissingThumbnails } from './missing-thumbnails.ts'
import { createNodeTypesCache, type NodeTypesCache } from './node-types-cache.ts'
import { createOpenTabs, type OpenDocument, type OpenTab, type OpenTabs, type TabsState } from './open-tabs.ts'
import { renewNodeTypes } from './renew-node-types.ts'
import { keepThumbnail } from './thumbnail.ts'

/** What the tabs of a window share. */
export type EditorFiles = {
  readonly tabs: OpenTabs
  readonly types: NodeTypesCache
  readonly thumbnails: MissingThumbnails
}

// By the store of the pages, so that each window, and each test, has its own.
const made = new WeakMap<AppStore, EditorFiles>()

/** The tabs of the window. They are made when they are first asked for. */
export function filesOf({ store, client, platform }: AppServices): EditorFiles {
  const found = made.get(store)
  if (found !== undefined) return found
  const types = createNodeTypesCache(client)
  const texts = browserTexts(globalThis.indexedDB)
  const tell = (kind: 'done' | 'error', text: string) => void store.getState().tell({ kind, text })
  const thumbnails = createMissingThumbnails(client, types)
  const onClose = (open: OpenDocument) => void keepThumbnail(client, open)
  const tabs = createOpenTabs({ client, platform, texts, types, tell, onClose })
  renewNodeTypes({ store, types, tabs: tabs.state, tell })
  const files = { tabs, types, thumbnails }
  made.set(store, files)
  return files
}

/** The tab of a workflow; undefined where it has none. */
export function findTab(app: AppServices, workflowId: string): OpenTab | undefined {
  return filesOf(app)
    .tabs.state.getState()
    .tabs.find((tab) => tab.workflowId === workflowId)
}

/** The tabs of the window, and what is drawn of them. */
export function useTabs<Selected>(select: (state: TabsState) => Selected): readonly [OpenTabs, Selected] {
  const { tabs } = filesOf(useApp())
  return [tabs, useStore(tabs.state, select)]
}
