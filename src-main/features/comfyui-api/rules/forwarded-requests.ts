/** Requests of ComfyUI clients that are forwarded to the server behind an endpoint, and their headers. */

// Routes that administer a server, its log and its packages: the key of an endpoint only runs graphs.
const ADMINISTRATION =
  /^\/(?:api\/)*(?:v\d+\/)?(?:internal|manager|comfyui_manager|customnode|snapshot|externalmodel)(?:\/|$)/i
const POSTS = /^\/(?:api\/)?free$/
// Pictures for Krita's graphs, which its nodes keep in memory.
const PUTS = /^\/(?:api\/)?etn\/image\/[\w-]+$/
// Servers decode these differently, so they could hide a path that must not be forwarded.
const AMBIGUOUS = /%(?:2f|5c|25|00)|[\\\0]|\/\//i

/** @param path with `/api`, without the query */
export function isForwarded(method: string, path: string): boolean {
  if (method === 'POST') return POSTS.test(path)
  if (method === 'PUT') return PUTS.test(path)
  if ((method !== 'GET' && method !== 'HEAD') || AMBIGUOUS.test(path)) return false
  try {
    return !ADMINISTRATION.test(decodeURIComponent(path))
  } catch {
    return false
  }
}

const FROM_CLIENT = ['accept', 'accept-language', 'content-type', 'if-modified-since', 'if-none-match', 'range']
const FROM_SERVER = ['cache-control', 'content-disposition', 'content-type', 'etag', 'last-modified']
// Of the bytes that are sent: a compressed body is decompressed on its way.
const OF_BYTES = ['accept-ranges', 'content-length', 'content-range']

type ReadHeader = (name: string) => string | null | undefined

const pick = (names: readonly string[], read: ReadHeader): Readonly<Record<string, string>> =>
  Object.fromEntries(names.flatMap((name) => (read(name) == null ? [] : [[name, String(read(name))]])))

/** Names the endpoints that a request came through, so that a loop of them ends. Source: RFC 9110, 7.6.3. */
const hopOf = (endpoint: string) => `1.1 ${endpoint}`

export const cameThrough = (via: string | undefined, endpoint: string): boolean =>
  via?.split(',').some((hop) => hop.trim() === hopOf(endpoint)) === true

export const headersForServer = (read: ReadHeader, endpoint: string) => ({
  ...pick(FROM_CLIENT, read),
  via: [read('via'), hopOf(endpoint)].filter((hop) => hop != null).join(', '),
})

/** @param ownOrigin false: the response shares the origin of our pages, so its scripts must not run */
export const headersForClient = (read: ReadHeader, ownOrigin: boolean) => ({
  ...pick(read('content-encoding') == null ? [...FROM_SERVER, ...OF_BYTES] : FROM_SERVER, read),
  'x-content-type-options': 'nosniff',
  ...(ownOrigin ? {} : { 'content-security-policy': "sandbox; default-src 'none'" }),
})
