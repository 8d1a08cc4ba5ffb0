import { AppError, type ErrorCode } from '../../../contract/errors.ts'
import { type Clock, momentOf } from '../../../lib/clock.ts'
import type { Json } from '../../../lib/json/bytes.ts'
import type { Job, Storage } from '../../../storage/storage.ts'

export type Dispatch = {
  readonly job: Job
  readonly input: Json
  readonly s3Config: string | undefined
  readonly secretInput: string | undefined
}

type Deps = { readonly storage: Storage; readonly clock: Clock }

export async function readDispatches(deps: Deps, jobs: readonly Job[]): Promise<readonly Dispatch[]> {
  const read = await Promise.all(jobs.map((job) => readDispatch(deps, job)))
  return read.filter((dispatch) => dispatch !== undefined)
}

const LOST: ReadonlySet<ErrorCode> = new Set(['PAYLOAD_LOST', 'SECRET_LOST'])

async function readDispatch({ storage, clock }: Deps, job: Job): Promise<Dispatch | undefined> {
  try {
    const row = await storage.jobs.readInput(job)
    return row && { job, input: row.input, s3Config: row.openS3Config(), secretInput: row.openSecretInput() }
  } catch (error) {
    if (!(error instanceof AppError && LOST.has(error.code))) throw error
    const { workerId, attempt } = job
    const fields = { workerId: workerId ?? undefined, attempt, error: error.message }
    await storage.write(() => storage.jobs.move(job.seq, 'fail', fields, momentOf(clock)))
    return undefined
  }
}
