import { AppError } from '../../contract/errors.ts'
import { V2_ROUTES } from '../../contract/v2-routes.ts'
import { isFinal } from '../../domain/job/transitions.ts'
import { readJobRecord } from '../../services/queue/read-job.ts'
import { jobOf, jsonAnswer, type Operation, queryValue } from './operation.ts'

/** GET or POST status: the record of a job. `ttl` sets the whole life of a job that has not ended. */
export const status: Operation = async (request) => {
  const { c, service } = request
  const { storage } = service
  const ttl = queryValue(c, 'ttl', V2_ROUTES.status.query.ttl)
  const found = jobOf(request)
  if (ttl !== undefined && !isFinal(found.status)) await storage.write(() => storage.jobs.setTtl(found.seq, ttl))
  const job = ttl === undefined ? found : storage.jobs.read(found.seq)
  if (job === undefined) throw new AppError('JOB_NOT_FOUND', { jobId: found.id })
  return jsonAnswer(await readJobRecord(storage.jobs, job))
}
