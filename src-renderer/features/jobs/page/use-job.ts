import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { ServiceEvent } from '../../../../src-main/contract/events.ts'
import { type JobDetail, jobQuery } from '../../../api-client/job-queries.ts'
import { useApp, useAppState } from '../../../store/app-context.ts'

// A job that reports its progress a hundred times a second is not read as often.
const READ_AGAIN_MS = 300

/** A job, kept up to date: events change what they tell at once, the rest is read soon after. */
export function useJob(jobId: string) {
  const { client, store, platform } = useApp()
  const queries = useQueryClient()
  const begun = useAppState(({ heard }) => heard.begun)
  const query = useQuery({ ...jobQuery(client, jobId), enabled: jobId !== '' })

  useEffect(() => {
    let cancel: (() => void) | undefined
    const key = jobQuery(client, jobId).queryKey
    const stop = store.subscribe(({ heard }, { heard: before }) => {
      if (heard === before) return
      const own = heard.events.flatMap(({ event }) => (event.type === 'job' && event.jobId === jobId ? [event] : []))
      if (own.length === 0) return
      queries.setQueryData(key, (job: JobDetail | undefined) => own.reduce(jobAfter, job))
      cancel ??= platform.after(READ_AGAIN_MS, () => {
        cancel = undefined
        void queries.invalidateQueries({ queryKey: key })
      })
    })
    return () => {
      stop()
      cancel?.()
    }
  }, [client, store, platform, queries, jobId])

  // The stream was opened anew: something may have been missed.
  useEffect(() => {
    if (begun > 1) void queries.invalidateQueries({ queryKey: ['job', jobId] })
  }, [queries, jobId, begun])

  return query
}

type JobEvent = Extract<ServiceEvent, { type: 'job' }>

/** A job after an event, as far as the event tells; one that is known already changes nothing. */
function jobAfter(job: JobDetail | undefined, event: JobEvent): JobDetail | undefined {
  if (job === undefined) return undefined
  const last = job.history.at(-1)
  if (last !== undefined && event.at < last.at) return job
  // Others may have followed it within the same ms.
  if (job.history.some(({ at, event: known }) => at === event.at && known === event.event)) return job
  const { type: _type, endpointId: _endpoint, jobId: _job, ...entry } = event
  const { workerId: _before, waitingReason: _reason, ...rest } = job
  const workerId = event.to === 'IN_QUEUE' ? undefined : (event.workerId ?? job.workerId)
  return {
    ...rest,
    status: event.to,
    attempt: event.attempt,
    history: [...job.history, entry],
    ...(workerId === undefined ? {} : { workerId }),
  }
}
