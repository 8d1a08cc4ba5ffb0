/** A worker that does not stop a cancelled job in time ends with all its jobs, which start again. */

import { JOB_STATES } from '../../contract/job.ts'
import type { Storage } from '../../storage/storage.ts'
import { otherJobsOf } from '../workers/rules/shared-workers.ts'
import { type JobSelection, selectedJobs } from './queue/change-many-jobs.ts'
import type { Leases } from './queue/leases.ts'
import { canMove } from './rules/transitions.ts'

const RUNNING = ['IN_PROGRESS'] as const

const AT_ONCE = 200

/** Counts the jobs that have not ended, those that run, and others on the same workers. */
export async function cancelEffects(
  { storage, leases }: { readonly storage: Storage; readonly leases: Pick<Leases, 'all'> },
  selection: JobSelection,
): Promise<Counted & { readonly running: number; readonly others: number }> {
  const workers = [...Map.groupBy(leases.all(), ({ workerId }) => workerId).values()].map((held) => ({
    jobs: held.map(({ jobId }) => jobId),
  }))
  const running = new Set<string>()
  const selected = runningAlone(selection)
  if (selected !== undefined)
    for await (const { jobs } of selectedJobs(storage, selected, { most: AT_ONCE }))
      for (const { id, status } of jobs) if (status === 'IN_PROGRESS') running.add(id)
  return { ...(await unended(storage, selection)), running: running.size, others: otherJobsOf(workers, running).length }
}

type Counted = ReturnType<Storage['jobs']['count']>

async function unended({ jobs, batches }: Storage, selection: JobSelection): Promise<Counted> {
  if ('ids' in selection) {
    const states = [...new Set(selection.ids)].map((id) => jobs.find(id)?.status)
    return { count: states.filter((state) => state !== undefined && canMove(state, 'cancel')).length, more: false }
  }
  if ('batch' in selection) return { count: batches.unended(selection.batch), more: false }
  const { states = JOB_STATES } = selection.filter
  return await jobs.countFound({ ...selection.filter, states: states.filter((state) => canMove(state, 'cancel')) })
}

/** The selection without jobs that do not run; undefined: it means none that run. */
function runningAlone(selection: JobSelection): JobSelection | undefined {
  if ('ids' in selection) return selection
  if ('batch' in selection) return { ...selection, states: RUNNING }
  const { states = RUNNING } = selection.filter
  return states.includes('IN_PROGRESS') ? { filter: { ...selection.filter, states: RUNNING } } : undefined
}
