import { useQueryClient } from '@tanstack/react-query'
import { Send } from 'lucide-react'
import { useMemo } from 'react'
import type { WebhookDelivery } from '../../../../src-main/contract/management.ts'
import { isFinal } from '../../../../src-main/features/jobs/rules/transitions.ts'
import { type JobDetail, jobQuery } from '../../../api-client/jobs.ts'
import { useApp } from '../../../store/app-context.ts'
import { Button } from '../../../ui/Button.tsx'
import { EmptyState, ErrorNotice } from '../../../ui/PageStates.tsx'
import { StateDot, type StateDotProps } from '../../../ui/StateDot.tsx'
import { type Column, Table } from '../../../ui/table/Table.tsx'
import { useTell } from '../../../ui/use-tell.ts'
import { RelativeTime } from '../../../ui/Values.tsx'

const STATES: Readonly<Record<WebhookDelivery['state'], StateDotProps>> = {
  pending: { tone: 'running', text: 'Sending', pulses: true },
  delivered: { tone: 'completed', text: 'Delivered' },
  failed: { tone: 'failed', text: 'Failed' },
}

export function WebhooksTab({ job }: { readonly job: JobDetail }) {
  const { client } = useApp()
  const queries = useQueryClient()
  const { attempt } = useTell()
  const columns = useMemo(() => {
    const { queryKey } = jobQuery(client, job.id)
    const resend = ({ id, url }: WebhookDelivery) =>
      attempt(async () => {
        const sent = await client.call('deliveryResend', { path: { deliveryId: String(id) } })
        queries.setQueryData(queryKey, (before) => before && withDelivery(before, sent))
      }, `The webhook is being sent to ${url} again.`)
    return columnsWith((delivery) => void resend(delivery))
  }, [client, attempt, queries, job.id])

  if (job.deliveries.length > 0)
    return (
      <>
        {job.deliveries.map(
          ({ id, state, url, lastError }) =>
            state === 'failed' && (
              <ErrorNotice key={id} error={`Not delivered to ${url}: ${lastError ?? 'no reason was given'}.`} />
            ),
        )}
        <Table
          label="Deliveries"
          columns={columns}
          rows={job.deliveries}
          className="rounded-control border border-line bg-surface-1"
        />
      </>
    )
  return (
    <EmptyState>
      {isFinal(job.status)
        ? 'This job has no webhook. To be notified when a job ends, set `webhook` in the request to a URL.'
        : 'Webhooks are sent when the job ends.'}
    </EmptyState>
  )
}

function withDelivery(job: JobDetail, sent: WebhookDelivery): JobDetail {
  return { ...job, deliveries: job.deliveries.map((one) => (one.id === sent.id ? sent : one)) }
}

function columnsWith(onResend: (delivery: WebhookDelivery) => void): readonly Column<WebhookDelivery>[] {
  return [
    { id: 'state', header: 'State', width: 100, cell: ({ state }) => <StateDot {...STATES[state]} /> },
    {
      id: 'url',
      header: 'Address',
      width: 140,
      grow: 2,
      cell: ({ url }) => (
        <span title={url} className="font-mono text-small">
          {url}
        </span>
      ),
    },
    { id: 'attempts', header: 'Tries', width: 56, align: 'right', cell: ({ attempts }) => attempts },
    { id: 'answer', header: 'Answer', width: 120, grow: 2, cell: (delivery) => <LastResponse delivery={delivery} /> },
    { id: 'when', header: 'Last change', width: 92, cell: ({ updatedAt }) => <RelativeTime at={updatedAt} /> },
    {
      id: 'resend',
      header: '',
      width: 112,
      align: 'right',
      cell: (delivery) => (
        <Button kind="quiet" disabled={delivery.state === 'pending'} onClick={() => onResend(delivery)}>
          <Send aria-hidden /> Resend
        </Button>
      ),
    },
  ]
}

function LastResponse({ delivery: { lastStatus, lastError, nextAt } }: { readonly delivery: WebhookDelivery }) {
  const said = [lastStatus, lastError].filter((part) => part !== undefined).join(', ')
  return (
    <span title={said} className="text-ink-2">
      {said}
      {nextAt !== undefined && (
        <>
          {said !== '' && '; '}next try <RelativeTime at={nextAt} />
        </>
      )}
    </span>
  )
}
