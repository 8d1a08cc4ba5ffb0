import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useStore } from 'zustand'
import type { WorkflowView } from '../../../../src-main/contract/workflows.ts'
import type { Caller } from '../../../api-client/client.ts'
import { browserTexts } from '../../../browser/local-texts.ts'
import { type AppServices, useApp } from '../../../store/app-context.ts'
import type { AppStore } from '../../../store/app-store.ts'
import { uploadAsset } from '../widgets/upload-asset.ts'
import { openText } from './document-text.ts'
import { createNodeTypesCache, type NodeTypesCache, showNodeTypes } from './node-types.ts'
import { createOpenTabs, type OpenDocument, type OpenTab, type OpenTabs, type TabsState } from './open-tabs.ts'
import { renderThumbnail, saveThumbnail } from './render-graph.ts'

// By app store, so that each window and test has its own.
const made = new WeakMap<AppStore, ReturnType<typeof createFiles>>()

export function filesOf(app: AppServices) {
  const files = made.get(app.store) ?? createFiles(app)
  made.set(app.store, files)
  return files
}

function createFiles({ store, client, platform }: AppServices) {
  const types = createNodeTypesCache(client)
  const texts = browserTexts(globalThis.indexedDB)
  const notify = (kind: 'done' | 'error', text: string) => void store.getState().notify({ kind, text })
  const onClose = (open: OpenDocument) => void saveThumbnail(client, open)
  const tabs = createOpenTabs({ client, platform, texts, types, notify, onClose })
  renewNodeTypes({ store, types, tabs: tabs.state, notify })
  return { tabs, types, thumbnails: createMissingThumbnails(client, types) }
}

export function findTab(app: AppServices, workflowId: string): OpenTab | undefined {
  return filesOf(app)
    .tabs.state.getState()
    .tabs.find((tab) => tab.workflowId === workflowId)
}

export function useTabs<Selected>(select: (state: TabsState) => Selected): readonly [OpenTabs, Selected] {
  const { tabs } = filesOf(useApp())
  return [tabs, useStore(tabs.state, select)]
}

type RenewPorts = {
  readonly store: AppStore
  readonly types: NodeTypesCache
  readonly tabs: OpenTabs['state']
  readonly notify: (kind: 'done' | 'error', text: string) => void
}

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
    for (const [id, { nodeTypesReadAt }] of Object.entries(live.endpoints)) {
      const known = before.live.endpoints[id]
      if (known !== undefined && known.nodeTypesReadAt !== nodeTypesReadAt) renew(id)
    }
  })
}

/** Draws missing thumbnails sequentially, last request first, once per text. */
function createMissingThumbnails(client: Caller, types: NodeTypesCache) {
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
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) await next()
    isDrawing = false
  }

  return {
    draw({ id, version, draft }: Pick<WorkflowView, 'id' | 'version' | 'draft'>): Promise<string | undefined> {
      const text = `${id} ${version} ${draft}`
      if (tried.has(text)) return Promise.resolve(undefined)
      tried.add(text)
      return new Promise((resolve) => {
        waiting.push(() => drawOne(id).then(resolve, () => resolve(undefined)))
        void drawAll()
      })
    },
  }
}

export function useOpenWorkflow(workflowId: string) {
  const [tabs, shown] = useTabs(({ tabs: all }) => all.find((tab) => tab.workflowId === workflowId))
  useEffect(() => void tabs.show(workflowId), [tabs, workflowId])
  useThumbnail(workflowId)
  const retry = () => void tabs.retry(workflowId)
  return { tab: shown?.open?.tab, name: shown?.name ?? '', problem: shown?.problem, retry }
}

function useThumbnail(workflowId: string): void {
  const app = useApp()
  const queries = useQueryClient()
  useEffect(
    () => () => {
      const open = findTab(app, workflowId)?.open
      if (open === undefined) return
      // Delayed until the page that is navigated to is shown.
      app.platform.after(0, async () => {
        if (await saveThumbnail(app.client, open)) await queries.invalidateQueries({ queryKey: ['workflows'] })
      })
    },
    [app, queries, workflowId],
  )
}

/**
 * As an edit, which can be undone.
 * @returns why it failed, for the user
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
