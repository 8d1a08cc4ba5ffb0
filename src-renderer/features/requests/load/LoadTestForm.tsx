import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Gauge } from 'lucide-react'
import { limit } from '../../../../src-main/contract/limits.ts'
import type { LiveEndpoint } from '../../../../src-main/contract/live.ts'
import type { LoadTest, LoadTestCreate } from '../../../../src-main/contract/requests.ts'
import { ADDRESS } from '../../../addresses.ts'
import { useApp } from '../../../store/app-context.ts'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { CodeEditor } from '../../../ui/editor/LazyEditors.tsx'
import { Field } from '../../../ui/form/Field.tsx'
import { Form } from '../../../ui/form/Form.tsx'
import { TextLink } from '../../../ui/Links.tsx'
import { ErrorNotice } from '../../../ui/PageStates.tsx'
import { SegmentedChoice } from '../../../ui/Tabs.tsx'
import { useDraft } from '../draft.ts'
import { readBody, useJobDraft } from '../jobs/job-draft.ts'
import { hasBody, useWebDraft, webProblem } from '../web/web-draft.ts'

export type LoadTestFormProps = { readonly endpoint: LiveEndpoint; readonly onStarted: (test: LoadTest) => void }

const MOST = { requests: limit('loadTestRequests'), concurrency: limit('loadTestConcurrency') }
const OPERATIONS = ['runsync', 'run'] as const
const MEANINGS = {
  runsync: 'Each request waits for its result: this measures the workers.',
  run: 'Each request queues a job and does not wait for it: this measures the queue. The jobs run afterwards.',
} as const

type Numbers = { readonly requests: string; readonly concurrency: string; readonly operation: 'run' | 'runsync' }

const INITIAL: Numbers = { requests: '200', concurrency: '8', operation: 'runsync' }

export function LoadTestForm({ endpoint, onStarted }: LoadTestFormProps) {
  const { client } = useApp()
  const queries = useQueryClient()
  const [numbers, change] = useDraft<Numbers>('load', endpoint.id, INITIAL)
  const isWeb = endpoint.loadBalanced !== undefined
  const job = useJobRequest(endpoint.id, numbers.operation)
  const web = useWebRequest(endpoint)
  const request = isWeb ? web : job
  const problems = {
    requests: numberProblem(numbers.requests, MOST.requests),
    concurrency: numberProblem(numbers.concurrency, MOST.concurrency),
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
  const isFit = problems.requests === undefined && problems.concurrency === undefined && request.problem === undefined
  return (
    <Card title="New load test">
      <Form onSubmit={() => start.mutate()} className="flex flex-col gap-3 p-3">
        <div className="grid gap-3 sm:grid-cols-2">
          <Field
            label="Requests"
            inputMode="numeric"
            value={numbers.requests}
            onChange={({ target }) => change({ requests: target.value })}
            hint={`At most ${MOST.requests.toLocaleString('en')}.`}
            problem={problems.requests}
          />
          <Field
            label="At once"
            inputMode="numeric"
            value={numbers.concurrency}
            onChange={({ target }) => change({ concurrency: target.value })}
            hint={`At most ${MOST.concurrency}.`}
            problem={problems.concurrency}
          />
        </div>
        {isWeb ? (
          <p className="min-w-0 text-ink-2">
            <code className="break-all text-ink">{request.shown}</code>, as written under{' '}
            <TextLink to={ADDRESS.endpoint(endpoint.id, 'requests')}>Requests</TextLink>.
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
              <CodeEditor label="Body of each request" value={request.shown} onChange={request.onChange} />
            </div>
          </>
        )}
        <p role="status" className="min-h-4 text-small text-failed-ink">
          {request.problem}
        </p>
        {start.error !== null && <ErrorNotice error={start.error} />}
        {endpoint.paused && <p className="text-ink-2">The endpoint is paused: requests wait until it is resumed.</p>}
        <Button kind="main" type="submit" disabled={!isFit || start.isPending} className="self-start">
          <Gauge aria-hidden /> Start load test
        </Button>
      </Form>
    </Card>
  )
}

function numberProblem(text: string, most: number): string | undefined {
  const value = Number(text)
  return /^\d+$/.test(text) && value >= 1 && value <= most
    ? undefined
    : `A whole number from 1 to ${most.toLocaleString('en')}.`
}

type Written = {
  readonly plan: Omit<LoadTestCreate, 'requests' | 'concurrency'>
  readonly shown: string
  readonly onChange: (shown: string) => void
  readonly problem: string | undefined
}

function useJobRequest(endpointId: string, operation: 'run' | 'runsync'): Written {
  const { text = '', change } = useJobDraft(endpointId)
  const read = readBody(text)
  return {
    plan: { operation, body: text },
    shown: text,
    onChange: (body) => change({ body }),
    problem: read.ok ? undefined : read.problem,
  }
}

function useWebRequest(endpoint: Pick<LiveEndpoint, 'id' | 'app'>): Written {
  const [draft] = useWebDraft(endpoint)
  const { method, path, body } = draft
  const carries = hasBody(draft)
  return {
    plan: { operation: 'request', method, path, ...(carries ? { body } : {}) },
    shown: `${method} ${path}`,
    onChange: () => undefined,
    problem:
      carries && draft.bodyKind !== 'JSON' ? 'A load test sends JSON bodies only.' : webProblem(draft, undefined),
  }
}
