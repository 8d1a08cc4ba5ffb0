import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { limit } from '../../../src-main/contract/limits.ts'
import { noteAdmission } from '../../../src-main/http/admission.ts'
import { type ConnectionLimits, createReaderPace } from '../../../src-main/http/server/connections.ts'
import { listen } from '../../../src-main/http/server/listen.ts'
import { until } from '../../support/served-service.ts'

const KEY = 'authorization: right\r\n'
// More than both sides of a connection hold in the system.
const LARGE = Buffer.alloc(64 * 1024 * 1024)
const ask = (headers = '', path = '/') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`

/**
 * A listener that knows the key `right`; it answers /held when `release` is called, and the rest at once. `cut` resolves
 * when the connection of /large has ended before its answer.
 */
async function setup(limits: Partial<ConnectionLimits>) {
  const held = Promise.withResolvers<void>()
  const cut = Promise.withResolvers<unknown>()
  let seen = 0
  const answer = async (request: Request, { incoming }: { readonly incoming?: object }) => {
    seen += 1
    const key = request.headers.get('authorization')
    if (key === 'right' || request.url.includes('token=right')) noteAdmission(incoming)
    if (key !== null && key !== 'right' && !request.url.endsWith('/open')) return new Response('no', { status: 401 })
    if (request.url.endsWith('/held')) await held.promise
    if (request.url.endsWith('/large')) {
      request.signal.addEventListener('abort', cut.resolve)
      return new Response(LARGE)
    }
    if (request.url.endsWith('/events'))
      return new Response(
        new ReadableStream({
          async start(controller) {
            controller.enqueue(Buffer.from('first,'))
            await held.promise
            controller.enqueue(Buffer.from('well'))
            controller.close()
          },
        }),
      )
    return new Response('well')
  }
  const listener = await listen(answer, 0, { connections: { sweepMs: 5, ...limits } })
  onTestFinished(() => listener.close(0))
  async function open(first = '', allowHalfOpen = false) {
    const socket = connect({ port: listener.port, host: '127.0.0.1', allowHalfOpen }).setEncoding('latin1')
    onTestFinished(() => void socket.destroy())
    socket.on('error', () => undefined) // it is to be cut off
    let text = ''
    socket.on('data', (piece: string) => {
      text += piece
    })
    const before = seen
    // Before the connection is made, so that it goes out with that: nothing rests between the two on a busy machine.
    if (first !== '') socket.write(first)
    await once(socket, 'connect')
    // A connection whose request is on its way still rests.
    if (first.endsWith('\r\n\r\n')) await until(() => expect([seen > before, socket.closed]).toContain(true))
    const closed = () => until(() => expect(socket.closed).toBe(true))
    return { socket, closed, text: () => text, answered: () => until(() => expect(text).toMatch(/(well|no)$/)) }
  }
  return { open, release: held.resolve, cut: cut.promise }
}

/** Sends a byte again and again until the connection is closed. */
async function drip(socket: Socket): Promise<void> {
  const timer = setInterval(() => socket.write('x'), 5)
  await new Promise((resolve) => socket.once('close', resolve)) // an error of the write comes before it
  clearInterval(timer)
}

it('headers that come byte by byte are cut off, although there is always a next byte', async () => {
  const { open } = await setup({ headersMs: 60 })
  const { socket, text } = await open('GET / HTTP/1.1\r\nx: ')
  await drip(socket)
  expect(text()).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/)
})

it('the headers of a second request on a connection are cut off too', async () => {
  const { open } = await setup({ headersMs: 60 })
  const { socket, answered, text } = await open(ask())
  await answered()
  socket.write('GET / HTTP/1.1\r\nx: ')
  await drip(socket)
  expect(text()).toMatch(/well.*408 Request Timeout/s)
})

it('a slow sender that never closes its side is cut off all the same', async () => {
  const { open } = await setup({ headersMs: 20 })
  const { socket, text } = await open('GET / HT', true)
  await drip(socket)
  expect(text()).toMatch(/^HTTP/)
})

it('a connection on which nothing is asked is closed, and one that has asked is kept for the next request', async () => {
  const { open } = await setup({ quietMs: 500 })
  const asking = await open(ask())
  await asking.answered()
  const quiet = await open()
  await quiet.closed()
  asking.socket.write(ask())
  await until(() => expect(asking.text().match(/well/g)).toHaveLength(2))
  expect(quiet.text()).toBe('')
})

it('a request that is held for longer than all limits is answered, as the polls of workers are', async () => {
  const { open, release } = await setup({ headersMs: 200, quietMs: 200 })
  const poll = await open(ask('', '/held'))
  const slow = await open('GET')
  const quiet = await open()
  await Promise.all([slow.closed(), quiet.closed()])
  release()
  await poll.answered()
})

it('a client that does not read what waits for it is cut off, and not one for whom nothing waits', async () => {
  const { open, release, cut } = await setup({ readerMs: 100, readerBytes: 1 })
  const poll = await open(ask('', '/held'))
  const events = await open(ask('', '/events'))
  await until(() => expect(events.text()).toMatch(/first,/))
  const stuck = await open()
  stuck.socket.pause()
  stuck.socket.write(ask('', '/large'))
  await cut
  release()
  await Promise.all([poll.answered(), until(() => expect(events.text()).toMatch(/well/))])
  stuck.socket.resume()
  await stuck.closed()
  expect(stuck.text().length).toBeLessThan(LARGE.length)
})

it('a reader is too slow if it took too little in a whole span in which bytes waited', () => {
  const seen = (...looks: readonly (readonly [now: number, taken: number | undefined])[]) => {
    const { isTooSlow } = createReaderPace({ readerMs: 30, readerBytes: 480 })
    return looks.map(([now, taken]) => isTooSlow(taken, now))
  }
  expect(seen([0, 0], [29, 0], [30, 479])).toEqual([false, false, true])
  expect(seen([0, 0], [30, 480], [60, 959])).toEqual([false, false, true])
  expect(seen([0, 0], [30, 480], [60, 960])).toEqual([false, false, false])
  expect(seen([0, 0], [20, undefined], [40, 0], [69, 0], [70, 0])).toEqual([false, false, false, false, true])
  expect(seen([0, undefined], [1000, undefined], [1001, 5])).toEqual([false, false, false])
})

it('of more connections without a key than are allowed, the one that rests for longest makes room', async () => {
  const { open } = await setup({ strangers: 3 })
  const first = await open()
  const second = await open(ask())
  await second.answered()
  const third = await open('GET')
  const fourth = await open(ask())
  await fourth.answered()
  await first.closed()
  expect([second, third, fourth].map(({ socket }) => socket.closed)).toEqual([false, false, false])
})

it('no connection makes room while its request is answered', async () => {
  const { open, release } = await setup({ strangers: 2 })
  const polls = [await open(ask('', '/held')), await open(ask('', '/held'))]
  const late = await open(ask())
  await late.closed()
  release()
  for (const poll of polls) await poll.answered()
})

it('connections with a key do not count, while they ask and after', async () => {
  const { open, release } = await setup({ strangers: 1 })
  const polls = []
  for (let n = 0; n < 5; n++) polls.push(await open(ask(KEY, '/held')))
  const worker = await open(ask('', '/held?w=1&token=right'))
  const stranger = await open(ask())
  await stranger.answered()
  release()
  for (const poll of [...polls, worker]) await poll.answered()
  for (const { socket } of polls) socket.write(ask())
  for (const { text } of polls) await until(() => expect(text().match(/well/g)).toHaveLength(2))
  expect(stranger.socket.closed).toBe(false)
})

it.each([
  ['a cookie that opens nothing', 'cookie: a=b\r\n'],
  ['a wrong key for a page that asks for none', 'authorization: wrong\r\n'],
])('%s makes a connection no better than others', async (_what, headers) => {
  const { open } = await setup({ strangers: 1 })
  const first = await open(ask(headers, '/open'))
  await first.answered()
  await (await open(ask())).answered()
  await first.closed()
})

it('of 3,000 connections with an invalid cookie, only as many stay open as without a cookie', async () => {
  const { open } = await setup({})
  const opened: Socket[] = []
  for (let hundred = 0; hundred < 30; hundred++) {
    const connections = Array.from({ length: 100 }, async () => {
      const { socket, answered } = await open(ask('cookie: a=b\r\n', '/open'))
      await answered()
      return socket
    })
    opened.push(...(await Promise.all(connections)))
  }
  await until(() => expect(opened.filter(({ closed }) => !closed)).toHaveLength(limit('connectionsWithoutKey')))
  const later = await open(ask())
  await later.answered()
})

it('a connection with a wrong key counts as unauthenticated', async () => {
  const { open } = await setup({ strangers: 1 })
  const wrong = await open(ask('authorization: wrong\r\n'))
  await wrong.answered()
  await (await open(ask())).answered()
  await wrong.closed()
})
