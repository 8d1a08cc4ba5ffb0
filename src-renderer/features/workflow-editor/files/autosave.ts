/**
 * Keeps what is edited in a tab. Each edit is sent as a draft when the hands rest, so that a crash of the browser loses
 * no more than that; a draft says what its writer has seen, so that two windows never overwrite one another.
 *
 *   kept ── edit ──> waiting ── rest ──> keeping ──> kept
 *                       ^                   ├──> away     the service does not answer: tried again, a copy is kept here
 *                       └── edit, in time ──┼──> refused  it does not take it, like one that is too large: next edit
 *                                           └──> changed  another window was first: a person decides
 */
import { createStore, type StoreApi } from 'zustand/vanilla'
import type { WorkflowDetail, WorkflowView } from '../../../../src-main/contract/workflows.ts'
import type { WorkflowDocument } from '../../../../src-main/domain/workflow/document/document.ts'
import { ApiError, isSignedOut } from '../../../api-client/api-error.ts'
import type { ApiClient } from '../../../api-client/client.ts'
import type { LocalTexts } from '../../../platform/local-texts.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { EditorStore } from '../store/editor-store.ts'
import { type DocumentWriter, openText } from './document-text.ts'
import { forgetUnkept, writeUnkept } from './unkept-copy.ts'

/** How the edits of a tab are kept. */
export type KeepStatus = 'kept' | 'waiting' | 'keeping' | 'away' | 'refused' | 'changed'

/** A tab's workflow as the service has it, and how its edits are kept. */
export type KeepState = {
  readonly workflow: WorkflowView
  readonly status: KeepStatus
  /** Why the last try failed, for a person. */
  readonly fault: string | undefined
}

/** Keeps the edits of a tab. */
export type Keeper = {
  readonly state: StoreApi<KeepState>
  /** Sends what is not kept yet. @returns whether all is kept then */
  readonly keep: () => Promise<boolean>
  /** Saves a version. @returns whether it is saved */
  readonly save: () => Promise<boolean>
  /** Shows what the service has instead of what is edited here. */
  readonly load: () => Promise<boolean>
  /** Shows what another window has kept meanwhile, where nothing is edited here. @returns whether there was something */
  readonly refresh: () => Promise<boolean>
  /** Edits that a window before this one had not kept, as an edit of their own. @returns whether they could be read */
  readonly bringBack: (text: string) => Promise<boolean>
  /** Goes back to the newest saved version, as an edit, so that undo takes it back. @returns whether it is there */
  readonly revert: () => Promise<boolean>
  /** The workflow has another name now. */
  readonly setName: (name: string) => void
  /** The workflow has another small picture now. */
  readonly setThumbnail: (thumbnail: string | undefined) => void
  /** Text of what is edited now. */
  readonly text: () => string
  /** Ends the watch; what is not kept by then is not. */
  readonly stop: () => void
}

/** What a keeper works with. */
export type KeeperPorts = {
  readonly client: Pick<ApiClient, 'call'>
  readonly platform: Pick<Platform, 'after' | 'isVisible' | 'onVisibility'>
  readonly texts: LocalTexts
  readonly editor: EditorStore
}

// Hands that rest: longer than between two keys, and with the way to the service within the second that may be lost.
const REST_MS = 500
// Hands that never rest: what they have made is sent all the same.
const LATEST_MS = 5000
const TRY_AGAIN_MS = 2000

