import { useQuery } from '@tanstack/react-query'
import { Link, useSearchParams } from 'wouter'
import type { JobState } from '../../../../src-main/contract/job.ts'
import { isFinal } from '../../../../src-main/features/jobs/rules/transitions.ts'
import { counted } from '../../../../src-main/lib/text.ts'
import { ADDRESS } from '../../../addresses.ts'
import { ApiError } from '../../../api-client/api-error.ts'
import { type JobDetail, jobQuery } from '../../../api-client/jobs.ts'
import { useApp } from '../../../store/app-context.ts'
import { Card } from '../../../ui/Card.tsx'
import { ExpiredMark } from '../../../ui/jobs/JobColumns.tsx'
import { JobErrorNotice } from '../../../ui/output/JobErrorNotice.tsx'
import { FollowedLog } from '../../../ui/output/LogView.tsx'
import { OutputView } from '../../../ui/output/OutputView.tsx'
import { Page } from '../../../ui/Page.tsx'
import { ErrorNotice, NotFound, SkeletonRows, WarningNotice } from '../../../ui/PageStates.tsx'
import { JobStateDot } from '../../../ui/StateDot.tsx'
import { Tabs } from '../../../ui/Tabs.tsx'
import { RelativeTime, useNow } from '../../../ui/Values.tsx'
import { JobActionBar } from './JobActionBar.tsx'
import { StreamTab } from './StreamTab.tsx'
import { AttemptsTab, Timeline, WhyItWaits } from './Timeline.tsx'
import { WebhooksTab } from './WebhooksTab.tsx'

export function JobPage({ jobId }: { readonly jobId: string }) {
  const { client } = useApp()
  const { data: job, error } = useQuery(jobQuery(client, jobId))
  if (error instanceof ApiError && error.code === 'JOB_NOT_FOUND') return <NotFound what={`a job ${jobId}`} />
  const crumbs = [{ name: 'Jobs', to: ADDRESS.jobs }, { name: jobId }]
  if (job === undefined)
    return <Page crumbs={crumbs}>{error === null ? <SkeletonRows rows={8} /> : <ErrorNotice error={error} />}</Page>
  return <KnownJob job={job} error={error} />
}

function KnownJob({ job, error }: { readonly job: JobDetail; readonly error: Error | null }) {
  const [search] = useSearchParams()
  const tab: JobTabName = JOB_TABS.find(({ name }) => name === search.get('tab'))?.name ?? 'data'
  const crumbs = [{ name: 'Jobs', to: ADDRESS.jobs }, { name: job.id }]
  return (
    <Page
      crumbs={crumbs}
      actions={<JobActionBar job={job} />}
      tabs={
        <>
          <Facts job={job} />
          <Tabs
            label="Parts of this job"
            tabs={JOB_TABS.map(({ name, label }) => ({
              name: label(job),
              to: `${ADDRESS.job(job.id)}${name === 'data' ? '' : `?tab=${name}`}`,
              current: name === tab,
            }))}
          />
        </>
      }
    >
      {error !== null && <ErrorNotice error={error} />}
      {(job.status === 'IN_QUEUE' || job.waitingReason !== undefined) && <WhyItWaits job={job} />}
      {job.error !== undefined && isFinal(job.status) && (
        <JobErrorNotice error={job.error} endpointId={job.endpointId} />
      )}
      {job.warnings?.map((warning) => (
        <WarningNotice key={warning}>{warning}</WarningNotice>
      ))}
      <Card title="Timeline">
        <Timeline job={job} />
      </Card>
      <JobTab job={job} tab={tab} />
    </Page>
  )
}

