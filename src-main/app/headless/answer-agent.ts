import { setTimeout as pause } from 'node:timers/promises'
import type { AnswerAgent } from '../../features/agents/routes.ts'
import { systemTime } from '../../http/server/system-ports.ts'
import { createServiceClient } from '../client/service-client.ts'

/**
 * Tools call the service's loopback address with the agent's key.
 * @param url requested per message, as it is known only after startup
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
