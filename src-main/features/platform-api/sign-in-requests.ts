/**
 * Device sign-in for `rp login`: a signed-in user approves at the program's address, and the polling program gets the
 * account key once. Only the program knows the id.
 */

import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import type { SignInRequestState } from '../../contract/sign-in.ts'
import type { Clock, NewId } from '../../lib/clock.ts'
import { newSecretId } from '../keys/keys.ts'

/** `expiresAt` is wall ms; `apiKey` appears once. */
export type SignInRequest = {
  readonly id: string
  readonly status: SignInRequestState
  readonly expiresAt: number
  readonly apiKey: string | undefined
}

export type SignInRequests = ReturnType<typeof createSignInRequests>

type Stored = { readonly expiresAt: number; readonly endsAt: number; status: SignInRequestState }

export function createSignInRequests(clock: Clock, newId: NewId, accountKey: () => string) {
  const requests = new Map<string, Stored>()

  function find(id: string): Stored {
    const request = requests.get(id)
    if (request === undefined) throw new AppError('SIGN_IN_NOT_FOUND')
    if (request.status === 'PENDING' && request.endsAt <= clock.steady()) request.status = 'EXPIRED'
    return request
  }

  const shown = (id: string, { status, expiresAt }: Stored, apiKey?: string) => ({ id, status, expiresAt, apiKey })

  return {
    create(): SignInRequest {
      // Anyone on this machine may ask, so old requests make room.
      const [oldest] = requests.keys()
      if (requests.size >= limit('signInRequests') && oldest !== undefined) requests.delete(oldest)
      const id = newSecretId(newId)
      const lifeMs = limit('signInRequestMs')
      const request: Stored = {
        expiresAt: clock.now() + lifeMs,
        endsAt: clock.steady() + lifeMs,
        status: 'PENDING',
      }
      requests.set(id, request)
      return shown(id, request)
    },
    poll(id: string): SignInRequest {
      const request = find(id)
      if (request.status !== 'APPROVED') return shown(id, request)
      const answer = shown(id, request, accountKey())
      request.status = 'CONSUMED'
      return answer
    },
    read(id: string): Omit<SignInRequest, 'apiKey'> {
      const { status, expiresAt } = find(id)
      return { id, status, expiresAt }
    },
    decide(id: string, allow: boolean) {
      const request = find(id)
      if (request.status !== 'PENDING') throw new AppError('SIGN_IN_NOT_FOUND')
      request.status = allow ? 'APPROVED' : 'DENIED'
    },
  }
}
