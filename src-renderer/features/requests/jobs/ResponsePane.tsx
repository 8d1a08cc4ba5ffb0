import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useState } from 'react'
import type { JobState } from '../../../../src-main/contract/job.ts'
import type { LiveEndpoint } from '../../../../src-main/contract/live.ts'
import { isTimedOut } from '../../../../src-main/features/jobs/rules/time-limit.ts'
import { isFinal } from '../../../../src-main/features/jobs/rules/transitions.ts'
import { otherJobsText } from '../../../../src-main/features/workers/rules/shared-workers.ts'
import { counted } from '../../../../src-main/lib/text.ts'
import { ADDRESS } from '../../../addresses.ts'
import { ApiError } from '../../../api-client/api-error.ts'
import { latestJobsQuery } from '../../../api-client/queries.ts'
import { useApp } from '../../../store/app-context.ts'
import { Button, IconButton } from '../../../ui/Button.tsx'
import { Confirm } from '../../../ui/Dialog.tsx'
import { duration } from '../../../ui/format.ts'
import { JsonTree } from '../../../ui/JsonTree.tsx'
import { useOtherJobs } from '../../../ui/jobs/JobKeys.tsx'
import { TextLink } from '../../../ui/Links.tsx'
import { JobErrorNotice } from '../../../ui/output/JobErrorNotice.tsx'
import { OutputView } from '../../../ui/output/OutputView.tsx'
import { ErrorNotice, Said } from '../../../ui/PageStates.tsx'
import { JobStateDot, StateDot } from '../../../ui/StateDot.tsx'
import { SegmentedChoice } from '../../../ui/Tabs.tsx'
import { useTell } from '../../../ui/use-tell.ts'
import { Elapsed } from '../../../ui/Values.tsx'
import { HISTORY_LENGTH, hasEnded, type JobResponse } from './responses.ts'

export type ResponsePaneProps = {
  readonly endpoint: LiveEndpoint
  readonly response: JobResponse
  readonly onClose: () => void
}

export function ResponsePane({ endpoint, response, onClose }: ResponsePaneProps) {
  const { operation, jobId, record, error, chunks } = response
  const state = useJobState(endpoint.id, response)
  return (
    <section
      aria-label={`Response of ${operation}`}
      className="flex min-w-0 flex-col rounded-control border border-line bg-surface-1"
    >
      <header className="flex min-h-9 shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-3 py-1">
        <h3 className="font-mono text-small font-medium">{operation}</h3>
        {error === undefined ? <JobStateDot state={state} /> : <StateDot tone="failed" text="No response" />}
        <div className="ml-auto flex items-center gap-1">
          {jobId !== undefined && record === undefined && <CancelButton endpointId={endpoint.id} jobId={jobId} />}
          {jobId !== undefined && (
            <TextLink to={ADDRESS.job(jobId)} className="rounded-control px-1">
              Open job
            </TextLink>
          )}
          <IconButton label={`Close response of ${operation}`} onClick={onClose}>
            <X />
          </IconButton>
        </div>
      </header>
      <div className="flex max-h-[75vh] min-w-0 flex-col gap-3 overflow-y-auto p-3" aria-live="polite">
        <Times response={response} />
        {!hasEnded(response) && state === 'IN_QUEUE' && endpoint.waitingReason !== undefined && (
          <p className="text-ink-2">
            Waiting: <Said text={endpoint.waitingReason} />
          </p>
        )}
        {error !== undefined && <ErrorNotice error={worded(error)} />}
        {record?.error !== undefined && (
          <JobErrorNotice
            error={record.error}
            endpointId={endpoint.id}
            nextStep={NEXT_STEPS[isTimedOut(record) ? 'TIMED_OUT' : record.status]}
          />
        )}
        {record?.status === 'CANCELLED' && <p className="text-ink-2">The job was cancelled, so it has no output.</p>}
        {operation !== 'stream' && isEmptyList(record?.output) && (
          <p className="text-ink-2">Handlers that yield send their pieces to stream, and an empty list here.</p>
        )}
        {operation === 'stream' && <StreamedChunks chunks={chunks} ended={hasEnded(response)} />}
        {record !== undefined && isFinal(record.status) && showsOutput(response) && (
          <OutputView value={record.output} label={`Output of ${operation}`} />
        )}
      </div>
    </section>
  )
}

