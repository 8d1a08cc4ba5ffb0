/**
 * The problems of an open document, found again when it has changed: after a pause, and when the browser has nothing else
 * to do, as a check of thousands of nodes takes as long as some keys. Somebody has to hold the store while it is to work.
 */
import { createStore, type StoreApi } from 'zustand/vanilla'
import type { LiveEndpoint } from '../../../../src-main/contract/live.ts'
import { whyNoWorkflows } from '../../../../src-main/domain/workflow-runs/takes-workflows.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { AppStore } from '../../../store/app-store.ts'
import type { Tab } from '../store/editor-context.ts'
import { type FoundProblem, findProblems, problemsByNode } from './find-problems.ts'

/** What is wrong with the open document. */
export type ProblemsState = {
  /** Errors first. */
  readonly problems: readonly FoundProblem[]
  /** By id of the payload; a node that has others within it has theirs too. */
  readonly byNode: ReadonlyMap<string, readonly FoundProblem[]>
  readonly errors: number
  readonly warnings: number
  /** Whether this is of the document as it is now, and not of how it was a moment ago. */
  readonly isFresh: boolean
  /** Begins to look for problems. @returns ends it, when nobody else holds it */
  readonly hold: () => () => void
}

/** The store of the problems of a tab. */
export type ProblemsStore = StoreApi<ProblemsState>

/** What it works with. @see Platform; `whenIdle` calls once when there is time, and gives what calls that off */
export type ProblemsPorts = {
  readonly platform: Pick<Platform, 'after' | 'now'>
  readonly app: AppStore
  readonly whenIdle: (run: () => void) => () => void
}

// Longer than between two keys of somebody who writes.
const PAUSE_MS = 300

/** Makes the store of a tab. */
export function createProblemsStore({ editor, runs }: Tab, { platform, app, whenIdle }: ProblemsPorts): ProblemsStore {
  const endpoint = () => {
    const id = runs.getState().endpointId
    return id === undefined ? undefined : app.getState().live.endpoints[id]
  }
  let stopWaiting = () => {}
  let stopFollowing = () => {}
  let holders = 0
  let checked: ReturnType<typeof inputs> | undefined
  const inputs = () => ({
    document: editor.getState().document,
    types: editor.getState().types,
    workflows: endpoint()?.workflows,
    here: app.getState().modelsHere,
    name: endpoint()?.name,
    ...limitsOf(endpoint()),
  })

  return createStore<ProblemsState>()((set, get) => {
    const check = () => {
      checked = inputs()
      const { document, types, workflows, name, refusal, handler, here: all } = checked
      const installed = installedOf(workflows)
      const here = workflows?.modelFolders === false ? [] : all
      const limits = { installed, here, refusal, handler }
      const problems = findProblems(document, { types, endpoint: name, now: platform.now(), ...limits })
      const errors = problems.filter(({ severity }) => severity === 'error').length
      const byNode = problemsByNode(problems)
      set({ problems, byNode, errors, warnings: problems.length - errors, isFresh: true })
    }
    const changed = () => {
      const [before, now] = [checked, inputs()]
      const isSame =
        before !== undefined && Object.entries(now).every(([key, value]) => before[key as keyof typeof now] === value)
      if (isSame) return
      stopWaiting()
      if (get().isFresh) set({ isFresh: false })
      const stopPause = platform.after(PAUSE_MS, () => {
        stopWaiting = whenIdle(check)
      })
      stopWaiting = stopPause
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

const limitsOf = (endpoint: LiveEndpoint | undefined) => ({
  refusal: endpoint && whyNoWorkflows(endpoint),
  handler: endpoint?.handler,
})

const installedOf = (workflows: LiveEndpoint['workflows']) =>
  workflows?.checkModels === false ? undefined : workflows?.models
