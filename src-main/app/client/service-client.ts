import type { ErrorBody } from '../../contract/errors.ts'
import { errorCode } from '../../lib/error-code.ts'
import { networkReason } from '../../lib/network-error.ts'
import {
  ApiError,
  addressOf,
  type CallArguments,
  createCalls,
  methodOf,
  type Operation,
  type ResponseOf,
} from './calls.ts'
import { type HttpRequest, readEvents, readText, request, type ServerSentEvent } from './http.ts'

type Bytes = Uint8Array | AsyncIterable<Uint8Array | string>

export type ServiceArguments<Name extends Operation = Operation> = CallArguments<Name, Bytes>

export type ServiceClient = {
  readonly url: string
  describe<Name extends Operation>(operation: Name, args?: ServiceArguments<Name>): string
  call<Name extends Operation>(operation: Name, args?: ServiceArguments<Name>): Promise<ResponseOf<Name>>
  download<Name extends Operation>(operation: Name, args?: ServiceArguments<Name>): AsyncGenerator<string>
  bytes<Name extends Operation>(operation: Name, args?: ServiceArguments<Name>): Promise<Uint8Array>
  /**
   * Ends when the service closes the stream.
   * @throws as `call`
   */
  follow<Name extends Operation>(operation: Name, args?: ServiceArguments<Name>): AsyncGenerator<ServerSentEvent>
}

export type Failures = {
  readonly notReachable: (why: string, cause: Error) => Error
  readonly notDrydock: (status: number) => Error
  readonly refused: (body: ErrorBody) => Error
}

const API_ERRORS: Failures = {
  notReachable: (why, cause) => new ApiError('NOT_REACHABLE', 0, `The service does not answer: ${why}.`, { cause }),
  notDrydock: (status) => new ApiError('NOT_DRYDOCK', status, `HTTP ${status}: not a Drydock service.`),
  refused: ({ code, status, error }) => new ApiError(code, status, error),
}

/** Address of a service: `url` without a trailing slash, `certificate` the pinned PEM. */
export type ServiceAddress = { readonly url: string; readonly key: string; readonly certificate?: string | undefined }

export function createServiceClient(
  { url, key, certificate }: ServiceAddress,
  { notReachable, notDrydock, refused }: Failures = API_ERRORS,
): ServiceClient {
  // Reports connection failures; our own errors and the caller's abort pass through.
  const told = (cause: unknown) => {
    if (!(cause instanceof Error) || cause.name === 'AbortError') return cause
    return notReachable(CERTIFICATE_REASONS[errorCode(cause)] ?? networkReason(cause), cause)
  }
  const { call, open } = createCalls({
    async send({ address, headers, ...rest }: Omit<HttpRequest, 'url'> & { readonly address: string }) {
      const encoding = headers.accept === ANY_BYTES ? 'latin1' : 'utf8'
      const all = { authorization: `Bearer ${key}`, ...headers }
      try {
        const answer = await request({ ...rest, url: url + address, headers: all, certificate, encoding })
        const text = () => readText(answer.body).catch((cause: unknown) => Promise.reject(told(cause)))
        // An error is always text, whatever encoding was requested.
        const isText = encoding === 'utf8' || answer.status === 200
        return { ...answer, text: isText ? text : async () => Buffer.from(await text(), encoding).toString() }
      } catch (cause) {
        throw told(cause)
      }
    },
    notDrydock,
    refused,
  })
  return {
    url,
    describe: (operation, args = {} as never) => `${methodOf(operation)} ${addressOf(operation, args)}`,
    call,
    async *download(operation, args = {} as never) {
      const { body } = await open(operation, args, '*/*')
      try {
        yield* body
      } catch (cause) {
        throw told(cause)
      }
    },
    async bytes(operation, args = {} as never) {
      const answer = await open(operation, args, ANY_BYTES)
      return Buffer.from(await answer.text(), 'latin1')
    },
    async *follow(operation, args = {} as never) {
      const { body, contentType, status } = await open(operation, args, 'text/event-stream')
      if (!contentType.startsWith('text/event-stream')) throw notDrydock(status)
      try {
        yield* readEvents(body)
      } catch (cause) {
        throw told(cause)
      }
    },
  }
}

const ANY_BYTES = 'application/octet-stream'

const UNKNOWN_CERTIFICATE = 'it shows another certificate than the one that `drydock login` stored'

const CERTIFICATE_REASONS: Readonly<Record<string, string>> = {
  CERT_SIGNATURE_FAILURE: UNKNOWN_CERTIFICATE,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_CERTIFICATE,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_CERTIFICATE,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_CERTIFICATE,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_CERTIFICATE,
}
