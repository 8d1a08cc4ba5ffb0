/** The service's side of the worker protocol on a real socket, and real processes of svc-worker that talk to it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished } from 'vitest'
import { until } from '../support/served-service.ts'

const RUNTIME = fileURLToPath(new URL('../../resources/node/svc-worker/main.ts', import.meta.url))

/** One request of a worker: `kind` is the route, like job-take. `text` is the body as it came. */
export type Call = {
  readonly kind: string
  readonly jobId: string | undefined
  readonly query: URLSearchParams
  readonly authorization: string | undefined
  readonly text: string
}

/** An answer that a test wants instead of the usual one; 0 breaks the connection off. */
type Scripted = { readonly status: number; readonly headers?: Record<string, string> }

/** Holds takes until a job is there and records every call. */
async function fakeService() {
  const calls: Call[] = []
  const jobs: string[] = []
  const stops: string[] = []
  const scripted = new Map<string, Scripted[]>()
  const held = new Set<() => void>()
  let submitted = 0
  let port = 0

  const answers: Readonly<Record<string, (call: Call) => string | undefined>> = {
    'job-take': () => jobs.shift(),
    'job-take-batch': ({ query }) => {
      const some = jobs.splice(0, Number(query.get('batch_size')))
      return some.length === 0 ? undefined : `[${some.join(',')}]`
    },
    'job-stop': () => (stops.length === 0 ? undefined : JSON.stringify({ jobsToStop: stops.splice(0) })),
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', 'http://service')
    const [, , endpoint, kind = '', , jobId] = url.pathname.split('/')
    expect(endpoint).toBe('hello')
    const parts: Buffer[] = []
    try {
      for await (const part of request) parts.push(part)
    } catch {
      return // A worker that is killed, or a service that goes away, breaks off what is on its way.
    }
    const call = {
      kind,
      jobId: jobId === undefined ? undefined : decodeURIComponent(jobId),
      query: url.searchParams,
      authorization: request.headers.authorization,
      text: Buffer.concat(parts).toString(),
    }
    calls.push(call)
    const look = () => {
      if (request.socket.destroyed) return void held.delete(look)
      const wanted = scripted.get(kind)?.shift()
      const body = wanted === undefined ? (answers[kind] ?? (() => '{}'))(call) : ''
      if (body === undefined) return void held.add(look)
      held.delete(look)
      if (wanted?.status === 0) request.socket.destroy()
      else response.writeHead(wanted?.status ?? 200, wanted?.headers).end(body)
    }
    look()
  }

  let server = createServer((request, response) => void serve(request, response))
  const listen = () => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  await listen()
  port = (server.address() as AddressInfo).port
  const wake = () => {
    for (const look of [...held]) look()
  }

  function goAway(): void {
    server.close()
    server.closeAllConnections()
    held.clear()
  }
  onTestFinished(goAway)

  const of = (kind: string, jobId?: string) =>
    calls.filter((call) => call.kind === kind && (jobId === undefined || call.jobId === jobId))
  const posted = (jobId: string) => of('job-done', jobId).map(({ text }) => JSON.parse(text))
  const results = (jobId: string) => posted(jobId).filter(({ status }) => status !== 'IN_PROGRESS')

  return {
    calls: of,
    /** Queues jobs that are there in the same instant. @param input JSON text @returns their ids */
    submit(...inputs: readonly string[]): readonly string[] {
      const ids = inputs.map((input) => {
        submitted += 1
        const id = `job-${submitted}`
        jobs.push(`{"id":"${id}","input":${input}}`)
        return id
      })
      wake()
      return ids
    },
    waiting: () => jobs.length,
    /** Names a job on the stop channel; resolves when the worker has asked for the next. */
    async stop(jobId: string): Promise<void> {
      await until(() => expect(of('job-stop').length).toBeGreaterThan(0))
      const asked = of('job-stop').length
      stops.push(jobId)
      wake()
      await until(() => expect(of('job-stop').length).toBeGreaterThan(asked))
    },
    script(kind: string, ...wanted: readonly Scripted[]): void {
      scripted.set(kind, [...(scripted.get(kind) ?? []), ...wanted])
      wake()
    },
    results,
    result: (jobId: string) => until(() => results(jobId)[0] ?? expect.fail(`no result of ${jobId}`)),
    progress: (jobId: string) =>
      posted(jobId).flatMap(({ status, output }) => (status === 'IN_PROGRESS' ? [output] : [])),
    chunks: (jobId: string) => of('job-stream', jobId).map(({ text }) => JSON.parse(text).output),
    goAway,
    async comeBack(): Promise<void> {
      server = createServer((request, response) => void serve(request, response))
      await listen()
    },
    environment(): Record<string, string> {
      const base = `http://127.0.0.1:${port}/v2/hello`
      return {
        RUNPOD_WEBHOOK_GET_JOB: `${base}/job-take/$ID?w=1`,
        RUNPOD_WEBHOOK_POST_OUTPUT: `${base}/job-done/$RUNPOD_POD_ID/$ID?w=1`,
        RUNPOD_WEBHOOK_POST_STREAM: `${base}/job-stream/$RUNPOD_POD_ID/$ID?w=1`,
        RUNPOD_WEBHOOK_PING: `${base}/ping/$RUNPOD_POD_ID?w=1`,
        RUNPOD_PING_INTERVAL: '1000',
        RUNPOD_POD_ID: 'abcdefghij0123',
        RUNPOD_AI_API_KEY: 'worker-token',
      }
    },
  }
}

/** Starts a worker process with this handler file. */
export async function started(code: string, env: Readonly<Record<string, string>> = {}, name = 'handler.ts') {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-node-worker-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  const service = await fakeService()
  const file = join(folder, name)
  writeFileSync(file, code)
  const logPath = join(folder, 'worker.log')
  const output = openSync(logPath, 'a')
  const child: ChildProcess = spawn(process.execPath, [RUNTIME, file], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', ...service.environment(), ...env },
    stdio: ['ignore', output, output],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const log = () => readFileSync(logPath, 'utf8')
  return {
    service,
    folder,
    file,
    ended,
    log,
    kill: (signal: NodeJS.Signals) => void child.kill(signal),
    /** A file that a handler waits for. */
    open: (gate: string) => writeFileSync(join(folder, gate), ''),
    waitForLog: (text: string) => until(() => expect(log()).toContain(text)),
    /** The messages of a job, or those outside of one. */
    lines: (jobId: string | undefined) =>
      log()
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line))
        .filter(({ requestId }) => requestId === jobId),
  }
}

/** Code of a handler that waits until a test opens a gate, and hears a cancel. */
export const GATED = `
  import { existsSync } from 'node:fs'
  import { setTimeout as pause } from 'node:timers/promises'
  export async function gate(name, signal) {
    while (!existsSync(name)) await pause(5, undefined, { signal })
  }
`
