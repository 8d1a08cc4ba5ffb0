import { useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useLocation } from 'wouter'
import type { JobState } from '../../../../src-main/contract/job.ts'
import { ADDRESS } from '../../../addresses.ts'
import { ApiError } from '../../../api-client/api-error.ts'
import { type JobDetail, jobQuery } from '../../../api-client/job-queries.ts'
import { useApp } from '../../../store/app-context.ts'

/** What can be done with a job. Each tells how it went. */
export type JobActions = {
  readonly retry: () => Promise<void>
  readonly cancel: () => Promise<void>
  /** Lets it be the next of those that wait with its priority. */
  readonly toFront: () => Promise<void>
  /** Queues a new job like this one, and goes to its page. */
  readonly rerun: () => Promise<void>
}

/** The actions of a job: shown at once, and taken back where the service refuses. */
export function useJobActions({ id, endpointId }: Pick<JobDetail, 'id' | 'endpointId'>): JobActions {
  const { client, store } = useApp()
  const queries = useQueryClient()
  const [, go] = useLocation()
  return useMemo(() => {
    const { queryKey } = jobQuery(client, id)
    const path = { endpointId, jobId: id }

    async function move(operation: 'retry' | 'cancel', status: JobState, text: string): Promise<void> {
      const { tell } = store.getState()
      const before = queries.getQueryData<JobDetail>(queryKey)
      queries.setQueryData<JobDetail>(queryKey, (job) => job && { ...job, status })
      try {
        await client.call(operation, { path })
        tell({ kind: 'done', text })
      } catch (error) {
        queries.setQueryData(queryKey, before)
        tell({ kind: 'error', text: (error as Error).message })
      }
      void queries.invalidateQueries({ queryKey })
    }

    async function rerun(): Promise<void> {
      const { tell } = store.getState()
      try {
        const made = await client.call('jobRerun', { path: { jobId: id } })
        tell({ kind: 'done', text: 'It runs again as a new job, which is this one.' })
        go(ADDRESS.job(made.id))
      } catch (error) {
        tell({ kind: 'error', text: (error as Error).message })
      }
    }

    async function toFront(): Promise<void> {
      const { tell } = store.getState()
      try {
        await client.call('jobReorder', { path: { jobId: id }, body: { to: 'front' } })
        tell({ kind: 'done', text: 'The job is the next one of its queue.' })
      } catch (error) {
        const isLate = error instanceof ApiError && error.code === 'WRONG_STATE'
        tell({ kind: 'error', text: isLate ? 'The job does not wait any more.' : (error as Error).message })
      }
      void queries.invalidateQueries({ queryKey })
    }

    return {
      rerun,
      toFront,
      retry: () => move('retry', 'IN_QUEUE', 'The job is queued again.'),
      cancel: () => move('cancel', 'CANCELLED', 'The job is cancelled.'),
    }
  }, [client, store, queries, id, endpointId, go])
}
