import { Columns2 } from 'lucide-react'
import { useMemo } from 'react'
import type { LoadTest } from '../../../../src-main/contract/load-tests.ts'
import { Card } from '../../../ui/Card.tsx'
import { duration } from '../../../ui/format.ts'
import { IconButton } from '../../../ui/IconButton.tsx'
import type { Column } from '../../../ui/table/column.ts'
import { Table } from '../../../ui/table/Table.tsx'
import { Nothing, RelativeTime } from '../../../ui/Values.tsx'
import { FIGURES, planText } from './figures.ts'
import { LoadTestState } from './LoadTestView.tsx'

/** The load tests that are kept. */
export type LoadTestListProps = {
  readonly tests: readonly LoadTest[]
  readonly shownId: string | undefined
  readonly otherId: string | undefined
  readonly onShow: (id: string) => void
  readonly onCompare: (id: string) => void
}

const IN_LIST = ['Throughput', 'Failed', 'Latency p50', 'Latency p99']
const idOf = ({ id }: LoadTest) => id

/** All that are kept, newest first; each can be shown, or compared with the one that is shown. */
export function LoadTestList({ tests, shownId, otherId, onShow, onCompare }: LoadTestListProps) {
  const columns = useMemo(() => columnsOf({ shownId, otherId, onCompare }), [shownId, otherId, onCompare])
  return (
    <Card title="Load tests">
      <Table
        label="Load tests"
        columns={columns}
        rows={tests}
        rowId={idOf}
        onOpen={({ id }) => onShow(id)}
        className="max-h-96"
      />
    </Card>
  )
}

const columnsOf = ({
  shownId,
  otherId,
  onCompare,
}: Pick<LoadTestListProps, 'shownId' | 'otherId' | 'onCompare'>): readonly Column<LoadTest>[] => [
  { id: 'state', header: 'State', width: 110, cell: (test) => <LoadTestState test={test} /> },
  {
    id: 'plan',
    header: 'Requests',
    width: 220,
    grow: 1,
    cell: (test) => (
      <span className={test.id === shownId ? 'font-medium' : ''}>
        {planText(test)}
        {test.id === shownId && ' · shown'}
        {test.id === otherId && ' · compared'}
      </span>
    ),
  },
  { id: 'when', header: 'Started', width: 110, cell: ({ startedAt }) => <RelativeTime at={startedAt} /> },
  { id: 'took', header: 'Took', width: 90, align: 'right', cell: ({ result }) => duration(result.elapsedMs) },
  ...FIGURES.filter(({ name }) => IN_LIST.includes(name)).map(
    ({ name, of, write }): Column<LoadTest> => ({
      id: name,
      header: name,
      width: 100,
      align: 'right',
      cell: (test) => {
        const value = of(test)
        return value === undefined ? <Nothing /> : write(value)
      },
    }),
  ),
  {
    id: 'compare',
    header: '',
    width: 48,
    cell: ({ id }) => (
      <IconButton label="Compare with the one that is shown" disabled={id === shownId} onClick={() => onCompare(id)}>
        <Columns2 />
      </IconButton>
    ),
  },
]
