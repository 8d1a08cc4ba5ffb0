import { z } from 'zod'
import { limit } from './limits.ts'
import { GET, POST, type Route } from './routes.ts'

const accepted = z.object({ ok: z.literal(true) })

const takenJob = z.object({
  id: z.string(),
  input: z.unknown(),
  webhook: z.string().optional(),
  s3Config: z.unknown().optional(),
  batchId: z.string().optional(),
})

// Invalid query values count as missing: an error would make the public SDK retry without a pause.
const text = z.string().optional()
const busy = text.transform((given) => given === '1').describe('1: the worker runs jobs already')
const batchSize = text.transform((given) => {
  const size = Number(given ?? 1)
  return Number.isInteger(size) && size >= 1 ? Math.min(size, limit('takeBatchMax')) : 1
})
const next = text
  .transform((given) => Math.min(Math.trunc(Number(given)), limit('takeBatchMax')) || 0)
  .describe('number of jobs that the worker can take once this one is stored; ours')
const jobIds = text.transform((given = '') => given.split(',').filter((id) => id !== ''))

/** The token is read before the row, from the header or TOKEN_PARAMETER. Source: docs/spec/worker-protocol.md, 2. */
export const WORKER_ROUTES = {
  take: GET('/v2/:endpointId/job-take/:workerId', 'Wait for a job', {
    query: { job_in_progress: busy },
    response: takenJob,
    errors: ['UNAUTHORIZED'],
  }),
  takeBatch: GET('/v2/:endpointId/job-take-batch/:workerId', 'Wait for jobs', {
    query: { job_in_progress: busy, batch_size: batchSize },
    response: z.array(takenJob),
    errors: ['UNAUTHORIZED'],
  }),
  stop: GET('/v2/:endpointId/job-stop/:workerId', 'Wait for jobs to stop', {
    response: z.object({ jobsToStop: z.array(z.string()) }),
    errors: ['UNAUTHORIZED'],
  }),
  ping: GET('/v2/:endpointId/ping/:workerId', 'Report the jobs that still run, or an unhealthy worker', {
    query: { job_id: jobIds, status: text, check: text, reason: text },
    response: accepted,
    errors: ['UNAUTHORIZED'],
  }),
  done: POST('/v2/:endpointId/job-done/:workerId/:jobId', 'Report the result of a job, or its progress', {
    // Without `body`: the operation reads it, because an oversized or invalid result ends its job instead of being
    // refused.
    bodyLimit: { bytes: limit('resultBodyBytes'), name: 'a result' },
    query: { take: next },
    response: accepted.extend({ jobs: z.array(takenJob).optional() }),
    errors: ['UNAUTHORIZED', 'UNSUPPORTED_ENCODING', 'BAD_FIELD'],
  }),
  stream: POST('/v2/:endpointId/job-stream/:workerId/:jobId', 'Send one chunk of a stream', {
    // Bytes: its payload is stored unchanged, and invalid JSON is ignored instead of refused.
    bodyType: 'application/octet-stream',
    bodyLimit: { bytes: limit('resultBodyBytes'), name: 'a chunk' },
    response: accepted,
    errors: ['UNAUTHORIZED', 'UNSUPPORTED_ENCODING', 'BAD_FIELD', 'BODY_TOO_LARGE'],
  }),
} as const satisfies Record<string, Route>

export type WorkerCall = keyof typeof WORKER_ROUTES

const CALLS = new Set(Object.values(WORKER_ROUTES).map(({ path }) => path.split('/')[3]))

/**
 * True for routes of this table.
 * @param path like /v2/hello/job-take/abc
 */
export function isWorkerCall(path: string): boolean {
  const [, version, , call] = path.split('/')
  return version === 'v2' && CALLS.has(call)
}

// Job API, load-balanced endpoints and the state manager: everything that code in a worker calls besides its own
// protocol.
const CALLED_BY_WORKERS = /^\/(?:(?:v2|lb)\/|graphql$)/

export function mayBeCalledByWorkers(path: string): boolean {
  return CALLED_BY_WORKERS.test(path)
}

/**
 * A machine's watchdog asks here if the reverse tunnel still reaches its service; another service on the port does not
 * answer. Source: docs/spec/reverse-tunnel.md, 1.
 */
