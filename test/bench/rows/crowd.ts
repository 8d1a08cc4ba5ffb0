/**
 * Others who call while 500 senders bring their headers byte by byte and 5,000 sockets ask nothing (docs/spec/targets.md,
 * 2.19), and while an agent sends 64 messages at once without end.
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import type { FloodOrder } from '../programs/flood.ts'
import { compared, type Row, short } from '../report.ts'
import { percentile } from '../statistics.ts'
import { withFolder } from '../support/folders.ts'
import { latencies } from '../support/latency.ts'
import { startProgram } from '../support/programs.ts'
import { createEndpoint, type Service, startService } from '../support/service.ts'

const SLOW = 500
const IDLE = 5000
const BYTE_EVERY_MS = 1000
const MESSAGES = 64
const CALLS = 2000
// Calls that come from time to time: what holds up the service for long is seen as often as it lasts.
const SPACED_CALLS = 600
const SPACE_MS = 5
const MOST = 3

/** Compares the p99 of a call in the crowd with the one before it came. */
export function crowdedService(): Promise<readonly Row[]> {
  return withFolder(async (folder) => {
    const service = await startService(join(folder, 'service'))
    try {
      await createEndpoint(service, { id: 'crowd', command: 'true' })
      await callP99(service) // warm up
      const alone = await callP99(service)
      const slow = await openSockets(service.port, SLOW)
      const idle = await openSockets(service.port, IDLE)
      for (const socket of slow) socket.write('GET / HTTP/1.1\r\nx: ')
      const drip = setInterval(() => slow.map((socket) => socket.write('x')), BYTE_EVERY_MS)
      const crowded = await callP99(service)
      clearInterval(drip)
      for (const socket of [...slow, ...idle]) socket.destroy()
      const what = `a call with ${SLOW} slow senders and ${IDLE.toLocaleString('en-US')} idle sockets, p99`
      const calm = percentile(await spacedCalls(service), 0.99)
      const flooded = await besideFlood(service, () => spacedCalls(service))
      const flood = `a call while an agent sends ${MESSAGES} messages at once without end, p99`
      const against = { unit: 'ms', against: 'alone', most: MOST }
      const floodRow = compared(flood, percentile(flooded, 0.99), calm, against)
      const longest = `${floodRow.figure}, at most ${short(Math.max(...flooded))}`
      return [compared(what, crowded, alone, against), { ...floodRow, figure: longest }]
    } finally {
      await service.stop()
    }
  })
}

const spacedCalls = ({ port, auth }: Service) =>
  latencies({ port, path: '/v2/crowd/health', headers: [auth] }, SPACED_CALLS, SPACE_MS)

async function besideFlood<T>(service: Service, measure: () => Promise<T>): Promise<T> {
  const { key } = (await service.call('POST', '/api/keys', { name: 'agent', role: 'read' })) as { key: string }
  const agent = await startProgram('flood')
  try {
    await agent.ask({ port: service.port, key, connections: MESSAGES } satisfies FloodOrder)
    return await measure()
  } finally {
    await agent.stop()
  }
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
