import { ApiError } from '../../api-client/api-error.ts'

/** Whether a call failed as what it is about is not there. */
export function isGone(error: Error | null): boolean {
  return error instanceof ApiError && error.status === 404
}
