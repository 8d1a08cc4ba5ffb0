import { useInfiniteQuery } from '@tanstack/react-query'
import clsx from 'clsx'
import { Columns2 } from 'lucide-react'
import { useMemo } from 'react'
import { useLocation } from 'wouter'
import type { ComparisonRow, ComparisonView, Difference } from '../../../../src-main/contract/compare.ts'
import { summaryOf } from '../../../../src-main/features/comparisons/rules/plan.ts'
import { counted } from '../../../../src-main/lib/text.ts'
import { ADDRESS } from '../../../addresses.ts'
import { useApp } from '../../../store/app-context.ts'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { PickOne } from '../../../ui/form/Select.tsx'
import { asSentence, duration } from '../../../ui/format.ts'
import { ErrorNotice } from '../../../ui/PageStates.tsx'
import { StateDot, type StateDotProps } from '../../../ui/StateDot.tsx'
import { type Column, Table } from '../../../ui/table/Table.tsx'
import { useSearchParts } from '../../../ui/use-address.ts'
import { CutName, Nothing } from '../../../ui/Values.tsx'
import { comparisonRowsQuery } from './comparison-queries.ts'

const OUTCOMES: Readonly<Record<ComparisonRow['outcome'], StateDotProps>> = {
  same: { tone: 'completed', text: 'Same' },
  differs: { tone: 'failed', text: 'Differs' },
  failed: { tone: 'cancelled', text: 'Not compared' },
}

const idOf = ({ item, version }: Pick<ComparisonRow, 'item' | 'version'>) => `${item}.${version}`

export function ComparisonRows({ comparison }: { readonly comparison: ComparisonView }) {
  const { client } = useApp()
  const [search, setParts] = useSearchParts()
  const version = Number(search.get('version') ?? Number.NaN)
  const only = Number.isInteger(version) && version in comparison.versions ? version : undefined
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(
    comparisonRowsQuery(client, comparison, only),
  )
  const rows = useMemo(() => data?.pages.flatMap((page) => page.rows) ?? [], [data])
  const chosen = rows.find((row) => idOf(row) === search.get('row')) ?? rows.find(({ outcome }) => outcome !== 'same')
  const chosenId = chosen && idOf(chosen)
  const columns = useMemo(() => columnsOf(comparison, chosenId), [comparison, chosenId])
  return (
    <>
      <Card
        title="Inputs, the largest difference first"
        aside={
          <PickOne
            label="Version"
            any="All versions"
            value={only === undefined ? undefined : String(only)}
            choices={comparison.versions.flatMap(({ name }, at) => (at === 0 ? [] : [[String(at), name] as const]))}
            onChange={(version) => setParts({ version })}
          />
        }
      >
        {error !== null && <ErrorNotice error={error} />}
        {data !== undefined && rows.length === 0 && <p className="p-3 text-ink-2">No inputs compared yet.</p>}
        {rows.length > 0 && (
          <Table
            label="Inputs"
            columns={columns}
            rows={rows}
            rowId={idOf}
            onOpen={(row) => setParts({ row: idOf(row) })}
            className="max-h-96"
          />
        )}
        {hasNextPage && (
          <Button className="m-2 self-center" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show more
          </Button>
        )}
      </Card>
      {chosen !== undefined && <ChosenRow comparison={comparison} row={chosen} />}
    </>
  )
}

function columnsOf({ versions }: ComparisonView, chosenId: string | undefined): readonly Column<ComparisonRow>[] {
  return [
    {
      id: 'source',
      header: 'Input',
      width: 170,
      grow: 1,
      cell: (row) => (
        <span className={clsx('flex', idOf(row) === chosenId && 'font-medium')} aria-current={idOf(row) === chosenId}>
          <CutName name={row.source} />
        </span>
      ),
    },
    { id: 'version', header: 'Version', width: 130, grow: 1, cell: ({ version }) => versions[version]?.name },
    { id: 'outcome', header: 'Result', width: 120, cell: ({ outcome }) => <StateDot {...OUTCOMES[outcome]} /> },
    {
      id: 'what',
      header: 'Difference',
      width: 220,
      grow: 3,
      cell: (row) => <span title={whatOf(row)}>{whatOf(row)}</span>,
    },
    {
      id: 'times',
      header: 'Time (reference)',
      width: 150,
      align: 'right',
      cell: ({ ms, referenceMs }) =>
        ms === undefined ? <Nothing /> : `${duration(ms)} (${referenceMs === undefined ? '–' : duration(referenceMs)})`,
    },
  ]
}

function whatOf(row: ComparisonRow): string {
  if (row.reason !== undefined) return asSentence(row.reason)
  const path = row.differences[0]?.path ?? ''
  return `${path === '' ? '' : `${path}: `}${summaryOf(row)}`
}

type ChosenRowProps = { readonly comparison: ComparisonView; readonly row: ComparisonRow }

function ChosenRow({ comparison: { versions }, row }: ChosenRowProps) {
  const [, go] = useLocation()
  const { source, version, reason, differences, count, jobId, referenceJobId } = row
  return (
    <Card
      title={`${source} on ${versions[version]?.name}`}
      aside={
        jobId !== undefined &&
        referenceJobId !== undefined && (
          <Button onClick={() => go(ADDRESS.comparedJobs(referenceJobId, jobId))}>
            <Columns2 aria-hidden /> Side by side
          </Button>
        )
      }
    >
      {reason !== undefined && <p className="p-3">{asSentence(reason)}</p>}
      {reason === undefined && differences.length === 0 && <p className="p-3 text-ink-2">No difference.</p>}
      <ul aria-label="Differences">
        {differences.map((one) => (
          <DifferenceItem key={`${one.path} ${one.kind}`} difference={one} />
        ))}
      </ul>
      {count > differences.length && (
        <p className="p-3 text-ink-2">{counted(count - differences.length, 'smaller difference')} not shown.</p>
      )}
    </Card>
  )
}

const KINDS: Readonly<Record<Difference['kind'], string>> = {
  state: 'State',
  missing: 'Missing',
  added: 'Added',
  value: 'Value',
  text: 'Text',
  picture: 'Picture',
  time: 'Time',
}

function DifferenceItem({ difference: { path, kind, text } }: { readonly difference: Difference }) {
  return (
    <li className="flex flex-wrap gap-x-3 gap-y-1 border-b border-line px-3 py-1.5 last:border-b-0">
      <span className="w-16 shrink-0 text-ink-2">{KINDS[kind]}</span>
      <code className="w-48 shrink-0 break-all font-mono text-small">{path === '' ? 'whole output' : path}</code>
      <pre className="max-h-60 min-w-0 flex-1 basis-72 overflow-auto whitespace-pre-wrap break-words font-mono text-small">
        {text}
      </pre>
    </li>
  )
}
