import { ApiError } from '../../src-main/app/client/calls.ts'

export { ApiError }

export function isSignedOut(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'UNAUTHORIZED'
}

export function isGone(error: Error | null): boolean {
  return error instanceof ApiError && error.status === 404
}
