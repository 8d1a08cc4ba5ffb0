/**
 * A draft says what its writer has seen, so that two windows never overwrite one another.
 *
 *   kept ── edit ──> waiting ── rest ──> keeping ──> kept
 *                       ^                   ├──> away     the service does not answer: tried again, a copy is kept here
 *                       └── edit, in time ──┼──> refused  it does not take it, like one that is too large: next edit
 *                                           └──> changed  another window was first: a person decides
 */

import type { z } from 'zod'
import { createStore } from 'zustand/vanilla'
import { type WorkflowDetail, type WorkflowView, workflowText } from '../../../../src-main/contract/workflows.ts'
import type { WorkflowDocument } from '../../../../src-main/features/workflows/rules/document/document.ts'
import { ApiError, isSignedOut } from '../../../api-client/api-error.ts'
import type { Caller } from '../../../api-client/client.ts'
import { type LocalTexts, parseStored } from '../../../browser/local-texts.ts'
import type { Platform } from '../../../browser/platform.ts'
import type { EditorStore } from '../store/editor-store.ts'
import { type DocumentWriter, openText } from './document-text.ts'

export type SaveStatus = 'kept' | 'waiting' | 'keeping' | 'away' | 'refused' | 'changed'

export type AutosaveState = {
  readonly workflow: WorkflowView
  readonly status: SaveStatus
  readonly problem: string | undefined
}

export type Autosave = ReturnType<typeof createAutosave>

export type AutosavePorts = {
  readonly client: Caller
  readonly platform: Pick<Platform, 'after' | 'isVisible' | 'onVisibility'>
  readonly texts: LocalTexts
  readonly editor: EditorStore
}

// Pause in editing, ms: longer than between keys, short enough to lose at most a second.
const REST_MS = 500
// Without a pause, edits are sent after this time anyway.
const LATEST_MS = 5000
const TRY_AGAIN_MS = 2000
// A minute of edits without a connection, up to 20 MiB each.
const UNANSWERED_KEPT = 30

type Operation = 'workflowDraft' | 'workflowSave'
type Sent = { readonly document: WorkflowDocument; readonly text: string }

