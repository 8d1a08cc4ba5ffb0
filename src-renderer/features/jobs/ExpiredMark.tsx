import type { JobListItem } from '../../../src-main/contract/job.ts'
import { exactTime } from '../../ui/format.ts'

/** When the job API forgets a job, and what time it is. */
export type ExpiredMarkProps = Pick<JobListItem, 'expiresAt'> & {
  /** ms since the epoch. */
  readonly now: number
}

/** Whether the job API has forgotten a job. @param now ms since the epoch */
export function isExpired({ expiresAt }: Pick<JobListItem, 'expiresAt'>, now: number): boolean {
  return expiresAt !== undefined && expiresAt <= now
}

/** A mark on a job that the job API has forgotten; why, on hover. Nothing on any other. */
export function ExpiredMark({ expiresAt, now }: ExpiredMarkProps) {
  if (expiresAt === undefined || expiresAt > now) return null
  const why = `Expired for the API: since ${exactTime(expiresAt)} the job API answers 404 for it, as in production. It stays here, and can be run again as a new job.`
  return (
    <span title={why} className="rounded-control border border-line bg-surface-2 px-1.5 text-small text-ink-2">
      Expired<span className="sr-only"> for the API</span>
    </span>
  )
}
