import type { Context } from 'hono'
import { APP_ROUTES } from '../../contract/app-routes.ts'
import type { LogScope } from '../../services/ports.ts'
import type { ServiceContext } from '../../services/service-context.ts'
import { followAsEvents } from '../follow.ts'
import { queryValue } from '../v2/operation.ts'
import type { AppHandler } from './app-handler.ts'
import { endpointOf } from './endpoints.ts'

const PAGE = 1000

// `after` goes on from a line, `tail` begins with the newest ones; without both the newest page.
function serveLogs(c: Context, service: ServiceContext, scope: LogScope): Response {
  const { storage, stopping, bells } = service
  const { query } = APP_ROUTES.endpointLogs
  const after = queryValue(c, 'after', query.after)
  const tail = queryValue(c, 'tail', query.tail) ?? PAGE
  const follow = queryValue(c, 'follow', query.follow) === 'true'
  const first = after === undefined ? storage.logs.newest(scope, tail) : storage.logs.after(scope, after, PAGE)
  if (!follow) return c.json({ lines: [...first] })
  let cursor = after ?? storage.logs.lastId()
  let next = first
  return followAsEvents(c, {
    bell: bells.logs,
    stopping,
    read() {
      const lines = next
      cursor = lines.at(-1)?.id ?? cursor
      next = storage.logs.after(scope, cursor, PAGE)
      return {
        items: lines.map((line) => ({ id: line.id, event: 'line', data: JSON.stringify(line) })),
        more: next.length > 0,
      }
    },
  })
}

/** Log lines of endpoints, workers and jobs; those of a worker or job are there as long as the lines are. */
export const LOG_OPERATIONS = {
  endpointLogs: (c, service) => serveLogs(c, service, { by: 'endpoint', id: endpointOf(c, service).id }),
  workerLogs: (c, service) => serveLogs(c, service, { by: 'worker', id: c.req.param('workerId') ?? '' }),
  jobLogs: (c, service) => serveLogs(c, service, { by: 'job', id: c.req.param('jobId') ?? '' }),
} as const satisfies Record<string, AppHandler>
