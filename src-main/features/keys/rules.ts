import { cookieNamed, cookiePairs } from '../../lib/cookies.ts'

/**
 * Parses `Bearer KEY`, any case, or the bare key. Source: docs/spec/job-api.md, 9.
 * @returns undefined without a key
 */
export function keyFromHeader(header: string | undefined): string | undefined {
  const text = header?.trim()
  if (text === undefined || text === '') return undefined
  const key = /^bearer\s+/i.test(text) ? text.replace(/^bearer\s+/i, '') : text
  return key === '' || /^bearer$/i.test(key) || /\s/.test(key) ? undefined : key
}

export function isOwnHost(host: string | undefined, own: ReadonlySet<string>): boolean {
  return host !== undefined && own.has(host.toLowerCase())
}

/**
 * A request without Origin comes from no page.
 * @param scheme of the request; own pages use the scheme they were loaded by
 */
export function isOwnOrigin(
  origin: string | undefined,
  own: ReadonlySet<string>,
  scheme: 'http' | 'https' = 'http',
): boolean {
  if (origin === undefined) return true
  return origin.startsWith(`${scheme}://`) && own.has(origin.slice(`${scheme}://`.length).toLowerCase())
}

/** Cookies ignore ports, so the name includes it; otherwise two services would sign each other's browsers out. */
export function sessionCookieName(serviceUrl: string): string {
  return `drydock_session_${/:(\d+)$/.exec(serviceUrl)?.[1] ?? '80'}`
}

/** Stands for any other user if the system does not tell which; no user has this id. */
export const SOMEONE_ELSE = -1

export const PAGE_KEY_HEADER = 'x-drydock-page-key'

/** Carries the page key if pages cannot set headers. */
export const PAGE_KEY_QUERY = 'pageKey'

export function sessionSecretsIn(
  header: (name: string) => string | undefined,
  serviceUrl: string,
  inAddress?: string,
): { readonly cookie: string; readonly pageKey: string } | undefined {
  const cookie = cookieNamed(header('cookie'), sessionCookieName(serviceUrl))
  const pageKey = header(PAGE_KEY_HEADER) ?? inAddress
  return cookie === undefined || pageKey === undefined ? undefined : { cookie, pageKey }
}

export function withoutSessions(header: string): string {
  const pairs = cookiePairs(header)
  const others = pairs.filter((pair) => !pair.startsWith('drydock_session_'))
  return others.length === pairs.length ? header : others.join('; ')
}

// Foreign pages allowed by `cors` need a key; responses never set `allow-credentials` or name another origin. Source:
// docs/spec/targets.md, 3; the Fetch standard.

type PreflightHeaders = {
  readonly method: string | undefined
  readonly headers: string | undefined
  /** Access-Control-Request-Private-Network: a web page asks for an address of this machine. */
  readonly privateNetwork: string | undefined
}

// How long browsers cache it; requests themselves see a revoked setting at once.
const PREFLIGHT_AGE_S = 600
const TOKENS = /^[\w!#$%&'*+.^`|~-]+(?:\s*,\s*[\w!#$%&'*+.^`|~-]+)*$/

export function headersForPage(origin: string): Readonly<Record<string, string>> {
  return {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': 'Job-Status, Retry-After, X-Should-Retry, X-Runpod-Worker-Id',
    vary: 'Origin',
  }
}

/** Allows all methods and headers; the request itself still needs a key. */
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
