/**
 * One keep-alive HTTP connection over a bare socket, one request at a time. It costs a fraction of what any server
 * does, so that the load side of a bench is not what is measured. It reads answers with a Content-Length, and 204.
 */
import { connect, type Socket } from 'node:net'

/** An answer. */
export type Answer = { readonly status: number; readonly body: Buffer }

/** The connection; `send` waits for the whole answer. */
export type Connection = {
  readonly send: (request: Buffer | readonly Buffer[]) => Promise<Answer>
  readonly close: () => void
}

const HEAD_END = Buffer.from('\r\n\r\n')
const LENGTH = /\r\ncontent-length: (\d+)/i

/** Writes a request. @param headers lines without their ends */
export function requestBytes(
  method: string,
  path: string,
  port: number,
  headers: readonly string[],
  body = '',
): Buffer {
  return Buffer.concat(requestParts(method, path, port, headers, Buffer.from(body)))
}

/** The same with a large body, which is not copied. */
export function requestParts(
  method: string,
  path: string,
  port: number,
  headers: readonly string[],
  body: Buffer,
): readonly Buffer[] {
  const length = method === 'GET' ? [] : ['content-type: application/json', `content-length: ${body.length}`]
  const head = [`${method} ${path} HTTP/1.1`, `host: 127.0.0.1:${port}`, ...headers, ...length, '', ''].join('\r\n')
  return [Buffer.from(head), body]
}

/** Opens a connection to a port of this machine. */
export function openConnection(port: number): Promise<Connection> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    socket.once('error', reject)
    socket.once('connect', () => {
      socket.off('error', reject)
      resolve(onSocket(socket))
    })
  })
}

function onSocket(socket: Socket): Connection {
  let waiting: PromiseWithResolvers<Answer> | undefined
  let parts: Buffer[] = []
  let bytes = 0
  let wanted = -1
  let head = 0
  let status = 0

  function readHead(): void {
    const first = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts)
    const end = first.indexOf(HEAD_END)
    if (end === -1) return
    parts = [first]
    const text = first.toString('latin1', 0, end)
    status = Number(text.slice(9, 12))
    head = end + HEAD_END.length
    wanted = head + Number(LENGTH.exec(text)?.[1] ?? 0)
  }

  socket.on('data', (part) => {
    parts.push(part)
    bytes += part.length
    if (wanted === -1) readHead()
    if (wanted === -1 || bytes < wanted) return
    const whole = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts)
    parts = []
    bytes = 0
    wanted = -1
    waiting?.resolve({ status, body: whole.subarray(head) })
  })
  const fail = (error?: Error) => waiting?.reject(error ?? new Error('the connection was closed'))
  socket.on('error', fail)
  socket.on('close', () => fail())

  return {
    send(request) {
      waiting = Promise.withResolvers()
      if (Buffer.isBuffer(request)) socket.write(request)
      else {
        socket.cork() // head and body leave in one call
        for (const part of request) socket.write(part)
        socket.uncork()
      }
      return waiting.promise
    },
    close: () => socket.destroy(),
  }
}
