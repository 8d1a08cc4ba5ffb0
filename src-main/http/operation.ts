import type { Context } from 'hono'
import type { APP_ROUTES, AppOperation } from '../contract/app-routes.ts'
import type { PLATFORM_ROUTES, PlatformOperation } from '../contract/platform-routes.ts'
import { isEnough } from '../contract/roles.ts'
import type { DeepReadonly, ResponseOf } from '../contract/routes.ts'
import type { V2_ROUTES, V2Operation } from '../contract/v2-routes.ts'
import type { Caller } from '../features/keys/keys.ts'
import type { ServiceBase, ServiceContext } from '../features/service-context.ts'
import { type Json, piecesOf, type SentJson } from '../lib/json/bytes.ts'
import { isRecord } from '../lib/json/plain.ts'
import type { Endpoint } from '../storage/storage.ts'
import type { Parsed } from './read-request.ts'

export type JobApiServices = ServiceBase &
  Pick<
    ServiceContext,
    'batches' | 'models' | 'projects' | 'registry' | 'streamClients' | 'streams' | 'supervisor' | 'views' | 'waiters'
  >

export type OperationRequest = {
  readonly c: Context
  readonly service: JobApiServices
  readonly endpoint: Endpoint
}

export type V2Operate<Name extends V2Operation> = (
  request: OperationRequest & Parsed<(typeof V2_ROUTES)[Name]>,
) => Promise<Response> | Response

export type Operation = (request: OperationRequest) => Promise<Response> | Response

// A longer string is encoded once; Node would encode it twice, first to measure it.
const LONG_TEXT = 65_536
const HIDDEN = '(hidden)'
const VARIABLES: ReadonlySet<string> = new Set(['env', 'environment'])
export const JSON_TYPE = { 'content-type': 'application/json' } as const
export const DONE = { ok: true } as const

export function jsonResponse(json: string | readonly SentJson[]): Response {
  if (typeof json !== 'string') return piecesResponse(json)
  return new Response(json.length > LONG_TEXT ? Buffer.from(json) : json, { headers: JSON_TYPE })
}

function piecesResponse(pieces: readonly SentJson[]): Response {
  if (pieces.every((piece) => typeof piece === 'string')) return jsonResponse(pieces.join(''))
  const length = pieces.reduce((sum, piece) => sum + lengthOf(piece), 0)
  return new Response(bodyOf(allPieces(pieces)), { headers: { ...JSON_TYPE, 'content-length': String(length) } })
}

function lengthOf(piece: SentJson): number {
  if (typeof piece === 'string') return Buffer.byteLength(piece)
  return piece instanceof Uint8Array ? piece.length : piece.bytes
}

async function* allPieces(payloads: readonly SentJson[]): AsyncGenerator<Json> {
  let text = ''
  for (const payload of payloads) {
    if (typeof payload === 'string') text += payload
    else {
      yield text
      text = ''
      yield* piecesOf(payload)
    }
  }
  yield text
}

export function fileResponse(
  pieces: Iterable<Json> | AsyncIterable<Json>,
  { name, type }: { readonly name: string; readonly type: string },
): Response {
  const headers = { 'content-type': type, 'content-disposition': `attachment; filename="${name}"` }
  return new Response(bodyOf(pieces), { headers })
}

/** Pulls each piece on demand; nothing starts before the client reads. */
export function bodyOf(pieces: Iterable<Json> | AsyncIterable<Json>): ReadableStream<Uint8Array<ArrayBuffer>> {
  const rest = toAsync(pieces)
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        const { value, done } = await rest.next()
        if (done === true) controller.close()
        else controller.enqueue(typeof value === 'string' ? Buffer.from(value) : value)
      },
      cancel: () => void rest.return(undefined),
    },
    { highWaterMark: 0 },
  )
}

async function* toAsync(pieces: Iterable<Json> | AsyncIterable<Json>): AsyncGenerator<Json, undefined> {
  yield* pieces
}

/** Hides variable values from callers who may not set them, as they are often secrets. Source: ours. */
export function shownTo({ role }: Caller, answer: unknown): unknown {
  return role !== undefined && isEnough(role, 'deploy') ? answer : withoutValues(answer)
}

function withoutValues(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutValues)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, VARIABLES.has(name) ? withoutTexts(one) : withoutValues(one)]),
  )
}

function withoutTexts(env: unknown): unknown {
  if (!isRecord(env)) return withoutValues(env)
  return Object.fromEntries(Object.keys(env).map((name) => [name, HIDDEN]))
}

type Asked = { readonly c: Context; readonly caller: Caller }

export type ManagementRequest<Name extends AppOperation> = Parsed<(typeof APP_ROUTES)[Name]> & Asked

type Answer<Name extends AppOperation> = Response | DeepReadonly<ResponseOf<(typeof APP_ROUTES)[Name]>>

export type ManagementOperations<Services = ServiceContext> = {
  readonly [Name in AppOperation]: (
    request: ManagementRequest<Name>,
    service: Services,
  ) => Answer<Name> | Promise<Answer<Name>>
}

export function bindOperations<Name extends AppOperation, Services>(
  operations: { readonly [One in Name]: ManagementOperations<NoInfer<Services>>[One] },
  services: Services,
): BoundOperations<Name> {
  const entries = Object.entries(operations) as [Name, (request: object, services: Services) => unknown][]
  const bound = entries.map(([name, operate]) => [name, (request: object) => operate(request, services)])
  return Object.fromEntries(bound) as BoundOperations<Name>
}

export type BoundOperations<Name extends AppOperation> = Readonly<Record<Name, (request: object) => unknown>>

type PlatformRequest<Name extends PlatformOperation> = Parsed<(typeof PLATFORM_ROUTES)[Name]> & Asked

type PlatformAnswer<Name extends PlatformOperation> =
  | Response
  | DeepReadonly<ResponseOf<(typeof PLATFORM_ROUTES)[Name]>>

export type PlatformOperations = {
  readonly [Name in PlatformOperation]: (
    request: PlatformRequest<Name>,
    service: ServiceContext,
  ) => PlatformAnswer<Name> | Promise<PlatformAnswer<Name>>
}

// Lists query one extra row to tell the client whether there are more.
export const moreThan = (shown: number, found: readonly unknown[]) =>
  found.length > shown ? { more: true as const } : {}
