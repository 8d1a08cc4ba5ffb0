/** What operations of the APIs share: what they get, and JSON as a response. */
import type { Context } from 'hono'
import type { APP_ROUTES, AppOperation } from '../contract/app-routes.ts'
import type { PLATFORM_ROUTES, PlatformOperation } from '../contract/platform-routes.ts'
import { isEnough } from '../contract/roles.ts'
import type { DeepReadonly, ResponseOf } from '../contract/routes.ts'
import type { Json, SentJson } from '../domain/json/json.ts'
import { piecesOf } from '../domain/json/json.ts'
import type { Caller } from '../services/keys.ts'
import type { Endpoint } from '../services/ports/storage.ts'
import type { JobServices, ServiceBase, ServiceContext, WorkerServices } from '../services/service-context.ts'
import type { Parsed } from './read-request.ts'

/** What the job API uses of the service. */
export type JobApiServices = ServiceBase &
  Pick<JobServices, 'waiters' | 'streams' | 'streamClients' | 'models'> &
  Pick<WorkerServices, 'views' | 'registry' | 'supervisor'> &
  Pick<ServiceContext, 'projects'>

/** What an operation of the job API gets: host, page, key and endpoint have been checked. */
export type OperationRequest = {
  readonly c: Context
  readonly service: JobApiServices
  readonly endpoint: Endpoint
}

/** One operation of the job API. */
export type Operation = (request: OperationRequest) => Promise<Response> | Response

// Above this a string is made into bytes once; Node would go through it twice, first to measure it.
const LONG_TEXT = 65_536
/** What stands for the value of a variable that somebody may not see. */
const HIDDEN = '(hidden)'
/** Header of a response that is JSON. */
export const JSON_TYPE = { 'content-type': 'application/json' } as const
/** The response of an operation that has nothing to tell but that it was done. */
export const DONE = { ok: true } as const

/** JSON as a response, given whole or in pieces; large payloads are read as their client takes them. */
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

/**
 * A file to be stored by whoever asks, sent piece by piece as it is made; nobody holds it whole.
 * @param file.name letters that need no quoting
 */
export function fileResponse(
  pieces: Iterable<Json> | AsyncIterable<Json>,
  { name, type }: { readonly name: string; readonly type: string },
): Response {
  const headers = { 'content-type': type, 'content-disposition': `attachment; filename="${name}"` }
  return new Response(bodyOf(pieces), { headers })
}

/** A body that asks for a piece when the one before was taken; nothing is begun before somebody reads. */
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

/**
 * An answer as its caller may see it: values of variables are for those who may set them, as they often are secrets.
 * Source: ours.
 */
export function shownTo({ role }: Caller, answer: unknown): unknown {
  return role !== undefined && isEnough(role, 'deploy') ? answer : withoutValues(answer)
}

function withoutValues(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutValues)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, name === 'env' ? withoutTexts(one) : withoutValues(one)]),
  )
}

function withoutTexts(env: unknown): unknown {
  if (typeof env !== 'object' || env === null || Array.isArray(env)) return withoutValues(env)
  return Object.fromEntries(Object.keys(env).map((name) => [name, HIDDEN]))
}

type Asked = { readonly c: Context; readonly caller: Caller }

/**
 * What an operation of the management API gets: the key has been checked, and the values are those of its row.
 */
export type ManagementRequest<Name extends AppOperation> = Parsed<(typeof APP_ROUTES)[Name]> & Asked

type Answer<Name extends AppOperation> = Response | DeepReadonly<ResponseOf<(typeof APP_ROUTES)[Name]>>

/**
 * The operations of the management API. They give what their row answers; a Response where it is not JSON, or JSON at
 * hand. Each file names the services that its operations use.
 */
export type ManagementOperations<Services = ServiceContext> = {
  readonly [Name in AppOperation]: (
    request: ManagementRequest<Name>,
    service: Services,
  ) => Answer<Name> | Promise<Answer<Name>>
}

type PlatformRequest<Name extends PlatformOperation> = Parsed<(typeof PLATFORM_ROUTES)[Name]> & Asked

type PlatformAnswer<Name extends PlatformOperation> =
  | Response
  | DeepReadonly<ResponseOf<(typeof PLATFORM_ROUTES)[Name]>>

/** The operations of the platform's management API, in the same way. */
export type PlatformOperations = {
  readonly [Name in PlatformOperation]: (
    request: PlatformRequest<Name>,
    service: ServiceContext,
  ) => PlatformAnswer<Name> | Promise<PlatformAnswer<Name>>
}
