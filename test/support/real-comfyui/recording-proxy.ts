import { once } from 'node:events'
import { request as ask, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { FrameReader } from '../../../resources/node/comfyui/socket/frames.ts'
import type { RecordedAnswer, RecordedMessage } from '../comfyui/exchange.ts'

/** What passed the proxy. */
export type Recording = { readonly answers: RecordedAnswer[]; readonly socket: RecordedMessage[] }

/** A proxy in front of a server. */
export type RecordingProxy = {
  readonly url: string
  /** What has passed since the last time. */
  readonly take: () => Recording
  readonly stop: () => Promise<void>
}

const NO_LIMITS = { textBytes: Number.MAX_SAFE_INTEGER, binaryBytes: Number.MAX_SAFE_INTEGER }

/** Passes everything on to a server, and writes down what that says. */
export async function startRecordingProxy(target: string): Promise<RecordingProxy> {
  const to = new URL(target)
  let recording: Recording = { answers: [], socket: [] }
  const server = createServer(async (request, response) => {
    const body: Buffer[] = []
    for await (const part of request) body.push(part)
    const { method = 'GET', url = '/', headers } = request
    const passed = ask({ host: to.hostname, port: to.port, method, path: url, headers: { ...headers, host: to.host } })
    passed.end(Buffer.concat(body))
    const [answer] = await once(passed, 'response')
    const parts: Buffer[] = []
    for await (const part of answer) parts.push(part)
    const bytes = Buffer.concat(parts)
    const type = String(answer.headers['content-type'] ?? '')
    recording.answers.push({ method, path: url, status: answer.statusCode, type, body: asMessage(bytes, type) })
    response.writeHead(answer.statusCode, { 'content-type': type, 'content-length': bytes.length }).end(bytes)
  })
  server.on('upgrade', (request, stream) => {
    const headers = { ...request.headers, host: to.host }
    const passed = ask({ host: to.hostname, port: to.port, path: request.url, headers, agent: false })
    passed.on('upgrade', (answer, inner) => {
      const lines = Object.entries(answer.headers).map(([name, value]) => `${name}: ${value}`)
      stream.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('\r\n')}\r\n\r\n`)
      const reader = new FrameReader(NO_LIMITS)
      inner.on('data', (bytes: Buffer) => {
        for (const message of reader.push(bytes)) {
          if (message.kind === 'text') recording.socket.push({ text: message.text })
          if (message.kind === 'binary')
            recording.socket.push({ base64: Buffer.from(message.bytes).toString('base64') })
        }
      })
      inner.pipe(stream).pipe(inner)
      for (const end of [inner, stream]) end.on('error', () => {})
    })
    passed.end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    take() {
      const taken = recording
      recording = { answers: [], socket: [] }
      return taken
    },
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function asMessage(bytes: Buffer, type: string): RecordedMessage {
  return /json|text/.test(type) ? { text: bytes.toString('utf8') } : { base64: bytes.toString('base64') }
}
