import { useQuery } from '@tanstack/react-query'
import { Columns2, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { useSearchParams } from 'wouter'
import type { LiveEndpoint } from '../../../../src-main/contract/live.ts'
import type { LoadTest } from '../../../../src-main/contract/requests.ts'
import { useApp } from '../../../store/app-context.ts'
import { IconButton } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { duration } from '../../../ui/format.ts'
import { EmptyState, QueryState } from '../../../ui/PageStates.tsx'
import { type Column, Table } from '../../../ui/table/Table.tsx'
import { Nothing, RelativeTime } from '../../../ui/Values.tsx'
import { loadTestsQuery } from '../request-queries.ts'
import { LoadTestForm } from './LoadTestForm.tsx'
import { LoadTestState, LoadTestView } from './LoadTestView.tsx'
import { SpansHistogram } from './SpansHistogram.tsx'
import { difference, planText, STATS, type Stat } from './stats.ts'

export function LoadTests({ endpoint, choice }: { readonly endpoint: LiveEndpoint; readonly choice: ReactNode }) {
  const { client } = useApp()
  const [search, setSearch] = useSearchParams()
  const { data, error } = useQuery(loadTestsQuery(client, endpoint.id))
  const tests = data?.loadTests ?? []
  const shown = tests.find(({ id }) => id === search.get('test')) ?? tests[0]
  const other = tests.find(({ id }) => id === search.get('with') && id !== shown?.id)
  const show = (id: string) => setSearch({ view: 'load', test: id })
  const compare = (id: string | undefined) =>
    setSearch({ view: 'load', ...(shown && { test: shown.id }), ...(id !== undefined && { with: id }) })
  return (
    <>
      <div>{choice}</div>
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(300px,2fr)_3fr]">
        <LoadTestForm endpoint={endpoint} onStarted={(test: LoadTest) => show(test.id)} />
        <QueryState data={data} error={error} rows={6} />
        {data !== undefined && shown === undefined && (
          <EmptyState isFramed>
            There are no load tests of this endpoint yet. The service itself sends the requests, so that the browser
            does not slow them down.
          </EmptyState>
        )}
        {shown !== undefined && other === undefined && (
          <LoadTestView key={shown.id} test={shown} waitingReason={endpoint.waitingReason} />
        )}
        {shown !== undefined && other !== undefined && (
          <ComparedLoadTests one={shown} other={other} onClose={() => compare(undefined)} />
        )}
      </div>
      {tests.length > 0 && (
        <Card title="Load tests">
          <Table
            label="Load tests"
            columns={columnsOf(shown?.id, other?.id, compare)}
            rows={tests}
            onOpen={({ id }) => show(id)}
            className="max-h-96"
          />
        </Card>
      )}
    </>
  )
}

const IN_LIST = ['Throughput', 'Failed', 'Latency p50', 'Latency p99']
const columnsOf = (
  shownId: string | undefined,
  otherId: string | undefined,
  onCompare: (id: string) => void,
): readonly Column<LoadTest>[] => [
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
  ...STATS.filter(({ name }) => IN_LIST.includes(name)).map(
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
      <IconButton label="Compare with the one shown" disabled={id === shownId} onClick={() => onCompare(id)}>
        <Columns2 />
      </IconButton>
    ),
  },
]

type ComparedLoadTestsProps = {
  readonly one: LoadTest
  readonly other: LoadTest
  readonly onClose: () => void
}

// Smaller differences between load tests are just measurement noise.
const SAME_WITHIN_PERCENT = 5

function ComparedLoadTests({ one, other, onClose }: ComparedLoadTestsProps) {
  return (
    <Card
      title="Compared"
      aside={
        <IconButton label="Close the comparison" onClick={onClose}>
          <X />
        </IconButton>
      }
      className="min-w-0"
    >
      <SpansHistogram
        shown={[
          { name: 'A', result: one.result },
          { name: 'B', result: other.result },
        ]}
      />
      <div className="overflow-x-auto">
        <table className="w-full" aria-label="Differences of two load tests">
          <thead className="text-left text-small text-ink-2">
            <tr className="border-b border-line">
              <th scope="col" className="px-3 py-1 font-normal">
                Metric
              </th>
              <Head name="A" test={one} />
              <Head name="B" test={other} />
              <th scope="col" className="px-3 py-1 text-right font-normal">
                A against B
              </th>
            </tr>
          </thead>
          <tbody>
            {STATS.map((stat) => (
              <Row key={stat.name} stat={stat} one={one} other={other} />
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  )
}

function Head({ name, test }: { readonly name: string; readonly test: LoadTest }) {
  return (
    <th scope="col" className="px-3 py-1 text-right font-normal">
      <span className="font-medium text-ink">{name}</span> {planText(test)}, <RelativeTime at={test.startedAt} />
    </th>
  )
}

function Row({ stat, one, other }: { readonly stat: Stat; readonly one: LoadTest; readonly other: LoadTest }) {
  const values = [stat.of(one), stat.of(other)] as const
  return (
    <tr className="h-8 border-b border-line/60">
      <th scope="row" className="px-3 text-left font-normal whitespace-nowrap">
        {stat.name}
      </th>
      {values.map((value, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: A and B
        <td key={at} className="px-3 text-right">
          {value === undefined ? <Nothing /> : stat.write(value)}
        </td>
      ))}
      <td className="px-3 text-right whitespace-nowrap">
        <Difference stat={stat} values={values} />
      </td>
    </tr>
  )
}

function Difference({
  stat,
  values: [value, before],
}: {
  readonly stat: Stat
  readonly values: readonly [number | undefined, number | undefined]
}) {
  const percent = difference(value, before)
  if (percent === undefined) return <Nothing />
  if (Math.abs(percent) < SAME_WITHIN_PERCENT) return <span className="text-ink-2">about the same</span>
  const text = `${percent > 0 ? '+' : '−'}${Math.round(Math.abs(percent)).toLocaleString('en')} %`
  if (stat.better === 'neither') return <span className="text-ink-2">{text}</span>
  const isBetter = percent > 0 === (stat.better === 'more')
  return <span className={isBetter ? 'text-completed' : 'text-failed-ink'}>{text}</span>
}
