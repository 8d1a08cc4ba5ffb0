import { useQueryClient } from '@tanstack/react-query'
import { ChevronsDown, ChevronsUp, Columns2, Copy, Download, PencilLine, Repeat, RotateCcw, X } from 'lucide-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { JobState } from '../../../../src-main/contract/job.ts'
import { isExpired } from '../../../../src-main/features/jobs/rules/job-record.ts'
import { canMove, isFinal } from '../../../../src-main/features/jobs/rules/transitions.ts'
import { ADDRESS } from '../../../addresses.ts'
import { ApiError } from '../../../api-client/api-error.ts'
import { type JobDetail, jobQuery } from '../../../api-client/jobs.ts'
import { saveAddress } from '../../../browser/browser-files.ts'
import { useApp } from '../../../store/app-context.ts'
import type { Command } from '../../../store/app-slices.ts'
import { Button } from '../../../ui/Button.tsx'
import { useCopyJobId } from '../../../ui/jobs/JobCells.tsx'
import { CancelQuestion } from '../../../ui/jobs/JobKeys.tsx'
import { MoreMenu } from '../../../ui/Menu.tsx'
import { CommandsHere } from '../../../ui/Page.tsx'
import { useTell } from '../../../ui/use-tell.ts'
import { useNow } from '../../../ui/Values.tsx'

export function JobActionBar({ job }: { readonly job: JobDetail }) {
  const { id, endpointId, status } = job
  const [, go] = useLocation()
  const { client } = useApp()
  const { retry, cancel, rerun, moveTo } = useJobActions(job)
  const expired = isExpired(job, useNow())
  const [asks, setAsks] = useState(false)
  // The job API cannot retry expired jobs; they run again as new ones.
  const [retries, cancels] = [canMove(status, 'retry') && !expired, canMove(status, 'cancel')]
  const reruns = isFinal(status)
  const waits = status === 'IN_QUEUE'
  const edit = ADDRESS.requestFromJob(endpointId, id)
  const compare = `${ADDRESS.jobs}/compare?a=${encodeURIComponent(id)}`
  const group = 'This job'
  const r = retries ? {} : { keys: 'r' }
  const commands: readonly Command[] = [
    ...(retries ? [{ id: 'job-retry', group, label: 'Retry', keys: 'r', run: () => void retry() }] : []),
    ...(reruns ? [{ id: 'job-rerun', group, label: 'Run again as a new job', ...r, run: () => void rerun() }] : []),
    ...(cancels ? [{ id: 'job-cancel', group, label: 'Cancel', keys: 'c', run: () => setAsks(true) }] : []),
    ...(waits ? ENDS.map(({ to, label }) => ({ id: `job-${to}`, group, label, run: () => void moveTo(to) })) : []),
    { id: 'job-edit', group, label: 'Duplicate and edit', keys: 'e', run: () => go(edit) },
    { id: 'job-compare', group, label: 'Compare with another job', run: () => go(compare) },
  ]
  const exportJob = () => saveAddress(client.address('jobFile', { path: { jobId: id } }), `${id}.job.jsonl`)
  const copyId = useCopyJobId(id)
  return (
    <>
      {retries && (
        <Button kind="main" onClick={() => void retry()}>
          <RotateCcw aria-hidden /> Retry
        </Button>
      )}
      {reruns && (
        <Button kind={expired ? 'main' : 'plain'} onClick={() => void rerun()} title="A new job with the same input">
          <Repeat aria-hidden /> Run again
        </Button>
      )}
      {cancels && (
        <Button kind="danger" onClick={() => setAsks(true)}>
          <X aria-hidden /> Cancel
        </Button>
      )}
      <Button onClick={() => go(edit)}>
        <PencilLine aria-hidden /> Duplicate and edit
      </Button>
      <MoreMenu
        label="More for this job"
        groups={[
          [
            ...(waits ? ENDS.map(({ to, ...item }) => ({ ...item, onSelect: () => void moveTo(to) })) : []),
            {
              label: 'Compare',
              detail: 'With another job, side by side',
              icon: <Columns2 />,
              onSelect: () => go(compare),
            },
            {
              label: 'Export',
              detail: 'As a file that another Drydock opens',
              icon: <Download />,
              onSelect: exportJob,
            },
            { label: 'Copy id', icon: <Copy />, onSelect: () => void copyId() },
          ],
        ]}
      />
      <CancelQuestion
        open={asks}
        onOpenChange={setAsks}
        action="Cancel job"
        job={job}
        onConfirm={() => void cancel()}
      />
      <CommandsHere commands={commands} />
    </>
  )
}

const ENDS = [
  {
    to: 'front',
    label: 'Move to the front',
    detail: 'Before all waiting jobs of its priority',
    icon: <ChevronsUp />,
  },
  { to: 'back', label: 'Move to the back', detail: 'Behind all waiting jobs of its priority', icon: <ChevronsDown /> },
] as const

function useJobActions({ id, endpointId }: Pick<JobDetail, 'id' | 'endpointId'>) {
  const { client } = useApp()
  const { attempt, done } = useTell()
  const queries = useQueryClient()
  const [, go] = useLocation()
  const { queryKey } = jobQuery(client, id)
  const readAgain = () => queries.invalidateQueries({ queryKey })

  async function move(operation: 'retry' | 'cancel', status: JobState, text: string) {
    const before = queries.getQueryData<JobDetail>(queryKey)
    queries.setQueryData<JobDetail>(queryKey, (job) => job && { ...job, status })
    const call = () => client.call(operation, { path: { endpointId, jobId: id } })
    await attempt(call, text, () => queries.setQueryData(queryKey, before))
    void readAgain()
  }

  async function reorder(to: 'front' | 'back') {
    try {
      return await client.call('jobReorder', { path: { jobId: id }, body: { to } })
    } catch (error) {
      throw error instanceof ApiError && error.code === 'WRONG_STATE'
        ? new Error('The job is no longer waiting.')
        : error
    }
  }

  return {
    retry: () => move('retry', 'IN_QUEUE', 'The job is queued again.'),
    cancel: () => move('cancel', 'CANCELLED', 'The job is cancelled.'),
    async moveTo(to: 'front' | 'back') {
      await attempt(() => reorder(to), `The job is ${to === 'front' ? 'next' : 'last'} in its queue.`)
      void readAgain()
    },
    rerun: () =>
      attempt(async () => {
        const made = await client.call('jobRerun', { path: { jobId: id } })
        done('It runs again as this new job.')
        go(ADDRESS.job(made.id))
      }),
  }
}
