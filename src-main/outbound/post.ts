/**
 * Sends a webhook out. The name is resolved once and the connection goes to exactly the address that was checked, so
 * that a name that changes its mind cannot lead inside. Redirects are followed by the same rules; time and the size of
 * the answer are capped over all of it.
 */
import { lookup } from 'node:dns/promises'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP } from 'node:net'
import type { Json } from '../domain/json/json.ts'
import { isPrivateAddress } from '../domain/private-address.ts'
import type { Poster } from '../services/ports.ts'

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
    return { status: undefined, error: describe(error) }
  }
}

type SendOptions = { readonly signal: AbortSignal; readonly maxAnswerBytes: number; readonly allowPrivate: boolean }

async function send(
  target: string,
  body: Json,
  { signal, maxAnswerBytes, allowPrivate }: SendOptions,
): Promise<{ status: number; location: string | undefined }> {
  const url = new URL(target)
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new Error(`${url.protocol} addresses are not followed`)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const { address, family } = await resolve(host)
  if (!allowPrivate && isPrivateAddress(address)) {
    throw new Error(`${host} is a private address (${address}), which webhooks do not reach; ${ALLOW}`)
  }
  const makeRequest = url.protocol === 'https:' ? httpsRequest : httpRequest
  return new Promise((resolveAnswer, reject) => {
    const request = makeRequest(
      url,
      {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          'user-agent': 'drydock-webhook',
        },
        signal,
        agent: false,
        // Node asks for one address or for all of them.
        lookup: (_name, options, done) =>
          options.all ? done(null, [{ address, family }]) : done(null, address, family),
      },
      (answer) => {
        const status = answer.statusCode ?? 0
        const location = status >= 300 && status < 400 ? answer.headers.location : undefined
        readUpTo(answer, maxAnswerBytes, () => {
          resolveAnswer({ status, location })
          request.destroy()
        })
      },
    )
    request.once('error', reject)
    request.end(body)
  })
}

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

async function resolve(host: string): Promise<{ address: string; family: number }> {
  const version = isIP(host)
  return version === 0 ? lookup(host) : { address: host, family: version }
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.message === '' && 'code' in error ? String(error.code) : error.message
}
