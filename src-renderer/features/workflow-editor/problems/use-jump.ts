import { useCallback } from 'react'
import { graphAt } from '../../../../src-main/domain/workflow/edit/graph-at.ts'
import { whereIs } from '../../../../src-main/domain/workflow/where-is.ts'
import { useApp } from '../../../store/app-context.ts'
import { useTab } from '../store/editor-context.ts'
import type { EditorState } from '../store/editor-store.ts'
import { nodeTitle } from '../widgets/node-title.ts'

/** Leads to a node of the payload wherever it is, into subgraphs too. */
export function useJump(): (payloadId: string) => void {
  const { editor } = useTab()
  const { store } = useApp()
  return useCallback(
    (payloadId) => {
      const found = whereIs(editor.getState().document, payloadId)
      if (found !== undefined) editor.getState().reveal(found.path, [found.node])
      else store.getState().tell({ kind: 'error', text: `Node ${payloadId} is no longer there.` })
    },
    [editor, store],
  )
}

/** The title of a node as the payload names it, with those that it is within. */
export function titleOf(state: Pick<EditorState, 'document' | 'types'>, payloadId: string): string {
  const found = whereIs(state.document, payloadId)
  if (found === undefined) return `Node ${payloadId}`
  const node = graphAt(state.document, found.at)?.nodes.items.find(({ id }) => id === found.node)
  return node === undefined ? `Node ${payloadId}` : nodeTitle(state, node)
}
