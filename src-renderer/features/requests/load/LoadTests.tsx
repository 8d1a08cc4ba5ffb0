import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useCallback } from 'react'
import { useSearchParams } from 'wouter'
import type { LiveEndpoint } from '../../../../src-main/contract/live.ts'
import type { LoadTest } from '../../../../src-main/contract/load-tests.ts'
import { useApp } from '../../../store/app-context.ts'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { ErrorNotice } from '../../../ui/ErrorNotice.tsx'
import { SkeletonRows } from '../../../ui/Skeleton.tsx'
import { loadTestsQuery } from '../request-queries.ts'
import { ComparedLoadTests } from './ComparedLoadTests.tsx'
import { LoadTestForm } from './LoadTestForm.tsx'
import { LoadTestList } from './LoadTestList.tsx'
import { LoadTestView } from './LoadTestView.tsx'

/** The load tests of an endpoint. `choice` stands first in the strip. */
export type LoadTestsProps = { readonly endpoint: LiveEndpoint; readonly choice: ReactNode }

/** A form for the next test, the one that is shown, two beside each other, and all that are kept. */
export function LoadTests({ endpoint, choice }: LoadTestsProps) {
  const { client } = useApp()
  const [search, setSearch] = useSearchParams()
  const { data, error } = useQuery(loadTestsQuery(client, endpoint.id))
  const tests = data?.loadTests ?? []
  const shown = tests.find(({ id }) => id === search.get('test')) ?? tests[0]
  const other = tests.find(({ id }) => id === search.get('with') && id !== shown?.id)
  const show = useCallback((id: string) => setSearch({ view: 'load', test: id }), [setSearch])
  const compare = useCallback(
    (id: string | undefined) =>
      setSearch({ view: 'load', ...(shown && { test: shown.id }), ...(id !== undefined && { with: id }) }),
    [setSearch, shown],
  )
  return (
    <>
      <div>{choice}</div>
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(300px,2fr)_3fr]">
        <LoadTestForm endpoint={endpoint} onStarted={(test: LoadTest) => show(test.id)} />
        {error !== null && <ErrorNotice error={error} />}
        {data === undefined && error === null && <SkeletonRows rows={6} />}
        {data !== undefined && shown === undefined && (
          <div className="rounded-control border border-line border-dashed">
            <EmptyState>
              No load test of this endpoint was made yet. The service sends the requests itself, so that the browser
              does not slow them down.
            </EmptyState>
          </div>
        )}
        {shown !== undefined && other === undefined && (
          <LoadTestView key={shown.id} test={shown} waitingReason={endpoint.waitingReason} />
        )}
        {shown !== undefined && other !== undefined && (
          <ComparedLoadTests one={shown} other={other} onClose={() => compare(undefined)} />
        )}
      </div>
      {tests.length > 0 && (
        <LoadTestList tests={tests} shownId={shown?.id} otherId={other?.id} onShow={show} onCompare={compare} />
      )}
    </>
  )
}
