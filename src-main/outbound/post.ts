/**
 * Sends a webhook out, to an address that was checked. Redirects are followed by the same rules; time and the size of the
 * answer are capped over all of it.
 */
import type { IncomingMessage } from 'node:http'
import type { Json } from '../domain/json/json.ts'
import { isPrivateAddress } from '../domain/private-address.ts'
import type { Poster } from '../services/ports.ts'
import { checkedRequest, networkError, redirectOf } from './checked-request.ts'

const MAX_REDIRECTS = 3
const ALLOW = 'allow it with `drydock settings set webhooksToPrivateAddresses true`'

/** Posts JSON. Never rejects. */
export const postOut: Poster = async ({ url, body, timeoutMs, maxAnswerBytes, allowPrivate }) => {
  const timeout = AbortSignal.timeout(timeoutMs)
  try {
    let target = url
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      const answer = await send(target, body, { signal: timeout, maxAnswerBytes, allowPrivate })
      if (answer.location === undefined) return { status: answer.status, error: undefined }
      target = new URL(answer.location, target).href
    }
    return { status: undefined, error: `the target redirected more than ${MAX_REDIRECTS} times` }
  } catch (error) {
    if (timeout.aborted) return { status: undefined, error: `the target did not answer within ${timeoutMs / 1000} s` }
    return { status: undefined, error: networkError(error) }
  }
}

type SendOptions = { readonly signal: AbortSignal; readonly maxAnswerBytes: number; readonly allowPrivate: boolean }

function send(
  target: string,
  body: Json,
  { signal, maxAnswerBytes, allowPrivate }: SendOptions,
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
        onAnswer: (answer, request) =>
          readUpTo(answer, maxAnswerBytes, () => {
            resolve({ status: answer.statusCode ?? 0, location: redirectOf(answer) })
            request.destroy()
          }),
      },
    ).then((request) => request.once('error', reject).end(body), reject)
  })
}

const refusalOf = (host: string, address: string) =>
  `${host} is a private address (${address}), which webhooks do not reach; ${ALLOW}`

// An answer is not used; it is read so far as is polite, and cut off there.
function readUpTo(answer: IncomingMessage, maxBytes: number, done: () => void): void {
  let bytes = 0
  answer.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes >= maxBytes) done()
  })
  answer.once('end', done)
  answer.once('close', done)
}
