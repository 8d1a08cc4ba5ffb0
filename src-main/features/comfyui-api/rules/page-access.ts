/** Who gets ComfyUI's page from `drydock comfy open`: the browser that opened its one-time link. */

export type PageRequest = {
  readonly host: string | undefined
  readonly origin: string | undefined
  /** Sec-Fetch-Site. */
  readonly site: string | undefined
  readonly cookie: string | undefined
}

// The name of its host is a secret too, as cookies reach every port of a host.
const COOKIE = 'drydock_comfy'

/** The cookie ends with the browser, and the page with its command. */
export const pageCookie = (secret: string): string => `${COOKIE}=${secret}; Path=/; HttpOnly; SameSite=Strict`

/** @param own host and port of the page */
export function isOwnRequest({ host, origin, site }: PageRequest, own: string): boolean {
  if (host?.toLowerCase() !== own || (origin !== undefined && origin !== `http://${own}`)) return false
  return site === undefined || site === 'same-origin' || site === 'none'
}

export function secretIn({ cookie = '' }: PageRequest): string | undefined {
  const pairs = cookie.split(';').map((pair) => pair.trim())
  return pairs.find((pair) => pair.startsWith(`${COOKIE}=`))?.slice(COOKIE.length + 1)
}

// Set by the forwarder, or of the page's own connection.
const NOT_FORWARDED =
  /^(?:host|origin|referer|cookie|authorization|connection|keep-alive|transfer-encoding|upgrade|expect|sec-fetch-.*)$/

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>

export const forwardedHeaders = (headers: Headers): Headers =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !NOT_FORWARDED.test(name)))
