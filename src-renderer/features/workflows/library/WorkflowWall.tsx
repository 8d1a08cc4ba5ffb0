import { useQueryClient } from '@tanstack/react-query'
import { CopyPlus, Download, Ellipsis, History, Pencil, Trash2, Workflow } from 'lucide-react'
import { memo, useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import type { WorkflowView } from '../../../../src-main/contract/workflows.ts'
import { ago, counted } from '../../../../src-main/lib/text.ts'
import { ADDRESS } from '../../../addresses.ts'
import { useApp } from '../../../store/app-context.ts'
import { IconButton } from '../../../ui/Button.tsx'
import { type CardPosition, columnsOf, useCardKeys } from '../../../ui/cards.ts'
import { exactTime } from '../../../ui/format.ts'
import { Menu } from '../../../ui/Menu.tsx'
import { useNow } from '../../../ui/Values.tsx'
import { filesOf } from '../../workflow-editor/files/editor-files.ts'
import { NameField } from '../../workflow-editor/files/NameField.tsx'
import { assetAddress } from '../../workflow-editor/widgets/upload-asset.ts'
import { type LibraryList, WORKFLOWS } from '../workflow-queries.ts'
import type { LibraryActions } from './use-library-actions.ts'

type WorkflowWallProps = Pick<WorkflowCardProps, 'actions' | 'onVersions'> & {
  readonly workflows: readonly WorkflowView[]
}

// Enough to fill a large screen; more are rendered on scrolling.
const STEP = 60
const UPDATE_TIME_EVERY_MS = 30_000

const inColumns = (positions: readonly CardPosition[]) => ({
  count: positions.length,
  columns: columnsOf(positions.map(({ top }) => top)),
})

export function WorkflowWall({ workflows, actions, onVersions }: WorkflowWallProps) {
  const now = useNow(UPDATE_TIME_EVERY_MS)
  const [count, setCount] = useState(STEP)
  const end = useRef<HTMLDivElement>(null)
  const wall = useRef<HTMLUListElement>(null)
  useCardKeys('Workflows', wall, inColumns)
  const hasMore = workflows.length > count
  useEffect(() => {
    const anchor = end.current
    if (anchor === null || !hasMore) return
    const watch = new IntersectionObserver((seen) => seen.some((one) => one.isIntersecting) && setCount(count + STEP), {
      rootMargin: '600px',
    })
    watch.observe(anchor)
    return () => watch.disconnect()
  }, [hasMore, count])
  return (
    <>
      <ul aria-label="Workflows" ref={wall} className="grid grid-cols-[repeat(auto-fill,minmax(220px,1fr))] gap-3">
        {workflows.slice(0, count).map((workflow) => (
          <WorkflowCard key={workflow.id} workflow={workflow} actions={actions} onVersions={onVersions} now={now} />
        ))}
      </ul>
      <div ref={end} />
    </>
  )
}

type WorkflowCardProps = {
  readonly workflow: WorkflowView
  readonly actions: LibraryActions
  readonly onVersions: (workflowId: string) => void
  readonly now: number
}

const WorkflowCard = memo(function WorkflowCard({ workflow, actions, onVersions, now }: WorkflowCardProps) {
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
              <span className="text-warn-ink" title="Edits are stored as a draft and not yet saved as a version">
                Unsaved
              </span>
            )}
          </p>
        </div>
        <Menu
          groups={[
            [
              { label: 'Rename', icon: <Pencil />, onSelect: () => setNaming(true), takesFocus: true },
              { label: 'Duplicate', icon: <CopyPlus />, onSelect: () => void actions.duplicate(workflow) },
              {
                label: 'Export',
                detail: 'With all that it needs, for another Drydock',
                icon: <Download />,
                onSelect: () => actions.save(workflow),
              },
              { label: 'Versions', icon: <History />, onSelect: () => onVersions(id) },
            ],
            [
              {
                label: 'Delete',
                detail: 'This can be undone',
                icon: <Trash2 />,
                danger: true,
                onSelect: () => void actions.remove(workflow),
              },
            ],
          ]}
        >
          <IconButton label={`More for ${name}`} icon={<Ellipsis />} className="relative z-10" />
        </Menu>
      </div>
    </li>
  )
})

// After a deletion by key, focus moves to the card that takes its place.
function focusBeside(card: HTMLElement): void {
  const item = card.closest('li')
  const beside = item?.nextElementSibling ?? item?.previousElementSibling
  beside?.querySelector<HTMLElement>('[data-card]')?.focus()
}

/** The last run's result, else the graph. A missing or outdated picture is drawn when it comes into view. */
function Thumbnail({ workflow }: { readonly workflow: WorkflowView }) {
  const { id, version, draft, thumbnail, thumbnailOld = false, result } = workflow
  const anchor = useRef<HTMLSpanElement>(null)
  const app = useApp()
  const queries = useQueryClient()
  const shown = result ?? thumbnail
  const isMissing = result === undefined && (thumbnail === undefined || thumbnailOld)
  useEffect(() => {
    const element = anchor.current
    if (element === null || !isMissing) return
    const watch = new IntersectionObserver((seen) => {
      if (seen.some((one) => one.isIntersecting)) void draw()
    })
    async function draw(): Promise<void> {
      watch.disconnect()
      const drawn = await filesOf(app).thumbnails.draw({ id, version, draft })
      if (drawn === undefined) return
      queries.setQueryData<LibraryList>(
        WORKFLOWS,
        (list) =>
          list && {
            workflows: list.workflows.map((one) =>
              one.id === id ? { ...one, thumbnail: drawn, thumbnailOld: false } : one,
            ),
          },
      )
    }
    watch.observe(element)
    return () => watch.disconnect()
  }, [isMissing, id, version, draft, app, queries])
  return (
    <span ref={anchor} className="grid size-full min-h-0 place-items-center">
      {shown === undefined ? (
        <Workflow aria-hidden className="size-8 stroke-[1.25] text-ink-2" />
      ) : (
        <img
          src={assetAddress(shown)}
          alt=""
          loading="lazy"
          decoding="async"
          draggable={false}
          className="size-full object-contain"
        />
      )}
    </span>
  )
}
