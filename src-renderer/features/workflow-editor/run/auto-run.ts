/**
 * Runs a graph by itself: again and again, or when what would be sent has changed. It never has more than one run of a
 * tab open. Again and again ends where a run does not complete or is refused, or it would fill the queue with failures;
 * on change it then waits for the next change.
 */
import type { StoreApi } from 'zustand/vanilla'
import type { WorkflowDocument } from '../../../../src-main/domain/workflow/document/document.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { RunStore } from '../store/run-store.ts'

/** What it works with. */
export type AutoRunPorts = {
  readonly runs: RunStore
  readonly editor: Pick<StoreApi<{ readonly document: WorkflowDocument }>, 'getState' | 'subscribe'>
  /** What is sent of a document: moving a node changes nothing of it. */
  readonly textOf: (document: WorkflowDocument) => string
  readonly run: () => Promise<void>
  readonly platform: Pick<Platform, 'after'>
  /** Tells a person why it has stopped. */
  readonly notify: (text: string) => void
}

// Whoever types or drags is not done with each key.
const QUIET_MS = 600

/** Begins. @returns ends it; the choice stays in the store */
export function followAutoRun({ runs, editor, textOf, run, platform, notify }: AutoRunPorts): () => void {
  let base: string | undefined
  let cancelChange: (() => void) | undefined
  let cancelBase: (() => void) | undefined
  const { set } = runs.getState()

  const rebase = () => {
    base = textOf(editor.getState().document)
  }
  // A run moves the seeds on, and back if it was not queued: that is no change of a person.
  const rebaseSoon = () => {
    cancelBase?.()
    cancelBase = platform.after(0, rebase)
  }
  const isBusy = () => {
    const { active, sending } = runs.getState()
    return active.length + sending > 0
  }

  function runIfChanged(): void {
    if (runs.getState().auto !== 'change' || isBusy() || textOf(editor.getState().document) === base) return
    rebase()
    void run()
  }

  function planChange(): void {
    if (runs.getState().auto !== 'change') return
    cancelChange?.()
    cancelChange = platform.after(QUIET_MS, runIfChanged)
  }

  function runAgain(): void {
    const { shown, refusal, hasRun } = runs.getState()
    if (isBusy()) return
    const isFailed = hasRun && shown !== undefined && shown.status !== 'COMPLETED'
    if (refusal !== undefined || isFailed) {
      set({ auto: 'off' })
      notify('Continuous running has stopped because the last run did not complete.')
    } else void run()
  }

  const endRuns = runs.subscribe((now, before) => {
    if (now.auto === 'off') return
    if (now.auto !== before.auto) {
      rebase()
      // Also where the one before failed: somebody has just asked for it.
      if (now.auto === 'again' && !isBusy()) void run()
      return
    }
    if (now.sending > before.sending || (now.refusal !== before.refusal && now.refusal !== undefined)) rebaseSoon()
    const wasBusy = before.active.length + before.sending > 0
    const isRefused = now.refusal !== undefined && now.refusal !== before.refusal
    if (isBusy() || !(wasBusy || isRefused)) return
    if (now.auto === 'again') runAgain()
    else planChange()
  })
  const endEditor = editor.subscribe(({ document }, { document: before }) => {
    if (document !== before) planChange()
  })
  return () => {
    cancelChange?.()
    cancelBase?.()
    endRuns()
    endEditor()
  }
}
