import type { Context } from 'hono'
import type { RequestCounts } from '../services/monitoring/count-requests.ts'
import { statusOf } from './error-response.ts'

/** Answers a request of a route. */
type Answer = (c: Context) => Response | Promise<Response>

/**
 * Counts what a route answers, errors too, by the path of its row and never by the one that was asked for: ids must not
 * become labels.
 */
export function countedRoute(counts: Pick<RequestCounts, 'of'>, path: string, answer: Answer): Answer {
  const count = counts.of(path)
  return async (c) => {
    try {
      const response = await answer(c)
      count(c.req.method, response.status)
      return response
    } catch (error) {
      count(c.req.method, statusOf(error))
      throw error
    }
  }
}
