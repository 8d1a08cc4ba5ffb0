/**
 * A real service for tests: started by the launcher as a process of its own on a folder that vanishes with the test,
 * killed, started again, asked over HTTP. Whatever it started carries a mark in its environment, so that a test can
 * tell whether anything is left.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import BetterSqlite from 'better-sqlite3'
import { expect, onTestFinished, vi } from 'vitest'
import { PATIENCE_MS } from './patience.ts'
import { pressCtrlC, processesMarked, type SeenProcess, signal } from './process-table.ts'

/** The program `drydock` of this clone. */
export const LAUNCHER = fileURLToPath(new URL('../../src-main/app/cli/drydock.mjs', import.meta.url))

// Its first lines say how a test leads its jobs.
const GATED_HANDLER = fileURLToPath(new URL('workers/gated.py', import.meta.url))

const LOOK_EVERY_MS = 25

/** Waits until `look` no longer throws, and gives what it returned: facts of other processes can only be looked for. */
export function until<T>(look: () => T | Promise<T>, patienceMs: number = PATIENCE_MS): Promise<T> {
  return vi.waitFor(look, { timeout: patienceMs, interval: LOOK_EVERY_MS })
}

/** A command that has ended. */
export type Ended = { readonly exitCode: number | null; readonly stdout: string; readonly stderr: string }

/** An answer of the service. `body` is what its JSON holds. */
// biome-ignore lint/suspicious/noExplicitAny: tests compare what comes with what is expected, whatever its form
export type Answer = { readonly status: number; readonly body: any }

/** How to start the service. */
export type ServeOptions = {
  /** Any free one without it; 'default' gives the service none. */
  readonly port?: 'default' | number
  /** Further arguments of `serve`. */
  readonly args?: readonly string[]
  /** Program that runs the launcher; the Node of this test without it. */
  readonly node?: string
  /** Program that runs what follows it, as one does that leads into another network; what asks over HTTP stays outside. */
  readonly through?: string
  /** Variables for the service, in addition to those of this test. */
  readonly env?: Readonly<Record<string, string>>
}

/** A data folder and the service that runs on it. */
export type ServedService = {
  /** A folder for the files of the test; the data folder is in it. */
  readonly folder: string
  readonly data: string
  /** Address of the running service. */
  readonly url: () => string
  /** The process that was started: the launcher, which is the service too where its Node is new enough. */
  readonly process: () => ChildProcess
  /** Starts the service and waits until it answers. */
  readonly start: (options?: ServeOptions) => Promise<void>
  /** SIGKILL, and waits until the started process is gone. */
  readonly kill: () => Promise<void>
  /** SIGTERM, and waits for the end. */
  readonly stop: () => Promise<Ended>
  /** Ctrl+C in its terminal, and waits for the end. */
  readonly interrupt: () => Promise<Ended>
  /** Runs a command of the CLI with `--data` and `--json`, in the folder. */
  readonly command: (...argv: string[]) => Promise<Ended>
  /** Asks the service with the account key. */
  readonly ask: (method: string, path: string, body?: unknown) => Promise<Answer>
  /** Asks and expects 200. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly get: (path: string) => Promise<any>
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly post: (path: string, body?: unknown) => Promise<any>
  /** Makes an endpoint that runs gated.py; other settings win. */
  readonly createEndpoint: (id: string, settings?: object) => Promise<void>
  /** The same for a handler file with this code. */
  readonly createHandler: (id: string, code: string, settings?: object) => Promise<void>
  /** Queues a job and gives its id. */
  readonly run: (endpointId: string, input: object) => Promise<string>
  /** Waits for the end of a job and gives its record. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly jobEnd: (endpointId: string, jobId: string, patienceMs?: number) => Promise<any>
  /** A file of the folder, to be named in a job's `gates`. */
  readonly gate: (name: string) => string
  readonly openGate: (name: string) => void
  /** The file in the data folder that describes the service. */
  readonly serviceFile: () => { readonly pid: number; readonly url: string; readonly workerUrl: string }
  /** Living processes of workers, and of what they started. */
  readonly workerProcesses: () => readonly SeenProcess[]
  /** Runs one statement on the database, while no service does. */
  readonly changeDatabase: (sql: string, ...values: readonly unknown[]) => void
  /** Looks through the whole database; ['ok'] when it is whole. */
  readonly integrity: () => readonly string[]
  /** The text of a file of the folder. */
  readonly read: (...path: string[]) => string
}

/** Registers a clean-up for when the service is no longer needed. */
export type WhenOver = (end: () => Promise<void>) => void

/**
 * Makes a fresh folder; nothing runs yet. The end of the test kills all processes.
 * @param given a data folder outside the fresh folder
 * @param whenOver registers clean-ups; a service for several tests ends later
 */
