import type { OperationRequest } from '../../../http/operation.ts'
import type { Job } from '../../../storage/storage.ts'
import { cancelJob } from '../queue/change-job.ts'
import { isFinal } from '../rules/transitions.ts'

/** Cancels the job when its client disconnects, like OpenAI servers, but not when the service stops or the endpoint forbids it. */
export function cancelWithClient({ c, service, endpoint }: OperationRequest, { seq }: Job): void {
  if (endpoint.config.cancelOnDisconnect === false) return
  const { signal } = c.req.raw
  const cancel = async () => {
    const job = service.storage.jobs.read(seq)
    if (service.stopping.aborted || job === undefined || isFinal(job.status)) return
    try {
      await cancelJob(service, job)
    } catch (error) {
      service.log.warn('the job of a client that disconnected was not cancelled', { jobId: job.id, error })
    }
  }
  if (signal.aborted) void cancel()
  else signal.addEventListener('abort', () => void cancel(), { once: true })
}
