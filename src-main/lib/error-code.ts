/**
 * Returns a system or database code like ENOENT or SQLITE_BUSY, as messages vary by version. Source: nodejs.org,
 * `error.code`.
 * @returns '' without a code
 */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
