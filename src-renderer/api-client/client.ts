import type { z } from 'zod'
import {
  addressOf,
  type CallArguments,
  createCalls,
  type Operation,
  type OutgoingRequest,
  type ResponseOf,
} from '../../src-main/app/client/calls.ts'
import { type Platform, UNSEEN_MS } from '../browser/platform.ts'
import { ApiError } from './api-error.ts'
import type { EventSourceLike } from './event-stream.ts'
import { withPageKey } from './page-key.ts'

type FileBytes = Uint8Array<ArrayBuffer> | Blob

export type PageArguments<Name extends Operation = Operation> = CallArguments<Name, FileBytes>

type Address<Name extends Operation> = Pick<PageArguments<Name>, 'path' | 'query'>

export type ApiClient = {
  /** @throws ApiError with the service's code and message, NOT_REACHABLE, NOT_DRYDOCK */
  readonly call: <Name extends Operation>(operation: Name, args?: PageArguments<Name>) => Promise<ResponseOf<Name>>
  readonly address: <Name extends Operation>(operation: Name, args?: Address<Name>) => string
  readonly download: <Name extends Operation>(operation: Name, args?: Address<Name>) => Promise<Blob>
  /**
   * Redirects are not followed.
   * @param target path and query, see `staysBelow`
   * @throws ApiError NOT_REACHABLE
   */
  readonly request: (endpointId: string, target: string, init: RequestInit) => Promise<Response>
  readonly follow: <Item>(options: FollowOptions<Item>) => () => void
}

export type Caller = Pick<ApiClient, 'call'>

export type FollowOptions<Item> = {
  readonly operation: Operation
  readonly path?: Readonly<Record<string, string>>
  readonly query?: (last: Item | undefined) => Readonly<Record<string, string | number | undefined>> | undefined
  readonly event: string
  readonly schema: z.ZodType<Item>
  /** Called with batches, at most twenty times a second. */
  readonly onItems: (items: readonly Item[]) => void
  /** Keeps running on hidden pages; pages have few connections. */
  readonly isCached?: boolean
  /** Whether no more items follow; without it the stream reopens until ended here. */
  readonly isLast?: (item: Item) => boolean
  /** The stream broke and is reopened in a second. */
  readonly onLost?: () => void
}

export type ClientPorts = {
  readonly fetch: typeof globalThis.fetch
  readonly connect: (address: string) => EventSourceLike
  readonly platform: Pick<Platform, 'after' | 'isVisible' | 'onVisibility'>
}

export function createApiClient({ fetch, connect, platform }: ClientPorts): ApiClient {
  const { call, open } = createCalls({
    async send({ address, method, headers, body, signal }: OutgoingRequest<FileBytes>) {
      const init = { method, headers, ...(body === undefined ? {} : { body }), signal: signal ?? null }
      if (method === 'GET') return readAgain({ fetch, platform }, address, init)
      const response = await reach(fetch, address, init)
      return { status: response.status, text: () => response.text().catch(() => ''), blob: () => response.blob() }
    },
    refused: ({ code, status, error }) => new ApiError(code, status, error),
    notDrydock(status) {
      const message = `The service sent an unexpected response (status ${status}). Reload the page.`
      return new ApiError('NOT_DRYDOCK', status, message)
    },
  })
  return {
    call,
    // Whatever the operation, its arguments are just names and values.
    address: (operation, args) => withPageKey(addressOf(operation, args as Parameters<typeof addressOf>[1])),
    download: async (operation, args = {}) => (await open(operation, args as never, '*/*')).blob(),
    async request(endpointId, target, init) {
      if (!staysBelow(target)) throw new Error(`${target} leads out of the endpoint`)
      // The service reports redirects in a header that browsers do not follow.
      return reach(fetch, `/lb/${encodeURIComponent(endpointId)}${target}`, init)
    },
    follow: ({ operation, path = {}, query, ...rest }) =>
      followItems({
        ...rest,
        connect,
        platform,
        address: (last) => addressOf(operation, { path, query: { ...query?.(last), follow: 'true' } }),
      }),
  }
}

/** Browsers resolve all spellings of `..`, and a session request could reach the management API. */
export function staysBelow(target: string): boolean {
  return URL.canParse(`http://x/lb/e${target}`) && new URL(`http://x/lb/e${target}`).pathname.startsWith('/lb/e/')
}

const reach = (fetch: typeof globalThis.fetch, address: string, init: RequestInit): Promise<Response> =>
  reached(fetch(address, init), init)

async function reached<Answer>(answer: Promise<Answer>, { signal }: RequestInit): Promise<Answer> {
  return await answer.catch((cause: unknown) => {
    if (signal?.aborted) throw cause
    throw new ApiError('NOT_REACHABLE', 0, 'The service does not answer. Start it with `drydock start`.', { cause })
  })
}

const READ_AGAIN_AFTER_MS = [100, 400, 1000]

/** Browsers cancel all requests when a network, even a container's, changes; a read may be sent again. */
async function readAgain(
  { fetch, platform }: Pick<ClientPorts, 'fetch' | 'platform'>,
  address: string,
  init: RequestInit,
) {
  const read = async () => {
    const response = await reach(fetch, address, init)
    const body = await reached(response.blob(), init)
    return { status: response.status, text: () => body.text(), blob: async () => body }
  }
  for (const pauseMs of READ_AGAIN_AFTER_MS) {
    try {
      return await read()
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      await new Promise<void>((resolve) => void platform.after(pauseMs, resolve))
    }
  }
  return read()
}

const BATCH_MS = 50
const AGAIN_AFTER_MS = 1000

/**
 * Follows one item stream until its last item, reopening it after the last item received. Hidden pages release it,
 * unless kept.
 * @returns a function that ends it; no calls follow
 */
function followItems<Item>({
  address,
  event,
  schema,
  onItems,
  isLast = () => false,
  isCached = false,
  onLost = () => {},
  connect,
  platform,
}: Omit<FollowOptions<Item>, 'operation' | 'path' | 'query'> &
  Omit<ClientPorts, 'fetch'> & { readonly address: (last: Item | undefined) => string }): () => void {
  let last: Item | undefined
  let batch: Item[] = []
  let source: EventSourceLike | undefined
  let cancelFlush: (() => void) | undefined
  let cancelAgain: (() => void) | undefined
  let cancelUnseen: (() => void) | undefined

  const flush = () => {
    cancelFlush?.()
    cancelFlush = undefined
    const items = batch
    batch = []
    if (items.length > 0) onItems(items)
  }
  const close = () => {
    cancelAgain?.()
    cancelAgain = undefined
    source?.close()
    source = undefined
  }
  const open = () => {
    close()
    const opened = connect(address(last))
    source = opened
    opened.addEventListener(event, ((message: MessageEvent<string>) => {
      last = schema.parse(JSON.parse(message.data))
      batch.push(last)
      cancelFlush ??= platform.after(BATCH_MS, flush)
    }) as EventListener)
    opened.addEventListener('error', () => {
      close()
      flush()
      if (hasEnded()) return
      onLost()
      cancelAgain = platform.after(AGAIN_AFTER_MS, open)
    })
  }
  const hasEnded = () => last !== undefined && isLast(last)
  const isWanted = () => isCached || platform.isVisible()
  const endWatch = platform.onVisibility(() => {
    cancelUnseen?.()
    if (!isWanted()) cancelUnseen = platform.after(UNSEEN_MS, close)
    else if (source === undefined && !hasEnded()) open()
  })
  if (isWanted()) open()
  return () => {
    endWatch()
    cancelUnseen?.()
    cancelFlush?.()
    batch = []
    close()
  }
}