const isEmptyList = (output: unknown) => Array.isArray(output) && output.length === 0

// A streamed job has no output of its own.
function showsOutput({ operation, record, chunks }: JobResponse): boolean {
  if (record?.status !== 'COMPLETED') return false
  return operation !== 'stream' || (chunks.length === 0 && record.output !== undefined)
}

// The list is updated by events and knows the state first.
function useJobState(endpointId: string, { record, jobId }: JobResponse): JobState {
  const { client } = useApp()
  const { data } = useQuery(latestJobsQuery(client, endpointId, HISTORY_LENGTH))
  if (record !== undefined) return record.status
  return data?.requests.find(({ id }) => id === jobId)?.status ?? 'IN_QUEUE'
}

function Times({ response }: { readonly response: JobResponse }) {
  const { record, sentAt, endedAt } = response
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

function CancelButton({ endpointId, jobId }: { readonly endpointId: string; readonly jobId: string }) {
  const { client } = useApp()
  const { attempt } = useTell()
  const cancel = () => attempt(() => client.call('cancel', { path: { endpointId, jobId } }))
  const otherJobs = useOtherJobs([jobId])
  const [asks, setAsks] = useState(false)
  return (
    <>
      <Button kind="quiet" onClick={() => (otherJobs > 0 ? setAsks(true) : void cancel())}>
        Cancel job
      </Button>
      <Confirm open={asks} onOpenChange={setAsks} action="Cancel job" onConfirm={() => void cancel()}>
        {otherJobs > 0 && otherJobsText(otherJobs)}
      </Confirm>
    </>
  )
}

const NEXT_STEPS: Readonly<Partial<Record<JobState, string>>> = {
  FAILED: 'See the log of the job for details; change the input and send it again.',
  TIMED_OUT: 'Allow more time under Options, or check the log of the job to see what took so long.',
}

const worded = (error: Error) => (error instanceof ApiError ? `${error.code}: ${error.message}` : error)

const SHOWN = 200

/** Chunks as they arrive: texts joined, other values one by one, newest last. */
export function StreamedChunks({ chunks, ended }: { readonly chunks: readonly unknown[]; readonly ended: boolean }) {
  const [all, setAll] = useState(false)
  const [form, setForm] = useState<'Text' | 'Chunks'>('Text')
  if (chunks.length === 0)
    return (
      <p className="text-ink-2">
        {ended
          ? 'Nothing was streamed: the handler returns its output at once instead of yielding it.'
          : 'Nothing yet.'}
      </p>
    )
  const shown = all ? chunks : chunks.slice(-SHOWN)
  const canJoin = chunks.every((chunk) => typeof chunk === 'string')
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <div className="flex items-center gap-2 text-small text-ink-2">
        {canJoin && (
          <SegmentedChoice label="Format of the stream" choices={['Text', 'Chunks']} value={form} onChange={setForm} />
        )}
        {counted(chunks.length, 'chunk')}
        {shown.length < chunks.length && (
          <button type="button" onClick={() => setAll(true)} className="text-accent hover:underline">
            Show those before the last {SHOWN}
          </button>
        )}
      </div>
      {canJoin && form === 'Text' ? (
        <p className="break-words whitespace-pre-wrap">{shown.join('')}</p>
      ) : (
        <ol className="flex min-w-0 flex-col gap-1" start={chunks.length - shown.length + 1}>
          {shown.map((chunk, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: chunks come at the end and never move
            <li key={chunks.length - shown.length + at} className="min-w-0 border-l border-line pl-2">
              <JsonTree value={chunk} open={1} />
            </li>
          ))}
        </ol>
      )}
    </div>
  )
}
