/** Addresses of redirects are checked too; total time and response size are capped. */
import type { IncomingMessage } from 'node:http'
import type { Json } from '../../../lib/json/bytes.ts'
import { networkReason } from '../../../lib/network-error.ts'
import { checkedRequest, redirectOf } from '../../../lib/node/checked-request.ts'
import { isPrivateAddress } from '../../../lib/node/private-address.ts'
import type { Poster } from '../ports/post.ts'

const MAX_REDIRECTS = 3
const ALLOW = 'allow it with `drydock settings set webhooksToPrivateAddresses true`'

export const postOut: Poster = async ({ url, body, timeoutMs, maxResponseBytes, allowPrivate }) => {
  const timeout = AbortSignal.timeout(timeoutMs)
  try {
    let target = url
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      const response = await send(target, body, { signal: timeout, maxResponseBytes, allowPrivate })
      if (response.location === undefined) return { status: response.status, error: undefined }
      target = new URL(response.location, target).href
    }
    return { status: undefined, error: `the target redirected more than ${MAX_REDIRECTS} times` }
  } catch (error) {
    if (timeout.aborted) return { status: undefined, error: `the target did not answer within ${timeoutMs / 1000} s` }
    return { status: undefined, error: networkReason(error) }
  }
}

type SendOptions = { readonly signal: AbortSignal; readonly maxResponseBytes: number; readonly allowPrivate: boolean }

function send(
  target: string,
  body: Json,
  { signal, maxResponseBytes, allowPrivate }: SendOptions,
): Promise<{ status: number; location: string | undefined }> {
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'user-agent': 'drydock-webhook',
  }
  return new Promise((resolve, reject) => {
    checkedRequest(
      new URL(target),
      { method: 'POST', headers, signal },
      {
        refusal: (host, address) => (allowPrivate || !isPrivateAddress(address) ? undefined : refusalOf(host, address)),
        onResponse: (response, request) =>
          readUpTo(response, maxResponseBytes, () => {
            resolve({ status: response.statusCode ?? 0, location: redirectOf(response) })
            request.destroy()
          }),
      },
    ).then((request) => request.once('error', reject).end(body), reject)
  })
}

const refusalOf = (host: string, address: string) =>
  `${host} is a private address (${address}), which webhooks do not reach; ${ALLOW}`

function readUpTo(response: IncomingMessage, maxBytes: number, done: () => void): void {
  let bytes = 0
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes >= maxBytes) done()
  })
  response.once('end', done)
  response.once('close', done)
}
