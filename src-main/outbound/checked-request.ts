/**
 * Requests that leave the machine for addresses of others. The name is resolved once and the connection goes to exactly
 * the address that was checked, so that a name that changes its mind cannot lead inside.
 */
import { lookup } from 'node:dns/promises'
import { type ClientRequest, request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP } from 'node:net'
import { connectHost } from '../domain/own-addresses.ts'

/** An address that is not asked, whatever becomes of the network. */
export class RefusedAddress extends Error {}

/**
 * Opens a request; the caller ends it, and listens to its errors.
 * @param refusal says why an address of a host is not asked; undefined: it may be
 * @throws RefusedAddress; Error where the name is not known
 */
export async function checkedRequest(
  url: URL,
  options: Pick<RequestOptions, 'method' | 'headers' | 'signal'>,
  {
    refusal,
    onResponse,
  }: {
    readonly refusal: (host: string, address: string) => string | undefined
    readonly onResponse: (response: IncomingMessage, request: ClientRequest) => void
  },
): Promise<ClientRequest> {
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new RefusedAddress(`${url.protocol} addresses are not allowed`)
  const host = connectHost(url.hostname)
  const { address, family } = await resolve(host)
  const why = refusal(host, address)
  if (why !== undefined) throw new RefusedAddress(why)
  const makeRequest = url.protocol === 'https:' ? httpsRequest : httpRequest
  const request = makeRequest(
    url,
    {
      ...options,
      agent: false,
      // Node asks for one address or for all of them.
      lookup: (_name, { all }, done) => (all ? done(null, [{ address, family }]) : done(null, address, family)),
    },
    (response) => onResponse(response, request),
  )
  return refuseUpgrade(request)
}

/** Makes a switch of protocols an error: by itself, Node emits neither a response nor an error for it. */
export function refuseUpgrade(request: ClientRequest): ClientRequest {
  return request.once('upgrade', (_response, socket) => {
    request.emit('error', new Error('it switched protocols without being asked'))
    socket.destroy()
  })
}

async function resolve(host: string): Promise<{ address: string; family: number }> {
  const version = isIP(host)
  return version === 0 ? lookup(host) : { address: host, family: version }
}

/** Where a redirect leads; undefined: the response is none. */
export function redirectOf({ statusCode = 0, headers }: IncomingMessage): string | undefined {
  return statusCode >= 300 && statusCode < 400 ? headers.location : undefined
}
