import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { CancelledJobs } from '../../../src-main/contract/job-routes.ts'
import { otherJobsText } from '../../../src-main/features/workers/rules/shared-workers.ts'
import { read } from '../../browser/read.ts'
import { useApp } from '../../store/app-context.ts'
import { Confirm } from '../Dialog.tsx'

type ManyCancelled = {
  readonly jobs: () => CancelledJobs
  /** Like `Cancel 2 jobs`: the title of the question and its button. */
  readonly action: string
  readonly run: () => void
}

/** Cancels jobs, after a question if other jobs of their workers would start again. */
export function useCancelQuestion({ jobs, action, run }: ManyCancelled) {
  const { client } = useApp()
  const [effects, setEffects] = useState<{ readonly running: number; readonly others: number }>()
  const ask = async () => {
    // Where this fails the cancel does too, and says why.
    const found = await client.call('jobCancelEffects', { body: jobs() }).catch(() => undefined)
    if (found === undefined || found.others === 0) run()
    else setEffects(found)
  }
  const question = (
    <Confirm open={effects !== undefined} onOpenChange={() => setEffects(undefined)} action={action} onConfirm={run}>
      {effects !== undefined && otherJobsText(effects.others, effects.running)}
    </Confirm>
  )
  return { ask, question }
}

/** The warning within a question that is asked anyway; nothing where no other job would start again. */
export function OtherJobsNote({ jobs }: { readonly jobs: CancelledJobs }) {
  const { client } = useApp()
  const { data } = useQuery({
    ...read(client, ['cancel-effects', jobs], 'jobCancelEffects', { body: jobs }),
    gcTime: 0,
  })
  if (data === undefined || data.others === 0) return null
  return <p className="mt-2 text-warn-ink">{otherJobsText(data.others, data.running)}</p>
}
