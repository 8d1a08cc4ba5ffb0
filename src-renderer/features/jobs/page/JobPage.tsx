import { Link, useSearchParams } from 'wouter'
import { isFinal } from '../../../../src-main/domain/job/transitions.ts'
import { ADDRESS } from '../../../addresses.ts'
import { ApiError } from '../../../api-client/api-error.ts'
import type { JobDetail } from '../../../api-client/job-queries.ts'
import { Card } from '../../../ui/Card.tsx'
import { ErrorNotice } from '../../../ui/ErrorNotice.tsx'
import { JobErrorNotice } from '../../../ui/job-error/JobErrorNotice.tsx'
import { NotFound } from '../../../ui/NotFound.tsx'
import { Page } from '../../../ui/Page.tsx'
import { SkeletonRows } from '../../../ui/Skeleton.tsx'
import { JobStateDot } from '../../../ui/StateDot.tsx'
import { Tabs } from '../../../ui/Tabs.tsx'
import { useNow } from '../../../ui/use-now.ts'
import { RelativeTime } from '../../../ui/Values.tsx'
import { ExpiredMark } from '../ExpiredMark.tsx'
import { JobActionBar } from './JobActionBar.tsx'
import { JobTab } from './JobTab.tsx'
import { JOB_TABS, type JobTabName } from './job-tabs.ts'
import { Timeline } from './Timeline.tsx'
import { useJob } from './use-job.ts'
import { WhyItWaits } from './WhyItWaits.tsx'

const SECOND_MS = 1000

/** The page of a job. */
export function JobPage({ jobId }: { readonly jobId: string }) {
  const { data: job, error } = useJob(jobId)
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
      state={<Facts job={job} />}
      actions={<JobActionBar job={job} />}
      tabs={
        <Tabs
          label="Parts of this job"
          tabs={JOB_TABS.map(({ name, words }) => ({
            name: words(job),
            to: `${ADDRESS.job(job.id)}${name === 'data' ? '' : `?tab=${name}`}`,
            current: name === tab,
          }))}
        />
      }
    >
      {error !== null && <ErrorNotice error={error} />}
      {(job.status === 'IN_QUEUE' || job.waitingReason !== undefined) && <WhyItWaits job={job} />}
      {job.error !== undefined && isFinal(job.status) && (
        <JobErrorNotice error={job.error} endpointId={job.endpointId} />
      )}
      <Card title="Timeline">
        <Timeline job={job} />
      </Card>
      <JobTab job={job} tab={tab} />
    </Page>
  )
}

function Facts({ job }: { readonly job: JobDetail }) {
  const { status, createdAt, expiresAt, endpointId, workerId, attempt, lowPriority } = job
  const now = useNow(SECOND_MS)
  return (
    <div className="flex flex-wrap items-center gap-x-3 text-ink-2">
      <JobStateDot state={status} />
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
      {workerId !== undefined && (
        <span>
          worker{' '}
          <Link to={ADDRESS.worker(workerId)} className="font-mono text-small text-ink hover:underline">
            {workerId}
          </Link>
        </span>
      )}
      {attempt > 0 && <span>attempt {attempt}</span>}
      {lowPriority && <span>low priority</span>}
    </div>
  )
}
