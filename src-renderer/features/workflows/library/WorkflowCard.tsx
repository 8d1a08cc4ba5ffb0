import { CopyPlus, Ellipsis, History, Pencil, Trash2 } from 'lucide-react'
import { memo, useRef, useState } from 'react'
import { Link } from 'wouter'
import type { WorkflowView } from '../../../../src-main/contract/workflows.ts'
import { ADDRESS } from '../../../addresses.ts'
import { ago, counted, exactTime } from '../../../ui/format.ts'
import { IconButton } from '../../../ui/IconButton.tsx'
import { Menu } from '../../../ui/Menu.tsx'
import { NameField } from '../../workflow-editor/files/NameField.tsx'
import { Thumbnail } from './Thumbnail.tsx'
import type { LibraryActions } from './use-library-actions.ts'

/** A workflow of the library. */
export type WorkflowCardProps = {
  readonly workflow: WorkflowView
  readonly actions: Pick<LibraryActions, 'rename' | 'duplicate' | 'remove'>
  readonly onVersions: (workflowId: string) => void
  /** ms since the epoch. */
  readonly now: number
}

/** A workflow at a glance: all of it leads into the editor; its menu and F2 change its name in place. */
export const WorkflowCard = memo(function WorkflowCard({ workflow, actions, onVersions, now }: WorkflowCardProps) {
  const { id, name, nodes, draft, updatedAt } = workflow
  const [isNaming, setNaming] = useState(false)
  const unsaved = draft > 0
  const link = useRef<HTMLAnchorElement>(null)
  return (
    <li className="group relative flex min-w-0 flex-col overflow-hidden rounded-control border border-line bg-surface-1 focus-within:border-line-strong hover:border-line-strong">
      <Link
        ref={link}
        to={ADDRESS.workflow(id)}
        data-card
        aria-label={`Open ${name}`}
        aria-keyshortcuts="F2 Delete"
        onKeyDown={(event) => {
          if (event.key === 'F2') setNaming(true)
          if (event.key !== 'Delete') return
          focusBeside(event.currentTarget)
          void actions.remove(workflow)
        }}
        // Its area is the whole card; what else can be pressed lies above it.
        className="flex aspect-8/5 items-center justify-center bg-surface-0 -outline-offset-2 after:absolute after:inset-0"
      >
        <Thumbnail workflow={workflow} />
      </Link>
      <div className="flex items-start gap-1 border-t border-line py-2 pr-1 pl-3">
        <div className="min-w-0 flex-1">
          {isNaming ? (
            <div className="relative z-10">
              <NameField
                name={name}
                onName={(changed) => void actions.rename(workflow, changed)}
                onEnd={(how) => {
                  setNaming(false)
                  if (how === 'key') link.current?.focus()
                }}
              />
            </div>
          ) : (
            <h2 className="truncate font-medium" title={name}>
              {name}
            </h2>
          )}
          <p className="flex flex-wrap gap-x-1.5 text-small text-ink-2">
            <span>{counted(nodes, 'node')}</span>
            <span aria-hidden>·</span>
            <time dateTime={new Date(updatedAt).toISOString()} title={exactTime(updatedAt)}>
              {ago(updatedAt, now)}
            </time>
            {unsaved && (
              <span className="text-warn-ink" title="Edits are kept as a draft and not saved as a version yet">
                · Unsaved
              </span>
            )}
          </p>
        </div>
        <Menu
          groups={[
            [
              { label: 'Rename', icon: <Pencil />, onSelect: () => setNaming(true), takesFocus: true },
              { label: 'Duplicate', icon: <CopyPlus />, onSelect: () => void actions.duplicate(workflow) },
              { label: 'Versions', icon: <History />, onSelect: () => onVersions(id) },
            ],
            [
              {
                label: 'Delete',
                detail: 'It can be taken back',
                icon: <Trash2 />,
                danger: true,
                onSelect: () => void actions.remove(workflow),
              },
            ],
          ]}
        >
          <IconButton label={`More for ${name}`} className="relative z-10">
            <Ellipsis />
          </IconButton>
        </Menu>
      </div>
    </li>
  )
})

// Whoever deletes by a key goes on from the card that takes its place.
function focusBeside(card: HTMLElement): void {
  const item = card.closest('li')
  const beside = item?.nextElementSibling ?? item?.previousElementSibling
  beside?.querySelector<HTMLElement>('[data-card]')?.focus()
}
