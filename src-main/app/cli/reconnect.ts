import { errorCode } from '../../lib/error-code.ts'
import { methodOf } from '../client/calls.ts'
import type { ServiceClient } from '../client/service-client.ts'
import { type CliError, isUnreachable } from './cli-error.ts'
import type { Surroundings } from './surroundings.ts'

// Tries, and ms between them. Source: ours, 30 s for a supervisor to restart the service.
export const RECONNECTS = 30
export const RECONNECT_EVERY_MS = 1000

/** Whether a connection broke, in contrast to one that was never made. */
export function isBroken(error: unknown): boolean {
  return isUnreachable(error) && ['ECONNRESET', 'EPIPE'].includes(errorCode(error.cause))
}

export function isUnsent(error: CliError): boolean {
  return ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'].includes(errorCode(error.cause))
}

/** Repeats reads while a service that was reached before does not answer. */
export function reconnecting(client: ServiceClient, { pause }: Pick<Surroundings, 'pause'>): ServiceClient {
  let wasReached = false
  return {
    ...client,
    async call(operation, args) {
      const { signal }: { readonly signal?: AbortSignal | undefined } = args ?? {}
      for (let failures = 0; ; failures++) {
        try {
          const answer = await client.call(operation, args)
          wasReached = true
          return answer
        } catch (error) {
          wasReached ||= isBroken(error)
          // Later calls do not wait for the same outage again.
          if (failures === RECONNECTS) wasReached = false
          if (!isUnreachable(error) || !wasReached || methodOf(operation) !== 'GET') throw error
          await pause(RECONNECT_EVERY_MS, signal)
        }
      }
    },
  }
}
