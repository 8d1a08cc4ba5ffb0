/**
 * Requests to targets. The user's host may be local; an upload address from a target may be another host, but not in
 * this machine's network.
 */
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { networkReason } from '../../../lib/network-error.ts'
import { checkedRequest } from '../../../lib/node/checked-request.ts'
import { isPrivateAddress } from '../../../lib/node/private-address.ts'
import { MIB } from '../../../lib/units.ts'
import type { FileBody, SendToTarget, TargetRequest, TargetResponse } from '../ports.ts'

// Longest response that is read; an endpoint list with settings is far smaller.
const ANSWER_BYTES = 16 * MIB
// Limit for a silent target, ms: twice the longest final save of a deploy.
const SILENT_MS = 120_000

export const sendToTarget: SendToTarget = async (wanted) => {
  try {
    return await send(wanted)
  } catch (error) {
    throw new Error(networkReason(error), { cause: error })
  }
}

async function send({ url, method, headers, body, trustedHost, signal }: TargetRequest) {
  const target = new URL(url)
  const length = await lengthOf(body)
  const answered = Promise.withResolvers<TargetResponse>()
  const request = await checkedRequest(
    target,
    { method, headers: { ...headers, 'user-agent': 'drydock', 'content-length': String(length) }, signal },
    {
      refusal: (host, address) =>
        target.host === trustedHost || !isPrivateAddress(address)
          ? undefined
          : `it gave out the private address ${host} (${address}), which is not its own`,
      onResponse: (response, outgoing) => {
        readText(response)
          .then((text) => {
            const contentType = response.headers['content-type'] ?? ''
            answered.resolve({ status: response.statusCode ?? 0, contentType, text })
          }, answered.reject)
          // A server that responds before the whole body was sent wants no more of it.
          .finally(() => outgoing.destroy())
      },
    },
  )
  request.setTimeout(SILENT_MS, () => request.destroy(new Error(`no answer for ${SILENT_MS / 1000} s`)))
  request.on('error', answered.reject)
  write(request, body)
  return await answered.promise
}

async function lengthOf(body: TargetRequest['body']): Promise<number> {
  if (body === undefined) return 0
  if (typeof body === 'string') return Buffer.byteLength(body)
  return (await stat(body.file)).size - body.from
}

function write(request: ClientRequest, body: TargetRequest['body']): void {
  if (body === undefined || typeof body === 'string') request.end(body)
  else pipeline(piecesOf(body), request).catch((error: Error) => request.destroy(error))
}

async function* piecesOf({ file, from, onSent }: FileBody): AsyncGenerator<Buffer> {
  let sent = from
  for await (const piece of createReadStream(file, { start: from, highWaterMark: MIB / 4 })) {
    yield piece as Buffer
    sent += (piece as Buffer).length
    onSent(sent)
  }
}

async function readText(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of response) {
    bytes += (part as Buffer).length
    if (bytes > ANSWER_BYTES) throw new Error('its answer is too long')
    parts.push(part as Buffer)
  }
  return Buffer.concat(parts).toString('utf8')
}
