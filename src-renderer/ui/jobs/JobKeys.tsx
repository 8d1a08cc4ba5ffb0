import { useState } from 'react'
import { useLocation } from 'wouter'
import type { JobListItem } from '../../../src-main/contract/job.ts'
import { shortJobId } from '../../../src-main/features/endpoints/rules/ids.ts'
import { canMove, isFinal } from '../../../src-main/features/jobs/rules/transitions.ts'
import { otherJobsOf, otherJobsText } from '../../../src-main/features/workers/rules/shared-workers.ts'
import { ADDRESS } from '../../addresses.ts'
import { useApp, useAppState } from '../../store/app-context.ts'
import { Confirm, type ConfirmProps } from '../Dialog.tsx'
import { useTell } from '../use-tell.ts'

export function useJobKeys() {
  const { client, store } = useApp()
  const { attempt, failed } = useTell()
  const [, go] = useLocation()
  const [asked, setAsked] = useState<JobListItem>()

  const onRerun = (job: JobListItem) =>
    void attempt(async () => {
      const short = shortJobId(job.id)
      if (!isFinal(job.status))
        throw new Error(`Job ${short} has not ended yet. Wait until it ends or cancel it, then run it again.`)
      const { id } = await client.call('jobRerun', { path: { jobId: job.id } })
      const more = { label: 'Open', run: () => go(ADDRESS.job(id)) }
      store.getState().notify({ kind: 'done', text: `Job ${short} runs again as ${shortJobId(id)}.`, more })
    })

  const onCancel = (job: JobListItem) => {
    if (canMove(job.status, 'cancel')) setAsked(job)
    else failed(new Error(`Job ${shortJobId(job.id)} has already ended.`))
  }

  const cancel = ({ id, endpointId }: JobListItem) =>
    void attempt(
      () => client.call('cancel', { path: { endpointId, jobId: id } }),
      `Job ${shortJobId(id)} is cancelled.`,
    )

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

export function useOtherJobs(jobIds: readonly string[]): number {
  return useAppState(({ live }) => otherJobsOf(Object.values(live.workers), new Set(jobIds)).length)
}
