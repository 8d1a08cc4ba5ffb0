import { createServer } from 'node:net'
import { onTestFinished } from 'vitest'

const OK = 'HTTP/1.1 200 OK\r\n'

/** Responses that Node reads but cannot write, or cannot read. */
export const HOSTILE_HEADS = {
  'with ESC in its reason phrase': 'HTTP/1.1 200 O\x1bK\r\nContent-Length: 2\r\n\r\nok',
  'with DEL in its reason phrase': 'HTTP/1.1 200 O\x7fK\r\nContent-Length: 2\r\n\r\nok',
  'with a status below 100': 'HTTP/1.1 099 Low\r\nContent-Length: 2\r\n\r\nok',
  'with a status of four digits': 'HTTP/1.1 2000 OK\r\nContent-Length: 2\r\n\r\nok',
  'with a control character in a header': `${OK}X-A: a\x01b\r\nContent-Length: 2\r\n\r\nok`,
  'with a header whose name is not a token': `${OK}X A: b\r\nContent-Length: 2\r\n\r\nok`,
  'with two Content-Length headers': `${OK}Content-Length: 2\r\nContent-Length: 3\r\n\r\nok`,
  'that switches protocols unasked': 'HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n',
} as const

/** A server on loopback that answers everything with these bytes. @returns its port */
export async function answerWith(bytes: string): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => socket.end(bytes, 'latin1'))
  })
  const listening = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', listening.resolve)
  await listening.promise
  onTestFinished(() => void server.close())
  return (server.address() as { port: number }).port
}
