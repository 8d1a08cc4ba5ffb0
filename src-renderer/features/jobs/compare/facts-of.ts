import { errorLine } from '../../../../src-main/domain/job/read-error.ts'
import type { JobDetail } from '../../../api-client/job-queries.ts'
import { duration, exactTime } from '../../../ui/format.ts'

/** A fact of two jobs, in words; no two jobs were created at the same time, so that tells no difference. */
export type ComparedFact = {
  readonly name: string
  readonly a: string
  readonly b: string
  readonly differs: boolean
}

const span = (ms: number | undefined) => (ms === undefined ? '–' : duration(ms))

const FACTS: readonly (readonly [name: string, read: (job: JobDetail) => string])[] = [
  ['State', ({ status }) => status],
  ['Endpoint', ({ endpointId }) => endpointId],
  ['Created', ({ createdAt }) => exactTime(createdAt)],
  ['Waited', ({ delayTime }) => span(delayTime)],
  ['Ran', ({ executionTime }) => span(executionTime)],
  ['Attempts', ({ attempt }) => String(attempt)],
  ['Worker', ({ workerId }) => workerId ?? '–'],
  ['Error', ({ error }) => (error === undefined ? '–' : errorLine(error))],
]

/** The facts that two jobs are compared by. */
export function factsOf(a: JobDetail, b: JobDetail): readonly ComparedFact[] {
  return FACTS.map(([name, read]) => {
    const values = { a: read(a), b: read(b) }
    return { name, ...values, differs: name !== 'Created' && values.a !== values.b }
  })
}