export function tunnelPath(serviceId: string): string {
  return `/reverse-tunnel/${serviceId}`
}

/**
 * Carries the worker's token when the public SDK puts a platform key from ~/.runpod/config.toml into Authorization.
 * Source: ours.
 */
export const TOKEN_PARAMETER = 'token'

export type WorkerEnvironmentFacts = {
  /** Address of the listener for workers, without a trailing slash. */
  readonly workerBaseUrl: string
  /** Address of the job API, without a trailing slash. */
  readonly serviceBaseUrl: string
  /** How it calls endpoints by host name over https; undefined if it does not. */
  readonly endpointHosts?: { readonly url: string; readonly bundle: string } | undefined
  readonly endpointId: string
  readonly workerId: string
  readonly workerToken: string
  /** Key for calls to other endpoints; undefined without such calls. */
  readonly apiKey: string | undefined
  readonly concurrency: number
  readonly pingIntervalMs: number
  readonly systemChecks: boolean
  readonly hasGpu: boolean
  /** Address of the ComfyUI server that the workers call; undefined without one. */
  readonly workflowServer: string | undefined
  /** Whether other servers can run its jobs, so that it ends when it loses its own. */
  readonly hasOtherServers?: boolean
  readonly app: { readonly app: string; readonly environment: string } | undefined
  readonly env: Readonly<Record<string, string>>
}

/**
 * Templates contain `?` because the public SDK appends `&name=value` blindly, and `$ID` / `$RUNPOD_POD_ID` because it
 * replaces them. Source: docs/spec/worker-protocol.md, 1.
 */
export function workerEnvironment(facts: WorkerEnvironmentFacts): Record<string, string> {
  const base = `${facts.workerBaseUrl}/v2/${facts.endpointId}`
  return {
    // Python's certificates; users with their own authorities set their file.
    ...(facts.endpointHosts === undefined ? {} : { SSL_CERT_FILE: facts.endpointHosts.bundle }),
    ...facts.env,
    RUNPOD_WEBHOOK_GET_JOB: `${base}/job-take/$ID?w=1`,
    RUNPOD_WEBHOOK_POST_OUTPUT: `${base}/job-done/$RUNPOD_POD_ID/$ID?w=1`,
    RUNPOD_WEBHOOK_POST_STREAM: `${base}/job-stream/$RUNPOD_POD_ID/$ID?w=1`,
    RUNPOD_WEBHOOK_PING: `${base}/ping/$RUNPOD_POD_ID?w=1`,
    RUNPOD_PING_INTERVAL: String(facts.pingIntervalMs),
    RUNPOD_POD_ID: facts.workerId,
    RUNPOD_POD_HOSTNAME: `${facts.endpointId}-${facts.workerId}`, // appears in errors that the public SDK reports
    RUNPOD_ENDPOINT_ID: facts.endpointId,
    RUNPOD_AI_API_KEY: facts.workerToken,
    RUNPOD_ENDPOINT_BASE_URL: `${facts.endpointHosts?.url ?? facts.serviceBaseUrl}/v2`,
    RUNPOD_API_BASE_URL: facts.serviceBaseUrl,
    ...(facts.systemChecks ? {} : { RUNPOD_SKIP_AUTO_SYSTEM_CHECKS: 'true' }),
    ...(facts.hasGpu ? {} : { RUNPOD_SKIP_GPU_CHECK: 'true' }),
    RUNPOD_ALLOW_PRIVATE_DOWNLOAD_URLS: 'true',
    SVC_ENDPOINT: facts.endpointId,
    SVC_BASE_URL: facts.serviceBaseUrl,
    SVC_CONCURRENCY: String(facts.concurrency),
    ...(facts.app === undefined ? {} : { FLASH_APP: facts.app.app, FLASH_ENV: facts.app.environment }),
    ...(facts.workflowServer === undefined ? {} : { SVC_WORKFLOW_SERVER: facts.workflowServer }),
    ...(facts.hasOtherServers === true ? { SVC_WORKFLOW_SERVER_LOST: 'exit' } : {}),
    ...(facts.apiKey === undefined ? {} : { SVC_API_KEY: facts.apiKey, RUNPOD_API_KEY: facts.apiKey }),
  }
}
