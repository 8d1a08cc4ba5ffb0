/** Keys, hosts, origins and cookies of requests: how they are read, and which headers pages of other origins get. */

/**
 * Takes the key out of an Authorization header: `Bearer KEY`, any case, or the bare key. Source: docs/spec/job-api.md,
 * 9.
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

/**
 * Whether a request may come from the page that sent it. No Origin means that no page did.
 * @param scheme by which the request came: a page of ours asks as it was loaded
 */
export function isOwnOrigin(
  origin: string | undefined,
  own: ReadonlySet<string>,
  scheme: 'http' | 'https' = 'http',
): boolean {
  if (origin === undefined) return true
  return origin.startsWith(`${scheme}://`) && own.has(origin.slice(`${scheme}://`.length).toLowerCase())
}

/**
 * Name of the cookie of a session. Cookies know no ports, so the port is in the name: two services on one machine would
 * else sign each other's browsers out.
 * @param serviceUrl address of the service, with its port
 */
export function sessionCookieName(serviceUrl: string): string {
  return `drydock_session_${/:(\d+)$/.exec(serviceUrl)?.[1] ?? '80'}`
}

/** Id of any user but that of the service, where the system does not tell which. No user has this id. */
export const SOMEONE_ELSE = -1

/** The header in which our pages send the page key of their session. */
export const PAGE_KEY_HEADER = 'x-drydock-page-key'

/** The query parameter of the page key, for requests in which pages cannot set headers. */
export const PAGE_KEY_QUERY = 'pageKey'

/**
 * Reads both secrets of a session.
 * @param inAddress page key in the address, used if the header is missing
 */
export function sessionSecretsIn(
  header: (name: string) => string | undefined,
  serviceUrl: string,
  inAddress?: string,
): { readonly cookie: string; readonly pageKey: string } | undefined {
  const cookie = cookieNamed(header('cookie'), sessionCookieName(serviceUrl))
  const pageKey = header(PAGE_KEY_HEADER) ?? inAddress
  return cookie === undefined || pageKey === undefined ? undefined : { cookie, pageKey }
}

function cookieNamed(header: string | undefined, name: string): string | undefined {
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

// Pages of other origins: an endpoint lets them in by its setting `cors`. They bring a key as every program does:
// cookies do not count for them, so no answer says `allow-credentials`, and no answer names an origin that the setting
// does not. Source: docs/spec/targets.md, 3; the Fetch standard for the headers.

/** Headers of a preflight, as far as its answer needs them. */
type PreflightHeaders = {
  /** Access-Control-Request-Method. */
  readonly method: string | undefined
  /** Access-Control-Request-Headers. */
  readonly headers: string | undefined
  /** Access-Control-Request-Private-Network: a page of the web asks for an address of this machine. */
  readonly privateNetwork: string | undefined
}

// As long as a browser may go without asking again; a setting that is taken back holds at once for the requests
// themselves.
const PREFLIGHT_AGE_S = 600
const TOKENS = /^[\w!#$%&'*+.^`|~-]+(?:\s*,\s*[\w!#$%&'*+.^`|~-]+)*$/

/** What the answer to any request of such a page says, so that the page may read it. */
export function headersForPage(origin: string): Readonly<Record<string, string>> {
  return {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': 'Job-Status, Retry-After, X-Should-Retry',
    vary: 'Origin',
  }
}

/**
 * What the answer to a preflight of such a page says: it may ask as it wants to. The request itself still needs a key.
 */
export function preflightHeaders(origin: string, asked: PreflightHeaders): Readonly<Record<string, string>> {
  const named = asked.headers !== undefined && TOKENS.test(asked.headers)
  return {
    'access-control-allow-origin': origin,
    'access-control-allow-methods':
      asked.method !== undefined && TOKENS.test(asked.method) ? asked.method : 'GET, POST',
    ...(named ? { 'access-control-allow-headers': asked.headers } : {}),
    ...(asked.privateNetwork === 'true' ? { 'access-control-allow-private-network': 'true' } : {}),
    'access-control-max-age': String(PREFLIGHT_AGE_S),
    vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
  }
}
