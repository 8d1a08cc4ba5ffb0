/**
 * Runs a graph repeatedly or on change, with at most one open run per tab. After a failed or refused run, repeating
 * stops, so failures do not fill the queue; on-change waits for the next change.
 */
import type { StoreApi } from 'zustand/vanilla'
import type { WorkflowDocument } from '../../../../src-main/features/workflows/rules/document/document.ts'
import type { Platform } from '../../../browser/platform.ts'
import type { RunStore } from '../store/run-store.ts'

export type AutoRunPorts = {
  readonly runs: RunStore
  readonly editor: Pick<StoreApi<{ readonly document: WorkflowDocument }>, 'getState' | 'subscribe'>
  readonly textOf: (document: WorkflowDocument) => string
  readonly run: () => Promise<void>
  readonly platform: Pick<Platform, 'after'>
  readonly notify: (text: string) => void
}

// Longer than the pauses of somebody who types or drags.
const QUIET_MS = 600

export function followAutoRun({ runs, editor, textOf, run, platform, notify }: AutoRunPorts): () => void {
  let base: string | undefined
  let cancelChange: (() => void) | undefined
  let cancelBase: (() => void) | undefined
  const { set } = runs.getState()

  const rebase = () => {
    base = textOf(editor.getState().document)
  }
  // A run advances the seeds, and reverts that if it was not queued; both are no changes by the user.
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
      // Also after a failed run, because somebody has just asked for it.
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
