import { useCallback, useState } from 'react'
import { useLocation } from 'wouter'
import type { JobListItem } from '../../../src-main/contract/job.ts'
import { shortJobId } from '../../../src-main/features/endpoints/rules/ids.ts'
import { canMove, isFinal } from '../../../src-main/features/jobs/rules/transitions.ts'
import { otherJobsText } from '../../../src-main/features/workers/rules/shared-workers.ts'
import { ADDRESS } from '../../addresses.ts'
import { useApp } from '../../store/app-context.ts'
import { Confirm, type ConfirmProps } from '../Dialog.tsx'
import { useOtherJobs } from '../use-other-jobs.ts'

export function useJobKeys() {
  const { client, store } = useApp()
  const [, go] = useLocation()
  const [asked, setAsked] = useState<JobListItem>()

  const onRerun = useCallback(
    (job: JobListItem) => {
      const { notify } = store.getState()
      const short = shortJobId(job.id)
      if (!isFinal(job.status)) {
        notify({
          kind: 'error',
          text: `Job ${short} has not ended yet. Wait until it ends or cancel it, then run it again.`,
        })
        return
      }
      client.call('jobRerun', { path: { jobId: job.id } }).then(
        ({ id }) => {
          const more = { label: 'Open', run: () => go(ADDRESS.job(id)) }
          notify({ kind: 'done', text: `Job ${short} runs again as ${shortJobId(id)}.`, more })
        },
        (error: Error) => void notify({ kind: 'error', text: error.message }),
      )
    },
    [client, store, go],
  )

  const onCancel = useCallback(
    (job: JobListItem) => {
      if (canMove(job.status, 'cancel')) setAsked(job)
      else store.getState().notify({ kind: 'error', text: `Job ${shortJobId(job.id)} has already ended.` })
    },
    [store],
  )

  const cancel = ({ id, endpointId }: JobListItem) => {
    const { notify } = store.getState()
    client.call('cancel', { path: { endpointId, jobId: id } }).then(
      () => void notify({ kind: 'done', text: `Job ${shortJobId(id)} is cancelled.` }),
      (error: Error) => void notify({ kind: 'error', text: error.message }),
    )
  }

  const question = asked && (
    <CancelQuestion
      open
      onOpenChange={() => setAsked(undefined)}
      action={`Cancel job ${shortJobId(asked.id)}`}
      job={asked}
      onConfirm={() => cancel(asked)}
    />
  )
  return { onRerun, onCancel, question }
}

type CancelQuestionProps = Pick<ConfirmProps, 'open' | 'onOpenChange' | 'action' | 'onConfirm'> & {
  readonly job: Pick<JobListItem, 'id' | 'status'>
}

export function CancelQuestion({ job: { id, status }, ...question }: CancelQuestionProps) {
  const otherJobs = useOtherJobs([id])
  return (
    <Confirm {...question}>
      {status === 'IN_QUEUE' ? 'It will not run.' : 'Its worker stops working on it, and its work is lost.'} A cancelled
      job cannot be retried, but its input can be sent again.
      {otherJobs > 0 && <p className="mt-2 text-warn-ink">{otherJobsText(otherJobs)}</p>}
    </Confirm>
  )
}
