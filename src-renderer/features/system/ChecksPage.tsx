import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { RefreshCw } from 'lucide-react'
import type { DoctorFix, DoctorRow } from '../../../src-main/contract/system.ts'
import { counted } from '../../../src-main/lib/text.ts'
import { ADDRESS } from '../../addresses.ts'
import { doctorQuery } from '../../api-client/system-queries.ts'
import { useApp } from '../../store/app-context.ts'
import { Button, CopyButton } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { CheckMark } from '../../ui/CheckMark.tsx'
import { TextLink } from '../../ui/Links.tsx'
import { ErrorNotice, QueryState, useAsCalled } from '../../ui/PageStates.tsx'
import { StateDot } from '../../ui/StateDot.tsx'
import { Tooltip } from '../../ui/Tooltip.tsx'
import { useTell } from '../../ui/use-tell.ts'
import { RelativeTime } from '../../ui/Values.tsx'
import { SystemPage } from './SystemPage.tsx'

export function ChecksPage() {
  const { client } = useApp()
  const { data, error, isFetching, refetch } = useQuery(doctorQuery(client))
  return (
    <SystemPage
      tab="checks"
      state={data && <Verdict rows={data.rows} />}
      commands={[{ id: 'check', group: 'System', label: 'Check again', keys: 'r', run: () => void refetch() }]}
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
      <QueryState data={data} error={error} rows={10} onRetry={refetch} />
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
  if (failed > 0) return <StateDot tone="failed" text={`${counted(failed, 'check')} failed`} />
  if (warnings > 0) return <StateDot tone="timed-out" text={counted(warnings, 'warning')} />
  return <StateDot tone="completed" text="All checks passed" />
}

function CheckRow({ row }: { readonly row: DoctorRow }) {
  const { check, state, found, fix, action, busy } = row
  const apply = useFix()
  const working = apply.isPending || busy !== undefined
  return (
    <li className="grid grid-cols-[1rem_minmax(0,1fr)_auto] items-start gap-x-3 gap-y-1 px-3 py-2 md:grid-cols-[1rem_10rem_minmax(0,1fr)_auto]">
      <CheckMark state={state} />
      <h2 className="truncate font-medium first-letter:uppercase">{check}</h2>
      <div className="col-span-2 col-start-2 row-start-2 flex min-w-0 flex-col gap-0.5 md:col-span-1 md:col-start-3 md:row-start-1">
        <p className="break-words">{found}</p>
        {fix !== undefined && <FixText text={fix} />}
        {action?.action === 'restart-endpoint' && action.target !== undefined && (
          <TextLink to={ADDRESS.endpoint(action.target, 'logs')} className="text-small">
            Open its log
          </TextLink>
        )}
        {busy !== undefined && (
          <p role="status" className="text-small text-ink-2">
            In progress: {busy}
          </p>
        )}
        {apply.error !== null && <ErrorNotice error={apply.error} />}
      </div>
      <div className="col-start-3 row-start-1 md:col-start-4">
        {action !== undefined && (
          <Tooltip text={action.effect}>
            <Button onClick={() => apply.mutate(action)} disabled={working}>
              {working ? 'Working' : action.label}
            </Button>
          </Tooltip>
        )}
      </div>
    </li>
  )
}

function useFix() {
  const { client } = useApp()
  const tell = useTell()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ action, target }: DoctorFix) => {
      const body = { action, ...(target === undefined ? {} : { target }) }
      const done = client.call('doctorFix', { body })
      // Fetches the first progress; from then on the rows poll by themselves.
      void queries.invalidateQueries({ queryKey: ['doctor'] })
      return done
    },
    onSuccess: ({ done }) => tell.done(done),
    onSettled: () => queries.invalidateQueries({ queryKey: ['doctor'] }),
  })
}

function FixText({ text }: { readonly text: string }) {
  const parts = useAsCalled()(text).split('`')
  return (
    <p className="text-small leading-6 text-ink-2">
      {parts.map((part, at) =>
        // Every other part of the split text stood between two backticks.
        at % 2 === 0 ? (
          part
        ) : (
          <span
            // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence keep their places
            key={at}
            className="inline-flex max-w-full items-center rounded-control border border-line bg-surface-0 pl-1.5 align-middle"
          >
            <code className="truncate font-mono text-ink">{part}</code>
            <span className="-my-1 scale-75">
              <CopyButton text={part} what="command" />
            </span>
          </span>
        ),
      )}
    </p>
  )
}
