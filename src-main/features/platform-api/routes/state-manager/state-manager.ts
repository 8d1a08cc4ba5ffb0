/**
 * POST /graphql: the account key sees all apps, endpoint and worker tokens their environment, guests only sign-in.
 * Source: docs/spec/app-deploy.md, 8; docs/spec/platform.md, 6.
 */
import type { Context } from 'hono'
import { SERVICE_ROUTES } from '../../../../contract/service-routes.ts'
import { readBody } from '../../../../http/read-request.ts'
import type { FindEndpoint } from '../../../apps/environment-endpoints.ts'
import type { Caller } from '../../../keys/keys.ts'
import type { PlatformServices } from './platform-schema.ts'
import type { RunQuery } from './query-server.ts'

export function createStateManager(
  service: PlatformServices,
  findEndpoint: FindEndpoint,
): (c: Context, caller: Caller) => Promise<Response> {
  let server: Promise<RunQuery> | undefined
  return async (c, caller) => {
    const { bytes, name } = SERVICE_ROUTES.stateManager.bodyLimit
    const body = await readBody(c, bytes, name)
    // Loading it takes 0.2 s, so it is loaded on first use.
    server ??= import('./query-server.ts').then(({ createQueryServer }) => createQueryServer(service, findEndpoint))
    // The checked Host, where the caller's next requests will arrive: through a tunnel, for example.
    const { origin } = new URL(c.req.url)
    const answer = await (await server)(body.toString('utf8'), { c, caller, origin })
    await service.storage.durable()
    return answer
  }
}
