import type { JobState } from '../../../../src-main/contract/job.ts'
import { isFinal } from '../../../../src-main/domain/job/transitions.ts'
import type { JobDetail } from '../../../api-client/job-queries.ts'
import { FollowedLog } from '../../../ui/logs/FollowedLog.tsx'
import { AttemptsTab } from './AttemptsTab.tsx'
import type { JobTabName } from './job-tabs.ts'
import { PayloadCard } from './PayloadCard.tsx'
import { StreamTab } from './StreamTab.tsx'
import { WebhooksTab } from './WebhooksTab.tsx'

const NO_OUTPUT: Readonly<Record<JobState, string>> = {
  IN_QUEUE: 'It has not run yet.',
  IN_PROGRESS: 'It runs and has not told anything yet.',
  COMPLETED: 'It gave no output.',
  FAILED: 'It failed before it gave an output.',
  CANCELLED: 'It was cancelled; no output is kept.',
  TIMED_OUT: 'Its time was over before it gave an output.',
}

// An event tells the end before the job is read again.
const BEING_READ = 'Reading what it gave …'

const REMOVED =
  'Its output was deleted to make room for newer jobs; the settings say how much the history may take. Run it again to get it.'

const STREAMED = 'What it gave was streamed, chunk by chunk: see Stream.'

// The list of what a handler has yielded stays empty unless its worker aggregates.
const isStreamedAlone = ({ output, chunkCount }: JobDetail) =>
  chunkCount > 0 && Array.isArray(output) && output.length === 0

function whyNoOutput({ status, outputRemoved, expiresAt }: JobDetail): string {
  if (outputRemoved === true) return REMOVED
  return isFinal(status) && expiresAt === undefined ? BEING_READ : NO_OUTPUT[status]
}

/** What a tab of a job's page shows. */
export function JobTab({ job, tab }: { readonly job: JobDetail; readonly tab: JobTabName }) {
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
