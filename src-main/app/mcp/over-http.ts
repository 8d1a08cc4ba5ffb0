/** Streamable HTTP without sessions: each message gets its own server, so only call rates are remembered. */
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import type { AgentMessage } from '../../contract/agents.ts'
import { limit } from '../../contract/limits.ts'
import { type CallLimits, createCallLimits } from '../../features/agents/rules.ts'
import type { ServiceClient } from '../client/service-client.ts'
import { createAgentServer } from './server.ts'
import type { ToolContext } from './tool.ts'

export function createHttpAgents(deps: {
  readonly version: string
  readonly clientWith: (key: string) => ServiceClient
  readonly now: () => number
  readonly steady: () => number
  readonly pause: ToolContext['pause']
}): (request: Request, message: AgentMessage) => Promise<Response> {
  const limitsByName = new Map<string, CallLimits>()
  const limitsOf = (name: string): CallLimits => {
    const known =
      limitsByName.get(name) ??
      createCallLimits({ perSpan: limit('mcpCalls'), atOnce: limit('mcpCallsAtOnce'), now: deps.steady })
    limitsByName.set(name, known)
    return known
  }
  return async (request, { body, access, name, key }) => {
    const { version, now, pause, clientWith } = deps
    const client = clientWith(key)
    const server = createAgentServer({
      ...{ version, now, pause, access, limits: limitsOf(name) },
      client: async () => client,
      key: () => key,
    })
    const transport = new WebStandardStreamableHTTPServerTransport()
    await server.connect(transport)
    request.signal.addEventListener('abort', () => void server.close())
    return transport.handleRequest(request, { parsedBody: body })
  }
}
