/**
 * An open document and its edit state, one store per tab. Documents are immutable, all edits go through `edit`, and
 * undo restores the previous document. Source: ours.
 */

import { createContext, useContext } from 'react'
import { useStore } from 'zustand'
import { createStore, type StoreApi } from 'zustand/vanilla'
import {
  type GraphNode,
  subgraphsOf,
  type WorkflowDocument,
} from '../../../../src-main/features/workflows/rules/document/document.ts'
import { type GraphAddress, graphAt } from '../../../../src-main/features/workflows/rules/edit/graph-at.ts'
import type { NodeTypes } from '../../../../src-main/features/workflows/rules/node-types.ts'
import type { CanvasStore } from './canvas-store.ts'
import type { RunState, RunStore } from './run-store.ts'

type Step = { readonly label: string; readonly document: WorkflowDocument; readonly path: readonly string[] }

export type Edit = (document: WorkflowDocument) => WorkflowDocument

export type EditorState = {
  readonly document: WorkflowDocument
  readonly types: NodeTypes
  /** Ids of the opened subgraph nodes, outermost first; empty: the outermost graph is shown. */
  readonly path: readonly string[]
  readonly selection: ReadonlySet<string>
  readonly undone: readonly Step[]
  readonly done: readonly Step[]
  /** The last nodes that the canvas was asked to show; `at` increases with each request. */
  readonly revealed: { readonly at: number; readonly ids: readonly string[] }

  /**
   * Changes the document as one undo step.
   * @param label names the step, like `Move 3 nodes`
   * @param merge consecutive edits with the same word form one step, like keystrokes
   */
  readonly edit: (label: string, change: Edit, merge?: string) => void
  /** Ends merging: the next edit is a new step, even with the same word. */
  readonly endStep: () => void
  readonly undo: () => void
  readonly redo: () => void
  readonly select: (ids: Iterable<string>) => void
  readonly enter: (nodeId: string | undefined) => void
  readonly reveal: (path: readonly string[], ids: readonly string[]) => void
  readonly setTypes: (types: NodeTypes) => void
  readonly replace: (document: WorkflowDocument) => void
}

export type EditorStore = StoreApi<EditorState>

// Documents share everything that a step did not change, so many steps are cheap.
const MOST_STEPS = 1000

export function createEditorStore(document: WorkflowDocument, types: NodeTypes): EditorStore {
  let merging: string | undefined
  const store = createStore<EditorState>()((set, get) => ({
    ...opened(document),
    types,
    revealed: { at: 0, ids: [] },
    edit(label, change, merge) {
      const { document, path, done } = get()
      const changed = change(document)
      if (changed === document) return
      const isMerged = merge !== undefined && merge === merging && done.length > 0
      merging = merge
      const steps = isMerged ? done : [...done.slice(-(MOST_STEPS - 1)), { label, document, path }]
      set({ document: changed, done: steps, undone: [], selection: stillThere(changed, path, get().selection) })
    },
    endStep() {
      merging = undefined
    },
    undo: () => take('done', 'undone'),
    redo: () => take('undone', 'done'),
    select: (ids) => set({ selection: new Set(ids) }),
    enter: (nodeId) =>
      set(({ path }) => ({ path: nodeId === undefined ? path.slice(0, -1) : [...path, nodeId], selection: new Set() })),
    reveal: (path, ids) =>
      set(({ revealed }) => ({ path, selection: new Set(ids), revealed: { at: revealed.at + 1, ids } })),
    setTypes: (types) => set({ types }),
    replace(document) {
      merging = undefined
      set(opened(document))
    },
  }))
  // Goes back to the last step of one list, and puts the present state into the other.
  function take(from: 'done' | 'undone', into: 'done' | 'undone'): void {
    const state = store.getState()
    const { document, path } = state
    const step = state[from].at(-1)
    if (step === undefined) return
    merging = undefined
    const lists = { [from]: state[from].slice(0, -1), [into]: [...state[into], { ...step, document, path }] }
    store.setState({ ...shown(step, state), ...lists })
  }
  return store
}

const opened = (document: WorkflowDocument) =>
  ({ document, path: [], selection: new Set<string>(), done: [], undone: [] }) as const

function shown({ document, path }: Step, before: EditorState) {
  return { document, path, selection: stillThere(document, path, before.selection) }
}

function stillThere(document: WorkflowDocument, path: readonly string[], selection: ReadonlySet<string>) {
  if (selection.size === 0) return selection
  const graph = graphAt(document, addressOf({ document, path }))
  const ids = new Set(graph?.nodes.items.map(({ id }) => id ?? ''))
  const remaining = [...selection].filter((id) => ids.has(id))
  return remaining.length === selection.size ? selection : new Set(remaining)
}

export function addressOf({ document, path }: Pick<EditorState, 'document' | 'path'>): GraphAddress {
  const definitions = subgraphsOf(document)
  let at: GraphAddress
  for (const nodeId of path) {
    const node = graphAt(document, at)?.nodes.items.find(({ id }) => id === nodeId)
    if (node?.type === undefined || !definitions.has(node.type)) return at
    at = node.type
  }
  return at
}

export type Tab = {
  readonly workflowId: string
  readonly editor: EditorStore
  readonly runs: RunStore
}

export const TabContext = createContext<Tab | undefined>(undefined)

export function useTab(): Tab {
  const tab = useContext(TabContext)
  if (tab === undefined) throw new Error('this component is for the inside of the workflow editor')
  return tab
}

/** Selects from the open document. Select little, because each change of the selection rerenders. */
export function useEditor<Selected>(selector: (state: EditorState) => Selected): Selected {
  return useStore(useTab().editor, selector)
}

export function useRuns<Selected>(selector: (state: RunState) => Selected): Selected {
  return useStore(useTab().runs, selector)
}

/**
 * Groups that are not named are deselected: left selected out of sight, they would be deleted too.
 * @param things groups, by their canvas ids
 */
export function selectNodes(
  { editor, canvas }: { readonly editor: EditorStore; readonly canvas: CanvasStore },
  ids: Iterable<string>,
  things: Iterable<string> = [],
): void {
  editor.getState().select([...ids])
  canvas.getState().set({ things: new Set(things), links: new Set() })
}

export function nodeTitle({ document, types }: Pick<EditorState, 'document' | 'types'>, node: GraphNode): string {
  const { title, type = '' } = node
  return title ?? subgraphsOf(document).get(type)?.name ?? types.get(type)?.displayName ?? type
}
