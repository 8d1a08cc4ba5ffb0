import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { Link } from 'wouter'
import type { JobState } from '../../../../src-main/contract/job.ts'
import type { LiveEndpoint } from '../../../../src-main/contract/live.ts'
import { ADDRESS } from '../../../addresses.ts'
import { ApiError } from '../../../api-client/api-error.ts'
import { latestJobsQuery } from '../../../api-client/queries.ts'
import { useApp } from '../../../store/app-context.ts'
import { Button } from '../../../ui/Button.tsx'
import { ErrorNotice } from '../../../ui/ErrorNotice.tsx'
import { duration } from '../../../ui/format.ts'
import { IconButton } from '../../../ui/IconButton.tsx'
import { JobErrorNotice } from '../../../ui/job-error/JobErrorNotice.tsx'
import { OutputView } from '../../../ui/output/OutputView.tsx'
import { JobStateDot, StateDot } from '../../../ui/StateDot.tsx'
import { useNow } from '../../../ui/use-now.ts'
import { type Answer, hasEnded, isFinal } from './answer.ts'
import { HISTORY_LENGTH } from './history-length.ts'
import { StreamedChunks } from './StreamedChunks.tsx'

/** What came of one way of sending. */
export type AnswerPaneProps = {
  readonly endpoint: LiveEndpoint
  readonly answer: Answer
  readonly onClose: () => void
}

/** An answer: how far it is, its times, its output or why there is none. */
export function AnswerPane({ endpoint, answer, onClose }: AnswerPaneProps) {
  const { operation, jobId, record, error, chunks } = answer
  const state = useJobState(endpoint.id, answer)
  return (
    <section
      aria-label={`Answer of ${operation}`}
      className="flex min-w-0 flex-col rounded-control border border-line bg-surface-1"
    >
      <header className="flex min-h-9 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-3 py-1">
        <h3 className="font-mono text-small font-medium">{operation}</h3>
        {error === undefined ? <JobStateDot state={state} /> : <StateDot tone="failed" word="No answer" />}
        <div className="ml-auto flex items-center gap-1">
          {jobId !== undefined && record === undefined && <CancelButton endpointId={endpoint.id} jobId={jobId} />}
          {jobId !== undefined && (
            <Link to={ADDRESS.job(jobId)} className="rounded-control px-1 text-accent hover:underline">
              Open job
            </Link>
          )}
          <IconButton label={`Close answer of ${operation}`} onClick={onClose}>
            <X />
          </IconButton>
        </div>
      </header>
      <div className="flex max-h-[75vh] min-w-0 flex-col gap-3 overflow-y-auto p-3" aria-live="polite">
        <Times answer={answer} />
        {!hasEnded(answer) && state === 'IN_QUEUE' && endpoint.waitingReason !== undefined && (
          <p className="text-ink-2">Waiting: {endpoint.waitingReason}</p>
        )}
        {error !== undefined && <ErrorNotice error={worded(error)} />}
        {record?.error !== undefined && (
          <JobErrorNotice error={record.error} endpointId={endpoint.id} nextStep={NEXT_STEPS[record.status]} />
        )}
        {record?.status === 'CANCELLED' && <p className="text-ink-2">The job was cancelled, so it has no output.</p>}
        {operation !== 'stream' && isEmptyList(record?.output) && (
          <p className="text-ink-2">Handlers that yield give their pieces to stream, and an empty list here.</p>
        )}
        {operation === 'stream' && <StreamedChunks chunks={chunks} ended={hasEnded(answer)} />}
        {record !== undefined && isFinal(record.status) && showsOutput(answer) && (
          <OutputView value={record.output} label={`Output of ${operation}`} />
        )}
      </div>
    </section>
  )
}

const isEmptyList = (output: unknown) => Array.isArray(output) && output.length === 0

// A stream that came in pieces has no output of its own.
function showsOutput({ operation, record, chunks }: Answer): boolean {
  if (record?.status !== 'COMPLETED') return false
  return operation !== 'stream' || (chunks.length === 0 && record.output !== undefined)
}

// Until its end the list of jobs knows best how far a job is: events change it at once.
function useJobState(endpointId: string, { record, jobId }: Answer): JobState {
  const { client } = useApp()
  const { data } = useQuery(latestJobsQuery(client, endpointId, HISTORY_LENGTH))
  if (record !== undefined) return record.status
  return data?.requests.find(({ id }) => id === jobId)?.status ?? 'IN_QUEUE'
}

function Times({ answer }: { readonly answer: Answer }) {
  const { record, sentAt, endedAt } = answer
  const parts = [
    ['Waited', record?.delayTime],
    ['Ran', record?.executionTime],
  ] as const
  return (
    <dl className="flex flex-wrap gap-x-4 text-small text-ink-2">
      {parts.map(
        ([name, ms]) =>
          ms !== undefined && (
            <div key={name} className="flex gap-1">
              <dt>{name}</dt>
              <dd className="text-ink">{duration(ms)}</dd>
            </div>
          ),
      )}
      <div className="flex gap-1">
        <dt>Total</dt>
        <dd className="text-ink">
          {endedAt === undefined ? <Elapsed since={sentAt} /> : duration(Math.max(0, endedAt - sentAt))}
        </dd>
      </div>
    </dl>
  )
}

const TICK_MS = 100

function Elapsed({ since }: { readonly since: number }) {
  const now = useNow(TICK_MS)
  return <>{duration(Math.max(0, now - since))}</>
}

function CancelButton({ endpointId, jobId }: { readonly endpointId: string; readonly jobId: string }) {
  const { client, store } = useApp()
  const cancel = () =>
    client
      .call('cancel', { path: { endpointId, jobId } })
      .catch((error: Error) => store.getState().tell({ kind: 'error', text: error.message }))
  return (
    <Button kind="quiet" onClick={() => void cancel()}>
      Cancel job
    </Button>
  )
}

const NEXT_STEPS: Readonly<Partial<Record<JobState, string>>> = {
  FAILED: 'The log of the job says more; change the input and send it again.',
  TIMED_OUT: 'Give it more time under Options, or see in the log of the job where the time went.',
}

const worded = (error: Error) => (error instanceof ApiError ? `${error.code}: ${error.message}` : error)
