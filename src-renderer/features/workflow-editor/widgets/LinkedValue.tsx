import { Link2 } from 'lucide-react'
import { SUBGRAPH_INPUT } from '../../../../src-main/domain/workflow/document/document.ts'
import { linkById, nodeById } from '../../../../src-main/domain/workflow/document/index-of.ts'
import { graphAt } from '../../../../src-main/domain/workflow/edit/graph-at.ts'
import { useEditor, useTab } from '../store/editor-context.ts'
import { addressOf, type EditorState } from '../store/editor-store.ts'
import { frameOf, type WidgetSize } from './control-props.ts'
import { nodeTitle } from './node-title.ts'

/** A widget whose value comes over a link. */
export type LinkedValueProps = {
  readonly nodeId: string
  /** Of the input. */
  readonly input: string
  readonly label: string
  readonly size: WidgetSize
}

/** Stands in the place of a control: from which node the value comes, and the way there. */
export function LinkedValue({ nodeId, input, label, size }: LinkedValueProps) {
  const { editor } = useTab()
  const source = useEditor((state) => sourceTitle(state, nodeId, input))
  return (
    <div className={frameOf(size)}>
      <span className={size === 'node' ? 'min-w-0 flex-1 truncate text-ink-2' : 'sr-only'}>{label}</span>
      <Link2 aria-hidden className="size-3 shrink-0 text-ink-2" />
      <button
        type="button"
        onClick={() => {
          const from = sourceOf(editor.getState(), nodeId, input)
          if (from !== undefined && from !== SUBGRAPH_INPUT) editor.getState().reveal(editor.getState().path, [from])
        }}
        className="nodrag truncate text-ink-2 hover:text-ink hover:underline"
      >
        from {source}
      </button>
    </div>
  )
}

function sourceOf(state: EditorState, nodeId: string, input: string): string | undefined {
  const graph = graphAt(state.document, addressOf(state))
  if (graph === undefined) return undefined
  // A list of promoted widgets calls them by the node within, like `3: seed`.
  const slot = input.replace(/^\d+: /, '')
  const link = nodeById(graph, nodeId)?.inputs.items.find(({ name }) => name === input || name === slot)?.link
  return link === undefined ? undefined : linkById(graph, link)?.from.node
}

function sourceTitle(state: EditorState, nodeId: string, input: string): string {
  const from = sourceOf(state, nodeId, input)
  if (from === SUBGRAPH_INPUT) return 'outside of this subgraph'
  const graph = graphAt(state.document, addressOf(state))
  const node = graph === undefined || from === undefined ? undefined : nodeById(graph, from)
  return node === undefined ? 'a node that is not there' : nodeTitle(state, node)
}
