import { NodeResizeControl, type OnResizeEnd } from '@xyflow/react'
import { resizeNode } from '../../../../src-main/domain/workflow/edit/node-fields.ts'
import { useTab } from '../store/editor-context.ts'
import { addressOf } from '../store/editor-store.ts'
import { LEAST_WIDTH, TITLE } from './geometry.ts'

/** The corner of a selected node that it is made larger by. */
export function NodeResizer({ id }: { readonly id: string }) {
  const { editor } = useTab()
  const onResizeEnd: OnResizeEnd = (_event, { width, height }) => {
    const at = addressOf(editor.getState())
    const size = [Math.round(width), Math.round(height - TITLE)] as const
    editor.getState().edit('Resize a node', (document) => resizeNode(document, at, id, size))
  }
  return (
    <NodeResizeControl
      position="bottom-right"
      minWidth={LEAST_WIDTH}
      minHeight={TITLE + 10}
      onResizeEnd={onResizeEnd}
      className="!size-3 !rounded-[3px] !border-accent !bg-surface-1"
    />
  )
}
