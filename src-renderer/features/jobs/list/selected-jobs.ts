import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useStore } from 'zustand'
import { JOB_STATES, type JobListItem, type JobState } from '../../../../src-main/contract/job.ts'
import type { BulkAction, CancelledJobs } from '../../../../src-main/contract/job-routes.ts'
import { isExpired } from '../../../../src-main/features/jobs/rules/job-record.ts'
import { isFinal, TRANSITIONS } from '../../../../src-main/features/jobs/rules/transitions.ts'
import { read } from '../../../browser/read.ts'
import { useApp } from '../../../store/app-context.ts'
import type { GridSelection } from '../../../ui/table/column.ts'
import { useTell } from '../../../ui/use-tell.ts'
import { bodyOf, type JobListFilter, queryOf } from './job-list-filter.ts'
import type { JobWindow } from './job-window.ts'
import { tellPendingBulk, UNDO_MS } from './undo-bulk.ts'

export type Bulk = {
  readonly count: number | undefined
  readonly run: () => Promise<void>
  readonly named: () => CancelledJobs
}

export function useBulk({
  list,
  selected,
  onDone,
}: {
  readonly list: JobWindow
  readonly selected: Selected
  readonly onDone: () => void
}): Readonly<Record<BulkAction, Bulk>> & { readonly busy: BulkAction | undefined } {
  const services = useApp()
  const { client, platform } = services
  const { attempt } = useTell()
  const [busy, setBusy] = useState<BulkAction>()
  const rows = useStore(list, (state) => state.rows)
  const all = {
    retry: useCountOf('retry', list, selected),
    cancel: useCountOf('cancel', list, selected),
    rerun: useCountOf('rerun', list, selected),
  }
  const idsFor = (action: BulkAction) =>
    selected.kind === 'all'
      ? []
      : [...selected.jobs.values()]
          .filter((job) => isMeant(action, rows.get(job.id) ?? job, platform.now()))
          .map(({ id }) => id)

  const name = (action: BulkAction, ids: readonly string[]): CancelledJobs => {
    if (selected.kind !== 'all') return { ids: [...ids] }
    const { cursor, countedAt } = list.getState()
    const filter = bodyOf(list.filter, statesFor(action, list.filter), cursor, countedAt)
    return { filter: { ...filter, ...expiredFor(action) } }
  }
  const run = async (action: BulkAction, ids: readonly string[], count: number | undefined) => {
    setBusy(action)
    await attempt(async () => {
      const body = { action, ...name(action, ids), delayMs: UNDO_MS }
      const pending = await client.call('pendingBulkCreate', { body })
      const onEnd = () => (selected.kind === 'all' ? void list.begin() : list.readAgain(ids))
      tellPendingBulk(services, { pending, count, onEnd })
      onDone()
    })
    setBusy(undefined)
  }

  const bulk = (action: BulkAction): Bulk => {
    const ids = idsFor(action)
    const count = selected.kind === 'all' ? all[action] : ids.length
    return { count, run: () => run(action, ids, count), named: () => name(action, ids) }
  }
  return { retry: bulk('retry'), cancel: bulk('cancel'), rerun: bulk('rerun'), busy }
}

const from = (action: BulkAction): readonly JobState[] =>
  action === 'rerun' ? JOB_STATES.filter(isFinal) : TRANSITIONS[action].from

const expiredFor = (action: BulkAction) => (action === 'rerun' ? {} : { expired: false })

function isMeant(action: BulkAction, job: JobListItem, now: number): boolean {
  return from(action).includes(job.status) && (action === 'rerun' || !isExpired(job, now))
}

function statesFor(action: BulkAction, { states }: JobListFilter): readonly JobState[] {
  return JOB_STATES.filter((state) => from(action).includes(state) && (states.length === 0 || states.includes(state)))
}

function useCountOf(action: BulkAction, list: JobWindow, selected: Selected): number | undefined {
  const { client } = useApp()
  const { cursor, countedAt } = useStore(list)
  const states = statesFor(action, list.filter)
  const expired = action === 'rerun' ? undefined : 'false'
  const query = { ...queryOf(list.filter, countedAt), status: states.join(','), cursor, expired }
  const { data } = useQuery({
    ...read(client, ['job-count', query], 'jobCount', { query }),
    enabled: selected.kind === 'all' && states.length > 0,
  })
  return states.length === 0 ? 0 : data?.count
}

export type Selected =
  | { readonly kind: 'all' }
  | { readonly kind: 'jobs'; readonly jobs: ReadonlyMap<string, JobListItem> }

const NONE: Selected = { kind: 'jobs', jobs: new Map() }

export function isNothing(selected: Selected): boolean {
  return selected.kind === 'jobs' && selected.jobs.size === 0
}

export function useSelection(rowAt: (index: number) => JobListItem | undefined) {
  const [selected, setSelected] = useState<Selected>(NONE)
  const from = useRef(0)

  const clear = () => setSelected((before) => (isNothing(before) ? before : NONE))
  const select = (index: number, how: 'toggle' | 'to') => {
    const [low, high] = how === 'to' ? [Math.min(from.current, index), Math.max(from.current, index)] : [index, index]
    if (how === 'toggle') from.current = index
    const rows = Array.from({ length: high - low + 1 }, (_row, at) => rowAt(low + at)).filter(
      (row) => row !== undefined,
    )
    setSelected((before) => selectedAfter(before, rows, how))
  }

  const selection: GridSelection<JobListItem> = {
    isSelected: ({ id }) => selected.kind === 'all' || selected.jobs.has(id),
    all: selected.kind === 'all' ? 'all' : selected.jobs.size > 0 ? 'some' : 'none',
    onSelect: select,
    onSelectAll: () => setSelected({ kind: 'all' }),
    onClear: clear,
    nameOf: ({ id }) => `Select job ${id}`,
  }
  return { selected, selection, clear }
}

// A click after "all" starts a new selection, because "all but one" cannot be expressed.
function selectedAfter(before: Selected, rows: readonly JobListItem[], how: 'toggle' | 'to'): Selected {
  const jobs = new Map(before.kind === 'all' ? [] : before.jobs)
  for (const row of rows) {
    if (how === 'toggle' && jobs.has(row.id)) jobs.delete(row.id)
    else jobs.set(row.id, row)
  }
  return { kind: 'jobs', jobs }
}
