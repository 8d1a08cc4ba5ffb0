import { type GraphNode, subgraphsOf } from '../../../../src-main/domain/workflow/document/document.ts'
import type { EditorState } from '../store/editor-store.ts'

/** What a node is called: its own title, else that of its subgraph or class. */
export function nodeTitle({ document, types }: Pick<EditorState, 'document' | 'types'>, node: GraphNode): string {
  const { title, type = '' } = node
  return title ?? subgraphsOf(document).get(type)?.name ?? types.get(type)?.displayName ?? type
}
