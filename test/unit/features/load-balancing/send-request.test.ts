import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { pingWorker } from '../../../../src-main/features/load-balancing/adapters/ping-worker.ts'
import { sendRequest } from '../../../../src-main/features/load-tests/adapters/send-request.ts'

async function startServer(answer: RequestListener): Promise<number> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

async function sentTo(answer: RequestListener) {
  const url = `http://127.0.0.1:${await startServer(answer)}`
  const { signal } = new AbortController()
  const { ms: _ms, ...rest } = await sendRequest({ url, target: '/', method: 'POST', key: 'k', body: '{}', signal })
  return rest
}

function switchProtocols({ socket }: IncomingMessage): void {
  socket.write('HTTP/1.1 101 Other\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n')
}

test('a request of a load test always comes to an end, whatever answers it', async () => {
  expect(await sentTo((_incoming, response) => response.setHeader('connection', 'close').end('well'))).toEqual({
    status: 200,
    text: 'well',
    error: undefined,
  })
  const unanswered = (why: string) => ({ status: undefined, text: '', error: `No response arrived: ${why}.` })
  expect(await sentTo(({ socket }) => socket.destroy())).toEqual(unanswered('the connection was lost'))
  expect(await sentTo(switchProtocols)).toEqual(unanswered('it switched protocols without being asked'))
})

test('a ping ends where the worker switches protocols, and says who asks', async () => {
  const agents: unknown[] = []
  const healthPort = await startServer((incoming) => {
    agents.push(incoming.headers['user-agent'])
    switchProtocols(incoming)
  })
  const { signal } = new AbortController()
  expect(await pingWorker({ host: '127.0.0.1', healthPort }, { path: '/ping', timeoutMs: 60_000, signal })).toEqual({
    kind: 'broken',
    why: 'it switched protocols without being asked',
  })
  expect(agents).toEqual(['drydock-health'])
})
