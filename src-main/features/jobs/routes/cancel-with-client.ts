import type { OperationRequest } from '../../../http/operation.ts'
import type { Job } from '../../../storage/storage.ts'
import { cancelJob } from '../queue/change-job.ts'
import { isFinal } from '../rules/transitions.ts'

/** Cancels the job when its client disconnects, like OpenAI servers. */
export function cancelWithClient(request: OperationRequest, job: Job): void {
  const { signal } = request.c.req.raw
  const cancel = () => void cancelUnread(request, job)
  if (signal.aborted) cancel()
  else signal.addEventListener('abort', cancel, { once: true })
}

/** Cancels a job whose result nobody will read, but not when the service stops or the endpoint forbids it. */
export async function cancelUnread({ service, endpoint }: OperationRequest, { seq }: Job): Promise<void> {
  const job = service.storage.jobs.read(seq)
  if (endpoint.config.cancelOnDisconnect === false || service.stopping.aborted) return
  if (job === undefined || isFinal(job.status)) return
  try {
    await cancelJob(service, job)
  } catch (error) {
    service.log.warn('a job whose client has gone was not cancelled', { jobId: job.id, error })
  }
}
