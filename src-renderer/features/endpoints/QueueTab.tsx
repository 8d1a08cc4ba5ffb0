import { useQuery, useQueryClient } from '@tanstack/react-query'
import clsx from 'clsx'
import { ArrowDown, ArrowUp, ChevronsDown, ChevronsUp, GripVertical, ListOrdered } from 'lucide-react'
import { type DragEvent, type KeyboardEvent, useRef, useState } from 'react'
import { Link } from 'wouter'
import type { ResponseOf } from '../../../src-main/app/client/calls.ts'
import type { QueueMove } from '../../../src-main/contract/job-routes.ts'
import { limit } from '../../../src-main/contract/limits.ts'
import { counted } from '../../../src-main/lib/text.ts'
import { ADDRESS } from '../../addresses.ts'
import { ApiError } from '../../api-client/api-error.ts'
import { read } from '../../browser/read.ts'
import { useApp } from '../../store/app-context.ts'
import { IconButton } from '../../ui/Button.tsx'
import { useCardKeys } from '../../ui/cards.ts'
import { InputCell, ShortJobId } from '../../ui/jobs/JobCells.tsx'
import { EmptyState, ErrorNotice, SkeletonRows } from '../../ui/PageStates.tsx'
import { sampleCommand } from '../../ui/sample-command.ts'
import { RelativeTime } from '../../ui/Values.tsx'

type Waiting = ResponseOf<'jobQueue'>['jobs'][number]

export function QueueTab({ endpointId }: { readonly endpointId: string }) {
  const { client } = useApp()
  const { data, error } = useQuery(
    read(client, ['queue', endpointId], 'jobQueue', { path: { endpointId }, query: { previews: 'true' } }),
  )
  const [dragged, setDragged] = useState<string>()
  const { reorder, said } = useReorder(endpointId)
  const list = useRef<HTMLOListElement>(null)
  useCardKeys('Waiting jobs', list)
  if (data === undefined) return error === null ? <SkeletonRows rows={8} /> : <ErrorNotice error={error} />
  const { jobs, more } = data
  if (jobs.length === 0)
    return (
      <EmptyState icon={<ListOrdered />} command={sampleCommand('run', endpointId)}>
        No job waits. Those that do are listed here, in the order in which workers get them.
      </EmptyState>
    )
  const from = jobs.findIndex(({ id }) => id === dragged)
  const dropAt = (at: number) => {
    const [job, other] = [jobs[from], jobs[at]]
    setDragged(undefined)
    if (job === undefined || other === undefined || job === other) return
    void reorder(job, from < at ? { after: other.id } : { before: other.id }, `The job is now number ${at + 1}.`)
  }
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-2">
      <p className="text-ink-2">
        {more ? `The first ${counted(jobs.length, 'waiting job')}` : `${counted(jobs.length, 'job')} waiting`}, next one
        first. Drag a row, or press Alt and an arrow key on its id, to move it among those of its priority.
      </p>
      <p role="status" className="sr-only">
        {said}
      </p>
      <ol
        ref={list}
        aria-label="Waiting jobs"
        className="min-h-0 flex-1 overflow-y-auto rounded-control border border-line"
      >
        {jobs.map((job, at) => (
          <QueueRow
            key={job.id}
            job={job}
            at={at}
            above={alike(job, jobs[at - 1])}
            below={alike(job, jobs[at + 1])}
            isDragged={job.id === dragged}
            onDrag={setDragged}
            onDrop={() => dropAt(at)}
            onMove={reorder}
          />
        ))}
      </ol>
    </div>
  )
}

// Only jobs with the same pool and priority may swap their positions in the queue.
const alike = (job: Waiting, other: Waiting | undefined) =>
  (['pool', 'lowPriority', 'priority'] as const).every((name) => other?.[name] === job[name]) ? other : undefined

type Reorder = (job: Waiting, move: QueueMove, done: string) => Promise<void>

function useReorder(endpointId: string): { readonly reorder: Reorder; readonly said: string } {
  const { client, store } = useApp()
  const queries = useQueryClient()
  const [said, setSaid] = useState('')
  const reorder: Reorder = async ({ id }, move, done) => {
    try {
      await client.call('jobReorder', { path: { jobId: id }, body: move })
      setSaid(done)
    } catch (error) {
      const isLate = error instanceof ApiError && error.code === 'WRONG_STATE'
      const why = isLate ? 'it or the job next to it is no longer waiting.' : (error as Error).message
      store.getState().notify({ kind: 'error', text: `The job was not moved: ${why}` })
    }
    await queries.invalidateQueries({ queryKey: ['queue', endpointId] })
  }
  return { reorder, said }
}

