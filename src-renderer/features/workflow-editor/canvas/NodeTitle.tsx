import { setTitle } from '../../../../src-main/domain/workflow/edit/node-fields.ts'
import type { NodeView } from '../../../../src-main/domain/workflow/view/node-view.ts'
import { NameField } from '../files/NameField.tsx'
import { useCanvas, useCanvasStore } from '../store/canvas-context.ts'
import { useTab } from '../store/editor-context.ts'
import { addressOf } from '../store/editor-store.ts'
import { focusNode } from './focus-node.ts'

/** What a node is called; a field for it while somebody writes it, after a double click. */
export function NodeTitle({ view: { id, title } }: { readonly view: NodeView }) {
  const { editor } = useTab()
  const canvas = useCanvasStore()
  const isRenaming = useCanvas(({ renaming }) => renaming === id)
  if (!isRenaming) {
    return (
      <span className="node-title truncate" title={title}>
        {title}
      </span>
    )
  }
  return (
    <span className="nodrag min-w-0 flex-1">
      <NameField
        name={title}
        onName={(name) => {
          const { edit } = editor.getState()
          edit(`Rename ${title}`, (document) => setTitle(document, addressOf(editor.getState()), id, name))
        }}
        onEnd={(how) => {
          canvas.getState().set({ renaming: undefined })
          if (how === 'key') focusNode(id)
        }}
      />
    </span>
  )
}
