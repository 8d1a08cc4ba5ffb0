import { type NodeProps, NodeResizeControl } from '@xyflow/react'
import clsx from 'clsx'
import { type CSSProperties, memo } from 'react'
import { setGroup } from '../../../../src-main/features/workflows/rules/edit/groups.ts'
import { NameField } from '../files/NameField.tsx'
import { safeColour } from '../graph/colours.ts'
import type { GroupNode } from '../graph/flow-types.ts'
import { GROUP_TITLE_LINE } from '../graph/geometry.ts'
import { useCanvas, useCanvasStore } from '../store/canvas-store.ts'
import { addressOf, useTab } from '../store/editor-store.ts'
import { useDetail } from './use-overview.ts'

export const GroupBox = memo(function GroupBox({ id, data, selected }: NodeProps<GroupNode>) {
  const { title, color, size, index, isCollapsed } = data
  const detail = useDetail()
  const isRenaming = useCanvas(({ renaming }) => renaming === id)
  return (
    <>
      <div
        style={{ '--given': safeColour(color) ?? 'var(--accent)' } as CSSProperties}
        className={clsx(
          'pointer-events-none size-full overflow-hidden rounded-control border',
          'border-[color-mix(in_oklab,var(--given)_60%,var(--line))] bg-[color-mix(in_oklab,var(--given)_9%,transparent)]',
          selected && 'outline-2 outline-accent',
        )}
      >
        <div
          style={{ fontSize: size, lineHeight: GROUP_TITLE_LINE }}
          className="group-title pointer-events-auto truncate bg-[color-mix(in_oklab,var(--given)_18%,var(--surface-0))] px-2 font-medium"
        >
          {isCollapsed && <span aria-hidden>▸ </span>}
          {isRenaming ? <GroupTitle index={index} title={title} /> : detail === 'bare' ? '\u00a0' : title || '\u00a0'}
        </div>
      </div>
      {selected && !isCollapsed && <GroupResizer index={index} />}
    </>
  )
})

function GroupTitle({ index, title }: { readonly index: number; readonly title: string }) {
  const { editor } = useTab()
  const rename = (name: string) => {
    const at = addressOf(editor.getState())
    editor.getState().edit('Rename a group', (document) => setGroup(document, at, index, { title: name }))
  }
  const canvas = useCanvasStore()
  return (
    <span className="nodrag">
      <NameField name={title} onName={rename} onEnd={() => canvas.getState().set({ renaming: undefined })} />
    </span>
  )
}

const LEAST = 80

function GroupResizer({ index }: { readonly index: number }) {
  const { editor } = useTab()
  return (
    <NodeResizeControl
      position="bottom-right"
      minWidth={LEAST}
      minHeight={LEAST}
      onResizeEnd={(_event, { x, y, width, height }) => {
        const at = addressOf(editor.getState())
        const bounds = { x, y, width: Math.round(width), height: Math.round(height) }
        editor.getState().edit('Resize a group', (document) => setGroup(document, at, index, { bounds }))
      }}
      className="pointer-events-auto !size-3 !rounded-[3px] !border-accent !bg-surface-1"
    />
  )
}
