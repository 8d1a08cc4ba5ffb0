/**
 * Calls of the service's operations, as the route tables describe them. Commands, pages and the desktop have this one
 * client; each brings its own way of sending, and its own errors.
 */
import type { ZodType, z } from 'zod'
import { APP_ROUTES } from '../contract/app-routes.ts'
import type { ErrorBody, ErrorCode } from '../contract/errors.ts'
import type { DeepReadonly, PathOf, QueryOf, Route, ResponseOf as RowAnswer } from '../contract/routes.ts'
import { V2_ROUTES } from '../contract/v2-routes.ts'
import { parseExact, writeExact } from '../domain/json/json.ts'

const OPERATIONS = { ...APP_ROUTES, ...V2_ROUTES }

type Rows = typeof OPERATIONS

/** Name of an operation of the service. */
export type Operation = keyof Rows

/** What an operation answers. */
export type ResponseOf<Name extends Operation> = RowAnswer<Rows[Name]>

type BodyFor<Row> = Row extends { readonly body: infer Schema extends ZodType }
  ? DeepReadonly<z.input<Schema>>
  : undefined

/** What goes into a call: path and query parameters (undefined ones are left out), JSON body or bytes. */
export type CallArguments<Name extends Operation, Bytes = unknown> = Name extends Operation
  ? {
      readonly path?: { readonly [Parameter in keyof PathOf<Rows[Name]>]: string }
      readonly query?: { readonly [Parameter in keyof QueryOf<Rows[Name]>]?: string | number | undefined } & {
        readonly follow?: 'true'
      }
      readonly body?: BodyFor<Rows[Name]>
      /** The same as text, where it is to go as a person wrote it. */
      readonly bodyText?: string
      /** The body of an operation that takes no JSON. */
      readonly bytes?: Bytes
      readonly signal?: AbortSignal | undefined
    }
  : never

/** The same, of whatever operation. */
type Given<Bytes> = {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number | undefined>>
  readonly body?: unknown
  readonly bodyText?: string
  readonly bytes?: Bytes
  readonly signal?: AbortSignal | undefined
}

/** Errors of the way to the service, beside those of the service itself. */
type WayCode = 'NOT_REACHABLE' | 'NOT_DRYDOCK'

/** A call that failed. Its message says what happened and what to do. */
export class ApiError extends Error {
  readonly code: ErrorCode | WayCode
  /** HTTP status; 0 where no answer came. */
  readonly status: number

  constructor(code: ErrorCode | WayCode, status: number, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ApiError'
    this.code = code
    this.status = status
  }
}

/** A request, ready to be sent. */
export type OutgoingRequest<Bytes> = {
  readonly method: string
  /** Path and query. */
  readonly address: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Bytes | undefined
  readonly signal: AbortSignal | undefined
}

/** An answer whose head is there. */
export type IncomingAnswer = { readonly status: number; readonly text: () => Promise<string> }

/** How a client sends, and which errors it throws. */
export type Transport<Bytes, Answer extends IncomingAnswer> = {
  readonly send: (request: OutgoingRequest<Bytes>) => Promise<Answer>
  /** The service refused a call, with an error of its own. */
  readonly refused: (body: ErrorBody) => Error
  /** An answer that no Drydock service gives. */
  readonly notDrydock: (status: number) => Error
}

/** The calls to one service. */
export type Calls<Bytes, Answer extends IncomingAnswer> = {
  /** Calls an operation. @throws what the transport makes of a failure */
  readonly call: <Name extends Operation>(
    operation: Name,
    args?: CallArguments<Name, Bytes>,
  ) => Promise<ResponseOf<Name>>
  /** Calls an operation whose answer is no JSON. @throws the same */
  readonly open: <Name extends Operation>(
    operation: Name,
    args: CallArguments<Name, Bytes>,
    accept: string,
  ) => Promise<Answer>
}

/** Makes the calls from the route tables, for one way of sending. */
export function createCalls<Bytes, Answer extends IncomingAnswer>({
  send,
  refused,
  notDrydock,
}: Transport<Bytes, Answer>): Calls<Bytes, Answer> {
  async function open(operation: Operation, args: Given<Bytes>, accept: string): Promise<Answer> {
    const route: Route = OPERATIONS[operation]
    const method = methodOf(operation)
    const body = args.bytes ?? (SENDING.has(method) ? (args.bodyText ?? writeExact(args.body ?? {})) : undefined)
    const type = args.bytes === undefined ? 'application/json' : (route.bodyType ?? 'application/octet-stream')
    const answer = await send({
      method,
      address: addressOf(operation, args),
      headers: { accept, ...(body === undefined ? {} : { 'content-type': type }) },
      body,
      signal: args.signal,
    })
    if (answer.status === 200) return answer
    const error = parsed(await answer.text())
    throw isErrorBody(error) ? refused(error) : notDrydock(answer.status)
  }
  return {
    open,
    async call(operation, args = {} as never) {
      const answer = await open(operation, args, 'application/json')
      const { data, success } = OPERATIONS[operation].response.safeParse(parsed(await answer.text()))
      if (!success) throw notDrydock(answer.status)
      return data as ResponseOf<typeof operation>
    },
  }
}

const SENDING = new Set(['POST', 'PATCH', 'PUT'])

/** The method of an operation; where it has several, the first. */
export function methodOf(operation: Operation): string {
  return OPERATIONS[operation].methods[0]
}

/** Path and query of a call. */
export function addressOf(
  operation: Operation,
  { path = {}, query = {} }: Pick<Given<never>, 'path' | 'query'> = {},
): string {
  const pathname = OPERATIONS[operation].path.replace(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(path[name] ?? ''),
  )
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value))
  return search.size === 0 ? pathname : `${pathname}?${search}`
}

// Not JSON is not an answer of the service, as undefined fits no schema.
function parsed(text: string): unknown {
  try {
    return parseExact(text)
  } catch {
    return undefined
  }
}

function isErrorBody(value: unknown): value is ErrorBody {
  return (
    typeof value === 'object' &&
    value !== null &&
    'error' in value &&
    typeof value.error === 'string' &&
    'code' in value
  )
}
