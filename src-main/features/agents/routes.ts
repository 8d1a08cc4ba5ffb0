/**
 * POST /mcp requires a key, which the tools use to call the service. Messages per key are limited against runaway
 * agents.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Context } from 'hono'
import type { AgentMessage } from '../../contract/agents.ts'
import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import { roleFor } from '../../contract/routes.ts'
import { SERVICE_ROUTES } from '../../contract/service-routes.ts'
import { requireOwnOrigin, requireRole } from '../../http/guards.ts'
import { parseRequest } from '../../http/read-request.ts'
import { pause } from '../../lib/wait.ts'
import { keyFromHeader } from '../keys/rules.ts'
import type { ServiceContext } from '../service-context.ts'
import { type CallLimits, createCallLimits } from './rules.ts'

export type AnswerAgent = (request: Request, message: AgentMessage) => Promise<Response>

const ROUTE = SERVICE_ROUTES.agents

export function createAgentRoute(service: ServiceContext, answer: AnswerAgent): (c: Context) => Promise<Response> {
  const limits = new Map<string, CallLimits>()
  const most = { perSpan: limit('mcpRequests'), atOnce: limit('mcpRequestsAtOnce'), now: service.clock.steady }
  const limitsOf = (name: string): CallLimits => {
    const known = limits.get(name) ?? createCallLimits(most)
    limits.set(name, known)
    return known
  }
  const turn = createTurns()
  return async (c) => {
    requireOwnOrigin(c, service)
    const key = keyFromHeader(c.req.header('authorization'))
    // The session of a signed-in browser has no key to pass on.
    if (key === undefined) throw new AppError('UNAUTHORIZED')
    const { name = '', role } = requireRole(c, service, roleFor(ROUTE, c.req.method))
    const leave = limitsOf(name).enter()
    if (typeof leave === 'string') {
      await pause(service.clock, limit('mcpRefusedMs'))
      await turn()
      throw new AppError('TOO_MANY_MESSAGES', { why: leave })
    }
    try {
      await turn()
      const { query, body } = await parseRequest(c, ROUTE, service)
      const access = { role, allows: query.allow }
      const response = await answer(c.req.raw, { body, access, name, key })
      return countedOut(response, leave)
    } catch (error) {
      leave()
      throw error
    }
  }
}

// Messages that arrive together start one per event loop turn, so that other requests wait for only one.
function createTurns(): () => Promise<void> {
  let last: Promise<void> = Promise.resolve()
  return () => {
    last = last.then(() => nextTurn())
    return last
  }
}

function countedOut(response: Response, leave: () => void): Response {
  if (response.body === null) {
    leave()
    return response
  }
  // Both ends: an agent that disconnects cancels its response.
  const reader = response.body.getReader()
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read()
      if (!done) return controller.enqueue(value)
      leave()
      controller.close()
    },
    async cancel(reason) {
      leave()
      await reader.cancel(reason)
    },
  })
  return new Response(body, response)
}
