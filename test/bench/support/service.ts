/** The product under measurement: `drydock serve` in its own process on a data folder of its own. */
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from './free-port.ts'
import { endProcess, owned, PROGRAMS, programPath } from './programs.ts'

/** The launcher of the command line. */
export const LAUNCHER = join(import.meta.dirname, '..', '..', '..', 'src-main', 'app', 'cli', 'drydock.mjs')

/** A running service. */
export type Service = {
  readonly port: number
  readonly pid: number
  /** Header line with the account key. */
  readonly auth: string
  /** Calls the management API or the job API; throws on anything but 2xx. */
  readonly call: (method: string, path: string, body?: unknown) => Promise<unknown>
  readonly stop: () => Promise<void>
}

/** Variables for the service, in addition to those of the bench. */
export type ServiceEnvironment = Readonly<Record<string, string>>

/** Starts the process of a service; it may not answer yet. @param port 0 takes a free one */
function spawnService(data: string, port: number, env: ServiceEnvironment = {}): ChildProcess {
  const flags = (process.env.BENCH_NODE_FLAGS ?? '').split(' ').filter((flag) => flag !== '')
  const args = [...flags, LAUNCHER, 'serve', '--data', data, '--port', String(port), '--json']
  const options = {
    env: { ...process.env, DRYDOCK_RESTART: '0', ...env },
    stdio: ['ignore', 'pipe', 'inherit'] as ['ignore', 'pipe', 'inherit'],
  }
  return owned(spawn(process.execPath, [...args, '--stop-grace', '0'], options))
}

/** Starts a service and waits until it answers. */
export async function startService(data: string, env?: ServiceEnvironment): Promise<Service> {
  const child = spawnService(data, 0, env)
  const ready = await firstLine(child)
  const { url, keyFile } = JSON.parse(ready) as { url: string; keyFile: string }
  const key = readFileSync(keyFile, 'utf8').trim()
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  return {
    port: Number(new URL(url).port),
    pid: child.pid ?? 0,
    auth: `authorization: Bearer ${key}`,
    async call(method, path, body) {
      const answer = await fetch(`${url}${path}`, {
        method,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await answer.text()
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
      return JSON.parse(text)
    },
    stop: () => endProcess(child),
  }
}

/** How long a service takes from its start on a seeded folder to its first good answer, ms. */
export async function startMs(data: string, endpointId: string): Promise<number> {
  const port = await freePort()
  const headers = { authorization: `Bearer ${readFileSync(join(data, 'account.key'), 'utf8').trim()}` }
  const start = performance.now()
  const child = spawnService(data, port)
  try {
    for (;;) {
      const answer = await fetch(`http://127.0.0.1:${port}/v2/${endpointId}/health`, { headers }).catch(() => undefined)
      if (answer?.status === 200) return performance.now() - start
      await pause(2)
    }
  } finally {
    await endProcess(child)
  }
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('the service has no output')
  for await (const line of createInterface({ input: child.stdout })) return line
  throw new Error('the service ended before it answered')
}

/** Command line of a worker program of the bench. */
export const workerCommand = (program: string, ...args: readonly string[]): string =>
  [process.execPath, programPath(program), ...args].map((word) => `'${word}'`).join(' ')

/**
 * Command line of a worker that is nothing but a process: it leaves its environment in a file of this folder and makes
 * no calls. Others make them (programs/take-jobs).
 */
export const parkedCommand = (folder: string): string => {
  const script = 'env >"$0/$RUNPOD_POD_ID.new" && mv "$0/$RUNPOD_POD_ID.new" "$0/$RUNPOD_POD_ID" && exec sleep 86400'
  return ['/bin/sh', '-c', script, folder].map((word) => `'${word}'`).join(' ')
}

/** Makes an endpoint. */
export async function createEndpoint(service: Service, settings: Record<string, unknown>): Promise<void> {
  await service.call('POST', '/api/endpoints', { name: String(settings.id), ...settings })
}

/** The Node worker of a row. */
export type WorkerSettings = {
  /** `worker` calls over bare sockets and costs next to nothing, `fetch-worker` is written as one writes it. */
  readonly program?: 'worker' | 'fetch-worker'
  /** Jobs at once. */
  readonly loops?: number
  /** The worker's output (programs/worker); `fetch-worker` knows `empty` only. */
  readonly output?: 'empty' | 'start' | 'echo'
}

/** Makes an endpoint with one warm Node worker, and waits until it is idle. */
export async function createWarmEndpoint(
  service: Service,
  id: string,
  { program = 'worker', loops = 1, output = 'empty' }: WorkerSettings = {},
): Promise<void> {
  await createEndpoint(service, {
    id,
    command: workerCommand(program),
    workersMin: 1,
    workersMax: 1,
    concurrency: loops,
    env: { BENCH_LOOPS: String(loops), BENCH_OUTPUT: output },
  })
  await workerIsIdle(service, id)
}

/** Makes an endpoint with one warm worker, svc_worker, and a handler that does nothing. */
export async function createPythonEndpoint(service: Service, id: string): Promise<void> {
  await createEndpoint(service, { id, handler: join(PROGRAMS, 'no_op.py'), workersMin: 1, workersMax: 1 })
  await workerIsIdle(service, id)
}

/** Waits until a worker of the endpoint waits for jobs. */
export async function workerIsIdle(service: Service, id: string): Promise<void> {
  for (;;) {
    const health = (await service.call('GET', `/v2/${id}/health`)) as { workers: { idle: number } }
    if (health.workers.idle > 0) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
