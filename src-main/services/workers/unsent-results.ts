import { limit } from '../../contract/limits.ts'
import { readUnsentResult } from '../../domain/worker/unsent-result.ts'
import type { Clock, Log, Storage } from '../ports.ts'
import { finishJob } from '../queue/finish.ts'
import type { Leases } from '../queue/leases.ts'
import type { LiveWorker } from './worker-registry.ts'

/** Listens to the lines that workers print about a job. */
type UnsentResults = (worker: LiveWorker, jobId: string, line: string) => void

/**
 * Fails a job at once whose worker says that it cannot send the result. The public SDK says so in its log alone: its worker
 * would go on with other jobs, and this one would run again after its lease, in vain.
 */
export function createUnsentResults(deps: {
  readonly storage: Storage
  readonly clock: Clock
  readonly leases: Leases
  readonly log: Log
}): UnsentResults {
  const { storage, log } = deps
  // What was wrong with the last thing that a job could not send: a chunk, say, whose job then ends as it should.
  const problems = new Map<string, string>()
  return (worker, jobId, line) => {
    const said = readUnsentResult(line)
    if (said === undefined || storage.jobs.find(jobId)?.workerId !== worker.id) return
    if (said.kind === 'unsent') {
      problems.set(jobId, said.problem)
      for (const oldest of problems.keys()) if (problems.size > limit('unsentResults')) problems.delete(oldest)
      return
    }
    const problem = said.problem ?? problems.get(jobId)
    problems.delete(jobId)
    // With a result that has arrived the job has ended, and this changes nothing.
    if (problem === undefined) return
    const error = `The result of the handler could not be sent: ${problem}. Return only dict, list, str, int, float, bool and None; turn bytes into base64 text, a set into a list, and a date into text.`
    const report = { kind: 'fail', error, output: undefined, replaceWorker: false } as const
    finishJob(deps, { jobId, workerId: worker.id, report }).catch((cause) =>
      log.warn('job whose result was not sent did not fail', { jobId, workerId: worker.id, error: cause }),
    )
  }
}
