/**
 * Takes the key out of an Authorization header: `Bearer KEY`, any case, or the bare key. Source: spec 5.
 * @returns undefined when there is none
 */
export function keyFromHeader(header: string | undefined): string | undefined {
  const text = header?.trim()
  if (text === undefined || text === '') return undefined
  const key = /^bearer\s+/i.test(text) ? text.replace(/^bearer\s+/i, '') : text
  return key === '' || /^bearer$/i.test(key) || /\s/.test(key) ? undefined : key
}

/** Hosts under which the service answers. `own` holds host:port pairs in lower case. */
export function isOwnHost(host: string | undefined, own: ReadonlySet<string>): boolean {
  return host !== undefined && own.has(host.toLowerCase())
}

/** Whether a request may come from the page that sent it. No Origin means that no page did. */
export function isOwnOrigin(origin: string | undefined, own: ReadonlySet<string>): boolean {
  if (origin === undefined) return true
  return origin.startsWith('http://') && own.has(origin.slice('http://'.length).toLowerCase())
}

/**
 * Name of the cookie of a session. Cookies know no ports, so the port is in the name: two services on one machine would
 * else sign each other's browsers out.
 * @param serviceUrl address of the service, with its port
 */
export function sessionCookieName(serviceUrl: string): string {
  return `drydock_session_${/:(\d+)$/.exec(serviceUrl)?.[1] ?? '80'}`
}

/** Finds a cookie by its name in a Cookie header; undefined without it. */
export function cookieNamed(header: string | undefined, name: string): string | undefined {
  const found = pairsOfCookies(header ?? '').find((pair) => pair.startsWith(`${name}=`))
  return found?.slice(name.length + 1)
}

/** A Cookie header without the cookies of sessions, for whoever must not see them; empty when nothing is left. */
export function withoutSessions(header: string): string {
  const pairs = pairsOfCookies(header)
  const others = pairs.filter((pair) => !pair.startsWith('drydock_session_'))
  return others.length === pairs.length ? header : others.join('; ')
}

const pairsOfCookies = (header: string) => header.split(';').flatMap((pair) => pair.trim() || [])
