import clsx from 'clsx'
import { X } from 'lucide-react'
import { type DragEvent, useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import { useStore } from 'zustand'
import { ADDRESS } from '../../../addresses.ts'
import { IconButton } from '../../../ui/Button.tsx'
import { NameField } from './NameField.tsx'
import type { OpenTab, OpenTabs } from './open-tabs.ts'
import type { FileActions } from './use-file-actions.ts'

export type TabItemProps = {
  readonly tab: OpenTab
  readonly at: number
  readonly tabs: OpenTabs
  readonly actions: Pick<FileActions, 'closeTab' | 'rename'>
  readonly isCurrent: boolean
}

const DRAGGED = 'application/x-drydock-tab'
const MIDDLE = 1

export function TabItem({ tab, at, tabs, actions, isCurrent }: TabItemProps) {
  const { workflowId, name, open, problem } = tab
  const [isNaming, setNaming] = useState(false)
  const element = useRef<HTMLLIElement>(null)
  const title = name !== '' ? name : problem === undefined ? 'Opening' : 'Not opened'
  useEffect(() => {
    const tab = element.current
    if (!isCurrent || tab === null) return
    // Names and marks change its width, and neighbours the available room.
    const resize = new ResizeObserver(() => tab.scrollIntoView({ block: 'nearest', inline: 'nearest' }))
    for (const watched of [tab, tab.closest('nav')]) if (watched !== null) resize.observe(watched)
    return () => resize.disconnect()
  }, [isCurrent])
  const drop = (event: DragEvent) => {
    const moved = event.dataTransfer.getData(DRAGGED)
    if (moved !== '') tabs.move(moved, at)
  }
  return (
    <li
      ref={element}
      onDragOver={(event) => event.dataTransfer.types.includes(DRAGGED) && event.preventDefault()}
      onDrop={drop}
      className={clsx(
        'flex max-w-56 min-w-24 items-center border-r border-line pr-1',
        isCurrent ? 'bg-surface-1 shadow-[inset_0_2px_var(--accent)]' : 'hover:bg-surface-2',
      )}
    >
      {isNaming ? (
        <div className="px-2">
          <NameField
            name={title}
            onName={(changed) => void actions.rename(workflowId, changed)}
            onEnd={() => setNaming(false)}
          />
        </div>
      ) : (
        <Link
          to={ADDRESS.workflow(workflowId)}
          title={title}
          aria-current={isCurrent ? 'page' : undefined}
          aria-keyshortcuts="F2"
          draggable
          onDragStart={(event) => event.dataTransfer.setData(DRAGGED, workflowId)}
          onDoubleClick={() => setNaming(true)}
          onKeyDown={(event) => event.key === 'F2' && setNaming(true)}
          onAuxClick={(event) => {
            if (event.button !== MIDDLE) return
            event.preventDefault()
            void actions.closeTab(workflowId)
          }}
          className={clsx(
            'flex h-full min-w-0 flex-1 items-center gap-1.5 pl-3 -outline-offset-2',
            isCurrent ? 'font-medium' : 'text-ink-2',
          )}
        >
          <span className="truncate">{title}</span>
          {open !== undefined && <UnsavedMark open={open} />}
        </Link>
      )}
      <IconButton
        label={`Close ${title}`}
        icon={<X />}
        onClick={() => void actions.closeTab(workflowId)}
        className="ml-0.5 size-6"
      />
    </li>
  )
}

function UnsavedMark({ open }: { readonly open: NonNullable<OpenTab['open']> }) {
  const isSaved = useStore(open.autosave.state, ({ workflow, status }) => workflow.draft === 0 && status === 'kept')
  if (isSaved) return null
  return <span role="img" aria-label="Unsaved edits" className="size-2 shrink-0 rounded-full bg-accent" />
}
