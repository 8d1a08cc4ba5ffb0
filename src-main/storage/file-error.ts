import { AppError } from '../contract/errors.ts'

/** The word of an error of the file system, like ENOENT; '' where there is none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

/**
 * What a caller is told when a file cannot be written.
 * @param what begins the reason, like "a payload could not be stored"
 */
export function fileError(error: unknown, what: string): AppError {
  const code = codeOf(error)
  if (code === 'ENOSPC' || code === 'EDQUOT') return new AppError('DISK_FULL', {}, { cause: error })
  return new AppError('DATABASE_BUSY', { why: `${what} (${code})` }, { cause: error })
}
