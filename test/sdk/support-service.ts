import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, type TestContext } from 'vitest'
import { startServer } from '../../src-main/app/headless/main.ts'
import type { EndpointView, WorkerView } from '../../src-main/contract/endpoint.ts'
import type { LogLine } from '../../src-main/contract/management.ts'
import { PATIENCE_MS } from '../support/patience.ts'
import { endAll } from '../support/shared-in-file.ts'

/** The sample handler file of this clone. */
export const HELLO_HANDLER = fileURLToPath(new URL('../../resources/examples/hello/handler.py', import.meta.url))

/** A job as status shows it. */
export type JobRecord = { readonly id: string; readonly status: string; readonly [field: string]: unknown }

/** A service with real worker processes, and what tests ask of it in plain HTTP. */
export type Service = {
  readonly url: string
  /** Base address for clients of the platform. */
  readonly baseUrl: string
  readonly key: string
  /** A folder of this test. */
  readonly folder: string
  readonly call: (method: string, path: string, body?: unknown) => Promise<unknown>
  readonly createEndpoint: (config: Readonly<Record<string, unknown>>) => Promise<EndpointView>
  readonly submit: (endpointId: string, request: Readonly<Record<string, unknown>>) => Promise<string>
  readonly status: (endpointId: string, jobId: string) => Promise<JobRecord>
  /** Waits until status shows this; gives the record. */
  readonly waitForStatus: (endpointId: string, jobId: string, status: string) => Promise<JobRecord>
  readonly runSync: (endpointId: string, request: Readonly<Record<string, unknown>>) => Promise<JobRecord>
  readonly workers: (endpointId: string) => Promise<readonly WorkerView[]>
  readonly logsOfJob: (jobId: string) => Promise<readonly LogLine[]>
  readonly logsOfEndpoint: (endpointId: string) => Promise<readonly LogLine[]>
}

// Looked at this often, ms. Source: ours; a look costs the service less than a millisecond.
const LOOK_MS = 25

/** Waits until `look` gives something, and gives that. */
export async function until<T>(what: string, look: () => Promise<T | undefined>, patienceMs = PATIENCE_MS): Promise<T> {
  const giveUpAt = performance.now() + patienceMs
  for (;;) {
    const seen = await look()
    if (seen !== undefined) return seen
    if (performance.now() > giveUpAt) throw new Error(`waited ${patienceMs / 1000} s in vain: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
}

/** Makes what talks to a service that answers at this address. */
function talkTo(at: { readonly url: string; readonly key: string; readonly folder: string }): Service {
  async function call(method: string, path: string, body?: unknown): Promise<unknown> {
    const response = await fetch(`${at.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${at.key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (response.status !== 200) throw new Error(`${method} ${path} answered ${response.status}: ${text}`)
    return JSON.parse(text)
  }
  const status = async (endpointId: string, jobId: string) =>
    (await call('GET', `/v2/${endpointId}/status/${jobId}`)) as JobRecord
  const logs = async (path: string) => ((await call('GET', path)) as { lines: LogLine[] }).lines
  return {
    ...at,
    baseUrl: `${at.url}/v2`,
    call,
    status,
    createEndpoint: async (config) =>
      (await call('POST', '/api/endpoints', { name: 'test', ...config })) as EndpointView,
    submit: async (endpointId, request) => ((await call('POST', `/v2/${endpointId}/run`, request)) as JobRecord).id,
    waitForStatus: (endpointId, jobId, wanted) =>
      until(`job ${jobId} is ${wanted}`, async () => {
        const record = await status(endpointId, jobId)
        return record.status === wanted ? record : undefined
      }),
    runSync: async (endpointId, request) => (await call('POST', `/v2/${endpointId}/runsync`, request)) as JobRecord,
    workers: async (endpointId) =>
      ((await call('GET', `/api/workers?endpoint=${endpointId}`)) as { workers: WorkerView[] }).workers,
    logsOfJob: (jobId) => logs(`/api/jobs/${jobId}/logs`),
    logsOfEndpoint: (endpointId) => logs(`/api/endpoints/${endpointId}/logs`),
  }
}

/** A folder that is gone after the test. */
function temporaryFolder({ onTestFinished }: Pick<TestContext, 'onTestFinished'>): string {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-sdk-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

/** Starts something once for all tests of a file or a `describe`, and ends it after the last test. */
export function startedOnce<T>(start: (context: Pick<TestContext, 'onTestFinished'>) => Promise<T>): () => T {
  const ends: (() => unknown)[] = []
  let started: T | undefined
  beforeAll(async () => {
    started = await start({ onTestFinished: (end) => void ends.push(end as () => unknown) })
  })
  afterAll(() => endAll(ends))
  return () => started as T
}

/** Starts a service on a fresh data folder, in this process; after the test it and its workers are gone. */
export async function startService(context: Pick<TestContext, 'onTestFinished'>): Promise<Service> {
  const folder = temporaryFolder(context)
  const server = await startServer({ data: join(folder, 'data'), port: 0, stopGraceMs: 0, logLevel: 'silent' })
  context.onTestFinished(() => server.stop())
  return talkTo({ url: server.url, key: readFileSync(server.keyFile, 'utf8').trim(), folder })
}
