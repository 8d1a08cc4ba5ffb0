import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { ComparisonView } from '../../../../src-main/contract/compare.ts'
import { progressOf } from '../../../../src-main/features/comparisons/rules/plan.ts'
import type { ApiClient } from '../../../api-client/client.ts'
import { read } from '../../../browser/read.ts'
import type { StateDotProps } from '../../../ui/StateDot.tsx'

// Comparisons are polled, because only their jobs emit events.
const RUNNING_MS = 1000

const everySecond = (isRunning: boolean | undefined) => (isRunning ? RUNNING_MS : false)

export const comparisonsQuery = (client: ApiClient) =>
  queryOptions({
    ...read(client, ['comparisons'], 'comparisonList'),
    refetchInterval: ({ state: { data } }) => everySecond(data?.comparisons.some(({ state }) => state === 'running')),
  })

export const comparisonQuery = (client: ApiClient, comparisonId: string) =>
  queryOptions({
    ...read(client, ['comparison', comparisonId], 'comparisonRead', { path: { comparisonId } }),
    refetchInterval: ({ state: { data } }) => everySecond(data?.state === 'running'),
  })

const ROWS_A_PAGE = 50

/**
 * Worst first, page by page.
 * @param version index of the only wanted one
 */
export const comparisonRowsQuery = (client: ApiClient, comparison: ComparisonView, version: number | undefined) =>
  infiniteQueryOptions({
    // The state is part of the key, so that everything is reread after the end.
    queryKey: ['comparison-rows', comparison.id, version, comparison.state],
    placeholderData: keepPreviousData,
    queryFn: ({ pageParam: offset, signal }) =>
      client.call('comparisonRows', {
        path: { comparisonId: comparison.id },
        query: { version, offset, limit: ROWS_A_PAGE },
        signal,
      }),
    initialPageParam: 0,
    getNextPageParam: ({ more }, pages) => (more ? pages.length * ROWS_A_PAGE : undefined),
    refetchInterval: everySecond(comparison.state === 'running'),
  })

const RESULTS = {
  same: { tone: 'completed', text: 'Same' },
  differs: { tone: 'failed', text: 'Differs' },
  incomplete: { tone: 'cancelled', text: 'Incomplete' },
} as const satisfies Record<NonNullable<ComparisonView['verdict']>['result'], StateDotProps>

export function stateOf(comparison: ComparisonView): StateDotProps {
  const { verdict } = comparison
  if (verdict !== undefined) return RESULTS[verdict.result]
  return { tone: 'running', text: 'Running', pulses: true, detail: progressOf(comparison) }
}
