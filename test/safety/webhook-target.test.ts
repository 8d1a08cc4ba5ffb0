import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { postOut } from '../../src-main/features/jobs/adapters/post.ts'

/** A target on loopback that answers as told; gone when the test has ended. */
async function target(answer: RequestListener): Promise<{ readonly url: string; readonly server: Server }> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, server }
}

const request = { body: '{"id":"job"}', timeoutMs: 60_000, maxResponseBytes: 64 * 1024, allowPrivate: true }

test('the body arrives whole as JSON, and the status comes back', async () => {
  const seen: unknown[] = []
  const { url } = await target(async (incoming, outgoing) => {
    const body = await Array.fromAsync(incoming)
    seen.push([incoming.method, incoming.headers['content-type'], Buffer.concat(body).toString()])
    outgoing.end('thanks')
  })
  expect(await postOut({ ...request, url })).toEqual({ status: 200, error: undefined })
  expect(seen).toEqual([['POST', 'application/json', '{"id":"job"}']])
})

test('a failing target is reported by its status', async () => {
  const { url } = await target((_incoming, outgoing) => void outgoing.writeHead(500).end())
  expect(await postOut({ ...request, url })).toEqual({ status: 500, error: undefined })
})

test('a target that hangs is given up when the time is over', async () => {
  const { url } = await target(() => undefined)
  expect(await postOut({ ...request, url, timeoutMs: 200 })).toEqual({
    status: undefined,
    error: 'the target did not answer within 0.2 s',
  })
})

test('a target that switches protocols is a failed try, and holds no other one', async () => {
  const { url } = await target(({ socket }) =>
    socket.write('HTTP/1.1 101 Other\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
  )
  expect(await postOut({ ...request, url })).toEqual({
    status: undefined,
    error: 'it switched protocols without being asked',
  })
})

test('an answer without end is cut off at the limit', async () => {
  let written = 0
  const closed = Promise.withResolvers<void>()
  const { url } = await target((_incoming, outgoing) => {
    const piece = Buffer.alloc(64 * 1024)
    const write = () => {
      while (outgoing.write(piece)) written += piece.length
    }
    outgoing.on('drain', write).on('close', closed.resolve)
    write()
  })
  expect(await postOut({ ...request, url })).toEqual({ status: 200, error: undefined })
  await closed.promise
  expect(written).toBeLessThan(32 * 1024 * 1024) // what sockets buffer, far from a gigabyte
})

test('a redirect is followed with the body', async () => {
  const seen: string[] = []
  const { url } = await target(async (incoming, outgoing) => {
    if (incoming.url === '/hook') {
      outgoing.writeHead(307, { location: '/moved' }).end()
      return
    }
    seen.push(Buffer.concat(await Array.fromAsync(incoming)).toString())
    outgoing.end()
  })
  expect(await postOut({ ...request, url })).toEqual({ status: 200, error: undefined })
  expect(seen).toEqual(['{"id":"job"}'])
})

test('redirects without end and redirects to other kinds of address are refused', async () => {
  const loop = await target((_incoming, outgoing) => void outgoing.writeHead(302, { location: '/hook' }).end())
  expect(await postOut({ ...request, url: loop.url })).toEqual({
    status: undefined,
    error: 'the target redirected more than 3 times',
  })
  const file = await target(
    (_incoming, outgoing) => void outgoing.writeHead(302, { location: 'file:///etc/passwd' }).end(),
  )
  expect(await postOut({ ...request, url: file.url })).toEqual({
    status: undefined,
    error: 'file: addresses are not allowed',
  })
})

test.for([
  '127.0.0.1',
  'localhost',
  '[::1]',
  '10.1.2.3',
  '169.254.169.254',
  '[::ffff:127.0.0.1]',
  '0.0.0.0',
  '2130706433',
])('a webhook does not reach %s unless the setting says so', async (host) => {
  const { status, error } = await postOut({ ...request, url: `http://${host}:9/hook`, allowPrivate: false })
  expect(status).toBeUndefined()
  expect(error).toMatch(/is a private address \(.+\), which webhooks do not reach; allow it with `drydock settings set/)
})
