import { Agent, request } from 'node:http'
import type { Pinger } from '../services/ports.ts'

// A connection of its own for every ping: whether the worker still takes new ones is part of the question.
const agent = new Agent({ keepAlive: false })

/** Asks GET /ping of a worker. Never rejects. Redirects are not followed: they are no 200. */
export const pingWorker: Pinger = ({ host, healthPort }, { timeoutMs, signal }) => {
  const timeout = AbortSignal.timeout(timeoutMs)
  return new Promise((resolve) => {
    const asked = request({
      agent,
      host,
      port: healthPort,
      path: '/ping',
      headers: { 'user-agent': 'drydock-health' },
      signal: AbortSignal.any([signal, timeout]),
    })
    asked.on('response', (answer) => {
      resolve({ kind: 'status', status: answer.statusCode ?? 0 })
      answer.on('error', () => undefined) // its status has said it all
      answer.resume()
      asked.destroy()
    })
    asked.on('error', (error: Error & { code?: string }) => {
      if (timeout.aborted) resolve({ kind: 'silent' })
      else if (error.code === 'ECONNREFUSED') resolve({ kind: 'refused' })
      else resolve({ kind: 'broken', why: error.message })
    })
    asked.end()
  })
}
