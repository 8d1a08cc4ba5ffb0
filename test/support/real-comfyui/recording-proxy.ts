import { once } from 'node:events'
import { request as ask, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebSocket, WebSocketServer } from 'ws'
import type { RecordedAnswer, RecordedMessage } from '../comfyui/exchange.ts'

export type Recording = { readonly answers: RecordedAnswer[]; readonly socket: RecordedMessage[] }

/** A proxy in front of a server. */
export type RecordingProxy = {
  readonly url: string
  /** Messages since the last call. */
  readonly take: () => Recording
  readonly stop: () => Promise<void>
}

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
  const sockets = new WebSocketServer({ noServer: true, maxPayload: 0 })
  server.on('upgrade', (request, stream, head) =>
    sockets.handleUpgrade(request, stream, head, (client) => {
      client.pause()
      const inner = new WebSocket(new URL(request.url ?? '/', target), { maxPayload: 0 })
      for (const end of [client, inner]) end.on('error', () => {})
      client.on('close', () => inner.terminate())
      inner.on('close', () => client.terminate())
      client.on('message', (data: Buffer, isBinary) => inner.send(data, { binary: isBinary }))
      inner.on('message', (data: Buffer, isBinary) => {
        recording.socket.push(isBinary ? { base64: data.toString('base64') } : { text: data.toString('utf8') })
        client.send(data, { binary: isBinary })
      })
      inner.on('open', () => client.resume())
    }),
  )
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
