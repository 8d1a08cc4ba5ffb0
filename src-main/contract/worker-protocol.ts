/** The routes of the listener for workers. Source: worker-protocol, Calls. */
export const WORKER_ROUTES = {
  take: { method: 'GET', path: '/v2/:endpointId/job-take/:workerId' },
  takeBatch: { method: 'GET', path: '/v2/:endpointId/job-take-batch/:workerId' },
  stop: { method: 'GET', path: '/v2/:endpointId/job-stop/:workerId' },
  ping: { method: 'GET', path: '/v2/:endpointId/ping/:workerId' },
  done: { method: 'POST', path: '/v2/:endpointId/job-done/:workerId/:jobId' },
  stream: { method: 'POST', path: '/v2/:endpointId/job-stream/:workerId/:jobId' },
} as const

const CALLS = new Set(Object.values(WORKER_ROUTES).map(({ path }) => path.split('/')[3]))

/** Whether a path is one of these routes. @param path like /v2/hello/job-take/abc */
export function isWorkerCall(path: string): boolean {
  const [, version, , call] = path.split('/')
  return version === 'v2' && CALLS.has(call)
}

/**
 * Query parameter that brings the worker's token where the Authorization header cannot: the public SDK sends the key of
 * the platform there when it finds one in ~/.runpod/config.toml. Source: ours.
 */
export const TOKEN_PARAMETER = 'token'

/** What the environment of a worker is made of. */
export type WorkerEnvironmentFacts = {
  /** Address of the listener for workers, without a slash at the end. */
  readonly workerBaseUrl: string
  /** Address of the job API, without a slash at the end. */
  readonly serviceBaseUrl: string
  readonly endpointId: string
  readonly workerId: string
  readonly workerToken: string
  /** Key for calls to other endpoints; undefined where the endpoint makes none. */
  readonly apiKey: string | undefined
  readonly concurrency: number
  readonly pingIntervalMs: number
  readonly systemChecks: boolean
  readonly hasGpu: boolean
  /** Address of the ComfyUI server behind the workers; undefined where the endpoint names none. */
  readonly workflowServer: string | undefined
  /** The app of the endpoint and its environment; undefined where it belongs to none. */
  readonly app: { readonly app: string; readonly environment: string } | undefined
  readonly env: Readonly<Record<string, string>>
}

/**
 * The environment that every worker gets. The templates hold a `?` because the public SDK appends `&name=value`
 * without looking, and `$ID` / `$RUNPOD_POD_ID` because it replaces these. Source: worker-protocol, Environment.
 */
export function workerEnvironment(facts: WorkerEnvironmentFacts): Record<string, string> {
  const base = `${facts.workerBaseUrl}/v2/${facts.endpointId}`
  return {
    ...facts.env,
    RUNPOD_WEBHOOK_GET_JOB: `${base}/job-take/$ID?w=1`,
    RUNPOD_WEBHOOK_POST_OUTPUT: `${base}/job-done/$RUNPOD_POD_ID/$ID?w=1`,
    RUNPOD_WEBHOOK_POST_STREAM: `${base}/job-stream/$RUNPOD_POD_ID/$ID?w=1`,
    RUNPOD_WEBHOOK_PING: `${base}/ping/$RUNPOD_POD_ID?w=1`,
    RUNPOD_PING_INTERVAL: String(facts.pingIntervalMs),
    RUNPOD_POD_ID: facts.workerId,
    RUNPOD_POD_HOSTNAME: `${facts.endpointId}-${facts.workerId}`, // in the errors that the public SDK reports
    RUNPOD_ENDPOINT_ID: facts.endpointId,
    RUNPOD_AI_API_KEY: facts.workerToken,
    RUNPOD_ENDPOINT_BASE_URL: `${facts.serviceBaseUrl}/v2`,
    ...(facts.systemChecks ? {} : { RUNPOD_SKIP_AUTO_SYSTEM_CHECKS: 'true' }),
    ...(facts.hasGpu ? {} : { RUNPOD_SKIP_GPU_CHECK: 'true' }),
    RUNPOD_ALLOW_PRIVATE_DOWNLOAD_URLS: 'true',
    SVC_ENDPOINT: facts.endpointId,
    SVC_BASE_URL: facts.serviceBaseUrl,
    SVC_CONCURRENCY: String(facts.concurrency),
    ...(facts.app === undefined ? {} : { FLASH_APP: facts.app.app, FLASH_ENV: facts.app.environment }),
    ...(facts.workflowServer === undefined ? {} : { SVC_WORKFLOW_SERVER: facts.workflowServer }),
    ...(facts.apiKey === undefined ? {} : { SVC_API_KEY: facts.apiKey, RUNPOD_API_KEY: facts.apiKey }),
  }
}
