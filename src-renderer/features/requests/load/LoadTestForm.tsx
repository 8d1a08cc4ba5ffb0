import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Gauge } from 'lucide-react'
import type { FormEvent } from 'react'
import { Link } from 'wouter'
import { limit } from '../../../../src-main/contract/limits.ts'
import type { LiveEndpoint } from '../../../../src-main/contract/live.ts'
import type { LoadTest } from '../../../../src-main/contract/load-tests.ts'
import { ADDRESS } from '../../../addresses.ts'
import { useApp } from '../../../store/app-context.ts'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { ErrorNotice } from '../../../ui/ErrorNotice.tsx'
import { CodeEditor } from '../../../ui/editor/CodeEditor.tsx'
import { Field } from '../../../ui/Field.tsx'
import { SegmentedChoice } from '../../../ui/SegmentedChoice.tsx'
import { useDraft } from '../use-draft.ts'
import { useJobRequest, useWebRequest } from './use-load-request.ts'

/** The next load test. */
export type LoadTestFormProps = { readonly endpoint: LiveEndpoint; readonly onStarted: (test: LoadTest) => void }

const MOST = { requests: limit('loadTestRequests'), concurrency: limit('loadTestConcurrency') }
const OPERATIONS = ['runsync', 'run'] as const
const MEANINGS = {
  runsync: 'Each request waits for its result: this measures the workers.',
  run: 'Each request queues a job and does not wait for it: this measures the queue. The jobs run afterwards.',
} as const

type Numbers = { readonly requests: string; readonly concurrency: string; readonly operation: 'run' | 'runsync' }

const INITIAL: Numbers = { requests: '200', concurrency: '8', operation: 'runsync' }

/** How many requests, how many at once, and which. The request is the one that is written under Requests. */
export function LoadTestForm({ endpoint, onStarted }: LoadTestFormProps) {
  const { client } = useApp()
  const queries = useQueryClient()
  const [numbers, change] = useDraft<Numbers>('load', endpoint.id, INITIAL)
  const isWeb = endpoint.loadBalanced !== undefined
  const job = useJobRequest(endpoint.id, numbers.operation)
  const web = useWebRequest(endpoint)
  const request = isWeb ? web : job
  const faults = {
    requests: numberFault(numbers.requests, MOST.requests),
    concurrency: numberFault(numbers.concurrency, MOST.concurrency),
  }
  const start = useMutation({
    mutationFn: () =>
      client.call('loadTestCreate', {
        path: { endpointId: endpoint.id },
        body: {
          ...request.plan,
          requests: Number(numbers.requests),
          concurrency: Number(numbers.concurrency),
        },
      }),
    async onSuccess(test) {
      await queries.invalidateQueries({ queryKey: ['load-tests', endpoint.id] })
      onStarted(test)
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    start.mutate()
  }
  const isFit = faults.requests === undefined && faults.concurrency === undefined && request.fault === undefined
  return (
    <Card title="New load test">
      <form onSubmit={submit} className="flex flex-col gap-3 p-3">
        <div className="grid gap-3 sm:grid-cols-2">
          <Field
            label="Requests"
            inputMode="numeric"
            value={numbers.requests}
            onChange={({ target }) => change({ requests: target.value })}
            hint={`At most ${MOST.requests.toLocaleString('en')}.`}
            fault={faults.requests}
          />
          <Field
            label="At once"
            inputMode="numeric"
            value={numbers.concurrency}
            onChange={({ target }) => change({ concurrency: target.value })}
            hint={`At most ${MOST.concurrency}.`}
            fault={faults.concurrency}
          />
        </div>
        {isWeb ? (
          <p className="min-w-0 text-ink-2">
            <code className="break-all text-ink">{request.words}</code>, as it stands under{' '}
            <Link to={ADDRESS.endpoint(endpoint.id, 'requests')} className="text-accent hover:underline">
              Requests
            </Link>
            .
          </p>
        ) : (
          <>
            <div className="flex flex-wrap items-center gap-2">
              <SegmentedChoice
                label="Operation"
                choices={OPERATIONS}
                value={numbers.operation}
                onChange={(operation) => change({ operation })}
              />
              <span className="text-small text-ink-2">{MEANINGS[numbers.operation]}</span>
            </div>
            <div className="flex h-44 flex-col">
              <CodeEditor label="Body of each request" value={request.words} onChange={request.onWords} />
            </div>
          </>
        )}
        <p role="status" className="min-h-4 text-small text-failed-ink">
          {request.fault}
        </p>
        {start.error !== null && <ErrorNotice error={start.error} />}
        {endpoint.paused && (
          <p className="text-ink-2">The endpoint is paused: what is sent waits until it is resumed.</p>
        )}
        <Button kind="main" type="submit" disabled={!isFit || start.isPending} className="self-start">
          <Gauge aria-hidden /> Start load test
        </Button>
      </form>
    </Card>
  )
}

function numberFault(text: string, most: number): string | undefined {
  const value = Number(text)
  return /^\d+$/.test(text) && value >= 1 && value <= most
    ? undefined
    : `A whole number from 1 to ${most.toLocaleString('en')}.`
}
