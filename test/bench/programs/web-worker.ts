/**
 * A load-balanced worker that answers every request at once. It listens on PORT, which the service sets, and else on a
 * free port, which it sends.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const ANSWER = '{"ok":true}'
const headers = { 'content-type': 'application/json', 'content-length': ANSWER.length }

const server = createServer((incoming, response) => {
  incoming.resume().on('end', () => response.writeHead(200, headers).end(ANSWER))
})
server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
