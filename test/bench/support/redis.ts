import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { endProcess, owned } from './programs.ts'

/** A Redis of the bench's own; undefined where there is no redis-server on the PATH. */
export async function startRedis(
  folder: string,
  port: number,
): Promise<{ readonly pid: number; readonly stop: () => Promise<void> } | undefined> {
  const durable = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', '']
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, ...durable]
  const child = owned(spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'inherit'] }))
  const missing = once(child, 'error').then(() => undefined)
  const ready = (async () => {
    if (child.stdout === null) return undefined
    for await (const line of createInterface({ input: child.stdout })) {
      if (!line.includes('Ready to accept connections')) continue
      child.stdout.resume()
      return { pid: child.pid ?? 0, stop: () => endProcess(child) }
    }
    return undefined
  })()
  return Promise.race([missing, ready])
}
