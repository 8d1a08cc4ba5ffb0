/**
 * What the tabs of a window share: the open documents, the classes of nodes, the small pictures; and how workflows and
 * versions are opened in tabs.
 */
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect } from 'react'
import { useStore } from 'zustand'
import type { WorkflowView } from '../../../../src-main/contract/workflows.ts'
import type { ApiClient } from '../../../api-client/client.ts'
import { browserTexts } from '../../../platform/local-texts.ts'
import { type AppServices, useApp } from '../../../store/app-context.ts'
import type { AppStore } from '../../../store/app-store.ts'
import type { Tab } from '../store/editor-store.ts'
import { uploadAsset } from '../widgets/upload-asset.ts'
import { openText } from './document-text.ts'
import { createNodeTypesCache, type NodeTypesCache, showNodeTypes } from './node-types.ts'
import { createOpenTabs, type OpenDocument, type OpenTab, type OpenTabs, type TabsState } from './open-tabs.ts'
import { renderThumbnail, saveThumbnail } from './render-graph.ts'

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
  const notify = (kind: 'done' | 'error', text: string) => void store.getState().notify({ kind, text })
  const thumbnails = createMissingThumbnails(client, types)
  const onClose = (open: OpenDocument) => void saveThumbnail(client, open)
  const tabs = createOpenTabs({ client, platform, texts, types, notify, onClose })
  renewNodeTypes({ store, types, tabs: tabs.state, notify })
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

/** The classes of nodes that are kept, and the tabs that show them. */
type RenewPorts = {
  readonly store: AppStore
  readonly types: NodeTypesCache
  readonly tabs: OpenTabs['state']
  readonly notify: (kind: 'done' | 'error', text: string) => void
}

/** From now on, open tabs show the classes of their endpoint as they were read last, by whichever page. */
export function renewNodeTypes({ store, types, tabs, notify }: RenewPorts): void {
  function renew(endpointId: string): void {
    types.forget(endpointId)
    for (const { open } of tabs.getState().tabs) {
      if (open === undefined || open.tab.runs.getState().endpointId !== endpointId) continue
      showNodeTypes(open.tab, { types, notify })
    }
  }
  store.subscribe(({ nodeTypesRead, live }, before) => {
    if (nodeTypesRead !== before.nodeTypesRead)
      for (const [id, count] of Object.entries(nodeTypesRead)) if (count !== before.nodeTypesRead[id]) renew(id)
    if (live.endpoints === before.live.endpoints) return
    // The service reads them by itself, too.
    for (const [id, { nodeTypesReadAt }] of Object.entries(live.endpoints)) {
      const known = before.live.endpoints[id]
      if (known !== undefined && known.nodeTypesReadAt !== nodeTypesReadAt) renew(id)
    }
  })
}

type DrawnWorkflow = Pick<WorkflowView, 'id' | 'version' | 'draft'>

/**
 * Draws the small pictures of workflows that no editor has drawn since they changed, like those of the command line:
 * one after the other, what was asked for last first, each text of a workflow once as long as the window lives.
 */
type MissingThumbnails = {
  /** @returns the asset that shows it now; undefined where there is no new one */
  readonly draw: (workflow: DrawnWorkflow) => Promise<string | undefined>
}

/** Makes one that has drawn nothing. */
function createMissingThumbnails(client: Pick<ApiClient, 'call'>, types: NodeTypesCache): MissingThumbnails {
  const tried = new Set<string>()
  const waiting: (() => Promise<void>)[] = []
  let isDrawing = false

  async function drawOne(workflowId: string): Promise<string | undefined> {
    const path = { workflowId }
    const opened = openText((await client.call('workflowRead', { path })).text)
    if (opened.kind === 'fault') return undefined
    const picture = await renderThumbnail(opened.document, await types.read(undefined))
    const { id } = await uploadAsset(client, picture, undefined)
    await client.call('workflowUpdate', { path, body: { thumbnail: id } })
    return id
  }

  async function drawAll(): Promise<void> {
    if (isDrawing) return
    isDrawing = true
    // Whoever scrolls on looks at the last.
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) await next()
    isDrawing = false
  }

  return {
    draw({ id, version, draft }) {
      const text = `${id} ${version} ${draft}`
      if (tried.has(text)) return Promise.resolve(undefined)
      tried.add(text)
      return new Promise((resolve) => {
        // An extra: what cannot be drawn has no picture.
        waiting.push(() => drawOne(id).then(resolve, () => resolve(undefined)))
        void drawAll()
      })
    },
  }
}

/** A workflow that is being opened, or is open. */
type OpenWorkflow = {
  /** Undefined while it is read, or where it cannot be opened. */
  readonly tab: Tab | undefined
  /** Its name; empty while it is not known. */
  readonly name: string
  /** Why it cannot be opened, for a person. */
  readonly problem: string | undefined
  /** Tries once more. */
  readonly retry: () => void
}

/** Opens a workflow of the library in a tab, and shows it. */
export function useOpenWorkflow(workflowId: string): OpenWorkflow {
  const [tabs, shown] = useTabs(({ tabs: all }) => all.find((tab) => tab.workflowId === workflowId))
  useEffect(() => void tabs.show(workflowId), [tabs, workflowId])
  useThumbnail(workflowId)
  const retry = useCallback(() => void tabs.retry(workflowId), [tabs, workflowId])
  return { tab: shown?.open?.tab, name: shown?.name ?? '', problem: shown?.problem, retry }
}

/** Whoever leaves the tab finds its graph in the library as it is now. */
function useThumbnail(workflowId: string): void {
  const app = useApp()
  const queries = useQueryClient()
  useEffect(() => {
    async function saveThumbnailOf(open: OpenDocument): Promise<void> {
      if (await saveThumbnail(app.client, open)) await queries.invalidateQueries({ queryKey: ['workflows'] })
    }
    return () => {
      const open = findTab(app, workflowId)?.open
      // After the page that is gone to is shown.
      if (open !== undefined) app.platform.after(0, () => void saveThumbnailOf(open))
    }
  }, [app, queries, workflowId])
}

/**
 * Opens a saved version in the tab of its workflow, as an edit: undo goes back to what was there.
 * @returns why it could not be opened, for a person
 */
export async function openVersion(app: AppServices, workflowId: string, version: number): Promise<string | undefined> {
  await filesOf(app).tabs.show(workflowId)
  const shown = findTab(app, workflowId)
  if (shown?.open === undefined) return shown?.problem ?? 'The workflow was closed in the meantime.'
  try {
    const path = { workflowId, version: String(version) }
    const opened = openText((await app.client.call('workflowVersion', { path })).text)
    if (opened.kind === 'fault') return opened.why
    const { edit, endStep } = shown.open.tab.editor.getState()
    endStep()
    edit(`Open version ${version}`, () => opened.document)
    return undefined
  } catch (error) {
    if (error instanceof Error) return error.message
    throw error
  }
}
