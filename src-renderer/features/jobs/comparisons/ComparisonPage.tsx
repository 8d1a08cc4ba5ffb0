import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Square, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { ComparisonView } from '../../../../src-main/contract/compare.ts'
import { endedJobs, progressOf, waitsOf } from '../../../../src-main/features/comparisons/rules/plan.ts'
import { counted } from '../../../../src-main/lib/text.ts'
import { ADDRESS } from '../../../addresses.ts'
import { useApp, useAppState } from '../../../store/app-context.ts'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { Confirm } from '../../../ui/Dialog.tsx'
import { OtherJobsNote, useCancelQuestion } from '../../../ui/jobs/CancelQuestion.tsx'
import { NameLink } from '../../../ui/Links.tsx'
import { Page } from '../../../ui/Page.tsx'
import { QueryState, Said } from '../../../ui/PageStates.tsx'
import { StateDot } from '../../../ui/StateDot.tsx'
import { type Column, Table } from '../../../ui/table/Table.tsx'
import { useWhyNot } from '../../../ui/use-role.ts'
import { useTell } from '../../../ui/use-tell.ts'
import { Duration, Nothing, ProgressBar } from '../../../ui/Values.tsx'
import { ComparisonRows } from './ComparisonRows.tsx'
import { comparisonQuery, stateOf } from './comparison-queries.ts'

export function ComparisonPage({ comparisonId }: { readonly comparisonId: string }) {
  const { client } = useApp()
  const { data, error } = useQuery(comparisonQuery(client, comparisonId))
  const crumbs = [
    { name: 'Jobs', to: ADDRESS.jobs },
    { name: 'Comparisons', to: ADDRESS.comparisons },
    { name: data?.name ?? comparisonId },
  ]
  return (
    <Page
      crumbs={crumbs}
      state={data !== undefined && <StateDot {...stateOf(data)} detail={undefined} />}
      actions={data !== undefined && <Actions comparison={data} />}
    >
      <QueryState data={data} error={error} rows={8} />
      {data !== undefined && (
        <>
          <Verdict comparison={data} />
          <Card title="Versions">
            <Table
              label="Versions"
              columns={columnsOf(data)}
              rows={data.versions.map((version, at) => ({ ...version, at: String(at) }))}
              rowId={({ at }) => at}
            />
          </Card>
          <ComparisonRows comparison={data} />
        </>
      )}
    </Page>
  )
}

function Verdict({ comparison }: { readonly comparison: ComparisonView }) {
  const { verdict, items, mode, versions } = comparison
  const waits = useAppState(({ live }) => waitsOf(comparison, (id) => live.endpoints[id]?.waitingReason).join('\n'))
  if (verdict !== undefined) return <p className="text-section">{verdict.text}</p>
  return (
    <div className="flex flex-col gap-1">
      {mode === 'compare' && (
        <ProgressBar value={endedJobs(comparison)} max={items * versions.length} label="Jobs that have ended" />
      )}
      <p role="status">{progressOf(comparison)}</p>
      {waits !== '' && (
        <p className="whitespace-pre-line break-words text-ink-2">
          <Said text={waits} />
        </p>
      )}
    </div>
  )
}

type NumberedVersion = ComparisonView['versions'][number] & { readonly at: string }

// The reference version is compared with nothing and has no rows.
const countOf = (one: NumberedVersion, outcome: 'same' | 'differs' | 'failed') =>
  one.at === '0' ? <Nothing /> : one[outcome].toLocaleString('en')

function columnsOf({ mode, rounds, verdict }: ComparisonView): readonly Column<NumberedVersion>[] {
  const roleOf = ({ at }: NumberedVersion) => {
    if (at === '0') return 'Reference'
    if (Number(at) === verdict?.firstDiffering) return 'First that differs'
    const round = rounds.indexOf(Number(at))
    return mode === 'bisect' ? (round === -1 ? 'Not run' : `Run in round ${round + 1}`) : ''
  }
  return [
    { id: 'at', header: '', width: 36, cell: ({ at }) => Number(at) + 1 },
    {
      id: 'name',
      header: 'Version',
      width: 160,
      grow: 2,
      cell: ({ name, endpoint, copy }) => <NameLink to={ADDRESS.endpoint(copy ?? endpoint)}>{name}</NameLink>,
    },
    { id: 'role', header: '', width: 210, grow: 1, cell: (one) => <span className="text-ink-2">{roleOf(one)}</span> },
    { id: 'same', header: 'Same', width: 70, align: 'right', cell: (one) => countOf(one, 'same') },
    { id: 'differs', header: 'Differ', width: 70, align: 'right', cell: (one) => countOf(one, 'differs') },
    {
      id: 'failed',
      header: 'Not compared',
      width: 110,
      align: 'right',
      cell: (one) => countOf(one, 'failed'),
    },
    { id: 'p50', header: 'Time, p50', width: 90, align: 'right', cell: ({ p50Ms }) => <Duration ms={p50Ms} /> },
    { id: 'p95', header: 'p95', width: 90, align: 'right', cell: ({ p95Ms }) => <Duration ms={p95Ms} /> },
  ]
}

function Actions({ comparison: { id: comparisonId, name, state, versions } }: { readonly comparison: ComparisonView }) {
  const { client } = useApp()
  const { failed: onError } = useTell()
  const queries = useQueryClient()
  const [, go] = useLocation()
  const [asks, setAsks] = useState(false)
  const whyNot = useWhyNot('run', 'Stopping and deleting comparisons')
  const path = { comparisonId }
  const stop = useMutation({
    mutationFn: () => client.call('comparisonStop', { path }),
    onError,
    onSettled: () => queries.invalidateQueries({ queryKey: ['comparison', comparisonId] }),
  })
  const remove = useMutation({
    mutationFn: () => client.call('comparisonDelete', { path }),
    onError,
    async onSuccess() {
      go(ADDRESS.comparisons)
      await queries.invalidateQueries({ queryKey: ['comparisons'] })
    },
  })
  const stopping = useCancelQuestion({
    jobs: () => ({ comparison: comparisonId }),
    action: `Stop comparison ${name}`,
    run: () => stop.mutate(),
  })
  const copies = versions.filter(({ copy }) => copy !== undefined).length
  const isBusy = whyNot !== undefined || stop.isPending || remove.isPending
  return (
    <>
      {state === 'running' && (
        <Button disabled={isBusy} title={whyNot} onClick={() => void stopping.ask()}>
          <Square aria-hidden /> Stop
        </Button>
      )}
      <Button kind="danger" disabled={isBusy} title={whyNot} onClick={() => setAsks(true)}>
        <Trash2 aria-hidden /> Delete
      </Button>
      <Confirm
        open={asks}
        onOpenChange={setAsks}
        action={`Delete comparison ${name}`}
        onConfirm={() => remove.mutate()}
      >
        The result is deleted. Its jobs are kept
        {copies === 0 ? '.' : `, except those of the ${counted(copies, 'endpoint')} created for its images.`}
        {state === 'running' && <OtherJobsNote jobs={{ comparison: comparisonId }} />}
      </Confirm>
      {stopping.question}
    </>
  )
}
