import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { TOPICS } from '../../../../src-main/app/cli/commands.ts'
import { runCli } from '../../../../src-main/app/cli/run-cli.ts'
import type { StopSignal, Surroundings } from '../../../../src-main/app/cli/surroundings.ts'
import type { EndpointView } from '../../../../src-main/contract/endpoint.ts'

// Loaded before the first test, whose time limit is for what it does.
await Promise.all(Object.values(TOPICS).flatMap((rows) => Object.values(rows).map(([, load]) => load())))

/** The time of every test, in ms since the epoch. */
export const NOW = 1_790_000_000_000

/** One request that the stand-in saw. */
export type SeenRequest = { readonly line: string; readonly key: string | undefined; readonly body: unknown }

/** Answers of the stand-in by `METHOD /path`: a JSON value, or a function that writes the answer itself. */
export type Answers = Record<string, unknown | ((response: ServerResponse, request: IncomingMessage) => void)>

/** A small HTTP server that answers as a service would; it notes every request. */
export async function startStandIn(answers: Answers) {
  const seen: SeenRequest[] = []
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece)
    const text = Buffer.concat(pieces).toString()
    seen.push({
      line: `${request.method} ${request.url}`,
      key: request.headers.authorization,
      body: text === '' ? undefined : readBody(request, text),
    })
    const answer = answers[`${request.method} ${request.url?.split('?')[0]}`]
    if (typeof answer === 'function') answer(response, request)
    else sendJson(response, 200, answer)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the stand-in has no port')
  return { url: `http://127.0.0.1:${address.port}`, seen }
}

function readBody({ headers }: IncomingMessage, text: string): unknown {
  return headers['content-type'] === 'application/json' ? JSON.parse(text) : text
}

/** Writes a JSON answer. */
function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

/** Writes the error body of a service. */
export function sendError(response: ServerResponse, status: number, code: string, error: string): void {
  sendJson(response, status, { error, code, status, title: '', detail: error })
}

/** Writes server-sent events and ends the answer. */
export function sendEvents(
  response: ServerResponse,
  events: readonly { event?: string; id?: number; data: unknown }[],
): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const { event, id, data } of events) {
    if (id !== undefined) response.write(`id: ${id}\n`)
    if (event !== undefined) response.write(`event: ${event}\n`)
    response.write(`data: ${JSON.stringify(data)}\n\n`)
  }
  response.end()
}

/** A folder that vanishes with the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Writes what a running service leaves in its data folder. */
export function writeServiceFiles(
  folder: string,
  { url, key = 'account-key', pid = process.pid }: { url: string; key?: string; pid?: number },
): void {
  writeFileSync(
    join(folder, 'service.json'),
    JSON.stringify({ pid, url, workerUrl: url, startedAt: NOW, version: '0' }),
  )
  writeFileSync(join(folder, 'account.key'), key)
}

export type Given = {
  readonly env?: Record<string, string>
  readonly stdin?: string
  /** A person at a terminal of this width, and what they answer; no answer: they break off. */
  readonly person?: {
    readonly columns?: number
    readonly yes?: boolean
    readonly secret?: string
    readonly pick?: number
  }
}

/** Surroundings that keep what is written, and what was asked. */
export function surroundingsOf(folder: string, given: Given = {}) {
  const asked: string[] = []
  const isTTY = given.person !== undefined
  const written = { stdout: '', stderr: '' }
  const keep = (name: keyof typeof written, text: string) => {
    written[name] += text
  }
  const listeners = new Set<(signal: StopSignal) => void>()
  const exits: number[] = []
  let now = NOW
  const surroundings: Surroundings = {
    env: given.env ?? {},
    cwd: folder,
    platform: 'linux',
    home: folder,
    now: () => now,
    pause: async () => {},
    ask: {
      yes: async (question) => {
        asked.push(question)
        return given.person?.yes === true
      },
      secret: async (question) => {
        asked.push(question)
        return given.person?.secret
      },
      pick: async (question, options) => {
        asked.push([question, ...options].join('\n'))
        return given.person?.pick
      },
    },
    stdin: Object.assign(
      (async function* () {
        yield given.stdin ?? ''
      })(),
      { isTTY },
    ),
    stdout: { write: (text) => keep('stdout', text), isTTY, columns: given.person?.columns },
    stderr: { write: (text) => keep('stderr', text) },
    onStopSignal: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    onInputEnd: () => () => undefined,
    exitNow: (code) => void exits.push(code),
  }
  const signal = (name: StopSignal) => {
    for (const listener of listeners) listener(name)
  }
  const wait = (ms: number) => {
    now += ms
  }
  return { surroundings, written, asked, exits, signal, wait }
}

/** A stand-in service and a function that runs a command against it. */
export async function setupCli(answers: Answers = {}) {
  const folder = temporaryFolder()
  const service = await startStandIn(answers)
  const run = async (argv: readonly string[], given: Given = {}) => {
    const { surroundings, written, asked } = surroundingsOf(folder, {
      ...given,
      env: { SVC_BASE_URL: service.url, SVC_API_KEY: 'account-key', ...given.env },
    })
    const exitCode = await runCli(argv, surroundings)
    return { exitCode, asked, ...written, json: () => JSON.parse(written.stdout) }
  }
  return { folder, service, run }
}

/** An endpoint as the service shows it. */
export const HELLO_VIEW: EndpointView = {
  id: 'hello',
  name: 'Hello',
  handler: '/handlers/hello.py',
  workersMin: 0,
  workersMax: 3,
  idleTimeoutMs: 5000,
  concurrency: 1,
  executionTimeoutMs: 600_000,
  initializingTimeoutMs: 420_000,
  stopGraceMs: 5000,
  redispatches: 1,
  scaler: { type: 'QUEUE_DELAY', value: 4 },
  env: {},
  callsOthers: false,
  paused: false,
  createdAt: NOW - 60_000,
  updatedAt: NOW - 14_000,
  url: 'http://127.0.0.1:8790/v2/hello',
  state: 'asleep',
}
