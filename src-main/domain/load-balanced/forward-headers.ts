/**
 * Which headers a request takes to the worker and an answer takes back. Raw lists as Node has them, name and value in
 * turn, so that repeated ones (Set-Cookie) and the spelling of names stay as they were.
 * Source: RFC 9110 7.6.1 for the headers that concern one connection only; Go's ReverseProxy for TE and Trailer.
 */
import { withoutSessions } from '../auth.ts'
import { headersForPage } from '../cross-origin.ts'
import { type AnswerPlace, keepCookieBelow, leadBack, leadRefreshBack } from './lead-back.ts'

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
 * What we say ourselves or keep for ourselves. Authorization holds our key: whoever has it may do more than ask this
 * worker, so no worker sees it. Expect is answered by us, when a worker is there to read the body. Of several Host
 * headers the worker gets the one that was checked.
 */
const OURS = /^(authorization|expect|host|forwarded|x-real-ip|x-forwarded-.*)$/

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
}

type Pair = readonly [name: string, value: string]

/** The headers for the worker. Host stays that of the client, so that addresses a worker makes of it lead back. */
export function headersForWorker(raw: readonly string[], facts: ForwardFacts): string[] {
  const pairs = pairsOf(raw)
  const ended = endingHere(pairs)
  const kept = pairs.map(withoutOurCookies).filter(([name, value]) => {
    const lower = name.toLowerCase()
    if (lower === 'cookie' && value === '') return false
    return !ended.has(lower) && !OURS.test(lower) && (lower !== 'trailer' || facts.body === 'chunked')
  })
  const own: Pair[] = [
    ['Host', facts.host],
    ['X-Forwarded-For', facts.clientAddress],
    ['X-Forwarded-Host', facts.host],
    ['X-Forwarded-Proto', 'http'],
  ]
  if (facts.prefix !== '') own.push(['X-Forwarded-Prefix', facts.prefix])
  if (acceptsTrailers(pairs)) own.push(['TE', 'trailers'])
  if (facts.body === 'chunked') own.push(['Transfer-Encoding', 'chunked'])
  // Else Node would announce a body in chunks, which old servers read as none and then take for the next request.
  if (facts.body === 'none' && !/^(GET|HEAD|OPTIONS|TRACE|DELETE)$/.test(facts.method) && !has(kept, 'content-length'))
    own.push(['Content-Length', '0'])
  if (facts.upgrade !== undefined) own.push(['Connection', 'Upgrade'], ['Upgrade', facts.upgrade])
  return [...kept, ...own].flat()
}

// Our pages have the origin of `/lb`, so the browser sends their session along; it opens as much as our key.
function withoutOurCookies([name, value]: Pair): Pair {
  return [name, name.toLowerCase() === 'cookie' ? withoutSessions(value) : value]
}

/** What would change the browser itself. Under /lb the origin is that of our pages, and so is what it would change. */
const OF_THE_BROWSER =
  /^(set-cookie|clear-site-data|strict-transport-security|service-worker-allowed|nel|report-to|alt-svc)$/
/** Headers with addresses of the worker, and how they are led back. */
const ADDRESSES: Readonly<Record<string, (value: string, place: AnswerPlace) => string>> = {
  location: leadBack,
  'content-location': leadBack,
  refresh: leadRefreshBack,
  'set-cookie': keepCookieBelow,
}
/** How long a browser may keep an answer. */
const OF_THE_CACHE = /^(cache-control|expires|pragma)$/
/**
 * A window asks the cache of the browser first. An answer that a page of ours has fetched would come from there without a
 * question to us, and what stands in it would run as one of our pages.
 */
const NOTHING_KEPT: readonly Pair[] = [
  ['Cache-Control', 'no-store'],
  ['Content-Security-Policy', 'sandbox'],
]
/**
 * Where an answer leads, told and not followed: a browser would repeat the request there with the session, and a worker
 * that answers 307 with an address of the management API would have our page do there what it likes.
 */
const SHOWN_LOCATION = 'X-Drydock-Location'

/**
 * The headers for the client.
 * @param trailers whether the answer can have some, which then may be announced
 * @param place where the client asked: addresses and cookies of the worker are led back there
 * @param page origin of a foreign page that may read the answer; what the worker says about that is taken out
 * @param session whether a session of our pages asked: the worker must not change its browser, nor lead it elsewhere
 */
export function headersForClient(
  raw: readonly string[],
  {
    trailers,
    place,
    session = false,
    page,
  }: {
    readonly trailers: boolean
    readonly place: AnswerPlace
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
  const kept = passed.map(([name, value]): Pair => [name, ADDRESSES[name.toLowerCase()]?.(value, place) ?? value])
  return (
    session ? kept.flatMap(forSession).concat(NOTHING_KEPT) : page === undefined ? kept : forPage(kept, page)
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
