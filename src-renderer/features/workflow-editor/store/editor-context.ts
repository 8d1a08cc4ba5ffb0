import { createContext, useContext } from 'react'
import { useStore } from 'zustand'
import type { EditorState, EditorStore } from './editor-store.ts'
import type { RunState, RunStore } from './run-store.ts'

/** What the parts of the editor share: the open document, and its runs. */
export type Tab = {
  /** Of the library. */
  readonly workflowId: string
  readonly editor: EditorStore
  readonly runs: RunStore
}

/** The tab that is shown. */
export const TabContext = createContext<Tab | undefined>(undefined)

/** The tab that a component is within. @throws Error outside of the editor */
export function useTab(): Tab {
  const tab = useContext(TabContext)
  if (tab === undefined) throw new Error('this component is for the inside of the workflow editor')
  return tab
}

/** Selects from the open document. Select little: what is selected decides when a component is drawn again. */
export function useEditor<Selected>(selector: (state: EditorState) => Selected): Selected {
  return useStore(useTab().editor, selector)
}

/** Selects from how the runs of the tab go. */
export function useRuns<Selected>(selector: (state: RunState) => Selected): Selected {
  return useStore(useTab().runs, selector)
}
