/**
 * Others who call while 500 senders bring their headers byte by byte and 5,000 sockets ask nothing. Source:
 * docs/spec/targets.md, 2.19.
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { compared, type Row } from '../report.ts'
import { percentile } from '../statistics.ts'
import { withFolder } from '../support/folders.ts'
import { latencies } from '../support/latency.ts'
import { createEndpoint, type Service, startService } from '../support/service.ts'

const SLOW = 500
const IDLE = 5000
const BYTE_EVERY_MS = 1000
const CALLS = 2000
const MOST = 3

/** Compares the p99 of a call in the crowd with the one before it came. */
export function crowdedService(): Promise<readonly Row[]> {
  return withFolder(async (folder) => {
    const service = await startService(join(folder, 'service'))
    try {
      await createEndpoint(service, { id: 'crowd', command: 'true' })
      await callP99(service) // what is compiled once is no matter of the crowd
      const alone = await callP99(service)
      const slow = await openSockets(service.port, SLOW)
      const idle = await openSockets(service.port, IDLE)
      for (const socket of slow) socket.write('GET / HTTP/1.1\r\nx: ')
      const drip = setInterval(() => slow.map((socket) => socket.write('x')), BYTE_EVERY_MS)
      const crowded = await callP99(service)
      clearInterval(drip)
      for (const socket of [...slow, ...idle]) socket.destroy()
      const what = `a call beside ${SLOW} slow senders and ${IDLE.toLocaleString('en-US')} idle sockets, p99`
      return [compared(what, crowded, alone, { unit: 'ms', against: 'alone', most: MOST })]
    } finally {
      await service.stop()
    }
  })
}

async function callP99({ port, auth }: Service): Promise<number> {
  return percentile(await latencies({ port, path: '/v2/crowd/health', headers: [auth] }, CALLS), 0.99)
}

function openSockets(port: number, count: number): Promise<readonly Socket[]> {
  const open = async () => {
    const socket = connect({ port, host: '127.0.0.1' })
    socket.on('error', () => undefined) // the service closes what is too many
    await Promise.race([once(socket, 'connect'), once(socket, 'close')])
    return socket
  }
  return Promise.all(Array.from({ length: count }, open))
}
