import { Agent, request } from 'node:http'
import { networkReason } from '../../../lib/network-error.ts'
import { refuseUpgrade } from '../../../lib/node/checked-request.ts'
import type { Pinger } from '../ports.ts'

// A new connection per ping, which also checks that the worker accepts them.
const pingAgent = new Agent({ keepAlive: false })

/** Health check. Never rejects; redirects are not followed, as they are not 200. */
export const pingWorker: Pinger = ({ host, healthPort }, { path, timeoutMs, signal }) => {
  const timeout = AbortSignal.timeout(timeoutMs)
  return new Promise((resolve) => {
    const asked = refuseUpgrade(
      request({
        agent: pingAgent,
        host,
        port: healthPort,
        path,
        headers: { 'user-agent': 'drydock-health' },
        signal: AbortSignal.any([signal, timeout]),
      }),
    )
    asked.on('response', (response) => {
      resolve({ kind: 'status', status: response.statusCode ?? 0 })
      response.on('error', () => undefined)
      response.resume()
      asked.destroy()
    })
    asked.on('error', (error: Error & { code?: string }) => {
      if (timeout.aborted) resolve({ kind: 'silent' })
      else if (error.code === 'ECONNREFUSED') resolve({ kind: 'refused' })
      else resolve({ kind: 'broken', why: networkReason(error) })
    })
    asked.end()
  })
}
