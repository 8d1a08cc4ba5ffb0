/**
 * The service in one process for tests: the real core on real SQLite, both apps as functions of Request, a clock that
 * stands still, and a fleet whose workers the test leads. Everything is fresh, and stopped when the test ends.
 */

import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { openPythonWheel } from '../../src-main/app/app-builder/create-app-builder.ts'
import { createProjectTools } from '../../src-main/app/app-builder/project-tools.ts'
import { type Core, createCore, pingWorker, type StartPreview, type Storage } from '../../src-main/app/core.ts'
import { createAnswerAgent } from '../../src-main/app/headless/answer-agent.ts'
import { createHost } from '../../src-main/app/headless/host.ts'
import { createWorkerStreams } from '../../src-main/app/http/streams.ts'
import { createUserApp } from '../../src-main/app/http/user-app.ts'
import { createWorkerApp } from '../../src-main/app/http/worker-app.ts'
import { OPTIONAL_FEATURES, type OptionalFeatures } from '../../src-main/app/optional-features.ts'
import type { Poster } from '../../src-main/features/jobs/ports/post.ts'
import type { SentRequest, SentResponse } from '../../src-main/features/load-tests/ports.ts'
import { createMachineApp } from '../../src-main/features/machines/worker-listener-routes.ts'
import type { ServiceContext } from '../../src-main/features/service-context.ts'
import type { ImagePipeline } from '../../src-main/features/worker-images/ports/image-pipeline.ts'
import type { PageFiles } from '../../src-main/http/pages.ts'
import { listen } from '../../src-main/http/server/listen.ts'
import { systemIds } from '../../src-main/http/server/system-ports.ts'
import type { ProcessHost, ServiceHost } from '../../src-main/runtimes/port.ts'
import { openStorage } from '../../src-main/storage/open-storage.ts'
import { createFakeClock, type FakeClock, settle, TEST_EPOCH } from './fake-clock.ts'
import { createFakeFleet, type FakeFleet, fakePlace } from './fake-fleet.ts'
import { type FakeMachines, fakeMachines } from './fake-machines.ts'
import { readSignIn } from './signed-in.ts'
import { type TestWorker, workerClient } from './worker-client.ts'

/** Addresses of the service under test; nothing listens there. */
export const SERVICE_URL = 'http://127.0.0.1:8790'
/** The id of the service under test, which the watchdogs of machines ask for. */
export const SERVICE_ID = `test${randomBytes(5).toString('hex')}`
const WORKER_URL = 'http://127.0.0.1:8791'
const HOST = '127.0.0.1:8790'
const NOT_BUILT: PageFiles = { index: async () => undefined, asset: async () => undefined }

// Nothing listens there: what its tools ask for is not reached.
const answerAgent = createAnswerAgent({ version: '0.0.1', url: () => SERVICE_URL })

const silentPreview: StartPreview = () => {
  const { promise: ended, resolve } = Promise.withResolvers<{ exitCode: number | null; lastOutput: string }>()
  const stop = () => resolve({ exitCode: 0, lastOutput: '' })
  return { ended, stop, kill: stop }
}

/** An answer. `body` is what its JSON holds. */
// biome-ignore lint/suspicious/noExplicitAny: tests compare what comes with what is expected, whatever its form
export type Answer = { readonly status: number; readonly headers: Headers; readonly body: any }

/** A request: `key` undefined sends the account key, null none; a string body goes as it is. */
export type Asked = {
  readonly key?: string | null
  readonly body?: unknown
  /** A body that arrives bit by bit. */
  readonly stream?: ReadableStream<Uint8Array>
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  readonly bindings?: object
}

/** A webhook that was sent out. */
export type Posted = Parameters<Poster>[0]

/** One line of the service's own log. */
export type Logged = { readonly level: 'info' | 'warn' | 'error'; readonly message: string; readonly fields: unknown }

