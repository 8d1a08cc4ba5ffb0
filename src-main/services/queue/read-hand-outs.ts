import { AppError } from '../../contract/errors.ts'
import type { Json } from '../../domain/json/json.ts'
import type { Clock, Job, Storage } from '../ports.ts'
import { momentOf } from '../steady-clock.ts'

/** A claimed job with what its worker gets. `s3Config` is JSON text. */
export type HandOut = { readonly job: Job; readonly input: Json; readonly s3Config: string | null }

type Deps = { readonly storage: Storage; readonly clock: Clock }

/** Reads the inputs of jobs that were just claimed. A job whose input is lost ends here as FAILED, and is left out. */
export async function readHandOuts(deps: Deps, jobs: readonly Job[]): Promise<readonly HandOut[]> {
  const read = await Promise.all(jobs.map((job) => readHandOut(deps, job)))
  return read.filter((handOut) => handOut !== undefined)
}

async function readHandOut({ storage, clock }: Deps, job: Job): Promise<HandOut | undefined> {
  try {
    const row = await storage.jobs.readInput(job)
    return row && { job, ...row } // without a row the job went with its endpoint
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'PAYLOAD_LOST')) throw error
    const { workerId, attempt } = job
    const fields = { workerId: workerId ?? undefined, attempt, error: error.message }
    await storage.write(() => storage.jobs.move(job.seq, 'fail', fields, momentOf(clock)))
    return undefined
  }
}
