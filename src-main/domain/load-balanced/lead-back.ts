/**
 * Addresses in the answer of a load-balanced worker. It knows nothing of what stands before its paths under /lb, and some
 * know themselves by the port that they listen on: what it says of its own addresses is led back to where the client asked.
 * Addresses of others, and those that are relative, are right as they are. Source: job-api, Load-balanced endpoints; RFC
 * 9110 10.2.2 and 8.7, RFC 6265 5.2.4 for the path of a cookie.
 */

/** Where the client asked, and who answered. */
export type AnswerPlace = {
  /** What stands before the worker's own path, without a slash at the end; empty for none. */
  readonly prefix: string
  /** Path and query that the worker was asked for. */
  readonly target: string
  /** Host header of the client, which the worker got too. */
  readonly host: string
  /** Port that the worker listens on. */
  readonly workerPort: number
}

const ABSOLUTE = /^(?:https?:)?\/\/([^/?#]*)(.*)$/is
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|0\.0\.0\.0|\[::1?\])(?::(\d+))?$/
const HTTP_PORT = 80

/** An address of Location or Content-Location as the client needs it. */
export function leadBack(address: string, place: AnswerPlace): string {
  const [, host, rest] = ABSOLUTE.exec(address) ?? []
  if (host === undefined || rest === undefined) return address.startsWith('/') ? below(address, place) : address
  const path = rest.startsWith('/') ? rest : `/${rest}`
  return isWorker(host.toLowerCase(), place) ? `http://${place.host}${below(path, place)}` : address
}

/** The value of Refresh, which has an address in it. */
export function leadRefreshBack(value: string, place: AnswerPlace): string {
  return value.replace(
    /^(\s*[\d.]+\s*[;,]\s*url\s*=\s*["']?)([^"']+)/i,
    (_all, before: string, address: string) => before + leadBack(address, place),
  )
}

/**
 * The value of Set-Cookie with its path below the prefix: else the cookie would go to every other endpoint, and to the
 * service itself. A cookie whose name begins with `__Host-` must have the path / and is left as it is.
 */
export function keepCookieBelow(cookie: string, { prefix, target }: AnswerPlace): string {
  if (prefix === '' || /^\s*__Host-/i.test(cookie)) return cookie
  const parts = cookie.split(';')
  const at = parts.findLastIndex((part, index) => index > 0 && /^\s*path\s*=/i.test(part))
  const path = at === -1 ? '' : (parts[at]?.slice(parts[at].indexOf('=') + 1).trim() ?? '')
  if (path.startsWith('/')) {
    const kept = isBelow(path, prefix) ? path : prefix + (path === '/' ? '' : path)
    return parts.with(at, ` Path=${kept}`).join(';')
  }
  // Without a path the folder of the request counts, which may lie above the prefix where the root was asked for.
  return /^\/(?:[?#]|$)/.test(target) ? `${cookie}; Path=${prefix}` : cookie
}

function below(path: string, { prefix }: AnswerPlace): string {
  return isBelow(path, prefix) ? path : prefix + path
}

// A worker that reads X-Forwarded-Prefix has put it there itself.
const isBelow = (path: string, prefix: string) =>
  path.startsWith(prefix) && /^(?:[/?#]|$)/.test(path.slice(prefix.length))

function isWorker(host: string, { host: asked, workerPort }: AnswerPlace): boolean {
  if (host === asked.toLowerCase()) return true
  const [named, port] = LOOPBACK.exec(host) ?? []
  return named !== undefined && Number(port ?? HTTP_PORT) === workerPort
}
