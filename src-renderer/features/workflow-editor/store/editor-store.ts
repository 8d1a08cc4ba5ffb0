/**
 * An open document and all that is edited in it. One store a tab: the document is immutable, every edit goes through
 * `edit`, and undo gives back the document that was there before. Components within a tab read it with `useEditor`.
 * Source: ours.
 */

import { createContext, useContext } from 'react'
import { useStore } from 'zustand'
import { createStore, type StoreApi } from 'zustand/vanilla'
import {
  type GraphNode,
  subgraphsOf,
  type WorkflowDocument,
} from '../../../../src-main/domain/workflow/document/document.ts'
import { type GraphAddress, graphAt } from '../../../../src-main/domain/workflow/edit/graph-at.ts'
import type { NodeTypes } from '../../../../src-main/domain/workflow/node-types.ts'
import type { CanvasStore } from './canvas-store.ts'
import type { RunState, RunStore } from './run-store.ts'

/** A step that can be undone: the document before it, and where in it the person was. */
type Step = { readonly label: string; readonly document: WorkflowDocument; readonly path: readonly string[] }

/** An edit: takes a document and gives another; the same one means that nothing happened. */
export type Edit = (document: WorkflowDocument) => WorkflowDocument

/** What is open in a tab. */
export type EditorState = {
  readonly document: WorkflowDocument
  /** Classes of nodes of the chosen endpoint. */
  readonly types: NodeTypes
  /** Ids of the nodes that were entered, from the outermost graph inwards; none: it is the one that is shown. */
  readonly path: readonly string[]
  /** Ids of the selected nodes of the graph that is shown. */
  readonly selection: ReadonlySet<string>
  readonly undone: readonly Step[]
  readonly done: readonly Step[]
  /** What the canvas was asked to bring into sight last; `at` grows with each asking. */
  readonly revealed: { readonly at: number; readonly ids: readonly string[] }

  /**
   * Changes the document, as one step of undo.
   * @param label what is done, like `Move 3 nodes`
   * @param merge edits one after the other with the same word are one step, like keys typed into a field
   */
  readonly edit: (label: string, change: Edit, merge?: string) => void
  /** Ends merging: the next edit is a step of its own, also with the same word. */
  readonly endStep: () => void
  readonly undo: () => void
  readonly redo: () => void
  readonly select: (ids: Iterable<string>) => void
  /** Shows the graph within a node, or with undefined the one outside. */
  readonly enter: (nodeId: string | undefined) => void
  /**
   * Leads to nodes wherever they are: shows their graph, selects them and brings them into sight.
   * @param path ids of the nodes to be entered, as in `path`
   */
  readonly reveal: (path: readonly string[], ids: readonly string[]) => void
  readonly setTypes: (types: NodeTypes) => void
  /** Another document in the same tab; with it undo begins anew. */
  readonly replace: (document: WorkflowDocument) => void
}

/** The store of an open document. */
export type EditorStore = StoreApi<EditorState>

// Documents share all that a step did not touch, so that many steps are cheap.
const MOST_STEPS = 1000

/** Opens a document. */
export function createEditorStore(document: WorkflowDocument, types: NodeTypes): EditorStore {
  let merging: string | undefined
  return createStore<EditorState>()((set, get) => ({
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
    undo() {
      const { document, path, done, undone } = get()
      const step = done.at(-1)
      if (step === undefined) return
      merging = undefined
      set({ ...shown(step, get()), done: done.slice(0, -1), undone: [...undone, { ...step, document, path }] })
    },
    redo() {
      const { document, path, done, undone } = get()
      const step = undone.at(-1)
      if (step === undefined) return
      merging = undefined
      set({ ...shown(step, get()), undone: undone.slice(0, -1), done: [...done, { ...step, document, path }] })
    },
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

/** The address of the graph that is shown. */
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

/**
 * Selects nodes, and of all else on the canvas only what is named: a group or a link that stayed selected out of sight
 * would be deleted with them.
 * @param things groups, by their names on the canvas
 */
export function selectNodes(
  { editor, canvas }: { readonly editor: EditorStore; readonly canvas: CanvasStore },
  ids: Iterable<string>,
  things: Iterable<string> = [],
): void {
  editor.getState().select([...ids])
  canvas.getState().set({ things: new Set(things), links: new Set() })
}

/** What a node is called: its own title, else that of its subgraph or class. */
export function nodeTitle({ document, types }: Pick<EditorState, 'document' | 'types'>, node: GraphNode): string {
  const { title, type = '' } = node
  return title ?? subgraphsOf(document).get(type)?.name ?? types.get(type)?.displayName ?? type
}