/** The service under test. */
export type TestService = {
  readonly clock: FakeClock
  /** The machines that can be added. */
  readonly remoteMachines: FakeMachines
  readonly fleet: () => FakeFleet
  readonly service: () => ServiceContext
  readonly features: () => Core['features']
  readonly storage: () => Storage
  readonly accountKey: () => string
  readonly log: readonly Logged[]
  /** Webhooks that were sent, oldest first. */
  readonly posts: readonly Posted[]
  /** How webhooks are answered from now on. */
  readonly answerPosts: (answer: Poster) => void
  readonly request: (method: string, path: string, asked?: Asked) => Promise<Response>
  readonly ask: (method: string, path: string, asked?: Asked) => Promise<Answer>
  /** Asks with the account key and expects 200. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly get: (path: string) => Promise<any>
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly post: (path: string, body?: unknown) => Promise<any>
  /** Makes an endpoint that keeps exactly one worker; other settings win. Gives its key. */
  /** Signs a browser in. @param key its link is made with this key; without it with the account key */
  readonly signIn: (key?: string) => ReturnType<typeof readSignIn>
  readonly createEndpoint: (id?: string, settings?: object) => Promise<string>
  /** Queues a job on endpoint e and gives its id. */
  readonly run: (input?: object, more?: object, endpointId?: string) => Promise<string>
  /** Waits for the newest living worker of the endpoint that is not one of `others`. */
  readonly worker: (endpointId?: string, others?: readonly TestWorker[]) => Promise<TestWorker>
  /** Queues a job and lets the worker take it. */
  readonly running: (
    more?: object,
    endpointId?: string,
  ) => Promise<{ readonly jobId: string; readonly worker: TestWorker }>
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly status: (jobId: string, endpointId?: string) => Promise<any>
  /** Waits until the job is in this state and gives its record. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly waitForJob: (jobId: string, status: string, endpointId?: string) => Promise<any>
  /** Opens a listener on loopback for one of the apps; gives its address. */
  readonly listen: (app: 'users' | 'workers' | 'machines') => Promise<string>
  /** Answers requests with this Host too, as behind a tunnel. */
  readonly answerTo: (host: string) => void
  /**
   * Ends the core, in order or as kill -9 would, and starts another one on the same data and the same workers.
   * @returns what a stop in order left on other machines
   */
  readonly restart: (how: 'in order' | 'killed') => Promise<ReturnType<Core['left']>>
}

/** In a folder that the end of the test removes. */
export function databaseFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-core-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'drydock.db')
}

export type SetupOptions = {
  /** Database file, for tests that restart the service; in memory without it. */
  readonly file?: string
  /** Changes the storage before the core sees it, for faults. */
  readonly storage?: (storage: Storage) => Storage
  readonly post?: Poster
  readonly settings?: object
  /** Without it a preview says nothing, and ends when it is asked to. */
  readonly startPreview?: StartPreview
  /** The steps of worker images; without it, each runs until it is cancelled. */
  readonly imagePipeline?: ImagePipeline
  /** Host of worker processes; by default nothing is missing, and nothing is put anywhere. */
  readonly processHost?: Partial<ProcessHost>
  /** Changes what the machine under the service says. */
  readonly host?: (host: ServiceHost) => ServiceHost
  /** The built pages; none without it. */
  readonly pages?: PageFiles
  /** Whether workers are on another machine. */
  readonly isElsewhere?: boolean
  /** Loads no drivers of other machines. */
  readonly withoutMachines?: () => Promise<never>
  /** The optional features; all without it. */
  readonly features?: OptionalFeatures
  /** The data folder that checks and sizes are of; one that is not there without it. */
  readonly data?: string
}

const NOTHING_MISSING: Omit<ProcessHost, 'python'> = {
  missingPackages: async () => [],
  whyNotAt: async () => undefined,
  putAt: async () => undefined,
  install: async () => undefined,
}

const untilCancelled = (_request: unknown, { signal }: { readonly signal: AbortSignal }) =>
  new Promise<never>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

const endlessPipeline: ImagePipeline = { lock: untilCancelled, build: untilCancelled, test: untilCancelled }

type Run = {
  readonly core: Core
  readonly storage: Storage
  readonly fleet: FakeFleet
  readonly users: ReturnType<typeof createUserApp>
  readonly workers: ReturnType<typeof createWorkerApp>
  readonly cancelTimers: () => void
}

