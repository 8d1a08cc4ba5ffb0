/** What answers coding agents: loaded when the first one comes, as most services have none. */
import { setTimeout as pause } from 'node:timers/promises'
import type { AnswerAgent } from '../api/agents.ts'
import { createServiceClient } from '../client/service-client.ts'
import { systemTime } from './system-ports.ts'

/**
 * Makes it. Tools call the service at its own address on loopback, with the key of the agent: there is no second way in.
 * @param url asked for each message, as it is known after the start
 */
export function createAnswerAgent({
  version,
  url,
}: {
  readonly version: string
  readonly url: () => string
}): AnswerAgent {
  let loaded: Promise<AnswerAgent> | undefined
  const load = async () => {
    const { createHttpAgents } = await import('../mcp/over-http.ts')
    return createHttpAgents({
      version,
      clientWith: (key) => createServiceClient({ url: url(), key }),
      now: systemTime.wall,
      steady: systemTime.monotonic,
      pause: (ms, signal) => pause(ms, undefined, { signal }),
    })
  }
  return async (request, message) => {
    loaded ??= load()
    return (await loaded)(request, message)
  }
}
