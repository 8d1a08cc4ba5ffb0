/**
 * Which headers a request takes to the worker and a response takes back, and the addresses in them. Raw lists as Node
 * has them, name and value in turn, so that repeated ones (Set-Cookie) and the spelling of names stay as they were.
 * Source: RFC 9110 7.6.1 for the headers that concern one connection only; Go's ReverseProxy for TE and Trailer.
 */

import { headersForPage, withoutSessions } from '../auth.ts'
import type { TraceHeaders } from '../monitoring/trace-context.ts'

type Pair = readonly [name: string, value: string]

/** What the service knows of a request. */
export type ForwardFacts = {
  readonly clientAddress: string
  readonly host: string
  /** What stood before the path, empty for none. */
  readonly prefix: string
  readonly method: string
  readonly body: 'none' | 'chunked' | 'sized'
  /** Protocol of an upgrade; undefined without one. */
  readonly upgrade: string | undefined
  /** The trace that the worker continues, in place of that of the client; undefined: that of the client. */
  readonly trace?: TraceHeaders | undefined
  /**
   * What shows the worker that the request comes from the service, for paths that take code; undefined for others.
   */
  readonly proof?: string | undefined
}

/** Where the client asked, and who answered. */
export type ClientAddress = {
  /** What stands before the worker's own path, without a slash at the end; empty for none. */
  readonly prefix: string
  /** Path and query that the worker was asked for. */
  readonly target: string
  /** Host header of the client, which the worker got too. */
  readonly host: string
  /** Port that the worker listens on. */
  readonly workerPort: number
}

const ONE_CONNECTION = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'transfer-encoding',
  'upgrade',
])

/** Which lead to the wrong body when `Connection` names them: a client must not be able to take them away. */
const NEVER_NAMED_AWAY = new Set(['host', 'content-length'])

/**
 * What we say ourselves or do not pass on. Authorization holds our key: whoever has it may do more than ask this
 * worker, so no worker sees it. Expect is answered by us, when a worker is there to read the body. Of several Host
 * headers the worker gets the one that was checked. X-Drydock-Worker shows that a request comes from the service.
 */
const OURS = /^(authorization|expect|host|x-drydock-worker|x-drydock-page-key|forwarded|x-real-ip|x-forwarded-.*)$/

const OF_TRACES = /^trace(parent|state)$/

/** The headers for the worker. Host stays that of the client, so that addresses a worker makes of it lead back. */
export function headersForWorker(raw: readonly string[], facts: ForwardFacts): string[] {
  const pairs = pairsOf(raw)
  const ended = endingHere(pairs)
  const passed = pairs.map(withoutOurCookies).filter(([name, value]) => {
    const lower = name.toLowerCase()
    if (lower === 'cookie' && value === '') return false
    if (facts.trace !== undefined && OF_TRACES.test(lower)) return false
    return !ended.has(lower) && !OURS.test(lower) && (lower !== 'trailer' || facts.body === 'chunked')
  })
  const own: Pair[] = [
    ['Host', facts.host],
    ['X-Forwarded-For', facts.clientAddress],
    ['X-Forwarded-Host', facts.host],
    ['X-Forwarded-Proto', 'http'],
  ]
  if (facts.trace !== undefined) own.push(...Object.entries(facts.trace))
  if (facts.prefix !== '') own.push(['X-Forwarded-Prefix', facts.prefix])
  if (acceptsTrailers(pairs)) own.push(['TE', 'trailers'])
  if (facts.body === 'chunked') own.push(['Transfer-Encoding', 'chunked'])
  // Else Node would announce a body in chunks, which old servers read as none and then take for the next request.
  if (
    facts.body === 'none' &&
    !/^(GET|HEAD|OPTIONS|TRACE|DELETE)$/.test(facts.method) &&
    !has(passed, 'content-length')
  )
    own.push(['Content-Length', '0'])
  if (facts.proof !== undefined) own.push(['X-Drydock-Worker', facts.proof])
  if (facts.upgrade !== undefined) own.push(['Connection', 'Upgrade'], ['Upgrade', facts.upgrade])
  return [...passed, ...own].flat()
}

