import { z } from 'zod'
import { createStore } from 'zustand/vanilla'
import { type WorkflowDetail, workflowId } from '../../../../src-main/contract/workflows.ts'
import type { Caller } from '../../../api-client/client.ts'
import { type LocalTexts, parseStored } from '../../../browser/local-texts.ts'
import type { Platform } from '../../../browser/platform.ts'
import { createEditorStore, type Tab } from '../store/editor-store.ts'
import { createRunStore } from '../store/run-store.ts'
import { workflowName } from './add-workflow.ts'
import { type Autosave, createAutosave, forgetUnkept, readUnkept } from './autosave.ts'
import { openText } from './document-text.ts'
import { type NodeTypesCache, showNodeTypes } from './node-types.ts'

export type OpenDocument = { readonly tab: Tab; readonly autosave: Autosave; readonly stop: () => void }

export type OpenTab = {
  readonly workflowId: string
  readonly name: string
  readonly open: OpenDocument | undefined
  readonly problem: string | undefined
}

export type TabsState = { readonly tabs: readonly OpenTab[]; readonly current: string | undefined }

export type OpenTabs = ReturnType<typeof createOpenTabs>

export type TabsPorts = {
  readonly client: Caller
  readonly platform: Platform
  readonly texts: LocalTexts
  readonly types: NodeTypesCache
  readonly notify: (kind: 'done' | 'error', text: string) => void
  readonly onClose?: (open: OpenDocument) => void
}

const PREFERENCE = 'workflow-tabs'
const remembered = z.array(z.object({ workflowId, name: z.string() })).max(100)

export function createOpenTabs(ports: TabsPorts) {
  const { client, platform, onClose } = ports
  const known = parseStored(remembered, platform.readPreference(PREFERENCE)) ?? []
  const first = known.map((tab) => ({ ...tab, open: undefined, problem: undefined }))
  const state = createStore<TabsState>(() => ({ tabs: first, current: undefined }))
  const loading = new Map<string, Promise<void>>()
  const find = (id: string) => state.getState().tabs.find((tab) => tab.workflowId === id)

  function setTabs(tabs: readonly OpenTab[]): void {
    state.setState({ tabs })
    const names = tabs.map(({ workflowId: id, name }) => ({ workflowId: id, name }))
    platform.writePreference(PREFERENCE, JSON.stringify(names))
  }
  const change = (id: string, changed: Partial<OpenTab>) =>
    setTabs(state.getState().tabs.map((tab) => (tab.workflowId === id ? { ...tab, ...changed } : tab)))

  async function load(id: string): Promise<void> {
    try {
      const detail = await client.call('workflowRead', { path: { workflowId: id } })
      const open = await openDocument(detail, ports)
      if (find(id) === undefined) return open.stop()
      change(id, { open, name: detail.name, problem: undefined })
      open.autosave.state.subscribe(({ workflow }) => {
        if (find(id)?.name !== workflow.name) change(id, { name: workflow.name })
      })
    } catch (error) {
      if (!(error instanceof Error)) throw error
      change(id, { problem: error.message })
    }
  }

  function loaded(id: string): Promise<void> {
    const running = loading.get(id) ?? load(id).finally(() => loading.delete(id))
    loading.set(id, running)
    return running
  }

  async function renewRemembered(): Promise<void> {
    const list = await client.call('workflowList').catch(() => undefined)
    if (list === undefined) return
    const names = new Map(list.workflows.map(({ id, name }) => [id, name]))
    const { tabs, current } = state.getState()
    const isThere = (tab: OpenTab) =>
      names.has(tab.workflowId) || tab.workflowId === current || tab.open !== undefined || loading.has(tab.workflowId)
    setTabs(tabs.filter(isThere).map((tab) => ({ ...tab, name: names.get(tab.workflowId) ?? tab.name })))
  }
  if (state.getState().tabs.length > 0) void renewRemembered()

  return {
    state,
    async show(id: string) {
      if (find(id) === undefined) {
        setTabs([...state.getState().tabs, { workflowId: id, name: '', open: undefined, problem: undefined }])
      }
      state.setState({ current: id })
      const open = find(id)?.open
      if (open === undefined) await loaded(id)
      else await open.autosave.refresh()
    },
    async retry(id: string) {
      change(id, { problem: undefined })
      await loaded(id)
    },
    async close(id: string) {
      const open = find(id)?.open
      setTabs(state.getState().tabs.filter((tab) => tab.workflowId !== id))
      // Unsaved edits stay in the browser for the next opening.
      await open?.autosave.saveDraft()
      if (open !== undefined) onClose?.(open)
      open?.stop()
    },
    move(id: string, to: number) {
      const moved = find(id)
      if (moved === undefined) return
      const others = state.getState().tabs.filter((tab) => tab !== moved)
      setTabs(others.toSpliced(to, 0, moved))
    },
    setName(id: string, name: string) {
      find(id)?.open?.autosave.setName(name)
      change(id, { name })
    },
  }
}

async function openDocument(detail: WorkflowDetail, ports: TabsPorts): Promise<OpenDocument> {
  const { client, platform, texts, types, notify } = ports
  const { text, ...workflow } = detail
  const opened = openText(text)
  if (opened.kind === 'fault') throw new Error(opened.why)
  const editor = createEditorStore(opened.document, await types.read(undefined))
  const runs = createRunStore()
  const autosave = createAutosave({ client, platform, texts, editor }, workflow, opened.write)
  const endTypes = runs.subscribe(({ endpointId }, before) => {
    if (endpointId !== before.endpointId) showNodeTypes({ editor, runs }, { types, notify })
  })
  await bringBack(detail, autosave, ports)
  const stop = () => {
    autosave.stop()
    endTypes()
  }
  return { tab: { workflowId: detail.id, editor, runs }, autosave, stop }
}

/** Restores edits of a closed window unless somebody continued without them. */
async function bringBack(detail: WorkflowDetail, autosave: Autosave, ports: TabsPorts): Promise<void> {
  const { client, texts, notify } = ports
  const unkept = await readUnkept(texts, detail.id)
  if (unkept === undefined) return
  if (unkept.text === detail.text) return await forgetUnkept(texts, detail.id)
  const { version, draft } = unkept.seen
  if (version === detail.version && draft === detail.draft && (await autosave.bringBack(unkept.text))) {
    return notify('done', `Edits of ${detail.name} that had not reached the service are restored.`)
  }
  const name = workflowName(detail.name, ' (unsaved edits)')
  const body = { name, text: unkept.text, draft: true }
  const added = await client.call('workflowCreate', { body }).catch(() => undefined)
  if (added === undefined) return
  await forgetUnkept(texts, detail.id)
  const where = `Your unsaved edits are in the library as ${name}.`
  notify('done', `${detail.name} was changed elsewhere in the meantime. ${where}`)
}
