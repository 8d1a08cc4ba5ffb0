/** Floor of a load-balanced request: a bare reverse proxy. No key, no log, no choice. Argument: port of the worker. */
import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

const agent = new Agent({ keepAlive: true })

const proxy = createServer((incoming, response) => {
  const { method, url: path, headers } = incoming
  const to = { agent, host: '127.0.0.1', port: process.argv[2], method, path, headers }
  const outgoing = request(to, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
  })
  incoming.pipe(outgoing)
})
proxy.listen(0, '127.0.0.1', () => process.send?.((proxy.address() as AddressInfo).port))