// Our pages have the origin of `/lb`, so the browser sends their session along; it opens as much as our key.
function withoutOurCookies([name, value]: Pair): Pair {
  return [name, name.toLowerCase() === 'cookie' ? withoutSessions(value) : value]
}

/** What would change the browser itself. Under /lb the origin is that of our pages, and so is what it would change. */
const OF_THE_BROWSER =
  /^(set-cookie|clear-site-data|strict-transport-security|service-worker-allowed|nel|report-to|alt-svc)$/
/** Headers with addresses of the worker, and how they are led back. */
const ADDRESSES: ReadonlyMap<string, (value: string, client: ClientAddress) => string> = new Map([
  ['location', leadBack],
  ['content-location', leadBack],
  ['refresh', leadRefreshBack],
  ['set-cookie', keepCookieBelow],
])
/** How long a browser may cache a response. */
const OF_THE_CACHE = /^(cache-control|expires|pragma)$/
/**
 * A window asks the cache of the browser first. A response that a page of ours has fetched would come from there
 * without a question to us, and what stands in it would run as one of our pages.
 */
const NO_STORE: readonly Pair[] = [
  ['Cache-Control', 'no-store'],
  ['Content-Security-Policy', 'sandbox'],
]
/**
 * Where a response leads, shown and not followed: a browser would repeat the request there with the session, and a
 * worker that answers 307 with an address of the management API would have our page do there what it likes.
 */
const SHOWN_LOCATION = 'X-Drydock-Location'

/**
 * The headers for the client.
 * @param trailers whether the response can have some, which then may be announced
 * @param client where the client asked: addresses and cookies of the worker are led back there
 * @param page origin of a foreign page that may read the response; what the worker says about that is taken out
 * @param session whether a session of our pages asked: the worker must not change its browser, nor lead it elsewhere
 */
export function headersForClient(
  raw: readonly string[],
  {
    trailers,
    client,
    session = false,
    page,
  }: {
    readonly trailers: boolean
    readonly client: ClientAddress
    readonly session?: boolean
    readonly page?: string | undefined
  },
): string[] {
  const pairs = pairsOf(raw)
  const ended = endingHere(pairs)
  const passed = pairs.filter(([name]) => {
    const lower = name.toLowerCase()
    return !ended.has(lower) && (trailers || lower !== 'trailer')
  })
  const ledBack = passed.map(
    ([name, value]): Pair => [name, ADDRESSES.get(name.toLowerCase())?.(value, client) ?? value],
  )
  return (
    session ? ledBack.flatMap(forSession).concat(NO_STORE) : page === undefined ? ledBack : forPage(ledBack, page)
  ).flat()
}

// The setting of the endpoint decides who may read; the worker may say which of its headers.
function forPage(pairs: readonly Pair[], page: string): readonly Pair[] {
  const exposes = has(pairs, 'access-control-expose-headers')
  const ours = Object.entries(headersForPage(page)).filter(([name]) => !exposes || !/expose/.test(name))
  return [...pairs.filter(([name]) => !/^access-control-allow-/i.test(name)), ...ours]
}

function forSession([name, value]: Pair): readonly Pair[] {
  const lower = name.toLowerCase()
  if (OF_THE_BROWSER.test(lower) || OF_THE_CACHE.test(lower)) return []
  return [[lower === 'location' ? SHOWN_LOCATION : name, value]]
}

/** Name and value in turn, as a list of pairs. */
export function pairsOf(raw: readonly string[]): Pair[] {
  const pairs: Pair[] = []
  for (let at = 0; at + 1 < raw.length; at += 2) pairs.push([raw[at] ?? '', raw[at + 1] ?? ''])
  return pairs
}

