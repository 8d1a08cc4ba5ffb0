/**
 * An agent gone wild: so many connections call one tool again and again, whatever it is answered, until the program is
 * ended.
 */
import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'

/** Whom to flood, with which key. */
export type FloodOrder = { readonly port: number; readonly key: string; readonly connections: number }

const CALL = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'job_list', arguments: {} } }
const BODY = JSON.stringify(CALL)

async function flood({ port, key, connections }: FloodOrder): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const accept = 'application/json, text/event-stream'
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', accept }
  const send = () =>
    new Promise<void>((resolve, reject) => {
      const sent = request({ agent, host: '127.0.0.1', port, path: '/mcp', method: 'POST', headers }, (answer) => {
        text(answer).then(() => resolve(), reject)
      })
      sent.once('error', reject)
      sent.end(BODY)
    })
  await send()
  process.send?.('began')
  for (let n = 0; n < connections; n++)
    void (async () => {
      for (;;) await send()
    })().catch(() => undefined) // the service has ended
}

process.on('message', (order: FloodOrder) => void flood(order))
process.send?.('ready')
