import type { ZodType, z } from 'zod'
import { APP_ROUTES } from '../../contract/app-routes.ts'
import type { ErrorBody, ErrorCode } from '../../contract/errors.ts'
import type { DeepReadonly, PathOf, QueryOf, Route, ResponseOf as RowAnswer } from '../../contract/routes.ts'
import { V2_ROUTES } from '../../contract/v2-routes.ts'
import { parseExact, plainJson, writeExact } from '../../lib/json/plain.ts'

const OPERATIONS = { ...APP_ROUTES, ...V2_ROUTES }

type Rows = typeof OPERATIONS

export type Operation = keyof Rows

export type ResponseOf<Name extends Operation> = RowAnswer<Rows[Name]>

type BodyFor<Row> = Row extends { readonly body: infer Schema extends ZodType }
  ? DeepReadonly<z.input<Schema>>
  : undefined

/** Arguments of a call: path and query parameters (undefined ones are left out), JSON body or bytes. */
export type CallArguments<Name extends Operation, Bytes = unknown> = Name extends Operation
  ? {
      readonly path?: { readonly [Parameter in keyof PathOf<Rows[Name]>]: string }
      readonly query?: { readonly [Parameter in keyof QueryOf<Rows[Name]>]?: string | number | undefined } & {
        readonly follow?: 'true'
      }
      readonly body?: BodyFor<Rows[Name]>
      readonly bodyText?: string
      readonly bytes?: Bytes
      readonly signal?: AbortSignal | undefined
    }
  : never

type Given<Bytes> = {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number | undefined>>
  readonly body?: unknown
  readonly bodyText?: string
  readonly bytes?: Bytes
  readonly signal?: AbortSignal | undefined
}

type WayCode = 'NOT_REACHABLE' | 'NOT_DRYDOCK'

export class ApiError extends Error {
  readonly code: ErrorCode | WayCode
  /** HTTP status; 0 without an answer. */
  readonly status: number

  constructor(code: ErrorCode | WayCode, status: number, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ApiError'
    this.code = code
    this.status = status
  }
}

export type OutgoingRequest<Bytes> = {
  readonly method: string
  readonly address: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Bytes | undefined
  readonly signal: AbortSignal | undefined
}

export type IncomingAnswer = { readonly status: number; readonly text: () => Promise<string> }

export type Transport<Bytes, Answer extends IncomingAnswer> = {
  readonly send: (request: OutgoingRequest<Bytes>) => Promise<Answer>
  readonly refused: (body: ErrorBody) => Error
  readonly notDrydock: (status: number) => Error
}

export type Calls<Bytes, Answer extends IncomingAnswer> = {
  readonly call: <Name extends Operation>(
    operation: Name,
    args?: CallArguments<Name, Bytes>,
  ) => Promise<ResponseOf<Name>>
  readonly open: <Name extends Operation>(
    operation: Name,
    args: CallArguments<Name, Bytes>,
    accept: string,
  ) => Promise<Answer>
}

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
    if (answer.status >= 200 && answer.status < 300) return answer
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

export function methodOf(operation: Operation): string {
  return OPERATIONS[operation].methods[0]
}

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

export function fitsContract(operation: Operation, { query = {}, body, bodyText, bytes }: Given<unknown>): boolean {
  const route: Route = OPERATIONS[operation]
  const isQuery = Object.entries(route.query ?? {}).every(([name, schema]) => {
    const value = query[name]
    return schema.safeParse(value === undefined ? undefined : String(value)).success
  })
  if (!isQuery || route.body === undefined || bytes !== undefined) return isQuery
  return route.body.safeParse(plainJson(bodyText ?? writeExact(body ?? {}))).success
}

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