export function servedService(
  given?: { readonly data: string },
  whenOver: WhenOver = (end) => onTestFinished(end),
): ServedService {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-safety-'))
  const data = given?.data ?? join(folder, 'data')
  const mark = `DOCK_TEST_MARK=${randomUUID()}`
  let child: ChildProcess | undefined
  let ended: Promise<Ended> | undefined
  let url = ''
  let key = ''

  whenOver(async () => {
    // Again and again: a service may start a worker between the look and its own end.
    await until(() => {
      for (const { pid } of processesMarked(mark)) signal(pid, 'SIGKILL')
      expect(processesMarked(mark)).toEqual([])
    })
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })

  function spawnLauncher(
    argv: readonly string[],
    { node = process.execPath, through, env: more }: ServeOptions = {},
  ): ChildProcess {
    const [name = '', value = ''] = mark.split('=')
    const env = Object.fromEntries(Object.entries(process.env).filter(([key]) => !/^(SVC_|DRYDOCK_|npm_)/.test(key)))
    // As a shell finds it, so that hints have its plain name.
    const calledBy = join((process.env.PATH ?? '').split(delimiter)[0] ?? '', 'drydock')
    const [program = node, ...args] = [...(through === undefined ? [] : [through]), node, LAUNCHER, ...argv]
    return spawn(program, args, {
      cwd: folder,
      // Tests kill the service itself, and start it again where they mean to.
      env: { ...env, DRYDOCK_CALLED_BY: calledBy, DRYDOCK_RESTART: '0', NO_COLOR: '1', [name]: value, ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  }

  async function ask(method: string, path: string, body?: unknown): Promise<Answer> {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: answer.status, body: await answer.json() }
  }

  async function askWell(method: string, path: string, body?: unknown) {
    const answer = await ask(method, path, body)
    expect(answer).toMatchObject({ status: 200 })
    return answer.body
  }

  async function createEndpoint(id: string, settings: object = {}): Promise<void> {
    const program = 'command' in settings ? { cwd: folder } : { handler: GATED_HANDLER }
    await askWell('POST', '/api/endpoints', { id, name: id, idleTimeoutMs: 600_000, ...program, ...settings })
  }

  function withDatabase<T>(options: BetterSqlite.Options, work: (db: BetterSqlite.Database) => T): T {
    const db = new BetterSqlite(join(data, 'drydock.db'), options)
    try {
      return work(db)
    } finally {
      db.close()
    }
  }

  const started = () => {
    if (child === undefined) throw new Error('no service was started')
    return child
  }

  return {
    folder,
    data,
    url: () => url,
    process: started,
    async start(options = {}) {
      const { port = 0, args = [] } = options
      const portArgs = port === 'default' ? [] : ['--port', String(port)]
      const process = spawnLauncher(['serve', '--data', data, ...portArgs, '--json', ...args], options)
      child = process
      ended = collect(process)
      const ready = await Promise.race([firstLine(process), ended])
      if (typeof ready !== 'string') throw new Error(`serve ended before it was ready: ${ready.stderr}`)
      url = JSON.parse(ready).url
      key = readFileSync(join(data, 'account.key'), 'utf8').trim()
    },
    async kill() {
      started().kill('SIGKILL')
      await ended
    },
    async stop() {
      started().kill('SIGTERM')
      return (await ended) as Ended
    },
    async interrupt() {
      pressCtrlC(started().pid, processesMarked(mark))
      return (await ended) as Ended
    },
    command: (...argv) => collect(spawnLauncher([...argv, '--data', data, '--json'])),
    ask,
    get: (path) => askWell('GET', path),
    post: (path, body) => askWell('POST', path, body),
    createEndpoint,
    async createHandler(id, code, settings) {
      const handler = join(folder, `${id}.py`)
      writeFileSync(handler, code)
      await createEndpoint(id, { ...settings, handler })
    },
    run: async (endpointId, input) => (await askWell('POST', `/v2/${endpointId}/run`, { input })).id,
    async jobEnd(endpointId, jobId, patienceMs = PATIENCE_MS) {
      const record = await askWell('GET', `/v2/${endpointId}/status-sync/${jobId}?wait=${patienceMs}`)
      expect(record.status, `job ${jobId} after ${patienceMs} ms`).not.toMatch(/^IN_/)
      return record
    },
    gate: (name) => join(folder, name),
    openGate: (name) => writeFileSync(join(folder, name), ''),
    serviceFile: () => JSON.parse(readFileSync(join(data, 'service.json'), 'utf8')),
    workerProcesses: () => processesMarked(mark).filter(({ workerId }) => workerId !== undefined),
    changeDatabase: (sql, ...values) => withDatabase({}, (db) => db.prepare(sql).run(...values)),
    integrity: () =>
      withDatabase({ readonly: true }, (db) => {
        const rows = db.pragma('integrity_check') as readonly { readonly integrity_check: string }[]
        return rows.map((row) => row.integrity_check)
      }),
    read: (...path) => readFileSync(join(folder, ...path), 'utf8'),
  }
}

/** Makes a fresh folder and starts a service on it. */
export async function startedService(options?: ServeOptions, whenOver?: WhenOver): Promise<ServedService> {
  const service = servedService(undefined, whenOver)
  await service.start(options)
  return service
}

async function collect(child: ChildProcess): Promise<Ended> {
  let stdout = ''
  let stderr = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const [exitCode] = await once(child, 'close')
  return { exitCode, stdout, stderr }
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    child.stdout?.on('data', (piece: string) => {
      text += piece
      if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')))
    })
  })
}
