import { once } from 'node:events'
import { createServer } from 'node:http'
import { expect, it, onTestFinished, vi } from 'vitest'
import { WebSocketServer } from 'ws'
import { openEvents } from '../../../../resources/node/comfyui/follow/events.ts'
import { openSocket } from '../../../../resources/node/comfyui/follow/open-socket.ts'
import { comfyServerAt } from '../../../../resources/node/comfyui/server/comfy-server.ts'
import { type AcceptedSocket, acceptSocket } from '../../../support/comfyui/accept-socket.ts'

const NEVER = new AbortController().signal

/** A server whose WebSockets are at hand, and which also answers a plain request. */
async function setup() {
  const accepted = Promise.withResolvers<AcceptedSocket>()
  const server = createServer((_request, response) => void response.end())
  server.on('upgrade', (request, stream) => accepted.resolve(acceptSocket(request, stream)))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('no port')
  const url = new URL(`http://127.0.0.1:${address.port}/`)
  return { url, accepted: accepted.promise, ask: () => fetch(url) }
}

const MESSAGE_BYTES = 1000
// Lengths on both sides of each way to write one.
const SENT = [0, 1, 125, 126, 65_535, 65_536]

it('a socket is not read while its reader is paused', async () => {
  const { url, accepted, ask } = await setup()
  const seen: string[] = []
  let wantsMore = false
  const onEnd = vi.fn()
  const socket = await openSocket({
    ...{ url, headers: {}, messageBytes: MESSAGE_BYTES, signal: NEVER, openMs: 60_000, silenceMs: 60_000, onEnd },
    onMessage: (message) => {
      seen.push(String(message))
      return wantsMore
    },
  })
  onTestFinished(() => socket.close())
  const server = await accepted
  server.send('first')
  await vi.waitUntil(() => seen.length === 1)
  server.send('second')
  // Before its answer the message has come as well.
  for (let asked = 0; asked < 5; asked += 1) await ask()
  expect(seen).toEqual(['first'])
  wantsMore = true
  socket.resume()
  await vi.waitUntil(() => seen.length === 2)
  expect(seen).toEqual(['first', 'second'])
  expect(onEnd).not.toHaveBeenCalled()
})

it('of thousands of messages that come at once none is lost, and they keep their order', async () => {
  const { url, accepted } = await setup()
  const events = await openEvents(comfyServerAt(url.href), { clientId: 'c', silenceMs: 60_000, signal: NEVER })
  onTestFinished(() => events.close())
  const server = await accepted
  const [count, pad] = [5000, 'x'.repeat(500)]
  for (let n = 0; n < count; n += 1) server.send(JSON.stringify({ type: 'status', data: { n: `${n}`, pad } }))
  const found: unknown[] = []
  while (found.length < count) {
    const event = await events.next(60_000)
    if (event.kind !== 'message') throw new Error(`there came ${event.kind}`)
    found.push(event.message.data.get('n'))
  }
  expect(found).toEqual(Array.from({ length: count }, (_, n) => `${n}`))
})

it('messages in parts, pings and the reason of a close are read', async () => {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: true })
  await once(server, 'listening')
  onTestFinished(() => server.close())
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('no port')
  const heard: number[] = []
  server.on('connection', (peer) => {
    peer.on('message', (text) => void heard.push(String(text).length))
    peer.on('pong', () => peer.close(4001, 'that is all'))
    peer.on('message', () => {
      if (heard.length !== SENT.length) return
      peer.send('é')
      peer.send('part ', { fin: false })
      peer.send('of one', { fin: true })
      peer.send(Buffer.from([1, 2]))
      peer.ping('there?')
    })
  })

  const seen: unknown[] = []
  const ended = Promise.withResolvers<Error>()
  const socket = await openSocket({
    ...{ url: new URL(`http://127.0.0.1:${address.port}/`), headers: {}, messageBytes: MESSAGE_BYTES, signal: NEVER },
    ...{ openMs: 60_000, silenceMs: 60_000, onEnd: ended.resolve },
    onMessage: (message) => {
      seen.push(typeof message === 'string' ? message : [...message])
      return true
    },
  })
  for (const length of SENT) socket.send('x'.repeat(length))
  expect((await ended.promise).message).toBe('the server closed the connection (4001: that is all)')
  expect(heard).toEqual(SENT)
  expect(seen).toEqual(['é', 'part of one', [1, 2]])
})
