import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { sendRequest } from '../../../src-main/outbound/local-requests.ts'

async function sentTo(answer: RequestListener) {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { signal } = new AbortController()
  const { ms: _ms, ...rest } = await sendRequest({ url, target: '/', method: 'POST', key: 'k', body: '{}', signal })
  return rest
}

test('a request of a load test always comes to an end, whatever answers it', async () => {
  expect(await sentTo((_incoming, response) => response.setHeader('connection', 'close').end('well'))).toEqual({
    status: 200,
    text: 'well',
    error: undefined,
  })
  const unanswered = (why: string) => ({ status: undefined, text: '', error: `No response arrived: ${why}.` })
  expect(await sentTo(({ socket }) => socket.destroy())).toEqual(unanswered('the connection was lost'))
  expect(
    await sentTo(({ socket }) => socket.write('HTTP/1.1 101 Other\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n')),
  ).toEqual(unanswered('the connection was closed'))
})
