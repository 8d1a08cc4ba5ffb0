/**
 * POST /graphql: where the endpoints of apps are. The account key sees all apps; the key of an endpoint, or the token of
 * a worker that calls others, what is in the same environment of the same app. Source: app-deploy, State manager.
 */
import type { Context } from 'hono'
import type { FindEndpoint } from '../../services/apps/find-endpoint.ts'
import type { Caller } from '../../services/management/keys.ts'
import type { ServiceContext } from '../../services/service-context.ts'
import { readBody } from '../read-body.ts'
import type { AnswerQuery } from './query-server.ts'

/** Where it is. Queries come by POST alone, as any page can make a browser send a GET. */
export const STATE_MANAGER_ROUTE = { methods: ['POST'], path: '/graphql' } as const

/** Source: ours, four times the largest query that the limits let through. */
const BODY_BYTES = 64 * 1024

/** Makes the state manager. @returns answers a request whose place and key have been checked */
export function createStateManager(
  service: ServiceContext,
  findEndpoint: FindEndpoint,
): (c: Context, caller: Caller) => Promise<Response> {
  let server: Promise<AnswerQuery> | undefined
  return async (c, caller) => {
    const body = await readBody(c, BODY_BYTES, 'a query')
    // Loading it takes 0.2 s, which only those wait for who ask.
    server ??= import('./query-server.ts').then(({ createQueryServer }) => createQueryServer(service, findEndpoint))
    return (await server)(body.toString('utf8'), caller)
  }
}
