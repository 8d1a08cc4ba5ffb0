import { AppError } from '../../../contract/errors.ts'

// Errors that are not the line's fault: the rest may be sent or queued again.
const NOT_OF_LINE: readonly string[] = [
  ...['BATCH_CLOSED', 'BATCH_NOT_FOUND', 'ENDPOINT_NOT_FOUND', 'ENDPOINT_PAUSED'],
  ...['STORAGE_FAILED', 'DISK_FULL', 'DATABASE_BUSY', 'STOPPING'],
]

/** Whether a batch notes the error as the reason why the line became no job. */
export const isOfLine = (error: unknown): error is AppError =>
  error instanceof AppError && !NOT_OF_LINE.includes(error.code)
