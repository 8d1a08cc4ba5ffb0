import { useMemo } from 'react'
import { Link } from 'wouter'
import type { JobHistoryEntry } from '../../../../src-main/contract/management.ts'
import { ADDRESS } from '../../../addresses.ts'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { exactTime } from '../../../ui/format.ts'
import { StateDot } from '../../../ui/StateDot.tsx'
import type { Column } from '../../../ui/table/column.ts'
import { Table } from '../../../ui/table/Table.tsx'
import { Duration, Nothing } from '../../../ui/Values.tsx'
import { type Attempt, attemptsOf, stepWords } from './lay-timeline.ts'
import { toneOf } from './step-tone.ts'

const COLUMNS: readonly Column<Attempt>[] = [
  { id: 'number', header: 'Attempt', width: 72, cell: ({ number }) => number },
  {
    id: 'worker',
    header: 'Worker',
    width: 150,
    cell: ({ workerId }) =>
      workerId === undefined ? (
        <Nothing />
      ) : (
        <Link to={ADDRESS.worker(workerId)} className="font-mono text-small hover:underline">
          {workerId}
        </Link>
      ),
  },
  { id: 'from', header: 'Taken', width: 190, cell: ({ from }) => exactTime(from) },
  {
    id: 'ran',
    header: 'Ran',
    width: 80,
    align: 'right',
    cell: ({ from, to }) => <Duration ms={to === undefined ? undefined : to - from} />,
  },
  {
    id: 'end',
    header: 'End',
    width: 220,
    grow: 1,
    cell: ({ end }) =>
      end === undefined ? (
        <StateDot tone="running" word="Running" pulses />
      ) : (
        <StateDot tone={toneOf(end)} word={stepWords(end)} detail={end.reason} />
      ),
  },
]

const idOf = ({ number }: Attempt) => String(number)

/** Each time that a worker had the job. */
export function AttemptsTab({ history }: { readonly history: readonly JobHistoryEntry[] }) {
  const attempts = useMemo(() => attemptsOf(history).toReversed(), [history])
  if (attempts.length === 0) return <EmptyState>No worker has taken this job yet.</EmptyState>
  return (
    <Table
      label="Attempts"
      columns={COLUMNS}
      rows={attempts}
      rowId={idOf}
      className="rounded-control border border-line bg-surface-1"
    />
  )
}
