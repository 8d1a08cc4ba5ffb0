import type { z } from 'zod'
import { APP_ROUTES, type AppOperation } from '../../src-main/contract/app-routes.ts'
import type { ErrorBody } from '../../src-main/contract/errors.ts'
import type { Route } from '../../src-main/contract/routes.ts'
import { V2_ROUTES, type V2Operation } from '../../src-main/contract/v2-routes.ts'
import { parseExact } from '../../src-main/domain/json/exact-json.ts'
import type { Platform } from '../platform/platform.ts'
import { ApiError } from './api-error.ts'
import type { EventSourceLike } from './event-stream.ts'
import { followItems } from './follow-items.ts'

const OPERATIONS = { ...APP_ROUTES, ...V2_ROUTES }

/** Name of an operation of the service. */
export type Operation = AppOperation | V2Operation

/** What an operation answers. */
export type AnswerOf<Name extends Operation> = z.infer<(typeof OPERATIONS)[Name]['answer']>

/** What goes into a call: places of the path, query parameters (undefined ones are left out), JSON body. */
export type CallArguments = {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number | undefined>>
  readonly body?: unknown
  /** The same as text, where it is to go as a person wrote it. */
  readonly bodyText?: string
  /** The bytes of a file, for operations that take one. */
  readonly bytes?: Uint8Array<ArrayBuffer> | Blob
  readonly signal?: AbortSignal | undefined
}

/** The calls to the service that the pages come from. */
export type ApiClient = {
  /** Calls an operation. @throws ApiError with the service's code and message, NOT_REACHABLE, NOT_DRYDOCK */
  readonly call: <Name extends Operation>(operation: Name, args?: CallArguments) => Promise<AnswerOf<Name>>
  /** The address of an operation that answers with a file, for a link. */
  readonly address: (operation: Operation, args?: Pick<CallArguments, 'path' | 'query'>) => string
  /** Reads the file that such an operation answers with. @throws as `call` */
  readonly download: (operation: Operation, args?: Pick<CallArguments, 'path' | 'query'>) => Promise<Blob>
  /**
   * Sends a request to a load-balanced endpoint, which answers what it likes; where it leads is not followed.
   * @param target path and query, see `staysBelow`
   * @throws ApiError NOT_REACHABLE
   */
  readonly request: (endpointId: string, target: string, init: RequestInit) => Promise<Response>
  /** Follows an operation that knows `follow=true`. @returns a function that ends it */
  readonly follow: <Item>(options: FollowOptions<Item>) => () => void
}

/** How an operation is followed. */
export type FollowOptions<Item> = {
  readonly operation: Operation
  readonly path?: CallArguments['path']
  /** Without `follow`. @param last what came last; undefined: nothing yet */
  readonly query?: (last: Item | undefined) => CallArguments['query']
  /** Type of the events that carry items. */
  readonly event: string
  readonly schema: z.ZodType<Item>
  /** Hears of items in batches, at most twenty times a second. */
  readonly onItems: (items: readonly Item[]) => void
  /** Stays open where nobody sees the page, as for something that ends without a reader; a page has few connections. */
  readonly isKept?: boolean
  /** Whether nothing follows this item. Without it the stream is opened again until it is ended here. */
  readonly isLast?: (item: Item) => boolean
  /** The stream broke off and is opened again in a second. */
  readonly onLost?: () => void
}

/** What the client does not have of itself. */
export type ClientPorts = {
  readonly fetch: typeof globalThis.fetch
  readonly connect: (address: string) => EventSourceLike
  readonly platform: Pick<Platform, 'after' | 'isVisible' | 'onVisibility'>
}

/** Makes the client from the route tables of the contract. The browser adds the session to each call. */
export function createApiClient({ fetch, connect, platform }: ClientPorts): ApiClient {
  const address: ApiClient['address'] = (operation, { path, query } = {}) =>
    addressOf(OPERATIONS[operation].path, path, query)
  return {
    address,
    async download(operation, args) {
      const answer = await reach(fetch, address(operation, args), {})
      if (!answer.ok) throw refusal(answer.status, parsed(await answer.text()))
      return await answer.blob()
    },
    async request(endpointId, target, init) {
      if (!staysBelow(target)) throw new Error(`${target} leads out of the endpoint`)
      // The service tells a session where an answer leads in a header of its own, which browsers do not follow.
      return reach(fetch, `/lb/${encodeURIComponent(endpointId)}${target}`, init)
    },
    follow: ({ operation, path, query, ...rest }) =>
      followItems({
        ...rest,
        connect,
        platform,
        address: (last) => addressOf(OPERATIONS[operation].path, path, { ...query?.(last), follow: 'true' }),
      }),
    async call<Name extends Operation>(
      operation: Name,
      { path, query, body = {}, bodyText, bytes, signal }: CallArguments = {},
    ) {
      const route: Route = OPERATIONS[operation]
      const method = route.methods[0] ?? 'GET'
      const sends = method === 'POST' || method === 'PATCH' || method === 'PUT'
      const type = bytes === undefined ? 'application/json' : (route.bodyType ?? 'application/octet-stream')
      const answer = await send(fetch, addressOf(route.path, path, query), {
        method,
        headers: { accept: 'application/json', ...(sends ? { 'content-type': type } : {}) },
        ...(sends ? { body: bytes ?? bodyText ?? JSON.stringify(body) } : {}),
        signal: signal ?? null,
      })
      const parsed = OPERATIONS[operation].answer.safeParse(answer)
      if (!parsed.success) throw notDrydock(200)
      return parsed.data as AnswerOf<Name>
    },
  }
}

/**
 * Whether a path and query lead to the endpoint below whose address they are put. Browsers resolve `..` in all its
 * spellings, and what is meant for a worker would be asked of the management API, with the session.
 */
export function staysBelow(target: string): boolean {
  return URL.canParse(`http://x/lb/e${target}`) && new URL(`http://x/lb/e${target}`).pathname.startsWith('/lb/e/')
}

/**
 * The address of a call.
 * @param pattern path of a route, with `:name` places
 */
function addressOf(pattern: string, path: CallArguments['path'] = {}, query: CallArguments['query'] = {}): string {
  const place = pattern.replace(/:(\w+)/g, (_place, name: string) => encodeURIComponent(path[name] ?? ''))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value))
  return search.size === 0 ? place : `${place}?${search}`
}

async function send(fetch: typeof globalThis.fetch, address: string, init: RequestInit): Promise<unknown> {
  const answer = await reach(fetch, address, init)
  const value = parsed(await answer.text().catch(() => ''))
  if (answer.ok) return value
  throw refusal(answer.status, value)
}

// Undefined fits no schema of an answer.
function parsed(text: string): unknown {
  try {
    return parseExact(text)
  } catch {
    return undefined
  }
}

function refusal(status: number, value: unknown): ApiError {
  return isErrorBody(value) ? new ApiError(value.code, value.status, value.error) : notDrydock(status)
}

async function reach(fetch: typeof globalThis.fetch, address: string, init: RequestInit): Promise<Response> {
  return await fetch(address, init).catch((cause: unknown) => {
    if (init.signal?.aborted) throw cause
    throw new ApiError('NOT_REACHABLE', 0, 'The service does not answer. Start it with `drydock start`.', { cause })
  })
}

function notDrydock(status: number): ApiError {
  const message = `The service gave an answer that these pages do not know (status ${status}). Reload the page.`
  return new ApiError('NOT_DRYDOCK', status, message)
}

function isErrorBody(value: unknown): value is ErrorBody {
  return typeof value === 'object' && value !== null && 'error' in value && 'code' in value
}
