import { useMemo, useState } from 'react'
import type { LiveEndpoint } from '../../../../src-main/contract/live.ts'
import type { WhatIfAnswer, WhatIfRow } from '../../../../src-main/contract/what-if.ts'
import { scalerText } from '../../../../src-main/features/what-if/rules/scaler-text.ts'
import { fewJobsText, leftOutText, rowsToShow } from '../../../../src-main/features/what-if/rules/shown-rows.ts'
import { counted } from '../../../../src-main/lib/text.ts'
import { useApp } from '../../../store/app-context.ts'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { Chart } from '../../../ui/chart/Chart.tsx'
import { PointChart } from '../../../ui/chart/PointChart.tsx'
import { duration } from '../../../ui/format.ts'
import type { Column, TableSort } from '../../../ui/table/column.ts'
import { Table } from '../../../ui/table/Table.tsx'
import { costOf, settingText, updateOf } from './what-if-form.ts'

const whole = (value: number) => Math.round(value).toLocaleString('en')
const costText = (value: number) => (value >= 100 ? whole(value) : value.toPrecision(3))

export function WhatIfResult({ endpoint, answer }: { readonly endpoint: LiveEndpoint; readonly answer: WhatIfAnswer }) {
  const { rows, jobs, spanMs, measured, notes, currency } = answer
  const use = useSetting(endpoint)
  const [sort, setSort] = useState<TableSort>()
  const [showsAll, setShowsAll] = useState(false)
  const chosen = useMemo(() => rowsToShow(rows).flatMap((at) => rows[at] ?? []), [rows])
  const leftOut = rows.length - chosen.length
  const hasCost = rows.some(({ cost }) => cost !== undefined)
  const unit = hasCost ? `cost${currency === undefined ? '' : `, ${currency}`}` : 'worker-seconds'
  const columns = useMemo(() => columnsOf(hasCost, use), [hasCost, use])
  const points = useMemo(
    () =>
      rows.flatMap((row) =>
        row.waiting === undefined ? [] : [{ x: costOf(row), y: row.waiting.p95, of: kindOf(row) } as const],
      ),
    [rows],
  )
  const [present] = rows
  const best = rows.find(({ onFrontier, isPresent }) => onFrontier && !isPresent)
  return (
    <>
      <Card title={`${counted(jobs, 'job')} in ${duration(spanMs)}`}>
        <ul className="list-disc py-2 pr-3 pl-7 text-ink-2">
          <li>
            A job ran {duration(measured.executionMs.p50)} (p95 {duration(measured.executionMs.p95)}), a cold start took{' '}
            {duration(measured.coldStartMs.p50)} (p95 {duration(measured.coldStartMs.p95)}).
          </li>
          {notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
        {fewJobsText(jobs) === undefined && (
          <div className="grid grid-cols-1 border-t border-line lg:grid-cols-2">
            <PointChart
              title={`Waiting (p95) against ${unit}`}
              points={points}
              groups={GROUPS}
              formatX={costText}
              formatY={duration}
            />
            <CourseChart present={present} other={best} />
          </div>
        )}
      </Card>
      <Card title="Settings">
        {leftOut > 0 && (
          <div className="flex flex-wrap items-center justify-between gap-2 border-b border-line px-3 py-1.5 text-ink-2">
            <p>{showsAll ? `All ${rows.length} settings.` : leftOutText(leftOut)}</p>
            <Button onClick={() => setShowsAll(!showsAll)}>
              {showsAll ? 'Show the best settings' : `Show all ${rows.length} settings`}
            </Button>
          </div>
        )}
        <Table
          label="Settings"
          columns={columns}
          rows={showsAll ? rows : chosen}
          rowId={({ setting }) => settingText(setting)}
          sort={sort}
          onSort={setSort}
          className="max-h-96"
        />
      </Card>
    </>
  )
}

const GROUPS = [
  { name: 'frontier', tone: 'accent', joined: true },
  { name: 'other settings', tone: 'queued' },
  { name: 'current setting', tone: 'timed-out', large: true },
] as const

const kindOf = ({ isPresent, onFrontier }: WhatIfRow) =>
  isPresent ? 'current setting' : onFrontier ? 'frontier' : 'other settings'

function CourseChart({
  present,
  other,
}: {
  readonly present: WhatIfRow | undefined
  readonly other: WhatIfRow | undefined
}) {
  const course = present?.course
  const times = useMemo(() => course?.waiting.map((_count, at) => at * course.stepMs) ?? [], [course])
  const series = useMemo(
    () => [
      { name: 'now', tone: 'timed-out' as const, values: course?.waiting ?? [] },
      ...(other?.course === undefined
        ? []
        : [{ name: 'cheapest on the frontier', tone: 'accent' as const, values: other.course.waiting }]),
      { name: 'workers now', tone: 'completed' as const, values: course?.workers ?? [] },
    ],
    [course, other],
  )
  return (
    <Chart title="Waiting jobs, from the start" times={times} series={series} format={whole} elapsed group="what-if" />
  )
}

function columnsOf(hasCost: boolean, use: (row: WhatIfRow) => void): readonly Column<WhatIfRow>[] {
  const number = (
    id: string,
    header: string,
    read: (row: WhatIfRow) => number | undefined,
    write: (value: number) => string,
    width = 64,
  ): Column<WhatIfRow> => ({
    ...{ id, header, width, align: 'right', sortBy: read },
    cell: (row) => {
      const value = read(row)
      return value === undefined ? '–' : write(value)
    },
  })
  return [
    {
      id: 'which',
      header: '',
      width: 104,
      cell: ({ isPresent, onFrontier }) => [isPresent && 'now', onFrontier && 'frontier'].filter(Boolean).join(', '),
    },
    {
      ...{ id: 'workers', header: 'Workers', width: 76, sortBy: ({ setting }: WhatIfRow) => setting.workersMax },
      cell: ({ setting }) => `${setting.workersMin} to ${setting.workersMax}`,
    },
    number('idle', 'Idle', ({ setting }) => setting.idleTimeoutMs, duration),
    { id: 'scaler', header: 'Scaler', width: 136, grow: 1, cell: ({ setting }) => scalerText(setting.scaler) },
    number('p50', 'p50', ({ waiting }) => waiting?.p50, duration),
    number('p95', 'p95', ({ waiting }) => waiting?.p95, duration),
    number('p99', 'p99', ({ waiting }) => waiting?.p99, duration),
    number(
      'cold',
      'Cold',
      ({ coldShare }) => coldShare * 100,
      (value) => `${value.toFixed(1)} %`,
      70,
    ),
    number('seconds', 'Worker s', ({ workerSeconds }) => workerSeconds, whole, 76),
    ...(hasCost ? [number('cost', 'Cost', ({ cost }) => cost, costText)] : []),
    number('unserved', 'Unserved', ({ unserved }) => unserved, whole, 76),
    {
      ...{ id: 'use', header: '', width: 68 },
      cell: (row) =>
        row.isPresent ? null : (
          <Button aria-label={`Use this: ${settingText(row.setting)}`} onClick={() => use(row)}>
            Use
          </Button>
        ),
    },
  ]
}

function useSetting(endpoint: LiveEndpoint): (row: WhatIfRow) => void {
  const { client, store } = useApp()
  return useMemo(() => {
    const { patchEndpoint, notify } = store.getState()
    const path = { endpointId: endpoint.id }
    const write = async (setting: WhatIfRow['setting']) => {
      const { warning: _warning, ...stored } = await client.call('endpointUpdate', { path, body: updateOf(setting) })
      patchEndpoint(endpoint.id, stored)
    }
    const refuse = (error: unknown) => void notify({ kind: 'error', text: (error as Error).message })
    return ({ setting }) => {
      const { workersMin, workersMax, idleTimeoutMs, concurrency, scaler } = endpoint
      const before = { workersMin, workersMax, idleTimeoutMs, concurrency, scaler }
      const undo = () => void write(before).catch(refuse)
      write(setting).then(
        () => notify({ kind: 'done', text: `${endpoint.name} now has ${settingText(setting)}.`, undo }),
        refuse,
      )
    }
  }, [client, store, endpoint])
}
