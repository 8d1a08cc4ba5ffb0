import { ApiError } from '../../src-main/client/calls.ts'

export { ApiError }

/** Whether the service does not know this browser (any more). */
export function isSignedOut(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'UNAUTHORIZED'
}

/** Whether a call failed as what it is about is not there. */
export function isGone(error: Error | null): boolean {
  return error instanceof ApiError && error.status === 404
}
