/**
 * Pages of other origins that an endpoint lets in, by its setting `cors`. They bring a key as every program does: cookies do
 * not count for them, so no answer says `allow-credentials`, and no answer names an origin that the setting does not.
 * Source: targets, Rules of the localhost server; the Fetch standard for the headers.
 */

/** Headers of a preflight, as far as its answer needs them. */
export type PreflightHeaders = {
  /** Access-Control-Request-Method. */
  readonly method: string | undefined
  /** Access-Control-Request-Headers. */
  readonly headers: string | undefined
  /** Access-Control-Request-Private-Network: a page of the web asks for an address of this machine. */
  readonly privateNetwork: string | undefined
}

// As long as a browser may go without asking again; a setting that is taken back holds at once for the requests themselves.
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

/** What the answer to a preflight of such a page says: it may ask as it wants to. The request itself still needs a key. */
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
