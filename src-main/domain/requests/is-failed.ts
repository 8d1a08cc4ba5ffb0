import { ERRORS } from '../../contract/errors.ts'

/** Lowest status of a request that may have failed. */
export const MAY_HAVE_FAILED_FROM = ERRORS.NO_WORKER.status
const FAULT_OF_SERVER_FROM = 500

/**
 * Whether a load-balanced request failed through no fault of its client. One that no worker took did so too, though the
 * platform answers it with 400; nothing else gets that status without a worker. Source: docs/spec/job-api.md, 10.
 */
export function isFailed({
  status = 0,
  workerId,
}: {
  readonly status?: number | undefined
  readonly workerId?: string | undefined
}): boolean {
  return status >= FAULT_OF_SERVER_FROM || (status === ERRORS.NO_WORKER.status && workerId === undefined)
}
