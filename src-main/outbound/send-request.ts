/** Sends the requests of load tests: over loopback, on connections that are kept, as clients of this machine do. */
import { Agent, type IncomingMessage, request } from 'node:http'
import { limit } from '../contract/limits.ts'
import type { RequestSender, SentAnswer } from '../services/ports/requests.ts'

// The longest answer that is looked into; the rest is read and dropped.
const TEXT_BYTES = 256 * 1024
// A job may be waited for this long, and a little longer for its answer.
const TIMEOUT_MS = limit('proxyWaitMs') + limit('proxyProcessingMs') + 10_000

const agent = new Agent({ keepAlive: true, maxSockets: limit('loadTestConcurrency'), maxFreeSockets: 64 })

/** Sends one. Never rejects. */
export const sendRequest: RequestSender = ({ url, target, method, key, body, signal }) =>
  new Promise((resolve) => {
    const since = performance.now()
    const end = (rest: Omit<SentAnswer, 'ms'>) => resolve({ ms: performance.now() - since, ...rest })
    const fail = (error: Error) => end({ status: undefined, text: '', error: `No answer came: ${error.message}.` })
    const headers = {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
    }
    const { hostname: host, port } = new URL(url)
    // An answer that only changes the protocol is neither an answer nor an error to Node.
    const onClose = () => fail(new Error('the connection was closed'))
    const outgoing = request({ host, port, path: target, method, headers, agent, signal }, (answer) => {
      outgoing.off('close', onClose)
      readAnswer(answer, end, fail)
    })
    outgoing.setTimeout(TIMEOUT_MS, () => outgoing.destroy(new Error(`none within ${TIMEOUT_MS / 1000} s`)))
    outgoing.once('error', fail)
    outgoing.once('close', onClose)
    outgoing.end(body)
  })

function readAnswer(
  answer: IncomingMessage,
  end: (rest: Omit<SentAnswer, 'ms'>) => void,
  fail: (error: Error) => void,
): void {
  const parts: Buffer[] = []
  let bytes = 0
  answer.on('data', (part: Buffer) => {
    if (bytes < TEXT_BYTES) parts.push(part.subarray(0, TEXT_BYTES - bytes))
    bytes += part.length
  })
  answer.once('error', fail)
  answer.once('end', () => end({ status: answer.statusCode, text: Buffer.concat(parts).toString(), error: undefined }))
}
