import { Agent, type IncomingMessage, request } from 'node:http'
import { limit } from '../../../contract/limits.ts'
import { networkReason } from '../../../lib/network-error.ts'
import { refuseUpgrade } from '../../../lib/node/checked-request.ts'
import type { RequestSender, SentResponse } from '../ports.ts'

const TEXT_BYTES = 256 * 1024
// The longest wait for a job, plus some time for its response.
const TIMEOUT_MS = limit('proxyWaitMs') + limit('proxyProcessingMs') + 10_000

const agent = new Agent({ keepAlive: true, maxSockets: limit('loadTestConcurrency'), maxFreeSockets: 64 })

export const sendRequest: RequestSender = ({ url, target, method, key, body, signal }) =>
  new Promise((resolve) => {
    const since = performance.now()
    const end = (rest: Omit<SentResponse, 'ms'>) => resolve({ ms: performance.now() - since, ...rest })
    const fail = (error: Error) =>
      end({ status: undefined, text: '', error: `No response arrived: ${networkReason(error)}.` })
    const headers = {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
    }
    const { hostname: host, port } = new URL(url)
    const outgoing = refuseUpgrade(
      request({ host, port, path: target, method, headers, agent, signal }, (response) =>
        readResponse(response, end, fail),
      ),
    )
    outgoing.setTimeout(TIMEOUT_MS, () => outgoing.destroy(new Error(`none within ${TIMEOUT_MS / 1000} s`)))
    outgoing.once('error', fail)
    outgoing.end(body)
  })

function readResponse(
  response: IncomingMessage,
  end: (rest: Omit<SentResponse, 'ms'>) => void,
  fail: (error: Error) => void,
): void {
  const parts: Buffer[] = []
  let bytes = 0
  response.on('data', (part: Buffer) => {
    if (bytes < TEXT_BYTES) parts.push(part.subarray(0, TEXT_BYTES - bytes))
    bytes += part.length
  })
  response.once('error', fail)
  response.once('end', () =>
    end({ status: response.statusCode, text: Buffer.concat(parts).toString(), error: undefined }),
  )
}
