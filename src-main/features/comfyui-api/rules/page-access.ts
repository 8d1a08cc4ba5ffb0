/** Only the browser that opened the one-time link of `drydock comfy open` gets the page. */

import { cookieNamed } from '../../../lib/cookies.ts'

export type PageRequest = {
  readonly host: string | undefined
  readonly origin: string | undefined
  readonly fetchSite: string | undefined
  readonly cookie: string | undefined
}

// The host name is secret too, as cookies reach every port of a host.
const COOKIE = 'drydock_comfy'

/** Valid until the browser or the command ends. */
export const pageCookie = (secret: string): string => `${COOKIE}=${secret}; Path=/; HttpOnly; SameSite=Strict`

/** @param own host and port of the page */
export function isOwnRequest({ host, origin, fetchSite }: PageRequest, own: string): boolean {
  if (host?.toLowerCase() !== own || (origin !== undefined && origin !== `http://${own}`)) return false
  return fetchSite === undefined || fetchSite === 'same-origin' || fetchSite === 'none'
}

export const secretIn = ({ cookie }: PageRequest): string | undefined => cookieNamed(cookie, COOKIE)

// The forwarder sets these, or they belong to the page's own connection. The transfer encoding stays: without it, Node
// sends the body of a GET as a further request.
const NOT_FORWARDED = /^(?:host|origin|referer|cookie|authorization|connection|keep-alive|upgrade|expect|sec-fetch-.*)$/

type Headers = Readonly<Record<string, string | string[] | undefined>>

export const forwardedHeaders = (headers: Headers): Headers =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !NOT_FORWARDED.test(name)))