function endingHere(pairs: readonly Pair[]): ReadonlySet<string> {
  const named = valuesOf(pairs, 'connection').filter((name) => !NEVER_NAMED_AWAY.has(name))
  return new Set([...ONE_CONNECTION, ...named])
}

const acceptsTrailers = (pairs: readonly Pair[]) => valuesOf(pairs, 'te').includes('trailers')

const has = (pairs: readonly Pair[], wanted: string) => pairs.some(([name]) => name.toLowerCase() === wanted)

/** The comma-separated values of a header, lower case. */
function valuesOf(pairs: readonly Pair[], wanted: string): readonly string[] {
  return pairs
    .filter(([name]) => name.toLowerCase() === wanted)
    .flatMap(([, value]) => value.split(','))
    .map((value) => value.trim().toLowerCase())
}

// Addresses in a response. A worker knows nothing of what stands before its paths under /lb, and some know themselves
// by the port that they listen on: what one says of its own addresses is led back to where the client asked. Addresses
// of others, and those that are relative, are right as they are. Source: docs/spec/job-api.md, 10; RFC 9110 10.2.2 and
// 8.7, RFC 6265 5.2.4 for the path of a cookie.

const ABSOLUTE = /^(?:https?:)?\/\/([^/?#]*)(.*)$/is
// What a worker may name as its own host: loopback, or the address for all that it listens on.
const WORKERS_OWN_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|0\.0\.0\.0|\[::1?\])(?::(\d+))?$/
const HTTP_PORT = 80

/** An address of Location or Content-Location as the client needs it. */
export function leadBack(address: string, client: ClientAddress): string {
  const [, host, rest] = ABSOLUTE.exec(address) ?? []
  if (host === undefined || rest === undefined) return address.startsWith('/') ? below(address, client) : address
  const path = rest.startsWith('/') ? rest : `/${rest}`
  return isWorker(host.toLowerCase(), client) ? `http://${client.host}${below(path, client)}` : address
}

function below(path: string, { prefix }: ClientAddress): string {
  return isBelow(path, prefix) ? path : prefix + path
}

// A worker that reads X-Forwarded-Prefix has put it there itself.
const isBelow = (path: string, prefix: string) =>
  path.startsWith(prefix) && /^(?:[/?#]|$)/.test(path.slice(prefix.length))

function isWorker(host: string, { host: asked, workerPort }: ClientAddress): boolean {
  if (host === asked.toLowerCase()) return true
  const [named, port] = WORKERS_OWN_HOST.exec(host) ?? []
  return named !== undefined && Number(port ?? HTTP_PORT) === workerPort
}

/** The value of Refresh, which has an address in it. */
export function leadRefreshBack(value: string, client: ClientAddress): string {
  return value.replace(
    /^(\s*[\d.]+\s*[;,]\s*url\s*=\s*["']?)([^"']+)/i,
    (_all, before: string, address: string) => before + leadBack(address, client),
  )
}

/**
 * The value of Set-Cookie with its path below the prefix: else the cookie would go to every other endpoint, and to the
 * service itself. A cookie whose name begins with `__Host-` must have the path / and is left as it is.
 */
export function keepCookieBelow(cookie: string, { prefix, target }: ClientAddress): string {
  if (prefix === '' || /^\s*__Host-/i.test(cookie)) return cookie
  const parts = cookie.split(';')
  const at = parts.findLastIndex((part, index) => index > 0 && /^\s*path\s*=/i.test(part))
  const path = at === -1 ? '' : (parts[at]?.slice(parts[at].indexOf('=') + 1).trim() ?? '')
  if (path.startsWith('/')) {
    const cookiePath = isBelow(path, prefix) ? path : prefix + (path === '/' ? '' : path)
    return parts.with(at, ` Path=${cookiePath}`).join(';')
  }
  // Without a path the folder of the request counts, which may lie above the prefix where the root was asked for.
  return /^\/(?:[?#]|$)/.test(target) ? `${cookie}; Path=${prefix}` : cookie
}
