import { AppError } from '../../../contract/errors.ts'

// Errors that are not the line's fault: it can be sent or queued again.
const NOT_OF_LINE: readonly string[] = [
  ...['BATCH_CLOSED', 'BATCH_NOT_FOUND', 'ENDPOINT_NOT_FOUND', 'ENDPOINT_PAUSED'],
  ...['STORAGE_FAILED', 'DISK_FULL', 'DATABASE_BUSY', 'STOPPING'],
]

/** Whether the error is stored as the reason why the line did not become a job. */
export const isOfLine = (error: unknown): error is AppError =>
  error instanceof AppError && !NOT_OF_LINE.includes(error.code)
