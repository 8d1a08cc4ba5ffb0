import type { WorkerSpec } from '../../src-main/runtimes/port.ts'

/** A job as a worker gets it. */
export type TakenJob = {
  readonly id: string
  readonly input: unknown
  readonly webhook?: string
  readonly s3Config?: unknown
}

/** How a call is made: `signal` closes its socket, `bindings` are what the node server would add. */
export type CallOptions = { readonly signal?: AbortSignal; readonly bindings?: object }

/** A worker that speaks the worker protocol, led by a test. It calls the addresses of its environment. */
export type TestWorker = {
  readonly id: string
  readonly spec: WorkerSpec
  /** Asks for a job; undefined: there was none (204). */
  readonly take: (options?: CallOptions & { readonly busy?: boolean }) => Promise<TakenJob | undefined>
  readonly takeBatch: (size: number | string) => Promise<readonly TakenJob[]>
  readonly stopOrders: (options?: CallOptions) => Promise<readonly string[]>
  readonly ping: (jobIds?: readonly string[], more?: string) => Promise<void>
  /** Reports on a job: an object, or text or bytes as they are. */
  readonly done: (jobId: string, report: object | string) => Promise<Response>
  /** Reports like `done`, and asks for as many jobs with the answer. */
  readonly doneAndTake: (jobId: string, report: object, most?: number) => Promise<readonly TakenJob[]>
  readonly chunk: (jobId: string, chunk: object | string) => Promise<Response>
  /** Any call by address. */
  readonly call: (url: string, init?: RequestInit, bindings?: object) => Promise<Response>
}

const isBytes = (body: object): body is Uint8Array<ArrayBuffer> => body instanceof Uint8Array

type Fetch = (request: Request, bindings?: object) => Response | Promise<Response>

/** Makes the client of a worker that the fleet was asked to start. */
export function workerClient(fetch: Fetch, spec: WorkerSpec): TestWorker {
  const { workerId: id, env } = spec
  const address = (name: string, jobId = id) => (env[name] ?? '').replace('$RUNPOD_POD_ID', id).replace('$ID', jobId)
  const headers = { authorization: env.RUNPOD_AI_API_KEY ?? '' }

  async function call(url: string, init: RequestInit = {}, bindings?: object): Promise<Response> {
    return fetch(new Request(url, { ...init, headers: { ...headers, ...init.headers } }), bindings)
  }

  async function get(url: string, { signal, bindings }: CallOptions = {}): Promise<Response> {
    const answer = await call(url, signal === undefined ? {} : { signal }, bindings)
    if (answer.status !== 200 && answer.status !== 204) throw new Error(`${url}: ${answer.status}`)
    return answer
  }

  const post = (url: string, body: object | string) =>
    call(url, {
      method: 'POST',
      body: typeof body === 'string' || isBytes(body) ? body : JSON.stringify(body),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })

  return {
    id,
    spec,
    call,
    async take({ busy = false, ...options } = {}) {
      const url = `${address('RUNPOD_WEBHOOK_GET_JOB')}&job_in_progress=${busy ? 1 : 0}`
      const answer = await get(url, options)
      return answer.status === 204 ? undefined : ((await answer.json()) as TakenJob)
    },
    async takeBatch(size) {
      const url = `${address('RUNPOD_WEBHOOK_GET_JOB').replace('/job-take/', '/job-take-batch/')}&batch_size=${size}`
      const answer = await get(url)
      return answer.status === 204 ? [] : ((await answer.json()) as TakenJob[])
    },
    async stopOrders(options) {
      const url = address('RUNPOD_WEBHOOK_GET_JOB').replace('/job-take/', '/job-stop/')
      const answer = await get(url, options)
      return answer.status === 204 ? [] : ((await answer.json()) as { jobsToStop: string[] }).jobsToStop
    },
    async ping(jobIds = [], more = '') {
      await get(`${address('RUNPOD_WEBHOOK_PING')}&job_id=${jobIds.join(',')}&runpod_version=1${more}`)
    },
    done: (jobId, report) => post(`${address('RUNPOD_WEBHOOK_POST_OUTPUT', jobId)}&isStream=false`, report),
    async doneAndTake(jobId, report, most = 1) {
      const answer = await post(`${address('RUNPOD_WEBHOOK_POST_OUTPUT', jobId)}&isStream=false&take=${most}`, report)
      return ((await answer.json()) as { readonly jobs?: readonly TakenJob[] }).jobs ?? []
    },
    chunk: (jobId, chunk) => post(address('RUNPOD_WEBHOOK_POST_STREAM', jobId), chunk),
  }
}
