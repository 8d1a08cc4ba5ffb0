/** Shared by tests before a real ComfyUI: a server for the tests of a file, and services with an endpoint for it. */
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it, type TestContext } from 'vitest'
import { CATALOG_ROUTES } from '../../../src-main/contract/catalog.ts'
import { sendJob } from '../comfyui/send-job.ts'
import { type ServedService, servedService, until } from '../served-service.ts'
import { findComfyUi, type RealComfyUi, startComfyUi } from './start-comfyui.ts'

const HANDLER = fileURLToPath(new URL('../../../resources/node/comfyui/handler.ts', import.meta.url))

/** How long a graph may take, in ms: a server is slow at its first one. */
export const PATIENCE_MS = 120_000

/** Id of the endpoint in front of the server. */
export const ENDPOINT = 'comfy'

/** A file that came back. `node`: what made it. */
export type Returned = { readonly filename: string; readonly node: string; readonly bytes: Buffer }

/** A service with an endpoint in front of the server. */
export type ComfyService = ServedService & {
  /** Queues a job whose input is sent as it is written. @returns its id */
  readonly send: (input: string) => Promise<string>
  /** The files of a job that must be COMPLETED, in their order. */
  readonly returned: (jobId: string) => Promise<readonly Returned[]>
  /** Queues a run of the library, which must be COMPLETED without an error. */
  // biome-ignore lint/suspicious/noExplicitAny: what comes is compared with what is expected, whatever its form
  readonly libraryRun: (graph: object | string, more?: object) => Promise<any>
  /** The bytes of a result that the library keeps. */
  readonly asset: (id: string) => Promise<Buffer>
}

/** A server, and what tests do before it. */
export type BeforeComfyUi = {
  readonly server: () => RealComfyUi
  /** A test that is skipped, with the reason, where there is no real server. */
  readonly test: (name: string, test: (context: TestContext) => Promise<void>) => void
  /** Starts a service. @param settings of its endpoint, in addition to those of the catalog */
  readonly withService: (settings?: object) => Promise<ComfyService>
  /** Asks the server itself. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly ask: (path: string, init?: RequestInit) => Promise<any>
  /** Ids of the prompts that run or wait on the server. */
  readonly queue: () => Promise<readonly string[]>
  /** Queues a prompt past the bridge. @param input as of a job @returns the prompt's id */
  readonly queueAsAnother: (input: string) => Promise<string>
}

/** Gives the tests of a `describe` a server of their own; it must be called within one. */
export function beforeComfyUi(): BeforeComfyUi {
  const found = findComfyUi()
  let server: RealComfyUi
  beforeAll(async () => {
    if (typeof found !== 'string') server = await startComfyUi(found)
  })
  afterAll(() => server?.remove())

  const ask: BeforeComfyUi['ask'] = async (path, init) => (await fetch(`${server.url}/${path}`, init)).json()
  return {
    server: () => server,
    test: (name, test) =>
      it(name, async (context) => (typeof found === 'string' ? context.skip(true, found) : test(context))),
    withService: (settings) => serviceBefore(server, settings),
    ask,
    async queue() {
      const { queue_running: running, queue_pending: pending } = await ask('queue')
      return [...running, ...pending].map(([, id]) => id)
    },
    async queueAsAnother(input) {
      const { workflow: prompt } = JSON.parse(input)
      const { prompt_id: id } = await ask('prompt', {
        method: 'POST',
        body: JSON.stringify({ prompt, client_id: 'another' }),
      })
      return id
    },
  }
}

async function serviceBefore(server: RealComfyUi, more: object = {}): Promise<ComfyService> {
  const service = servedService()
  await service.start()
  const { entries } = CATALOG_ROUTES.catalogList.response.parse(await service.get('/api/catalog'))
  const { settings } = entries.find(({ id }) => id === 'comfyui-bridge') ?? {}
  expect(settings).toMatchObject({ handler: HANDLER })
  const env = { WEBSOCKET_RECONNECT_ATTEMPTS: '2', WEBSOCKET_RECONNECT_DELAY_S: '0.1' }
  await service.createEndpoint(ENDPOINT, { ...settings, workflows: { server: server.url }, env, ...more })
  return {
    ...service,
    send: (input) => sendJob(service, ENDPOINT, input),
    async returned(jobId) {
      const { status, output, error } = await service.jobEnd(ENDPOINT, jobId, PATIENCE_MS)
      expect([status, error, output?.errors]).toEqual(['COMPLETED', undefined, undefined])
      return output.images.map(({ filename, node, data }: Record<'filename' | 'node' | 'data', string>) => {
        return { filename, node, bytes: Buffer.from(data, 'base64') }
      })
    },
    async libraryRun(graph, more) {
      const payload = typeof graph === 'string' ? graph : JSON.stringify(graph)
      const { id } = await service.post('/api/workflow-runs', { endpointId: ENDPOINT, payload, ...more })
      return until(async () => {
        const run = await service.get(`/api/workflow-runs/${id}`)
        expect([run.status, run.errors]).toEqual(['COMPLETED', []])
        return run
      }, PATIENCE_MS)
    },
    async asset(id) {
      const authorization = `Bearer ${service.read('data', 'account.key').trim()}`
      const answer = await fetch(`${service.url()}/api/assets/${id}`, { headers: { authorization } })
      return Buffer.from(await answer.arrayBuffer())
    },
  }
}
