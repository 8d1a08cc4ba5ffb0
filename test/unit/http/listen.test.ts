import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { freePort, listen, type StreamHandler } from '../../../src-main/http/server/listen.ts'

const HEAD = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n'

async function setup(bodyMs: number, streams?: StreamHandler) {
  const read = async (request: Request) => new Response(await request.text())
  const listener = await listen(read, 0, { bodyMs, ...(streams === undefined ? {} : { streams }) })
  onTestFinished(() => listener.close(0))
  const socket = connect(listener.port, '127.0.0.1').setEncoding('latin1')
  onTestFinished(() => void socket.destroy())
  let text = ''
  socket.on('data', (piece: string) => {
    text += piece
  })
  return { socket, text: () => text }
}

it('a client that does not send its body in time is told so and cut off', async () => {
  const { socket, text } = await setup(20)
  socket.write(`${HEAD}ab`)
  await once(socket, 'close')
  expect(text()).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/)
})

it('the limit on bodies is not for requests that wait until a worker reads them', async () => {
  const held = Promise.withResolvers<void>()
  const streams: StreamHandler = {
    isFor: () => true,
    request(incoming, response) {
      // Nothing of it is read for ten times the limit, as while a worker starts.
      setTimeout(() => {
        incoming.on('data', () => undefined).on('end', () => response.end('well'))
        held.resolve()
      }, 200)
    },
    upgrade: () => undefined,
  }
  const { socket, text } = await setup(20, streams)
  socket.write(`${HEAD}ab`)
  await held.promise
  socket.write('cde')
  await once(socket, 'data')
  expect(text()).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
})

it('a free port is none that is given away, and can be opened', async () => {
  const ports = new Set<number>()
  for (let n = 0; n < 20; n++) ports.add(await freePort((port) => ports.has(port)))
  expect(ports.size).toBe(20)
  const [port = 0] = ports
  const listener = await listen(() => new Response('x'), port)
  onTestFinished(() => listener.close(0))
  await expect(freePort((other) => other !== port)).rejects.toThrow(/no free port/)
})