type QueueRowProps = {
  readonly job: Waiting
  readonly at: number
  readonly above: Waiting | undefined
  readonly below: Waiting | undefined
  readonly isDragged: boolean
  readonly onDrag: (id: string | undefined) => void
  readonly onDrop: () => void
  readonly onMove: Reorder
}

function QueueRow({ job, at, above, below, isDragged, onDrag, onDrop, onMove }: QueueRowProps) {
  const [isOver, setIsOver] = useState(false)
  const { id, createdAt, preview } = job
  const up = () => above && void onMove(job, { before: above.id }, `The job is now number ${at}.`)
  const down = () => below && void onMove(job, { after: below.id }, `The job is now number ${at + 2}.`)
  const front = () => void onMove(job, { to: 'front' }, 'The job is now first of its priority.')
  const back = () => void onMove(job, { to: 'back' }, 'The job is now last of its priority.')
  const onKeyDown = (event: KeyboardEvent) => {
    const act = { ArrowUp: up, ArrowDown: down, Home: front, End: back }[event.key]
    if (!event.altKey || act === undefined) return
    event.preventDefault()
    act()
  }
  const over = (event: DragEvent) => {
    event.preventDefault()
    setIsOver(true)
  }
  return (
    <li
      draggable
      onDragStart={(event) => {
        event.dataTransfer.effectAllowed = 'move'
        event.dataTransfer.setData('text/plain', id)
        onDrag(id)
      }}
      onDragEnd={() => onDrag(undefined)}
      onDragOver={over}
      onDragLeave={() => setIsOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setIsOver(false)
        onDrop()
      }}
      className={clsx(
        'flex h-9 items-center gap-3 border-b border-line px-2 last:border-b-0',
        isDragged && 'opacity-50',
        isOver && 'bg-accent-soft',
      )}
    >
      <GripVertical aria-hidden className="size-4 shrink-0 cursor-grab text-ink-2" />
      <span className="w-10 shrink-0 text-right tabular-nums">{at + 1}</span>
      <Link
        to={ADDRESS.job(id)}
        data-card
        draggable={false}
        onKeyDown={onKeyDown}
        title={id}
        className="shrink-0 font-mono text-small hover:underline"
      >
        <ShortJobId id={id} />
      </Link>
      <span className="min-w-0 flex-1 truncate">
        <InputCell preview={preview} />
      </span>
      <span className="hidden shrink-0 text-ink-2 lg:inline">
        created <RelativeTime at={createdAt} />
      </span>
      {job.pool === 'batch' && <span className="shrink-0 text-ink-2">batch</span>}
      {job.lowPriority && <span className="shrink-0 text-ink-2">low priority</span>}
      <PriorityField job={job} onMove={onMove} />
      <IconButton label={`Move job ${id} to the front`} disabled={above === undefined} onClick={front}>
        <ChevronsUp />
      </IconButton>
      <IconButton label={`Move job ${id} up`} disabled={above === undefined} onClick={up}>
        <ArrowUp />
      </IconButton>
      <IconButton label={`Move job ${id} down`} disabled={below === undefined} onClick={down}>
        <ArrowDown />
      </IconButton>
      <IconButton label={`Move job ${id} to the back`} disabled={below === undefined} onClick={back}>
        <ChevronsDown />
      </IconButton>
    </li>
  )
}

function PriorityField({ job, onMove }: { readonly job: Waiting; readonly onMove: Reorder }) {
  const { id, priority } = job
  const field = useRef<HTMLInputElement>(null)
  const send = () => {
    const value = Number(field.current?.value)
    if (!field.current?.validity.valid || field.current.value === '') {
      if (field.current) field.current.value = String(priority)
    } else if (value !== priority) void onMove(job, { priority: value }, `The job now has priority ${value}.`)
  }
  return (
    <label className="flex shrink-0 items-center gap-1.5 text-ink-2">
      Priority
      <input
        ref={field}
        key={priority}
        type="number"
        aria-label={`Priority of job ${id}`}
        defaultValue={priority}
        min={limit('priorityMin')}
        max={limit('priorityMax')}
        step={1}
        onBlur={send}
        onKeyDown={({ key }) => key === 'Enter' && send()}
        className="h-7 w-16 rounded-control border border-line-strong/60 bg-surface-1 px-1.5 text-right text-ink tabular-nums"
      />
    </label>
  )
}
