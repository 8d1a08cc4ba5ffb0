/**
 * The door of coding agents: POST /mcp. It asks for a key, and for no session, because the tools call the service with
 * that key; how many messages a key may send is bounded, so that an agent gone wild leaves the service to others.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Context } from 'hono'
import type { AgentMessage } from '../contract/agents.ts'
import { AppError } from '../contract/errors.ts'
import { limit } from '../contract/limits.ts'
import { roleFor } from '../contract/routes.ts'
import { SERVICE_ROUTES } from '../contract/service-routes.ts'
import { keyFromHeader } from '../domain/auth.ts'
import { type CallLimits, createCallLimits } from '../domain/call-limits.ts'
import type { ServiceContext } from '../services/service-context.ts'
import { requireOwnOrigin, requireRole } from './guards.ts'
import { parseRequest } from './read-request.ts'

/** Answers messages of agents. */
export type AnswerAgent = (request: Request, message: AgentMessage) => Promise<Response>

const ROUTE = SERVICE_ROUTES.agents

/** Makes the handler of the route. */
export function createAgentDoor(service: ServiceContext, answer: AnswerAgent): (c: Context) => Promise<Response> {
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
    // A browser that is signed in has no key that could be passed on.
    if (key === undefined) throw new AppError('UNAUTHORIZED')
    const { name = '', role } = requireRole(c, service, roleFor(ROUTE, c.req.method))
    const leave = limitsOf(name).enter()
    if (typeof leave === 'string') {
      await new Promise<void>((resolve) => service.clock.after(limit('mcpRefusedMs'), resolve))
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

// Messages that came together begin one in each turn of the event loop: others are answered between them, and wait for
// one message, not for all.
function createTurns(): () => Promise<void> {
  let last: Promise<void> = Promise.resolve()
  return () => {
    last = last.then(() => nextTurn())
    return last
  }
}

/** The response, which counts as open until its body has ended: a tool answers in it. */
function countedOut(response: Response, leave: () => void): Response {
  if (response.body === null) {
    leave()
    return response
  }
  // Both ends: an agent that leaves cancels what it was being told.
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
