import { useMemo } from 'react'
import { useShallow } from 'zustand/react/shallow'
import type { GraphNode } from '../../../../src-main/domain/workflow/document/document.ts'
import { nodeById } from '../../../../src-main/domain/workflow/document/index-of.ts'
import { graphAt } from '../../../../src-main/domain/workflow/edit/graph-at.ts'
import type { NodeView } from '../../../../src-main/domain/workflow/view/node-view.ts'
import { createNodeViewer } from '../../../../src-main/domain/workflow/view/node-viewer.ts'
import { useEditor } from '../store/editor-context.ts'
import { addressOf, type EditorState } from '../store/editor-store.ts'

/** A selected node: as it is in the document, and as it is drawn. */
export type SelectedNode = { readonly node: GraphNode; readonly view: NodeView }

const NONE: readonly GraphNode[] = []

/** The selected nodes of the graph that is shown, in the order of their selection. */
export function useSelected(): readonly SelectedNode[] {
  const nodes = useEditor(useShallow(selectedNodes))
  // Views of hosts and primitives tell of other nodes too.
  const document = useEditor((state) => (nodes.length === 0 ? undefined : state.document))
  const path = useEditor((state) => state.path)
  const types = useEditor((state) => state.types)
  const viewer = useMemo(createNodeViewer, [])
  return useMemo(() => {
    const graph = document && graphAt(document, addressOf({ document, path }))
    if (document === undefined || graph === undefined) return []
    return nodes.map((node) => ({ node, view: viewer({ document, graph, types }, node) }))
  }, [nodes, document, path, types, viewer])
}

function selectedNodes(state: EditorState): readonly GraphNode[] {
  if (state.selection.size === 0) return NONE
  const graph = graphAt(state.document, addressOf(state))
  return graph === undefined ? NONE : [...state.selection].flatMap((id) => nodeById(graph, id) ?? [])
}
