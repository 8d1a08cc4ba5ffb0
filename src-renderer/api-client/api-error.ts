import type { ErrorCode } from '../../src-main/contract/errors.ts'

/** Errors of the way to the service, beside those of the service itself. */
type WayCode = 'NOT_REACHABLE' | 'NOT_DRYDOCK'

/** A call that failed. Its message says what happened and what to do. */
export class ApiError extends Error {
  readonly code: ErrorCode | WayCode
  /** HTTP status; 0 where no answer came. */
  readonly status: number

  constructor(code: ErrorCode | WayCode, status: number, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ApiError'
    this.code = code
    this.status = status
  }
}

/** Whether the service does not know this browser (any more). */
export function isSignedOut(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'UNAUTHORIZED'
}
