import { useQuery } from '@tanstack/react-query'
import { GitCompareArrows } from 'lucide-react'
import type { ReactNode } from 'react'
import { useLocation, useSearchParams } from 'wouter'
import type { ComparisonView } from '../../../../src-main/contract/compare.ts'
import { ADDRESS } from '../../../addresses.ts'
import { useApp } from '../../../store/app-context.ts'
import { Button } from '../../../ui/Button.tsx'
import { NameLink } from '../../../ui/Links.tsx'
import { Page } from '../../../ui/Page.tsx'
import { EmptyState, QueryState } from '../../../ui/PageStates.tsx'
import { StateDot } from '../../../ui/StateDot.tsx'
import { type Column, Table } from '../../../ui/table/Table.tsx'
import { useWhyNot } from '../../../ui/use-role.ts'
import { RelativeTime } from '../../../ui/Values.tsx'
import { comparisonsQuery, stateOf } from './comparison-queries.ts'
import { NewComparison } from './NewComparison.tsx'

const CRUMBS = [{ name: 'Jobs', to: ADDRESS.jobs }, { name: 'Comparisons' }]

const COLUMNS: readonly Column<ComparisonView>[] = [
  {
    id: 'name',
    header: 'Comparison',
    width: 180,
    grow: 2,
    cell: ({ id, name }) => <NameLink to={ADDRESS.comparison(id)}>{name}</NameLink>,
  },
  { id: 'mode', header: 'Kind', width: 90, cell: ({ mode }) => (mode === 'bisect' ? 'Bisection' : 'All') },
  { id: 'state', header: 'Result', width: 220, grow: 1, cell: (one) => <StateDot {...stateOf(one)} /> },
  { id: 'items', header: 'Inputs', width: 80, align: 'right', cell: ({ items }) => items.toLocaleString('en') },
  { id: 'versions', header: 'Versions', width: 80, align: 'right', cell: ({ versions }) => versions.length },
  { id: 'created', header: 'Started', width: 110, cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
]

export function ComparisonListPage({ tabs }: { readonly tabs: ReactNode }) {
  const { client } = useApp()
  const [, go] = useLocation()
  const [search] = useSearchParams()
  const { data, error } = useQuery(comparisonsQuery(client))
  const whyNot = useWhyNot('run', 'Starting a comparison')
  const start = () => go(ADDRESS.newComparison())
  const command = { id: 'new-comparison', group: 'Comparisons', label: 'New comparison', keys: 'n', run: start }
  const button = (
    <Button kind="main" disabled={whyNot !== undefined} title={whyNot} onClick={start}>
      <GitCompareArrows aria-hidden /> New comparison
    </Button>
  )
  return (
    <Page crumbs={CRUMBS} tabs={tabs} actions={button} commands={whyNot === undefined ? [command] : []}>
      <QueryState data={data} error={error} rows={4} />
      {data?.comparisons.length === 0 && (
        <EmptyState icon={<GitCompareArrows />} command="drydock compare old new --endpoint old --since 24h">
          There are no comparisons yet. A comparison runs the same inputs on several versions of an endpoint and lists
          the differences between their outputs, the largest first.
        </EmptyState>
      )}
      {data !== undefined && data.comparisons.length > 0 && (
        <Table
          label="Comparisons"
          columns={COLUMNS}
          rows={data.comparisons}
          onOpen={({ id }) => go(ADDRESS.comparison(id))}
          className="rounded-control border border-line bg-surface-1"
        />
      )}
      {search.has('new') && whyNot === undefined && <NewComparison onClose={() => go(ADDRESS.comparisons)} />}
    </Page>
  )
}
