import type { Context } from 'hono'
import { AppError } from '../../../contract/errors.ts'
import type { Admitted } from '../../../http/admit-stream.ts'
import type { ServiceContext } from '../../service-context.ts'
import { withoutCredentials } from '../../workflows/rules/server-address.ts'
import { cameThrough, headersForClient, headersForServer, isForwarded } from '../rules/forwarded-requests.ts'

/**
 * Forwards a ComfyUI client's request to the server behind the endpoint.
 * @returns undefined if the endpoint names no server, the path is not forwarded, or the server redirects
 * @param hop names this service in requests
 * @throws AppError SERVER_UNREACHABLE, SERVER_LOOP
 */
export async function forwardToServer(
  c: Context,
  { endpoint, address }: Pick<Admitted, 'endpoint' | 'address'>,
  { workflows, stopping, hop }: Pick<ServiceContext, 'workflows' | 'stopping'> & { readonly hop: string },
): Promise<Response | undefined> {
  const { server } = endpoint.config.workflows ?? {}
  const { method, raw } = c.req
  const asked = URL.parse(`http://localhost${address.target}`)
  if (server === undefined || asked === null || !isForwarded(method, asked.pathname)) return undefined
  const through = `${hop}-${endpoint.id}`
  if (cameThrough(c.req.header('via'), through))
    throw new AppError('SERVER_LOOP', { server: withoutCredentials(server) })
  const body = method === 'GET' || method === 'HEAD' ? undefined : new Uint8Array(await c.req.arrayBuffer())
  const response = await workflows
    .askServer(server, {
      ...{ method, path: asked.pathname.slice(1) + asked.search, body },
      headers: headersForServer((name) => c.req.header(name), through),
      signal: AbortSignal.any([raw.signal, stopping]),
    })
    .catch((cause: Error) => {
      throw new AppError('SERVER_UNREACHABLE', { server: withoutCredentials(server), why: cause.message }, { cause })
    })
  const { status } = response
  if (status >= 300 && status < 400 && status !== 304) {
    await response.body?.cancel()
    return undefined
  }
  const headers = headersForClient((name) => response.headers.get(name), address.form === 'host')
  return new Response(response.body, { status, headers })
}
