import { ChevronsUp, Columns2, Copy, Ellipsis, PencilLine, Repeat, RotateCcw, X } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useLocation } from 'wouter'
import { canMove, isFinal } from '../../../../src-main/domain/job/transitions.ts'
import { ADDRESS } from '../../../addresses.ts'
import type { JobDetail } from '../../../api-client/job-queries.ts'
import { useApp } from '../../../store/app-context.ts'
import type { Command } from '../../../store/commands-slice.ts'
import { Button } from '../../../ui/Button.tsx'
import { CommandsHere } from '../../../ui/CommandsHere.tsx'
import { Confirm } from '../../../ui/Dialog.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { Menu } from '../../../ui/Menu.tsx'
import { useNow } from '../../../ui/use-now.ts'
import { isExpired } from '../ExpiredMark.tsx'
import { useJobActions } from './use-job-actions.ts'

const SECOND_MS = 1000

/** What can be done with a job: the main action as a button, all of it in the palette. */
export function JobActionBar({ job }: { readonly job: JobDetail }) {
  const { id, endpointId, status } = job
  const [, go] = useLocation()
  const { platform, store } = useApp()
  const { retry, cancel, rerun, toFront } = useJobActions(job)
  const expired = isExpired(job, useNow(SECOND_MS))
  const [asks, setAsks] = useState(false)
  // What the job API has forgotten it cannot retry: then a new job is all there is.
  const [retries, cancels] = [canMove(status, 'retry') && !expired, canMove(status, 'cancel')]
  const reruns = isFinal(status)
  const waits = status === 'IN_QUEUE'
  const edit = ADDRESS.requestFromJob(endpointId, id)
  const compare = `${ADDRESS.jobs}/compare?a=${encodeURIComponent(id)}`
  const commands = useMemo<readonly Command[]>(() => {
    const group = 'This job'
    return [
      ...(retries ? [{ id: 'job-retry', group, label: 'Retry', keys: 'r', run: () => void retry() }] : []),
      ...(reruns ? [{ id: 'job-rerun', group, label: 'Run again as a new job', run: () => void rerun() }] : []),
      ...(cancels ? [{ id: 'job-cancel', group, label: 'Cancel', keys: 'c', run: () => setAsks(true) }] : []),
      ...(waits ? [{ id: 'job-front', group, label: 'Move to the front', run: () => void toFront() }] : []),
      { id: 'job-edit', group, label: 'Duplicate and edit', keys: 'e', run: () => go(edit) },
      { id: 'job-compare', group, label: 'Compare with another job', run: () => go(compare) },
    ]
  }, [retries, reruns, cancels, waits, retry, rerun, toFront, go, edit, compare])
  const copyId = () =>
    platform.copy(id).then(
      () => store.getState().tell({ kind: 'done', text: 'The id is copied.' }),
      () => store.getState().tell({ kind: 'error', text: `The browser did not allow to copy. The id is ${id}.` }),
    )
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
      <Menu
        groups={[
          [
            ...(waits
              ? [
                  {
                    label: 'Move to the front',
                    detail: 'Before all that wait with its priority',
                    icon: <ChevronsUp />,
                    onSelect: () => void toFront(),
                  },
                ]
              : []),
            {
              label: 'Compare',
              detail: 'With another job, beside each other',
              icon: <Columns2 />,
              onSelect: () => go(compare),
            },
            { label: 'Copy id', icon: <Copy />, onSelect: () => void copyId() },
          ],
        ]}
      >
        <IconButton label="More for this job">
          <Ellipsis />
        </IconButton>
      </Menu>
      <Confirm open={asks} onOpenChange={setAsks} action="Cancel job" onConfirm={() => void cancel()}>
        {status === 'IN_QUEUE' ? 'It never runs.' : 'Its worker is told to stop, and what it has done is lost.'} A
        cancelled job cannot be retried, but its input can be sent again.
      </Confirm>
      <CommandsHere commands={commands} />
    </>
  )
}
