/**
 * Many listeners of /events in one process, over bare sockets. Each answer to a message of the bench is how many events
 * the listener has got that has got the fewest, and when that one got its last (ms of the machine's monotonic clock).
 */
import { connect } from 'node:net'
import { machineMs } from '../support/machine-time.ts'

export type ListenOrder = { readonly port: number; readonly auth: string; readonly listeners: number }

export type Heard = { readonly events: number; readonly at: number }

const ID = Buffer.from('\nid: ')

function listen({ port, auth }: ListenOrder): Promise<{ events: number; at: number }> {
  const heard = { events: 0, at: 0 }
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' }, () => {
      socket.write(`GET /events HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n${auth}\r\n\r\n`)
    })
    socket.on('data', (part) => {
      // A mark that lies across two parts is missed, which a bench that waits for an exact number would notice.
      for (let at = part.indexOf(ID); at !== -1; at = part.indexOf(ID, at + ID.length)) heard.events += 1
      heard.at = machineMs()
      resolve(heard)
    })
    socket.on('error', () => process.exit(1))
  })
}

const all: { events: number; at: number }[] = []

process.on('message', async (order: ListenOrder | 'heard') => {
  if (order !== 'heard') for (let n = 0; n < order.listeners; n++) all.push(await listen(order))
  const events = Math.min(...all.map((one) => one.events))
  const at = Math.max(...all.map((one) => one.at))
  process.send?.({ events, at } satisfies Heard)
})
process.send?.('ready')
