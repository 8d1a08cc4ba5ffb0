/**
 * Programs that ask to be signed in, as `rp login` does: the program shows an address, a person who is signed in opens
 * it and allows it, and the program, which asks again and again, is given the account key. That is given once, to
 * whoever knows the id, which only the program was told.
 */

import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import type { SignInRequestState } from '../../contract/sign-in.ts'
import { newSecretId } from '../keys.ts'
import type { Clock, NewId } from '../ports/system.ts'

/** A request as its program sees it; `apiKey` is there once. `expiresAt` is wall ms. */
export type SignInRequest = {
  readonly id: string
  readonly status: SignInRequestState
  readonly expiresAt: number
  readonly apiKey: string | undefined
}

/** The requests of this run of the service. */
export type SignInRequests = {
  readonly create: () => SignInRequest
  /** How it stands, for the program: an allowed one is used up by this. @throws AppError SIGN_IN_NOT_FOUND */
  readonly poll: (id: string) => SignInRequest
  /** How it stands, for the person. @throws AppError SIGN_IN_NOT_FOUND */
  readonly read: (id: string) => Omit<SignInRequest, 'apiKey'>
  /** Allows or refuses one that waits. @throws AppError SIGN_IN_NOT_FOUND where none does, or it was decided */
  readonly decide: (id: string, allow: boolean) => void
}

type Stored = { readonly expiresAt: number; readonly endsAt: number; status: SignInRequestState }

/** Makes the requests, none yet. @param accountKey what a program gets */
export function createSignInRequests({
  clock,
  newId,
  accountKey,
}: {
  readonly clock: Clock
  readonly newId: NewId
  readonly accountKey: () => string
}): SignInRequests {
  const requests = new Map<string, Stored>()

  function find(id: string): Stored {
    const request = requests.get(id)
    if (request === undefined) throw new AppError('SIGN_IN_NOT_FOUND')
    if (request.status === 'PENDING' && request.endsAt <= clock.steady()) request.status = 'EXPIRED'
    return request
  }

  const shown = (id: string, { status, expiresAt }: Stored, apiKey?: string) => ({ id, status, expiresAt, apiKey })

  return {
    create() {
      // Anybody on this machine may ask, so old ones make room.
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
    poll(id) {
      const request = find(id)
      if (request.status !== 'APPROVED') return shown(id, request)
      const answer = shown(id, request, accountKey())
      request.status = 'CONSUMED'
      return answer
    },
    read(id) {
      const { status, expiresAt } = find(id)
      return { id, status, expiresAt }
    },
    decide(id, allow) {
      const request = find(id)
      if (request.status !== 'PENDING') throw new AppError('SIGN_IN_NOT_FOUND')
      request.status = allow ? 'APPROVED' : 'DENIED'
    },
  }
}
