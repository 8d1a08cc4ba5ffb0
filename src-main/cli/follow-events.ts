import { setTimeout as pause } from 'node:timers/promises'
import type { CallArguments, Operation, ServiceClient } from './client.ts'
import type { ServerSentEvent } from './server-sent-events.ts'

// Pause before a stream that the service ended is asked for again, in ms; source: ours, too short to be noticed and
// long enough not to load a service that ends every stream at once.
const AGAIN_AFTER_MS = 100

/**
 * Follows an operation until an `end` event, which is the last one given. A service that stops ends its streams without
 * one: then it is asked again, from where it ended, and a service that is gone shows as NOT_REACHABLE.
 * @param argumentsAfter the arguments of the call, by the id of the last event that was seen
 */
export async function* followToEnd(
  client: ServiceClient,
  operation: Operation,
  argumentsAfter: (lastId: string | undefined) => CallArguments,
): AsyncGenerator<ServerSentEvent> {
  let lastId: string | undefined
  for (;;) {
    for await (const event of client.follow(operation, argumentsAfter(lastId))) {
      yield event
      if (event.event === 'end') return
      lastId = event.id ?? lastId
    }
    await pause(AGAIN_AFTER_MS)
  }
}
