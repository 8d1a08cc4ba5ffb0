/**
 * A foreign name is resolved once and the connection uses exactly the checked address, which prevents DNS rebinding
 * into the network.
 */
import { lookup } from 'node:dns/promises'
import { type ClientRequest, request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP } from 'node:net'
import { connectHost } from '../own-addresses.ts'

export class RefusedAddress extends Error {}

/**
 * Opens a request that the caller ends and whose errors it handles.
 * @param refusal why an address is refused; undefined allows it
 * @throws RefusedAddress; Error for an unknown name
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
      lookup: (_name, { all }, done) => (all ? done(null, [{ address, family }]) : done(null, address, family)),
    },
    (response) => onResponse(response, request),
  )
  return refuseUpgrade(request)
}

/** Makes protocol upgrades an error; otherwise Node emits neither a response nor an error. */
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

export function redirectOf({ statusCode = 0, headers }: IncomingMessage): string | undefined {
  return statusCode >= 300 && statusCode < 400 ? headers.location : undefined
}
