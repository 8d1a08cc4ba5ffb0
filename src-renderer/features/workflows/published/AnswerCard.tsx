import { Link } from 'wouter'
import { ADDRESS } from '../../../addresses.ts'
import { Card } from '../../../ui/Card.tsx'
import { ErrorNotice } from '../../../ui/ErrorNotice.tsx'
import { JobErrorNotice } from '../../../ui/job-error/JobErrorNotice.tsx'
import { OutputView } from '../../../ui/output/OutputView.tsx'
import { JobStateDot, StateDot } from '../../../ui/StateDot.tsx'
import type { GraphAnswer } from './use-answer.ts'

/** A graph and its newest answer. */
export type AnswerCardProps = { readonly graphId: string; readonly answer: GraphAnswer | undefined }

/** What the last request gave. */
export function AnswerCard({ graphId, answer }: AnswerCardProps) {
  const { record, error } = answer ?? {}
  return (
    <Card
      title="Answer"
      aside={
        <span className="flex items-center gap-3">
          {answer?.isOpen === true && <StateDot tone="running" word="Running" pulses />}
          {record !== undefined && <JobStateDot state={record.status} />}
          {record !== undefined && (
            <Link to={ADDRESS.job(record.id)} className="text-accent hover:underline">
              Open job
            </Link>
          )}
        </span>
      }
    >
      <div aria-live="polite" className="flex min-w-0 flex-col gap-3 p-3">
        {answer === undefined && <p className="text-ink-2">Set the parameters and run the graph.</p>}
        {error !== undefined && <ErrorNotice error={error} />}
        {record?.error !== undefined && <JobErrorNotice error={record.error} endpointId={graphId} />}
        {record?.status === 'COMPLETED' && <OutputView value={record.output} label="Output" />}
      </div>
    </Card>
  )
}
