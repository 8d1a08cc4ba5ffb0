/** Jobs that restart because a cancelled one does not stop and its worker is ended. Source: docs/spec/job-api.md, 4. */
import { counted } from '../../../lib/text.ts'

export function otherJobsOf(
  workers: readonly { readonly jobs: readonly string[] }[],
  cancelled: ReadonlySet<string>,
): readonly string[] {
  return workers
    .filter(({ jobs }) => jobs.some((id) => cancelled.has(id)))
    .flatMap(({ jobs }) => jobs.filter((id) => !cancelled.has(id)))
}

export function otherJobsText(others: number, cancelled = 1): string {
  const jobs = counted(others, 'other job')
  if (cancelled > 1)
    return `Their workers also run ${jobs}. If a handler does not stop in time, its worker ends and its other jobs start again.`
  const again = others === 1 ? 'that job starts' : 'those jobs start'
  return `This worker also runs ${jobs}. If the handler does not stop in time, the worker ends and ${again} again.`
}
