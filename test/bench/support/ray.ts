import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { endProcess, owned } from './programs.ts'

const PROGRAM = join(import.meta.dirname, '..', 'programs', 'ray_serve.py')

/** A Ray Serve of the bench's own; undefined where python3 imports no `ray.serve`. */
export async function startRayServe(
  folder: string,
  port: number,
): Promise<{ readonly pid: number; readonly stop: () => Promise<void> } | undefined> {
  if (spawnSync('python3', ['-c', 'import ray.serve'], { stdio: 'ignore' }).status !== 0) return undefined
  const files = join(folder, 'ray')
  mkdirSync(files)
  const env = { ...process.env, RAY_USAGE_STATS_ENABLED: '0' }
  const child = owned(spawn('python3', [PROGRAM, String(port), files], { env, stdio: ['ignore', 'pipe', 'pipe'] }))
  if (child.stdout === null || child.stderr === null) throw new Error('Ray Serve has no output')
  let log = ''
  child.stderr.on('data', (part) => {
    log += part
  })
  for await (const line of createInterface({ input: child.stdout })) {
    if (line !== 'drydock-bench ready') continue
    child.stdout.resume()
    return { pid: child.pid ?? 0, stop: () => endProcess(child) }
  }
  throw new Error(`Ray Serve did not start:\n${log}`)
}
