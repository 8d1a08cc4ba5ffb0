import { useQuery } from '@tanstack/react-query'
import { RefreshCw } from 'lucide-react'
import { useMemo } from 'react'
import type { DoctorRow } from '../../../../src-main/contract/system.ts'
import { doctorQuery } from '../../../api-client/system-queries.ts'
import { useApp } from '../../../store/app-context.ts'
import type { Command } from '../../../store/commands-slice.ts'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { ErrorNotice } from '../../../ui/ErrorNotice.tsx'
import { counted } from '../../../ui/format.ts'
import { SkeletonRows } from '../../../ui/Skeleton.tsx'
import { StateDot } from '../../../ui/StateDot.tsx'
import { RelativeTime } from '../../../ui/Values.tsx'
import { SystemPage } from '../SystemPage.tsx'
import { CheckRow } from './CheckRow.tsx'

/** What the service needs, as a checklist: each row with its fix. */
export function ChecksPage() {
  const { client } = useApp()
  const { data, error, isFetching, refetch } = useQuery(doctorQuery(client))
  const commands = useMemo<readonly Command[]>(
    () => [{ id: 'check', group: 'System', label: 'Check again', keys: 'r', run: () => void refetch() }],
    [refetch],
  )
  return (
    <SystemPage
      tab="checks"
      state={data && <Verdict rows={data.rows} />}
      commands={commands}
      actions={
        <>
          {data !== undefined && (
            <span className="hidden text-small text-ink-2 sm:inline">
              checked <RelativeTime at={data.at} />
            </span>
          )}
          <Button onClick={() => void refetch()} disabled={isFetching}>
            <RefreshCw aria-hidden /> {isFetching ? 'Checking' : 'Check again'}
          </Button>
        </>
      }
    >
      {error !== null && (
        <ErrorNotice error={error} action={<Button onClick={() => void refetch()}>Try again</Button>} />
      )}
      {data === undefined && error === null && <SkeletonRows rows={10} />}
      {data !== undefined && (
        <Card>
          <ul className="divide-y divide-line">
            {data.rows.map((row) => (
              <CheckRow key={row.check} row={row} />
            ))}
          </ul>
        </Card>
      )}
    </SystemPage>
  )
}

function Verdict({ rows }: { readonly rows: readonly DoctorRow[] }) {
  const failed = rows.filter(({ state }) => state === 'failed').length
  const warnings = rows.filter(({ state }) => state === 'warning').length
  if (failed > 0) return <StateDot tone="failed" word={`${counted(failed, 'check')} failed`} />
  if (warnings > 0) return <StateDot tone="timed-out" word={counted(warnings, 'warning')} />
  return <StateDot tone="completed" word="All is well" />
}
