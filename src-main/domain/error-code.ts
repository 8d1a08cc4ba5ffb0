/**
 * The code of an error of the system or the database, like ENOENT or SQLITE_BUSY: what Node and its drivers put beside
 * the message, which differs from version to version. Source: nodejs.org, `error.code`.
 * @returns '' where the error has none
 */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
