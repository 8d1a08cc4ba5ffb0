/**
 * POST /graphql: where the endpoints of apps are. The account key sees all apps; the key of an endpoint, or the token
 * of a worker that calls others, what is in the same environment of the same app. The platform's own tools ask here too;
 * without a key they may sign in. Source: docs/spec/app-deploy.md, 8; docs/spec/platform.md, 6.
 */
import type { Context } from 'hono'
import { SERVICE_ROUTES } from '../../contract/service-routes.ts'
import type { FindEndpoint } from '../../services/apps/environment-endpoints.ts'
import type { Caller } from '../../services/keys.ts'
import type { ServiceContext } from '../../services/service-context.ts'
import { readBody } from '../read-request.ts'
import type { RunQuery } from './query-server.ts'

/** Makes the state manager. @returns answers a request whose origin and key have been checked */
export function createStateManager(
  service: ServiceContext,
  findEndpoint: FindEndpoint,
): (c: Context, caller: Caller) => Promise<Response> {
  let server: Promise<RunQuery> | undefined
  return async (c, caller) => {
    const { bytes, name } = SERVICE_ROUTES.stateManager.bodyLimit
    const body = await readBody(c, bytes, name)
    // Loading it takes 0.2 s, which only those wait for who ask.
    server ??= import('./query-server.ts').then(({ createQueryServer }) => createQueryServer(service, findEndpoint))
    // The Host was checked, and it is where the caller's next requests arrive: behind a tunnel, say.
    const { origin } = new URL(c.req.url)
    const answer = await (await server)(body.toString('utf8'), { c, caller, origin })
    await service.storage.durable()
    return answer
  }
}
