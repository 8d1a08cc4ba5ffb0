/**
 * Filters headers as raw name-value lists, which keep repeats and spelling. Source: RFC 9110 7.6.1 for hop-by-hop
 * headers; Go's ReverseProxy for TE and Trailer.
 */

import { headersForPage, withoutSessions } from '../../keys/rules.ts'
import type { TraceHeaders } from '../../monitoring/rules/trace-context.ts'
import { WORKER_ID_HEADER } from './affinity.ts'

type Pair = readonly [name: string, value: string]

export type ForwardFacts = {
  readonly clientAddress: string
  readonly host: string
  readonly prefix: string
  readonly method: string
  readonly body: 'none' | 'chunked' | 'sized'
  readonly upgrade: string | undefined
  /** Trace that the worker continues instead of the client's; undefined: the client's. */
  readonly trace?: TraceHeaders | undefined
  /** Proves to the worker that the request comes from the service, for paths that accept code. */
  readonly proof?: string | undefined
}

export type ClientAddress = {
  /** Prefix of the worker's paths without a trailing slash; may be empty. */
  readonly prefix: string
  readonly target: string
  readonly host: string
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

/** A client must not remove these through `Connection`, which would change the body. */
const NEVER_NAMED_AWAY = new Set(['host', 'content-length'])

/**
 * Set or removed by us. Authorization holds our key, which no worker may see; Expect is answered by us; the worker gets
 * the one checked Host.
 */
const OURS = /^(authorization|expect|host|x-drydock-worker|x-drydock-page-key|forwarded|x-real-ip|x-forwarded-.*)$/

const OF_TRACES = /^trace(parent|state)$/

/** Keeps the client's Host, so that addresses made from it lead back. */
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
  // Otherwise Node would announce a chunked body, which old servers misread as the next request.
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

// Browsers send our session, which is as powerful as our key, to /lb on the same origin.
function withoutOurCookies([name, value]: Pair): Pair {
  return [name, name.toLowerCase() === 'cookie' ? withoutSessions(value) : value]
}

/** Headers that change the browser; under /lb they would affect our pages. */
const OF_THE_BROWSER =
  /^(set-cookie|clear-site-data|strict-transport-security|service-worker-allowed|nel|report-to|alt-svc)$/
const ADDRESSES: ReadonlyMap<string, (value: string, client: ClientAddress) => string> = new Map([
  ['location', leadBack],
  ['content-location', leadBack],
  ['refresh', leadRefreshBack],
  ['set-cookie', keepCookieBelow],
])
const OF_THE_CACHE = /^(cache-control|expires|pragma)$/
/** Without it, a window could show a cached response as one of our pages. */
const NO_STORE: readonly Pair[] = [
  ['Cache-Control', 'no-store'],
  ['Content-Security-Policy', 'sandbox'],
]
/** A browser that followed a redirect would send the session, even to our management API. */
const SHOWN_LOCATION = 'X-Drydock-Location'

/**
 * @param trailers whether the response can have trailers
 * @param workerId the worker that answered
 * @param page foreign origin that may read the response
 * @param session a session of our pages asked: the worker must not change or redirect its browser
 */
export function headersForClient(
  raw: readonly string[],
  {
    trailers,
    client,
    workerId,
    session = false,
    page,
  }: {
    readonly trailers: boolean
    readonly client: ClientAddress
    readonly workerId: string
    readonly session?: boolean
    readonly page?: string | undefined
  },
): string[] {
  const pairs = pairsOf(raw)
  const ended = endingHere(pairs)
  const passed = pairs.filter(([name]) => {
    const lower = name.toLowerCase()
    return !ended.has(lower) && (trailers || lower !== 'trailer') && lower !== WORKER_ID_HEADER.toLowerCase()
  })
  const ledBack = passed.map(
    ([name, value]): Pair => [name, ADDRESSES.get(name.toLowerCase())?.(value, client) ?? value],
  )
  const shown = session
    ? ledBack.flatMap(forSession).concat(NO_STORE)
    : page === undefined
      ? ledBack
      : forPage(ledBack, page)
  return [...shown.flat(), WORKER_ID_HEADER, workerId]
}

// The endpoint's setting decides who may read; the worker may name its readable headers.
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

function valuesOf(pairs: readonly Pair[], wanted: string): readonly string[] {
  return pairs
    .filter(([name]) => name.toLowerCase() === wanted)
    .flatMap(([, value]) => value.split(','))
    .map((value) => value.trim().toLowerCase())
}

// Rewrites a worker's own addresses to the client's; others and relative ones stay. Source: docs/spec/job-api.md, 10;
// RFC 9110 10.2.2, 8.7; RFC 6265 5.2.4.

const ABSOLUTE = /^(?:https?:)?\/\/([^/?#]*)(.*)$/is
// Names of a worker's own host: loopback or the unspecified address.
const WORKERS_OWN_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|0\.0\.0\.0|\[::1?\])(?::(\d+))?$/
const HTTP_PORT = 80

export function leadBack(address: string, client: ClientAddress): string {
  const [, host, rest] = ABSOLUTE.exec(address) ?? []
  if (host === undefined || rest === undefined) return address.startsWith('/') ? below(address, client) : address
  const path = rest.startsWith('/') ? rest : `/${rest}`
  return isWorker(host.toLowerCase(), client) ? `http://${client.host}${below(path, client)}` : address
}

function below(path: string, { prefix }: ClientAddress): string {
  return isBelow(path, prefix) ? path : prefix + path
}

// A worker that reads X-Forwarded-Prefix has already added it.
const isBelow = (path: string, prefix: string) =>
  path.startsWith(prefix) && /^(?:[/?#]|$)/.test(path.slice(prefix.length))

function isWorker(host: string, { host: asked, workerPort }: ClientAddress): boolean {
  if (host === asked.toLowerCase()) return true
  const [named, port] = WORKERS_OWN_HOST.exec(host) ?? []
  return named !== undefined && Number(port ?? HTTP_PORT) === workerPort
}

export function leadRefreshBack(value: string, client: ClientAddress): string {
  return value.replace(
    /^(\s*[\d.]+\s*[;,]\s*url\s*=\s*["']?)([^"']+)/i,
    (_all, before: string, address: string) => before + leadBack(address, client),
  )
}

/**
 * Keeps the cookie path below the prefix, or it would reach other endpoints. `__Host-` cookies require the path / and
 * stay unchanged.
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
  // Without a path, the folder of the request applies, which may be above the prefix.
  return /^\/(?:[?#]|$)/.test(target) ? `${cookie}; Path=${prefix}` : cookie
}