/** Starts a fresh service. */
export async function setup({
  file = ':memory:',
  storage: change,
  post,
  settings,
  startPreview = silentPreview,
  imagePipeline = endlessPipeline,
  processHost = {},
  pages = NOT_BUILT,
  host = (machine) => machine,
  features = OPTIONAL_FEATURES,
  withoutMachines,
  data: given,
  isElsewhere = false,
}: SetupOptions = {}): Promise<TestService> {
  const data = given ?? '/nowhere/data'
  const clock = createFakeClock()
  const place = fakePlace()
  const remoteMachines = fakeMachines()
  const log: Logged[] = []
  const posts: Posted[] = []
  let answer: Poster = post ?? (() => Promise.resolve({ status: 200, error: undefined }))
  let accountKey = ''
  const hosts = new Set([HOST, 'localhost:8790'])
  const facts = {
    version: '0.0.1',
    pid: 1,
    url: SERVICE_URL,
    hosts,
    data: given ?? '/data',
    keyFile: '/data/account.key',
    command: 'drydock',
  }

  function createRun(): Run {
    const opened = openStorage(file)
    const storage = change?.(opened) ?? opened
    const { time, cancelTimers } = cancellable(clock)
    let fleet: FakeFleet | undefined
    const core = createCore({
      storage,
      features,
      time,
      newId: systemIds,
      log: {
        info: (message, fields) => log.push({ level: 'info', message, fields }),
        warn: (message, fields) => log.push({ level: 'warn', message, fields }),
        error: (message, fields) => log.push({ level: 'error', message, fields }),
      },
      post: (posted) => {
        posts.push(posted)
        return answer(posted)
      },
      ping: pingWorker,
      host: host(createHost({ folder: data, log: `${data}/drydock.log` }, clock.wall)),
      projects: {
        ...createProjectTools({ env: process.env }),
        startPreview,
        previewLink: () => Promise.reject(new Error('there is no preview')),
      },
      imagePipeline,
      processHost: (needs) => ({ ...NOTHING_MISSING, ...needs, ...processHost }),
      send: sendInProcess,
      fleet: (needs) => {
        const reach = { workerUrl: WORKER_URL, serviceUrl: SERVICE_URL, isElsewhere }
        fleet = createFakeFleet({ ...needs, place, reach })
        return fleet
      },
      machines: async (needs) =>
        (await withoutMachines?.()) ?? {
          open: (machine) =>
            remoteMachines.open(machine, { ...needs, reach: { workerUrl: WORKER_URL, serviceUrl: SERVICE_URL } }),
        },
      facts: () => ({ ...facts, startedAt: TEST_EPOCH }),
      accountKey: () => accountKey,
      prepareKeyFile: (key) => () => {
        accountKey = key
      },
    })
    if (fleet === undefined) throw new Error('the core made no fleet')
    const { service } = core
    return {
      core,
      storage,
      fleet,
      users: createUserApp(core, pages, { wheel: openPythonWheel('0.0.0'), answerAgent }),
      workers: createWorkerApp(service),
      cancelTimers,
    }
  }

  // A load test asks the app as a function; whoever stops it does not wait for answers.
  async function sendInProcess({ target, method, key, body, signal }: SentRequest): Promise<SentResponse> {
    const answered = request(method, target, { key, body, signal })
    const aborted = new Promise<undefined>((resolve) => signal.addEventListener('abort', () => resolve(undefined)))
    const response = await Promise.race([answered, aborted])
    if (response === undefined) return { ms: 0, status: undefined, text: '', error: 'aborted' }
    return { ms: 1, status: response.status, text: await response.text(), error: undefined }
  }

  function machines() {
    const { keys } = run.core.service
    return createMachineApp({
      keys,
      names: () => [SERVICE_ID],
      workers: run.workers.fetch,
      users: run.users.fetch,
      streams: createWorkerStreams(run.core.service, Promise.resolve()),
      ready: Promise.resolve(),
    })
  }

  let run = createRun()
  await run.core.service.rotateAccountKey()
  if (settings !== undefined) await run.core.service.settings.update(settings)
  await run.core.start()
  onTestFinished(async () => {
    await run.core.stop(0)
    await run.storage.close()
  })

  async function request(method: string, path: string, asked: Asked = {}): Promise<Response> {
    const { key = accountKey, body, stream, headers = {}, signal, bindings } = asked
    const text =
      body === undefined || typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body)
    const all: Record<string, string> = {
      host: HOST,
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined && stream === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    }
    const init = {
      method,
      headers: all,
      signal: signal ?? null,
      ...(stream === undefined ? {} : { body: stream, duplex: 'half' as const }),
      ...(text === undefined ? {} : { body: text as string }),
    }
    return run.users.fetch(new Request(`${SERVICE_URL}${path}`, init), bindings)
  }

  async function ask(method: string, path: string, asked?: Asked): Promise<Answer> {
    const response = await request(method, path, asked)
    return { status: response.status, headers: response.headers, body: await response.json() }
  }

  async function askWell(method: string, path: string, body?: unknown) {
    const { status, body: answered } = await ask(method, path, { body })
    expect({ status, body: answered }).toMatchObject({ status: 200 })
    return answered
  }

  const submit = async (input: object, more: object, endpointId: string): Promise<string> =>
    (await askWell('POST', `/v2/${endpointId}/run`, { input, ...more })).id

  const worker = (endpointId = 'e', others: readonly TestWorker[] = []): Promise<TestWorker> =>
    clock.until(() => {
      const known = others.map(({ id }) => id)
      const spec = [place, ...remoteMachines.all().map((machine) => machine.place)]
        .flatMap(({ workers }) => [...workers.values()])
        .map((life) => life.spec)
        .findLast((spec) => spec.endpointId === endpointId && !known.includes(spec.workerId))
      return spec && workerClient((call, bindings) => run.workers.fetch(call, bindings), spec)
    })

  const status = (jobId: string, endpointId = 'e') => askWell('GET', `/v2/${endpointId}/status/${jobId}`)

  return {
    clock,
    remoteMachines,
    fleet: () => run.fleet,
    service: () => run.core.service,
    features: () => run.core.features,
    storage: () => run.storage,
    accountKey: () => accountKey,
    log,
    posts,
    answerPosts: (poster) => {
      answer = poster
    },
    request,
    ask,
    get: (path) => askWell('GET', path),
    post: (path, body) => askWell('POST', path, body),
    async signIn(key = accountKey) {
      const { pathname, search } = new URL((await ask('POST', '/api/session-links', { key })).body.url)
      return readSignIn(await request('GET', pathname + search, { key: null }))
    },
    async createEndpoint(id = 'e', more = {}) {
      const idle = { workersMin: 1, workersMax: 1, idleTimeoutMs: 3_600_000 }
      const program = 'handler' in more ? {} : { command: 'a-worker' }
      return (await askWell('POST', '/api/endpoints', { id, name: id, ...program, ...idle, ...more })).key
    },
    run: (input = {}, more = {}, endpointId = 'e') => submit(input, more, endpointId),
    worker,
    async running(more = {}, endpointId = 'e') {
      const jobId = await submit({}, more, endpointId)
      const taker = await worker(endpointId)
      const job = await taker.take()
      expect(job?.id).toBe(jobId)
      await taker.ping([jobId])
      return { jobId, worker: taker }
    },
    status,
    waitForJob: (jobId, wanted, endpointId) =>
      clock.until(async () => {
        const record = await status(jobId, endpointId)
        return record.status === wanted && record
      }),
    async listen(app) {
      const listener =
        app === 'machines'
          ? await listen(machines().fetch, 0, machines())
          : await listen((request, bindings) => run[app].fetch(request, bindings), 0)
      onTestFinished(() => listener.close(0))
      hosts.add(`127.0.0.1:${listener.port}`)
      return `http://127.0.0.1:${listener.port}`
    },
    answerTo: (host) => void hosts.add(host),
    async restart(how) {
      if (how === 'in order') await run.core.stop(0)
      run.cancelTimers()
      run.fleet.abandon()
      for (const machine of remoteMachines.all()) machine.fleet().abandon()
      await run.storage.close()
      await settle()
      const left = run.core.left()
      run = createRun()
      await run.core.start()
      return left
    },
  }
}

// Timers of a killed process are gone with it.
function cancellable(clock: FakeClock) {
  const open = new Set<() => void>()
  let killed = false
  return {
    time: {
      wall: clock.wall,
      monotonic: clock.monotonic,
      after(ms: number, run: () => void) {
        if (killed) return () => undefined
        const cancel = clock.after(ms, () => {
          open.delete(cancel)
          run()
        })
        open.add(cancel)
        return () => {
          open.delete(cancel)
          cancel()
        }
      },
    },
    cancelTimers: () => {
      killed = true
      for (const cancel of open) cancel()
      open.clear()
    },
  }
}