function Facts({ job }: { readonly job: JobDetail }) {
  const { status, error, createdAt, expiresAt, endpointId, batchId, workerId, attempt, lowPriority, priority } = job
  const now = useNow()
  return (
    <div className="flex flex-wrap items-center gap-x-3 pb-1 text-ink-2">
      <JobStateDot state={status} error={error} />
      <ExpiredMark expiresAt={expiresAt} now={now} />
      <span>
        created <RelativeTime at={createdAt} />
      </span>
      <span>
        on{' '}
        <Link to={ADDRESS.endpoint(endpointId)} className="text-ink hover:underline">
          {endpointId}
        </Link>
      </span>
      {batchId !== undefined && (
        <span>
          in{' '}
          <Link to={ADDRESS.batch(endpointId, batchId)} className="text-ink hover:underline">
            a batch
          </Link>
        </span>
      )}
      {workerId !== undefined && (
        <span>
          worker{' '}
          <Link to={ADDRESS.worker(workerId)} className="font-mono text-small text-ink hover:underline">
            {workerId}
          </Link>
        </span>
      )}
      {attempt > 0 && <span>try {attempt}</span>}
      {priority !== 0 && <span>priority {priority}</span>}
      {lowPriority && <span>low priority</span>}
    </div>
  )
}

const NO_OUTPUT: Readonly<Record<JobState, string>> = {
  IN_QUEUE: 'It has not run yet.',
  IN_PROGRESS: 'It is running and has not reported anything yet.',
  COMPLETED: 'It returned no output.',
  FAILED: 'It failed before it returned an output.',
  CANCELLED: 'It was cancelled; no output is stored.',
  TIMED_OUT: 'It timed out before it returned an output.',
}

// The end event arrives before the job is read again.
const BEING_READ = 'Reading its output …'

const REMOVED =
  'Its output was deleted to make room for newer jobs; the size of the history is a setting. Run it again to get it.'

const STREAMED = 'Its output was streamed, chunk by chunk: see Stream.'

// Handlers that yield have an empty output unless the worker aggregates.
const isStreamedAlone = ({ output, chunkCount }: JobDetail) =>
  chunkCount > 0 && Array.isArray(output) && output.length === 0

function whyNoOutput({ status, outputRemoved, expiresAt, chunkCount }: JobDetail): string {
  if (outputRemoved === true) return REMOVED
  if (status === 'IN_PROGRESS' && chunkCount > 0)
    return `It is running and has streamed ${counted(chunkCount, 'chunk')}: see Stream.`
  return isFinal(status) && expiresAt === undefined ? BEING_READ : NO_OUTPUT[status]
}

function JobTab({ job, tab }: { readonly job: JobDetail; readonly tab: JobTabName }) {
  switch (tab) {
    case 'data':
      return (
        <div className="grid min-w-0 grid-cols-1 items-start gap-4 lg:grid-cols-2">
          <PayloadCard title="Input" value={job.input} none="It has no input." />
          <PayloadCard
            title={job.status === 'IN_PROGRESS' ? 'Latest progress' : 'Output'}
            value={job.output}
            none={whyNoOutput(job)}
            note={isStreamedAlone(job) ? STREAMED : undefined}
          />
        </div>
      )
    case 'logs':
      return (
        <div className="flex h-[32rem] flex-col">
          <FollowedLog of="job" id={job.id} label="Log of this job" />
        </div>
      )
    case 'stream':
      return <StreamTab job={job} />
    case 'webhooks':
      return <WebhooksTab job={job} />
    case 'attempts':
      return <AttemptsTab history={job.history} />
  }
}

type PayloadCardProps = {
  readonly title: string
  readonly value: unknown
  readonly none: string
  readonly note?: string | undefined
}

function PayloadCard({ title, value, none, note }: PayloadCardProps) {
  return (
    <Card title={title}>
      <div className="flex min-w-0 flex-col gap-3 p-3">
        {note !== undefined && <p className="text-ink-2">{note}</p>}
        {value === undefined ? <p className="text-ink-2">{none}</p> : <OutputView value={value} label={title} />}
      </div>
    </Card>
  )
}

type JobTabName = 'data' | 'logs' | 'stream' | 'webhooks' | 'attempts'

const withCount = (label: string, count: number) => (count === 0 ? label : `${label} ${count.toLocaleString('en')}`)

const JOB_TABS: readonly { readonly name: JobTabName; readonly label: (job: JobDetail) => string }[] = [
  { name: 'data', label: () => 'Input and output' },
  { name: 'logs', label: () => 'Logs' },
  { name: 'stream', label: ({ chunkCount }) => withCount('Stream', chunkCount) },
  { name: 'webhooks', label: ({ deliveries }) => withCount('Webhooks', deliveries.length) },
  { name: 'attempts', label: ({ attempt }) => withCount('Tries', attempt) },
]
