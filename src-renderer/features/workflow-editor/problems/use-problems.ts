import { useCallback, useEffect } from 'react'
import { useStore } from 'zustand'
import { createStore, type StoreApi } from 'zustand/vanilla'
import { graphAt } from '../../../../src-main/features/workflows/rules/edit/graph-at.ts'
import { whereIs } from '../../../../src-main/features/workflows/rules/payload-ids.ts'
import { whyNoWorkflows } from '../../../../src-main/features/workflows/rules/runs/takes-workflows.ts'
import type { Platform } from '../../../browser/platform.ts'
import { type AppServices, useApp } from '../../../store/app-context.ts'
import { type EditorState, nodeTitle, type Tab, useTab } from '../store/editor-store.ts'
import { type FoundProblem, findProblems, problemsByNode } from './find-problems.ts'

const stores = new WeakMap<Tab['editor'], ProblemsStore>()

function problemsStoreOf(tab: Tab, app: AppServices): ProblemsStore {
  const made = stores.get(tab.editor) ?? createProblemsStore(tab, app)
  stores.set(tab.editor, made)
  return made
}

const MOST_MS = 1000

function whenIdle({ after }: Pick<Platform, 'after'>, run: () => void): () => void {
  // Browsers without an idle callback run it as the next task.
  if (typeof requestIdleCallback === 'undefined') return after(0, run)
  const idle = requestIdleCallback(run, { timeout: MOST_MS })
  return () => cancelIdleCallback(idle)
}

export function useProblems(): ProblemsState {
  const store = problemsStoreOf(useTab(), useApp())
  useEffect(() => store.getState().hold(), [store])
  return useStore(store)
}

const NONE: readonly FoundProblem[] = []

/** @param payloadId also finds problems of nodes within the node */
export function useNodeProblems(payloadId: string): readonly FoundProblem[] {
  return useStore(problemsStoreOf(useTab(), useApp()), ({ byNode }) => byNode.get(payloadId) ?? NONE)
}

type ProblemsState = {
  readonly problems: readonly FoundProblem[]
  readonly byNode: ReadonlyMap<string, readonly FoundProblem[]>
  readonly errors: number
  readonly warnings: number
  /** True if the problems are those of the current document and not of an earlier state. */
  readonly isFresh: boolean
  /**
   * Starts checking.
   * @returns a function that stops it once nobody else holds it
   */
  readonly hold: () => () => void
}

type ProblemsStore = StoreApi<ProblemsState>

// Longer than the pause between two keys of somebody who types.
const PAUSE_MS = 300
// The package index is a file that users place into the data folder.
const INDEX_STALE_AFTER_MS = 60_000

/**
 * A tab's problems. Checks run after a pause when the browser is idle, as thousands of nodes take as long as some
 * keystrokes, and only while held.
 */
function createProblemsStore({ editor, runs }: Tab, { platform, store: app, client }: AppServices): ProblemsStore {
  let stopWaiting = () => {}
  let stopFollowing = () => {}
  let holders = 0
  let checked: ReturnType<typeof inputs> | undefined
  const inputs = () => {
    const { document, types } = editor.getState()
    const { modelsHere: here, indexedPackages: indexed, live } = app.getState()
    const endpoint = live.endpoints[runs.getState().endpointId ?? '']
    const refusal = endpoint && whyNoWorkflows(endpoint)
    const { name, workflows, handler } = endpoint ?? {}
    return { document, types, here, indexed, refusal, name, workflows, handler }
  }

  const askedAt = new Map<string, number>()
  // Found again with the answer, because the check depends on it.
  const askForPackages = (problems: readonly FoundProblem[]) => {
    const classes = [...new Set(problems.flatMap(({ missing }) => (missing?.kind === 'class' ? [missing.name] : [])))]
    const now = platform.now()
    if (classes.every((name) => now - (askedAt.get(name) ?? Number.NEGATIVE_INFINITY) < INDEX_STALE_AFTER_MS)) return
    for (const name of classes) askedAt.set(name, now)
    client.call('nodePackages', { body: { classes } }).then(
      (response) => app.getState().showPackages(classes, response),
      () => askedAt.clear(), // an unreachable service is reported elsewhere, and asked again at the next check
    )
  }

  return createStore<ProblemsState>()((set, get) => {
    const check = () => {
      checked = inputs()
      const { document, types, workflows, name, refusal, handler, here: all, indexed } = checked
      const installed = workflows?.checkModels === false ? undefined : workflows?.models
      const here = workflows?.modelFolders === false ? [] : all
      const limits = { installed, here, refusal, handler, indexed }
      const problems = findProblems(document, { types, endpoint: name, now: platform.now(), ...limits })
      const errors = problems.filter(({ severity }) => severity === 'error').length
      const byNode = problemsByNode(problems)
      set({ problems, byNode, errors, warnings: problems.length - errors, isFresh: true })
      askForPackages(problems)
    }
    const changed = () => {
      const [before, now] = [checked, inputs()]
      const isSame =
        before !== undefined && Object.entries(now).every(([key, value]) => before[key as keyof typeof now] === value)
      if (isSame) return
      stopWaiting()
      if (get().isFresh) set({ isFresh: false })
      stopWaiting = platform.after(PAUSE_MS, () => {
        stopWaiting = whenIdle(platform, check)
      })
    }
    const follow = () => {
      const stops = [editor.subscribe(changed), runs.subscribe(changed), app.subscribe(changed)]
      return () => {
        stopWaiting()
        for (const stop of stops) stop()
      }
    }
    return {
      problems: [],
      byNode: new Map(),
      errors: 0,
      warnings: 0,
      isFresh: false,
      hold() {
        holders += 1
        if (holders === 1) {
          stopFollowing = follow()
          changed()
        }
        let isHeld = true
        return () => {
          if (!isHeld) return
          isHeld = false
          holders -= 1
          if (holders === 0) stopFollowing()
        }
      },
    }
  })
}

export function useJump(): (payloadId: string) => void {
  const { editor } = useTab()
  const { store } = useApp()
  return useCallback(
    (payloadId) => {
      const found = whereIs(editor.getState().document, payloadId)
      if (found !== undefined) editor.getState().reveal(found.path, [found.node])
      else store.getState().notify({ kind: 'error', text: `Node ${payloadId} is no longer there.` })
    },
    [editor, store],
  )
}

export function titleOf(state: Pick<EditorState, 'document' | 'types'>, payloadId: string): string {
  const found = whereIs(state.document, payloadId)
  if (found === undefined) return `Node ${payloadId}`
  const node = graphAt(state.document, found.at)?.nodes.items.find(({ id }) => id === found.node)
  return node === undefined ? `Node ${payloadId}` : nodeTitle(state, node)
}
