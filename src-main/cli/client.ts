import type { z } from 'zod'
import { APP_ROUTES, type AppOperation } from '../contract/app-routes.ts'
import type { ErrorBody } from '../contract/errors.ts'
import type { Route } from '../contract/routes.ts'
import { V2_ROUTES, type V2Operation } from '../contract/v2-routes.ts'
import { parseExact, writeExact } from '../domain/json/exact-json.ts'
import { CliError } from './cli-error.ts'
import type { FoundService } from './find-service.ts'
import { type HttpAnswer, type HttpRequest, readText, request } from './http.ts'
import { readEvents, type ServerSentEvent } from './server-sent-events.ts'

/** All operations of a service that the command line calls. */
const OPERATIONS = { ...APP_ROUTES, ...V2_ROUTES }

/** Name of an operation of the service. */
export type Operation = AppOperation | V2Operation

/** What an operation answers. */
export type AnswerOf<Name extends Operation> = z.infer<(typeof OPERATIONS)[Name]['answer']>

/** What goes into a call: places of the path, query parameters (undefined ones are left out), JSON body or bytes. */
export type CallArguments = {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number | undefined>>
  readonly body?: unknown
  /** Body of an operation that takes no JSON. */
  readonly bytes?: Uint8Array | AsyncIterable<Uint8Array | string>
  readonly signal?: AbortSignal
}

/** The calls to one service. */
export type ServiceClient = {
  readonly url: string
  /** The method and address of an operation, for a person. */
  describe(operation: Operation, args?: CallArguments): string
  /** Calls an operation. @throws CliError NOT_REACHABLE, SERVICE_REFUSED (with the service's error), NOT_DRYDOCK */
  call<Name extends Operation>(operation: Name, args?: CallArguments): Promise<AnswerOf<Name>>
  /** Calls an operation that answers with a file: its text in the pieces that arrive. @throws as `call` */
  download(operation: Operation, args?: CallArguments): AsyncGenerator<string>
  /** Calls an operation for server-sent events; ends when the service ends them. @throws as `call` */
  follow(operation: Operation, args?: CallArguments): AsyncGenerator<ServerSentEvent>
}

/** Makes the client of a service from the contract's route tables. */
export function createClient({ url, key }: Pick<FoundService, 'url' | 'key'>): ServiceClient {
  async function send(operation: Operation, args: CallArguments, accept: string): Promise<HttpAnswer> {
    const route: Route = OPERATIONS[operation]
    const method = route.methods[0] ?? 'GET'
    const body = bodyOf(method, args)
    const type = route.bodyType ?? 'application/json'
    const answer = await request({
      method,
      url: url + addressOf(route, args),
      headers: { authorization: `Bearer ${key}`, accept, ...(body === undefined ? {} : { 'content-type': type }) },
      body,
      signal: args.signal,
    }).catch((error: unknown) => {
      throw connectionError(url, error)
    })
    if (answer.status !== 200) throw refusal(url, answer.status, await readBody(url, answer))
    return answer
  }

  return {
    url,
    describe(operation, args = {}) {
      const route: Route = OPERATIONS[operation]
      return `${route.methods[0]} ${addressOf(route, args)}`
    },
    async call<Name extends Operation>(operation: Name, args: CallArguments = {}) {
      const answer = await send(operation, args, 'application/json')
      const { data, success } = OPERATIONS[operation].answer.safeParse(parseJson(await readBody(url, answer)))
      if (!success) throw new CliError('NOT_DRYDOCK', { url, status: answer.status })
      return data as AnswerOf<Name>
    },
    async *download(operation, args = {}) {
      const answer = await send(operation, args, '*/*')
      try {
        yield* answer.body
      } catch (error) {
        throw connectionError(url, error)
      }
    },
    async *follow(operation, args = {}) {
      const answer = await send(operation, args, 'text/event-stream')
      if (!answer.contentType.startsWith('text/event-stream'))
        throw new CliError('NOT_DRYDOCK', { url, status: answer.status })
      try {
        yield* readEvents(answer.body)
      } catch (error) {
        throw connectionError(url, error)
      }
    },
  }
}

function bodyOf(method: string, { body = {}, bytes }: CallArguments): HttpRequest['body'] {
  return bytes ?? (method === 'POST' || method === 'PATCH' ? writeExact(body) : undefined)
}

function addressOf(route: Route, { path = {}, query = {} }: CallArguments): string {
  const place = route.path.replace(/:(\w+)/g, (_place, name: string) => encodeURIComponent(path[name] ?? ''))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.set(name, String(value))
  }
  return search.size === 0 ? place : `${place}?${search}`
}

async function readBody(url: string, answer: HttpAnswer): Promise<string> {
  try {
    return await readText(answer.body)
  } catch (error) {
    throw connectionError(url, error)
  }
}

function connectionError(url: string, cause: unknown): unknown {
  if (cause instanceof CliError) return cause
  if (!(cause instanceof Error) || cause.name === 'AbortError') return cause
  const code = 'code' in cause ? String(cause.code) : ''
  return new CliError('NOT_REACHABLE', { url, why: CONNECTION_REASONS[code] ?? cause.message }, { cause })
}

const CONNECTION_REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the connection broke off',
  ENOTFOUND: 'there is no host of that name',
  EAI_AGAIN: 'the host name could not be looked up',
  ETIMEDOUT: 'it took too long',
}

function refusal(url: string, status: number, text: string): CliError {
  const body = parseJson(text)
  if (!isErrorBody(body)) return new CliError('NOT_DRYDOCK', { url, status })
  return new CliError('SERVICE_REFUSED', { why: body.error }, { body })
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

function parseJson(text: string): unknown {
  try {
    return parseExact(text)
  } catch {
    // Not JSON is not an answer of the service; both callers say so, as undefined fits no schema.
    return undefined
  }
}