/** Begins to keep. @param workflow as the service has it @param write gives the text of a document */
export function createKeeper(
  { client, platform, texts, editor }: KeeperPorts,
  workflow: WorkflowView,
  write: DocumentWriter,
): Keeper {
  const path = { workflowId: workflow.id }
  const state = createStore<KeepState>(() => ({ workflow, status: 'kept', fault: undefined }))
  const now = () => editor.getState().document
  let writer = write
  let kept: WorkflowDocument = now()
  let turn: Promise<unknown> = Promise.resolve()
  let cancelTimer = () => {}
  let cancelLatest = () => {}
  let isStopped = false

  const set = (change: Partial<KeepState>) => state.setState(change)
  const isKept = () => now() === kept
  const seen = () => {
    const { version, draft } = state.getState().workflow
    return { version, draft }
  }
  // One call after the other: each says what the one before has left.
  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const mine = turn.then(work)
    turn = mine.catch(() => undefined)
    return mine
  }
  function schedule(ms: number): void {
    cancelTimer()
    if (!isStopped) cancelTimer = platform.after(ms, () => void keep())
  }
  function cancelTimers(): void {
    cancelTimer()
    cancelLatest()
  }
  const keep = () =>
    inTurn(async () => {
      if (state.getState().status === 'changed') return false
      if (!isKept()) return await send('workflowDraft')
      set({ status: 'kept', fault: undefined }) // What was away was a version, and the draft is kept.
      return true
    })
  const isSaved = () => isKept() && seen().draft === 0 && seen().version > 0
  const save = () =>
    inTurn(async () => isSaved() || (state.getState().status !== 'changed' && (await send('workflowSave'))))

  async function send(operation: 'workflowDraft' | 'workflowSave'): Promise<boolean> {
    cancelTimers()
    const document = now()
    const text = writer(document)
    set({ status: 'keeping' })
    try {
      keptAs(await client.call(operation, { path, body: { text, seen: seen() } }), document)
      return true
    } catch (error) {
      return await failed(error, operation, document, text)
    }
  }

  function keptAs(answer: WorkflowView, document: WorkflowDocument): void {
    cancelTimers()
    kept = document
    set({ workflow: answer, status: isKept() ? 'kept' : 'waiting', fault: undefined })
    if (isKept()) void forgetUnkept(texts, workflow.id)
    else schedule(REST_MS)
  }

  async function failed(
    error: unknown,
    operation: 'workflowDraft' | 'workflowSave',
    document: WorkflowDocument,
    text: string,
  ): Promise<boolean> {
    if (!(error instanceof ApiError)) throw error
    if (error.code === 'WORKFLOW_CHANGED' && (await wasOurs(document, text)))
      return operation === 'workflowDraft' || seen().draft === 0 || (await send(operation))
    // Who is signed out here comes back, as a service does.
    const isAway = error.status === 0 || error.status >= 500 || isSignedOut(error)
    set({ status: error.code === 'WORKFLOW_CHANGED' ? 'changed' : isAway ? 'away' : 'refused', fault: error.message })
    void writeUnkept(texts, workflow.id, { text, seen: seen() })
    if (isAway) schedule(TRY_AGAIN_MS)
    return false
  }

  // The answer to a call may be lost on its way: then what the service has is what was sent.
  async function wasOurs(document: WorkflowDocument, text: string): Promise<boolean> {
    const found = await client.call('workflowRead', { path }).catch(() => undefined)
    if (found?.text !== text) return false
    keptAs(found, document)
    return true
  }

  function show({ text, ...found }: WorkflowDetail): boolean {
    const opened = openText(text)
    if (opened.kind === 'fault') return false
    cancelTimers()
    writer = opened.write
    kept = opened.document
    editor.getState().replace(opened.document)
    set({ workflow: found, status: 'kept', fault: undefined })
    void forgetUnkept(texts, workflow.id)
    return true
  }

  const load = () => inTurn(async () => show(await client.call('workflowRead', { path })))
  const refresh = () =>
    inTurn(async () => {
      const found = await client.call('workflowRead', { path }).catch(() => undefined) // Told when it is edited.
      if (found === undefined || !isKept() || state.getState().status !== 'kept') return false
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
      keptAs(await client.call('workflowDropDraft', { path }), opened.document)
      return true
    })

  // The window may be gone before the service has answered.
  function keepAtOnce(): void {
    void writeUnkept(texts, workflow.id, { text: writer(now()), seen: seen() })
    void keep()
  }

  const endEdits = editor.subscribe(({ document }, before) => {
    const { status } = state.getState()
    if (document === before.document || status === 'changed') return
    // What was typed last is taken over when the window goes.
    if (!platform.isVisible() && !isKept()) return keepAtOnce()
    if (status === 'keeping') return
    if (isKept()) {
      cancelTimers()
      set({ status: 'kept', fault: undefined })
    } else if (status !== 'away') {
      if (status !== 'waiting') cancelLatest = platform.after(LATEST_MS, () => void keep())
      set({ status: 'waiting', fault: undefined })
      schedule(REST_MS)
    }
  })
  const endVisibility = platform.onVisibility(() => {
    if (platform.isVisible()) void refresh()
    if (!platform.isVisible() && !isKept() && state.getState().status !== 'changed') keepAtOnce()
  })

  return {
    state,
    keep,
    save,
    load,
    refresh,
    async bringBack(text) {
      const opened = openText(text)
      if (opened.kind === 'fault') return false
      editor.getState().edit('Bring back what was not kept', () => opened.document)
      return await keep()
    },
    revert,
    setName: (name) => set({ workflow: { ...state.getState().workflow, name } }),
    setThumbnail: (thumbnail) => set({ workflow: { ...state.getState().workflow, thumbnail } }),
    text: () => writer(now()),
    stop() {
      isStopped = true
      cancelTimers()
      endEdits()
      endVisibility()
    },
  }
}
