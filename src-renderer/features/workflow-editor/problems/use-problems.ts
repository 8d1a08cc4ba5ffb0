import { useEffect } from 'react'
import { useStore } from 'zustand'
import type { Platform } from '../../../platform/platform.ts'
import { type AppServices, useApp } from '../../../store/app-context.ts'
import { type Tab, useTab } from '../store/editor-context.ts'
import type { FoundProblem } from './find-problems.ts'
import { createProblemsStore, type ProblemsState, type ProblemsStore } from './problem-store.ts'

// One a tab, as long as the tab is open.
const stores = new WeakMap<Tab['editor'], ProblemsStore>()

function problemsStoreOf(tab: Tab, { platform, store }: Pick<AppServices, 'platform' | 'store'>): ProblemsStore {
  const made =
    stores.get(tab.editor) ?? createProblemsStore(tab, { platform, app: store, whenIdle: whenIdle(platform) })
  stores.set(tab.editor, made)
  return made
}

const MOST_MS = 1000

const whenIdle =
  ({ after }: Pick<Platform, 'after'>) =>
  (run: () => void): (() => void) => {
    // A browser that cannot tell when it is idle is asked in the order of all else.
    if (typeof requestIdleCallback === 'undefined') return after(0, run)
    const idle = requestIdleCallback(run, { timeout: MOST_MS })
    return () => cancelIdleCallback(idle)
  }

/** The problems of the tab, which are looked for while the component is shown. */
export function useProblems(): ProblemsState {
  const store = problemsStoreOf(useTab(), useApp())
  useEffect(() => store.getState().hold(), [store])
  return useStore(store)
}

const NONE: readonly FoundProblem[] = []

/**
 * The problems of a node and of those within it, as they were last found.
 * @param payloadId its id as the payload has it, like `57:8`
 */
export function useNodeProblems(payloadId: string): readonly FoundProblem[] {
  return useStore(problemsStoreOf(useTab(), useApp()), ({ byNode }) => byNode.get(payloadId) ?? NONE)
}