export function createAutosave(
  { client, platform, texts, editor }: AutosavePorts,
  workflow: WorkflowView,
  write: DocumentWriter,
) {
  const path = { workflowId: workflow.id }
  const state = createStore<AutosaveState>(() => ({ workflow, status: 'kept', problem: undefined }))
  const now = () => editor.getState().document
  let writer = write
  let savedDocument: WorkflowDocument = now()
  // Unanswered drafts, oldest first: the service may have any of them.
  let unanswered: readonly Sent[] = []
  let turn: Promise<unknown> = Promise.resolve()
  let cancelTimer = () => {}
  let cancelLatest = () => {}
  let isStopped = false

  const set = (change: Partial<AutosaveState>) => state.setState(change)
  const isDraftSaved = () => now() === savedDocument
  const seen = () => {
    const { version, draft } = state.getState().workflow
    return { version, draft }
  }
  // Calls run in sequence, because each refers to the state that the previous one left.
  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const mine = turn.then(work)
    turn = mine.catch(() => undefined)
    return mine
  }
  function schedule(ms: number): void {
    cancelTimer()
    if (!isStopped) cancelTimer = platform.after(ms, () => void saveDraft())
  }
  function cancelTimers(): void {
    cancelTimer()
    cancelLatest()
  }
  const saveDraft = () =>
    inTurn(async () => {
      if (state.getState().status === 'changed') return false
      if (!isDraftSaved()) return await send('workflowDraft')
      set({ status: 'kept', problem: undefined })
      return true
    })
  const isSaved = () => isDraftSaved() && seen().draft === 0 && seen().version > 0
  const save = () =>
    inTurn(async () => isSaved() || (state.getState().status !== 'changed' && (await send('workflowSave'))))

  async function send(operation: Operation): Promise<boolean> {
    cancelTimers()
    const document = now()
    const text = writer(document)
    set({ status: 'keeping' })
    try {
      savedAs(await client.call(operation, { path, body: { text, seen: seen() } }), document)
      return true
    } catch (error) {
      return await failed(error, operation, { document, text })
    }
  }

  function savedAs(response: WorkflowView, document: WorkflowDocument): void {
    cancelTimers()
    savedDocument = document
    unanswered = []
    set({ workflow: response, status: isDraftSaved() ? 'kept' : 'waiting', problem: undefined })
    if (isDraftSaved()) void forgetUnkept(texts, workflow.id)
    else schedule(REST_MS)
  }

  async function failed(error: unknown, operation: Operation, { document, text }: Sent): Promise<boolean> {
    if (!(error instanceof ApiError)) throw error
    if (error.code === 'WORKFLOW_CHANGED' && (await wasOurs([{ document, text }, ...unanswered]))) {
      const isDone = savedDocument === document && (operation === 'workflowDraft' || seen().draft === 0)
      return isDone || (await send(operation))
    }
    // A signed-out user returns, as an unreachable service does.
    const isAway = error.status === 0 || error.status >= 500 || isSignedOut(error)
    set({ status: error.code === 'WORKFLOW_CHANGED' ? 'changed' : isAway ? 'away' : 'refused', problem: error.message })
    void writeUnkept(texts, workflow.id, { text, seen: seen() })
    if (error.status === 0 && unanswered.at(-1)?.document !== document)
      unanswered = [...unanswered, { document, text }].slice(-UNANSWERED_KEPT)
    if (isAway) schedule(TRY_AGAIN_MS)
    return false
  }

  // If a response was lost, the service may have our current or earlier draft.
  async function wasOurs(sent: readonly Sent[]): Promise<boolean> {
    const found = await client.call('workflowRead', { path }).catch(() => undefined)
    const ours = sent.find(({ text }) => text === found?.text)
    if (found === undefined || ours === undefined) return false
    savedAs(found, ours.document)
    return true
  }

  function show({ text, ...found }: WorkflowDetail): boolean {
    const opened = openText(text)
    if (opened.kind === 'fault') return false
    cancelTimers()
    writer = opened.write
    savedDocument = opened.document
    editor.getState().replace(opened.document)
    set({ workflow: found, status: 'kept', problem: undefined })
    void forgetUnkept(texts, workflow.id)
    return true
  }

  const load = () => inTurn(async () => show(await client.call('workflowRead', { path })))
  const refresh = () =>
    inTurn(async () => {
      const found = await client.call('workflowRead', { path }).catch(() => undefined)
      if (found === undefined || !isDraftSaved() || state.getState().status !== 'kept') return false
      const isSame = found.version === seen().version && found.draft === seen().draft
      return !isSame && show(found)
    })

  const revert = () =>
    inTurn(async () => {
      const { version } = state.getState().workflow
      if (version === 0 || state.getState().status === 'changed') return false
      const saved = await client.call('workflowVersion', { path: { ...path, version: String(version) } })
      const opened = openText(saved.text)
      if (opened.kind === 'fault') return false
      editor.getState().endStep()
      editor.getState().edit('Revert to saved', () => opened.document)
      savedAs(await client.call('workflowDropDraft', { path }), opened.document)
      return true
    })

  // The window may be gone before the service answers.
  function saveDraftAtOnce(): void {
    void writeUnkept(texts, workflow.id, { text: writer(now()), seen: seen() })
    void saveDraft()
  }

  const endEdits = editor.subscribe(({ document }, before) => {
    const { status } = state.getState()
    if (document === before.document || status === 'changed') return
    // Includes the last typed text when the window closes.
    if (!platform.isVisible() && !isDraftSaved()) return saveDraftAtOnce()
    if (status === 'keeping') return
    if (isDraftSaved()) {
      cancelTimers()
      set({ status: 'kept', problem: undefined })
    } else if (status !== 'away') {
      if (status !== 'waiting') cancelLatest = platform.after(LATEST_MS, () => void saveDraft())
      set({ status: 'waiting', problem: undefined })
      schedule(REST_MS)
    }
  })
  const endVisibility = platform.onVisibility(() => {
    if (platform.isVisible()) void refresh()
    if (!platform.isVisible() && !isDraftSaved() && state.getState().status !== 'changed') saveDraftAtOnce()
  })

  return {
    state,
    saveDraft,
    save,
    load,
    /**
     * Loads what another window saved, unless there are edits here.
     * @returns whether there was something
     */
    refresh,
    /**
     * Applies edits that an earlier window could not save, as one edit.
     * @returns whether they could be read
     */
    async bringBack(text: string): Promise<boolean> {
      const opened = openText(text)
      if (opened.kind === 'fault') return false
      editor.getState().edit('Restore unsaved edits', () => opened.document)
      return await saveDraft()
    },
    /**
     * Returns to the newest saved version as an edit, which can be undone.
     * @returns whether there is one
     */
    revert,
    setName: (name: string) => set({ workflow: { ...state.getState().workflow, name } }),
    setThumbnail: (thumbnail: string | undefined) => set({ workflow: { ...state.getState().workflow, thumbnail } }),
    text: (): string => writer(now()),
    stop() {
      isStopped = true
      cancelTimers()
      endEdits()
      endVisibility()
    },
  }
}

type Unkept = z.infer<typeof workflowText>

const nameOf = (workflowId: string) => `unkept ${workflowId}`

async function writeUnkept(texts: LocalTexts, workflowId: string, unkept: Unkept): Promise<void> {
  await texts.write(nameOf(workflowId), JSON.stringify(unkept)).catch(() => undefined)
}

export async function readUnkept(texts: LocalTexts, workflowId: string): Promise<Unkept | undefined> {
  const text = await texts.read(nameOf(workflowId)).catch(() => undefined)
  return parseStored(workflowText, text)
}

export async function forgetUnkept(texts: LocalTexts, workflowId: string): Promise<void> {
  await texts.remove(nameOf(workflowId)).catch(() => undefined)
}
