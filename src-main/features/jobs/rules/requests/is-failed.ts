import { ERRORS } from '../../../../contract/errors.ts'

export const MAY_HAVE_FAILED_FROM = ERRORS.NO_WORKER.status
const FAULT_OF_SERVER_FROM = 500

/**
 * Whether a load-balanced request failed without its client's fault. The platform's 400 for a request that no worker
 * took counts too. Source: docs/spec/job-api.md, 10.
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
