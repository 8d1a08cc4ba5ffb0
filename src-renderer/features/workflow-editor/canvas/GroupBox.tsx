import type { NodeProps } from '@xyflow/react'
import clsx from 'clsx'
import { type CSSProperties, memo } from 'react'
import { setGroup } from '../../../../src-main/domain/workflow/edit/groups.ts'
import { NameField } from '../files/NameField.tsx'
import { useCanvas, useCanvasStore } from '../store/canvas-context.ts'
import { useTab } from '../store/editor-context.ts'
import { addressOf } from '../store/editor-store.ts'
import { useDetail } from './detail.ts'
import type { GroupNode } from './flow-types.ts'
import { GroupResizer } from './GroupResizer.tsx'
import { GROUP_TITLE_LINE } from './geometry.ts'
import { safeColour } from './node-colours.ts'

/** A box around nodes. Its title is what it is moved by; within it the canvas is as elsewhere. */
export const GroupBox = memo(function GroupBox({ id, data, selected }: NodeProps<GroupNode>) {
  const { title, color, size, place, isCollapsed } = data
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
          {isRenaming ? <GroupTitle place={place} title={title} /> : detail === 'bare' ? '\u00a0' : title || '\u00a0'}
        </div>
      </div>
      {selected && !isCollapsed && <GroupResizer place={place} />}
    </>
  )
})

function GroupTitle({ place, title }: { readonly place: number; readonly title: string }) {
  const { editor } = useTab()
  const canvas = useCanvasStore()
  return (
    <span className="nodrag">
      <NameField
        name={title}
        onName={(name) =>
          editor
            .getState()
            .edit('Rename a group', (document) =>
              setGroup(document, addressOf(editor.getState()), place, { title: name }),
            )
        }
        onEnd={() => canvas.getState().set({ renaming: undefined })}
      />
    </span>
  )
}
