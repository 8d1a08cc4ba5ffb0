import type { Context } from 'hono'
import { limit } from '../../contract/limits.ts'
import { V2_ROUTES } from '../../contract/v2-routes.ts'
import { isFinal } from '../../domain/job/transitions.ts'
import type { Job } from '../../services/ports.ts'
import { readJobRecord } from '../../services/queue/read-job.ts'
import type { ServiceContext } from '../../services/service-context.ts'
import { submitRequest } from '../../services/workflows/submit-request.ts'
import { handleText, jobOf, jsonAnswer, type Operation, queryValue } from './operation.ts'
import { readSubmission } from './submit.ts'

/** POST runsync: queues a job and answers with its record when it ends, or with its state when the wait is over. */
export const runsync: Operation = async ({ c, service, endpoint }) => {
  const waitMs = queryValue(c, 'wait', V2_ROUTES.runsync.query.wait)
  const submission = await readSubmission(c, 'runsync', waitMs)
  const job = await submitRequest(service, endpoint, submission)
  return answerAtEnd(c, service, job, waitMs ?? limit('waitDefaultMs'))
}

/** GET or POST status-sync: the same for a job that exists. */
export const statusSync: Operation = async (request) => {
  const waitMs = queryValue(request.c, 'wait', V2_ROUTES.statusSync.query.wait) ?? limit('waitDefaultMs')
  return answerAtEnd(request.c, request.service, jobOf(request), waitMs)
}

async function answerAtEnd(
  c: Context,
  { storage, waiters }: ServiceContext,
  job: Job,
  waitMs: number,
): Promise<Response> {
  const ended = await waiters.untilEnd(job, waitMs, c.req.raw.signal)
  if (ended === undefined || !isFinal(ended.status)) return handleText(ended ?? job)
  return jsonAnswer(await readJobRecord(storage.jobs, ended))
}
