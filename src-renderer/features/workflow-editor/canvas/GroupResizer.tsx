import { NodeResizeControl } from '@xyflow/react'
import { setGroup } from '../../../../src-main/domain/workflow/edit/groups.ts'
import { useTab } from '../store/editor-context.ts'
import { addressOf } from '../store/editor-store.ts'

const LEAST = 80

/** The corner of a selected group that it is made larger by. */
export function GroupResizer({ place }: { readonly place: number }) {
  const { editor } = useTab()
  return (
    <NodeResizeControl
      position="bottom-right"
      minWidth={LEAST}
      minHeight={LEAST}
      onResizeEnd={(_event, { x, y, width, height }) => {
        const at = addressOf(editor.getState())
        const bounds = { x, y, width: Math.round(width), height: Math.round(height) }
        editor.getState().edit('Resize a group', (document) => setGroup(document, at, place, { bounds }))
      }}
      className="pointer-events-auto !size-3 !rounded-[3px] !border-accent !bg-surface-1"
    />
  )
}
