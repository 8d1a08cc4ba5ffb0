import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { STATUS_CODES } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Storage } from '../../src-main/app/core.ts'
import { AppError, ERRORS, type ErrorCode, type ErrorRow } from '../../src-main/contract/errors.ts'
import { limit } from '../../src-main/contract/limits.ts'
import { freePort } from '../../src-main/http/server/listen.ts'
import { appFolder, manifestOf } from '../support/app-folder.ts'
import { type Answer, setup, type TestService } from '../support/core.ts'
import { settle } from '../support/fake-clock.ts'
import { openProxy, openWorker, readyWorker, silentWorker } from '../support/proxied.ts'
import { artifactOf, BOX, giveArtifact } from '../support/two-services.ts'
import type { Received, Sending } from '../support/web-client.ts'
import { withoutFeature } from '../support/without-feature.ts'

type Provoke = (service: TestService) => Promise<Answer>

const HELD = { input: {}, idempotencyKey: 'k' }
const run = (service: TestService, asked: Parameters<TestService['ask']>[2] = { body: { input: {} } }) =>
  service.ask('POST', '/v2/e/run', asked)

async function failing(service: TestService, error: unknown): Promise<Answer> {
  const storage = service.storage() as { write: Storage['write'] }
  storage.write = () => Promise.reject(error)
  return run(service)
}

async function proxied(service: TestService, path: string, sending?: Sending): Promise<Answer> {
  const { send } = await openProxy(service)
  return answerOf(await send(path, sending))
}

const answerOf = ({ status, headers, json }: Received): Answer => ({
  status,
  headers: new Headers(headers as Record<string, string>),
  body: json(),
})

async function loadBalanced(service: TestService, answer: RequestListener): Promise<void> {
  await service.createEndpoint('web', { loadBalanced: { port: await openWorker(answer) } })
  await readyWorker(service)
}

// Four bytes that nothing has the hash of.
function upload(service: TestService, { offset, total }: { readonly offset: number; readonly total: number }) {
  const path = `/api/artifacts/${'a'.repeat(64)}?offset=${offset}&total=${total}`
  return service.ask('PUT', path, { body: 'code', headers: { 'content-type': 'application/octet-stream' } })
}

async function openShell(service: TestService): Promise<Answer> {
  const { id } = await service.worker()
  return service.ask('POST', `/api/workers/${id}/shell`, { body: { columns: 80, rows: 24 } })
}

// A folder without any source: it can be opened, and does not build.
async function openProject(service: TestService): Promise<string> {
  const { id } = await service.post('/api/projects', { folder: appFolder(manifestOf({})) })
  return `/api/projects/${id}`
}

const release = (service: TestService, source: object) =>
  service.ask('POST', '/api/apps/shop/environments/production/releases', { body: { source } })

const CREDENTIALS = { name: 'work', username: 'ada', password: 'secret' }

const A_SCHEDULE = { name: 'nightly', cron: '0 3 * * *', request: { input: {} } }

const GPU_BOX = { name: 'gpu-box', way: { kind: 'ssh', to: 'ada@gpu-box' } }

const LATER = { action: 'cancel', filter: {}, delayMs: 60_000 }

const A_MODEL = { folder: '/data/models', directory: 'loras', name: 'a.safetensors' }

async function folderOfModels(service: TestService): Promise<string> {
  const path = mkdtempSync(join(tmpdir(), 'drydock-errors-'))
  onTestFinished(() => rmSync(path, { recursive: true }))
  mkdirSync(join(path, 'loras'))
  await service.post('/api/models/folders', { folders: [{ path }] })
  return path
}

async function namedKey(service: TestService, wanted: object): Promise<string> {
  return (await service.post('/api/keys', wanted)).key
}

/** One request for every error that can leave the service. */
const targetAt = (url: string, key: string) => ({ name: 'box', url, key })

/** Makes the service a target of its own; gives what deploys an app with these variables there. */
async function toItself(service: TestService, env: Readonly<Record<string, string>>): Promise<() => Promise<Answer>> {
  await service.post('/api/targets', targetAt(await service.listen('users'), service.accountKey()))
  const manifest = manifestOf({ greet: { env } })
  const artifact = await giveArtifact(service, await artifactOf(manifest))
  return () => service.ask('POST', `${BOX}/deploys`, { body: { source: { artifact, manifest } } })
}

const PROVOKED: Readonly<Record<ErrorCode, Provoke>> = {
  NOT_JSON: (service) => run(service, { body: 'x' }),
  BAD_INPUT: (service) => run(service, { body: {} }),
  BAD_FIELD: (service) => run(service, { body: { input: {}, policy: 1 } }),
  BODY_TOO_LARGE: (service) => run(service, { body: '{}', headers: { 'content-length': '99999999' } }),
  WRONG_STATE: async (service) => service.ask('POST', `/v2/e/retry/${await service.run()}`),
  NOT_QUEUE_BASED: async (service) => {
    await loadBalanced(service, () => undefined)
    return service.ask('POST', '/v2/web/run', { body: { input: {} } })
  },
  WHAT_IF_BUSY: async (service) => {
    const load = { type: 'steady', perSecond: 1, durationMs: 1000 }
    const ask = () =>
      service.ask('POST', '/api/endpoints/e/what-if', { body: { load, coldStartMs: 1, executionMs: 1 } })
    const first = Array.from({ length: limit('whatIfWaiting') }, ask)
    const oneMore = await ask()
    await Promise.all(first)
    return oneMore
  },
  NOT_LOAD_BALANCED: (service) => proxied(service, '/lb/e/x'),
  REQUEST_TOO_LARGE: async (service) => {
    await loadBalanced(service, () => undefined)
    return proxied(service, '/lb/web/x', { method: 'POST', headers: { 'content-length': '99999999' }, body: 'x' })
  },
  WORKER_FAILED: async (service) => {
    await loadBalanced(service, (incoming) => incoming.socket.destroy())
    return proxied(service, '/lb/web/x')
  },
  NOTHING_LISTENS: async (service) => {
    await service.createEndpoint('web', { loadBalanced: { port: await freePort(() => false) } })
    const answer = proxied(service, '/lb/web/x')
    await silentWorker(service)
    await service.clock.leap(120_000)
    return answer
  },
  NO_WORKER: async (service) => {
    await loadBalanced(service, () => undefined)
    await service.post('/api/endpoints/web/pause')
    return proxied(service, '/lb/web/x')
  },
  AFFINITY_WORKER_GONE: async (service) => {
    await loadBalanced(service, () => undefined)
    return proxied(service, '/lb/web/x', { headers: { 'X-Runpod-Worker-Id': 'strict nobody' } })
  },
  FAULT_SWITCH: async (service) => {
    await loadBalanced(service, () => undefined)
    await service.ask('PATCH', '/api/endpoints/web', { body: { faults: { failPercent: 100 } } })
    return proxied(service, '/lb/web/x')
  },
  REQUEST_TOO_SLOW: async (service) => {
    await loadBalanced(service, () => void service.clock.leap(330_000))
    return proxied(service, '/lb/web/x')
  },
  UNAUTHORIZED: (service) => service.ask('GET', '/v2/e/health', { key: null }),
  FORBIDDEN_HOST: (service) => service.ask('GET', '/v2/e/health', { headers: { host: 'x' } }),
  FORBIDDEN_ORIGIN: (service) => service.ask('GET', '/v2/e/health', { headers: { origin: 'http://x' } }),
  FORBIDDEN_KEY: async (service) => service.ask('GET', '/api/info', { key: await service.createEndpoint('other') }),
  FORBIDDEN_ROLE: async (service) =>
    service.ask('DELETE', '/api/endpoints/e', { key: await namedKey(service, { name: 'ada', role: 'read' }) }),
  KEY_EXISTS: async (service) => {
    await namedKey(service, { name: 'ada', role: 'read' })
    return service.ask('POST', '/api/keys', { body: { name: 'ada', role: 'run' } })
  },
  KEY_NOT_FOUND: (service) => service.ask('DELETE', '/api/keys/nobody'),
  TOO_MANY_KEYS: async (service) => {
    for (let n = 0; n < limit('namedKeys'); n++) await namedKey(service, { name: `key-${n}`, role: 'read' })
    return service.ask('POST', '/api/keys', { body: { name: 'one-more', role: 'read' } })
  },
  ROUTE_NOT_FOUND: (service) => service.ask('GET', '/v2/e/nothing'),
  METHOD_NOT_ALLOWED: (service) => service.ask('GET', '/v2/e/run'),
  ENDPOINT_NOT_FOUND: (service) => service.ask('GET', '/v2/nope/health'),
  JOB_NOT_FOUND: (service) => service.ask('GET', '/v2/e/status/nope'),
  WORKER_NOT_FOUND: (service) => service.ask('POST', '/api/workers/nope/stop'),
  WORKER_LEAVES: async (service) => {
    const { worker } = await service.running()
    await service.ask('PATCH', '/api/endpoints/e', { body: { stopGraceMs: 60_000 } })
    service.service().supervisor.leave(worker.id, 'another has its place', false)
    return service.ask('POST', `/api/workers/${worker.id}/replace`)
  },
  SHELL_NOT_FOUND: (service) => service.ask('DELETE', '/api/shells/nope'),
  SHELL_REFUSED: async (service) => {
    service.fleet().refuseShells = 'its image has no shell'
    return openShell(service)
  },
  TOO_MANY_SHELLS: async (service) => {
    for (let n = 0; n < 8; n += 1) await openShell(service)
    return openShell(service)
  },
  DELIVERY_NOT_FOUND: (service) => service.ask('POST', '/api/deliveries/9/resend'),
  ENDPOINT_PAUSED: async (service) => {
    await service.ask('PATCH', '/api/endpoints/e', { body: { workersMin: 0, workersMax: 0 } })
    return run(service)
  },
  ENDPOINT_EXISTS: (service) => service.ask('POST', '/api/endpoints', { body: { name: 'e', command: 'x' } }),
  UNSUPPORTED_MEDIA_TYPE: (service) => run(service, { body: '{}', headers: { 'content-type': 'text/plain' } }),
  TOO_MANY_REQUESTS: async (service) => {
    await service.service().settings.update({ strictLimits: true })
    await service.post('/v2/e/purge-queue')
    await service.post('/v2/e/purge-queue')
    return service.ask('POST', '/v2/e/purge-queue')
  },
  async TOO_MANY_MESSAGES(service) {
    const ask = () => service.ask('POST', '/mcp', { body: { jsonrpc: '2.0', method: 'notifications/initialized' } })
    for (let sent = 0; sent < limit('mcpRequests'); sent += 1) await ask()
    const refused = ask()
    await service.clock.advance(limit('mcpRefusedMs'))
    return refused
  },
  PAYLOAD_LOST: async (service) => {
    const jobs = service.storage().jobs as { openInput: Storage['jobs']['openInput'] }
    jobs.openInput = ({ id }) => Promise.reject(new AppError('PAYLOAD_LOST', { what: 'input', jobId: id, file: 'f' }))
    return service.ask('GET', `/v2/e/status/${await service.run()}`)
  },
  REGISTRY_NOT_FOUND: (service) => service.ask('DELETE', '/api/registries/nope'),
  SECRET_LOST: async (service) => {
    const secrets = service.storage().secrets as { get: Storage['secrets']['get'] }
    secrets.get = (scope, name) => {
      throw new AppError('SECRET_LOST', { scope, name })
    }
    await service.post('/api/registries', { name: 'work', server: 'ghcr.io', username: 'ada', password: 'x' })
    return service.ask('GET', '/api/registries')
  },
  async GRAPH_WITHOUT_ENDPOINT(service) {
    const payload = '{"1": {"class_type": "SaveImage", "inputs": {}}}'
    const graph = { id: 'graph', name: 'graph', behind: 'e', payload, parameters: [] }
    await service.ask('PATCH', '/api/endpoints/e', { body: { workflows: {} } })
    await service.post('/api/published-graphs', graph)
    await service.ask('DELETE', '/api/endpoints/e')
    return service.ask('POST', '/v2/graph/run', { body: { input: {} } })
  },
  FOLDER_UNREADABLE: (service) => service.ask('GET', '/api/folders?path=/nope'),
  FOLDER_NOT_EMPTY: (service) =>
    service.ask('POST', '/api/projects', { body: { folder: appFolder(manifestOf({})), from: 'app' } }),
  PROJECT_NOT_FOUND: (service) => service.ask('GET', '/api/projects/nope'),
  NO_BUILD: async (service) => service.ask('GET', `${await openProject(service)}/build`),
  BUILD_RUNNING: async (service) => {
    const project = await openProject(service)
    await service.post(`${project}/build`, {})
    const answer = await service.ask('POST', `${project}/build`, { body: {} })
    // Its folder goes with the test, and what writes into a folder that is being removed makes that fail.
    await service.post(`${project}/build/cancel`)
    return answer
  },
  BUILD_FAILED: async (service) =>
    service.ask('POST', `${await openProject(service)}/plan`, { body: { environment: 'production' } }),
  NO_PREVIEW: async (service) => service.ask('DELETE', `${await openProject(service)}/preview`),
  PREVIEW_RUNNING: async (service) => {
    const project = await openProject(service)
    await service.post(`${project}/preview`)
    return service.ask('POST', `${project}/preview`)
  },
  APP_NOT_FOUND: (service) => service.ask('GET', '/api/apps/nope'),
  ENVIRONMENT_NOT_FOUND: async (service) => {
    await service.post('/api/apps/shop/environments', { name: 'production' })
    return service.ask('GET', '/api/apps/shop/environments/nope')
  },
  ENVIRONMENT_EXISTS: async (service) => {
    await service.post('/api/apps/shop/environments', { name: 'production' })
    return service.ask('POST', '/api/apps/shop/environments', { body: { name: 'production' } })
  },
  RELEASE_NOT_FOUND: async (service) => {
    await service.post('/api/apps/shop/environments', { name: 'production' })
    return service.ask('GET', '/api/apps/shop/environments/production/releases/9')
  },
  MACHINE_NOT_FOUND: (service) => service.ask('GET', '/api/machines/nope'),
  async MACHINE_EXISTS(service) {
    await service.post('/api/machines', GPU_BOX)
    return service.ask('POST', '/api/machines', { body: GPU_BOX })
  },
  async TOO_MANY_MACHINES(service) {
    for (let n = 0; n < limit('machines'); n++) await service.post('/api/machines', { ...GPU_BOX, name: `box-${n}` })
    return service.ask('POST', '/api/machines', { body: GPU_BOX })
  },
  async MACHINE_REFUSED(service) {
    await service.post('/api/machines', GPU_BOX)
    return service.ask('GET', '/api/machines/gpu-box/join')
  },
  TARGET_NOT_FOUND: (service) => service.ask('DELETE', '/api/targets/nope'),
  IMAGE_BUILD_RUNNING: async (service) => {
    const { id } = await service.post('/api/workflows', { name: 'cat', text: '{"nodes":[],"links":[]}' })
    await service.post(`/api/workflows/${id}/image`, { text: '{}', until: 'lock' })
    return service.ask('POST', `/api/workflows/${id}/image`, { body: { text: '{}', until: 'lock' } })
  },
  IMAGE_PUSH_NOT_FOUND: (service) => service.ask('GET', '/api/image-pushes/nope'),
  TARGET_DEPLOY_NOT_FOUND: (service) => service.ask('GET', '/api/target-deploys/nope'),
  TARGET_UNREACHABLE: async (service) => {
    const answer = service.ask('POST', '/api/targets', { body: targetAt('http://127.0.0.1:1', 'k') })
    // It is tried again, with pauses.
    return service.clock.until(() => Promise.race([answer, Promise.resolve(false as const)]), 60_000)
  },
  TARGET_REFUSED: async (service) => {
    const url = await service.listen('users')
    return service.ask('POST', '/api/targets', { body: targetAt(url, 'none-that-it-knows') })
  },
  TARGET_BUSY: async (service) => {
    const deploy = await toItself(service, {})
    await deploy()
    return deploy()
  },
  KEY_IN_APP: async (service) => (await toItself(service, { OTHER: `Bearer ${service.accountKey()}` }))(),
  UPLOAD_UNKNOWN: (service) =>
    service.ask('PUT', '/uploads/nope', { key: null, body: 'code', headers: { 'content-type': 'application/gzip' } }),
  TASK_NOT_FOUND: (service) => service.ask('GET', '/tasks/nope/ping', { key: null }),
  TASK_ALREADY_SENT: async (service) => {
    const env = [{ key: 'RUNPOD_TASK_TOKEN', value: 'token' }]
    const input = { name: 'task-train-00000000', imageName: 'runpod/task:py3.12-latest', env }
    const query = 'mutation ($input: deployCpuPodInput!) { deployCpuPod(input: $input) { id } }'
    const { data } = await service.post('/graphql', { query, variables: { input } })
    const submit = () =>
      service.ask('POST', `/tasks/${data.deployCpuPod.id}/submit`, { key: 'token', body: { function_name: 'f' } })
    await submit()
    return submit()
  },
  SIGN_IN_NOT_FOUND: (service) => service.ask('GET', '/api/sign-in-requests/nope'),
  ARTIFACT_NOT_FOUND: (service) => release(service, { artifact: 'e'.repeat(64) }),
  SCHEDULES_NOT_SUPPORTED(service) {
    const manifest = manifestOf({ greet: { schedule: '0 3 * * *' } })
    const body = { manifest, artifact: 'a'.repeat(64) }
    return service.ask('POST', '/api/apps/shop/environments/production/plan', { body })
  },
  DEPLOY_RUNNING: async (service) => {
    const folder = appFolder(manifestOf({ greet: {} }))
    await release(service, { folder })
    return release(service, { folder })
  },
  COMPARISON_NOT_FOUND: (service) => service.ask('GET', '/api/comparisons/none'),
  async TOO_MANY_COMPARISONS(service) {
    const body = { versions: [{ endpoint: 'e' }, { endpoint: 'e' }], file: '{"input": {}}' }
    for (let n = 0; n < limit('comparisonsAtOnce'); n++) await service.post('/api/comparisons', body)
    return service.ask('POST', '/api/comparisons', { body })
  },
  PENDING_ACTION_NOT_FOUND: (service) => service.ask('GET', '/api/pending-bulk-actions/none'),
  async PENDING_ACTION_OVER(service) {
    const { id } = await service.post('/api/pending-bulk-actions', LATER)
    await service.ask('DELETE', `/api/pending-bulk-actions/${id}`)
    return service.ask('POST', `/api/pending-bulk-actions/${id}/start`)
  },
  async TOO_MANY_PENDING_ACTIONS(service) {
    for (let n = 0; n < limit('pendingBulkActions'); n++) await service.post('/api/pending-bulk-actions', LATER)
    return service.ask('POST', '/api/pending-bulk-actions', { body: LATER })
  },
  SCHEDULE_NOT_FOUND: (service) => service.ask('DELETE', '/api/endpoints/e/schedules/none'),
  BATCH_NOT_FOUND: (service) => service.ask('GET', '/api/batches/none'),
  async BATCH_CLOSED(service) {
    const { id } = await service.post('/api/endpoints/e/batches', { name: 'few', total: 1 })
    await service.post(`/api/batches/${id}/cancel`)
    const headers = { 'content-type': 'application/x-ndjson' }
    return service.ask('POST', `/api/batches/${id}/lines?from=1`, { body: '{"input":{}}', headers })
  },
  async BATCH_INCOMPLETE(service) {
    const { id } = await service.post('/api/endpoints/e/batches', { name: 'few', total: 1 })
    return service.ask('POST', `/api/batches/${id}/finalize`)
  },
  async BATCH_FULL(service) {
    const body = Array.from({ length: limit('batchRequests') + 1 }, () => ({ input: {} }))
    return service.ask('POST', '/v2/e/batch', { body })
  },
  async TOO_MANY_BATCHES(service) {
    for (let n = 0; n < limit('batchesActive'); n++) await service.post('/v2/e/batch', [])
    return service.ask('POST', '/v2/e/batch', { body: [] })
  },
  async QUEUE_FULL(service) {
    const total = limit('batchQueue') + 1
    const { batches, write } = service.storage()
    const many = {
      id: 'many',
      endpointId: 'e',
      name: 'many',
      fingerprint: null,
      total,
      state: 'DRAFT',
      createdAt: 0,
    } as const
    await write(() => batches.insert(many))
    // So many requests take a minute to store.
    batches.counts = () => ({ UNQUEUED: total })
    return service.ask('POST', '/v2/e/batch/many/finalize')
  },
  async SCHEDULE_EXISTS(service) {
    await service.post('/api/endpoints/e/schedules', A_SCHEDULE)
    return service.ask('POST', '/api/endpoints/e/schedules', { body: A_SCHEDULE })
  },
  async TOO_MANY_SCHEDULES(service) {
    for (let n = 0; n < limit('schedules'); n++)
      await service.post('/api/endpoints/e/schedules', { ...A_SCHEDULE, name: `schedule ${n}` })
    return service.ask('POST', '/api/endpoints/e/schedules', { body: A_SCHEDULE })
  },
  SAVED_REQUEST_NOT_FOUND: (service) => service.ask('DELETE', '/api/endpoints/e/saved-requests/none'),
  SAVED_REQUEST_EXISTS: async (service) => {
    const body = { name: 'a', request: { operation: 'run', body: '{}' } }
    await service.post('/api/endpoints/e/saved-requests', body)
    return service.ask('POST', '/api/endpoints/e/saved-requests', { body })
  },
  LOAD_TEST_NOT_FOUND: (service) => service.ask('GET', '/api/endpoints/e/load-tests/none'),
  LOAD_TEST_RUNNING: async (service) => {
    const body = { operation: 'runsync', requests: 1, concurrency: 1, body: '{"input":{}}' }
    await service.post('/api/endpoints/e/load-tests', body)
    return service.ask('POST', '/api/endpoints/e/load-tests', { body })
  },
  UPLOAD_OFFSET: (service) => upload(service, { offset: 5, total: 9 }),
  UPLOAD_TOO_LARGE: (service) => upload(service, { offset: 0, total: 9_999_999_999 }),
  UNSUPPORTED_ENCODING: ({ ask }) =>
    ask('POST', '/v2/e/run', { body: { input: {} }, headers: { 'content-encoding': 'compress' } }),
  UPLOAD_DAMAGED: (service) => upload(service, { offset: 0, total: 4 }),
  NOT_DEPLOYED: (service) => {
    const headers = { 'x-flash-app': 'shop', 'x-flash-environment': 'production', 'x-flash-endpoint': 'greet' }
    return service.ask('POST', '/v2/flash/runsync', { headers, body: { input: {} } })
  },
  INTERNAL: (service) => failing(service, new Error('a secret of the inside')),
  WORKER_TOO_SLOW: async (service) => {
    const answer = service.ask('GET', '/v2/e/openai/v1/models')
    await settle()
    await service.clock.leap(300_000)
    return answer
  },
  DATABASE_BUSY: (service) => failing(service, new AppError('DATABASE_BUSY', { why: 'x' })),
  STORAGE_FAILED: (service) => failing(service, new AppError('STORAGE_FAILED', { why: 'EIO' })),
  FEATURE_MISSING: async () => (await setup({ features: withoutFeature('schedules') })).ask('GET', '/api/schedules'),
  STOPPING: async (service) => {
    await service.service().storage.close()
    return run(service)
  },
  NOT_A_WORKFLOW: (service) => service.ask('POST', '/api/workflows', { body: { name: 'x', text: '{}' } }),
  MODEL_NOT_INSTALLED: async (service) => {
    await service.ask('PATCH', '/api/endpoints/e', { body: { workflows: { models: ['a.safetensors'] } } })
    const workflow = { 1: { class_type: 'CheckpointLoaderSimple', inputs: { ckpt_name: 'b.safetensors' } } }
    return run(service, { body: { input: { workflow } } })
  },
  TAKES_NO_WORKFLOWS: (service) =>
    service.ask('POST', '/api/workflow-runs', {
      body: { endpointId: 'e', payload: '{"1": {"class_type": "SaveImage", "inputs": {}}}' },
    }),
  WORKFLOW_NOT_FOUND: (service) => service.ask('GET', '/api/workflows/nope'),
  WORKFLOW_CHANGED: async (service) => {
    const { id } = await service.post('/api/workflows', { name: 'x', text: '{"nodes": [], "links": []}' })
    const body = { text: '{"nodes": [], "links": [], "version": 1}', seen: { version: 9, draft: 0 } }
    return service.ask('PUT', `/api/workflows/${id}/draft`, { body })
  },
  ASSET_NOT_FOUND: (service) => service.ask('GET', `/api/assets/${'a'.repeat(64)}`),
  RUN_NOT_FOUND: (service) => service.ask('GET', '/api/workflow-runs/nope'),
  SWEEP_NOT_FOUND: (service) => service.ask('POST', '/api/workflow-sweeps/nope/cancel'),
  NODE_TYPES_UNREADABLE: (service) => service.ask('POST', '/api/node-types/e/fetch'),
  BLUEPRINT_NOT_FOUND: (service) => service.ask('GET', '/api/blueprints/e/nope'),
  SERVER_UNREACHABLE: async (service) => {
    const server = `http://127.0.0.1:${await freePort(() => false)}`
    await service.createEndpoint('comfy', { workflows: { server } })
    return proxied(service, '/comfy/comfy/view_metadata/loras')
  },
  SERVER_LOOP: async (service) => {
    let via = ''
    const port = await openWorker(({ headers }, response) => {
      via = headers.via ?? via
      response.end()
    })
    await service.createEndpoint('comfy', { workflows: { server: `http://127.0.0.1:${port}` } })
    const { send } = await openProxy(service)
    await send('/comfy/comfy/view_metadata/loras')
    return answerOf(await send('/comfy/comfy/view_metadata/loras', { headers: { via } }))
  },
  MODEL_NOT_FOUND: (service) => service.ask('POST', '/api/models/remove', { body: A_MODEL }),
  MODEL_EXISTS: async (service) => {
    const folder = await folderOfModels(service)
    writeFileSync(join(folder, 'loras', 'a.safetensors'), '')
    const body = { url: 'https://x.test/a.safetensors', directory: 'loras' }
    return service.ask('POST', '/api/models/downloads', { body })
  },
  MODEL_UNWRITABLE: async (service) => {
    const folder = await folderOfModels(service)
    const outside = await folderOfModels(service)
    writeFileSync(join(outside, 'a.safetensors'), '')
    symlinkSync(outside, join(folder, 'loras', 'out'))
    await service.post('/api/models/folders', { folders: [{ path: folder }] })
    const body = { ...A_MODEL, folder, name: 'out/a.safetensors' }
    return service.ask('POST', '/api/models/remove', { body })
  },
  DOWNLOAD_NOT_FOUND: (service) => service.ask('POST', '/api/models/downloads/none/retry'),
  CREDENTIALS_NOT_FOUND: (service) => service.ask('DELETE', '/api/models/credentials/x.test'),
  TEMPLATE_NOT_FOUND: (service) => service.ask('GET', '/v2/templates/nope'),
  VOLUME_NOT_FOUND: (service) => service.ask('GET', '/v2/network-volumes/nope'),
  POD_NOT_FOUND: (service) => service.ask('GET', '/v2/pods/nope'),
  CATALOG_ENTRY_NOT_FOUND: (service) => service.ask('GET', '/v2/catalog/gpus/nope'),
  NAME_TAKEN: async (service) => {
    await service.ask('POST', '/v2/registries', { body: CREDENTIALS })
    return service.ask('POST', '/v2/registries', { body: CREDENTIALS })
  },
  IN_USE: async (service) => {
    await service.ask('POST', '/v2/registries', { body: CREDENTIALS })
    await service.ask('PATCH', '/api/endpoints/e', { body: { container: { registryAuth: 'work' } } })
    return service.ask('DELETE', '/v2/registries/work')
  },
  CANNOT_APPLY: (service) => service.ask('PATCH', '/v2/serverless/e', { body: { registry: 'work' } }),
  NOT_ON_THIS_MACHINE: (service) => service.ask('GET', '/v2/clusters'),
  NOT_DONE: (service) => service.ask('POST', '/api/doctor/fix', { body: { action: 'make-worker-image' } }),
  DISK_FULL: (service) => failing(service, new AppError('DISK_FULL')),
}

// Node has the names from before RFC 9110 for two of them.
const TITLES: Readonly<Record<number, string | undefined>> = {
  ...STATUS_CODES,
  413: 'Content Too Large',
  422: 'Unprocessable Content',
}

describe('an error answer', () => {
  for (const [code, provoke] of Object.entries(PROVOKED)) {
    it(`${code} has the status of the table and the shape of all errors`, async () => {
      const service = await setup({ storage: (storage) => ({ ...storage }) })
      await service.createEndpoint()
      const { status, detail: given }: ErrorRow = ERRORS[code as ErrorCode]
      const answer = await provoke(service)
      // Those of the platform's management API are problem documents.
      const isProblem = 'type' in answer.body
      const extra = isProblem ? { type: expect.stringMatching(/^urn:drydock:error:/) } : {}
      expect({ status: answer.status, body: answer.body }).toEqual({
        status,
        body: { error: expect.anything(), code, status, title: TITLES[status], detail: expect.any(String), ...extra },
      })
      const { error, detail } = answer.body
      // On the OpenAI path it is an object.
      const message = typeof error === 'string' ? error : error.message
      expect(detail).toBe(given ?? message)
      expect(answer.headers.get('content-type')).toMatch(
        isProblem ? /^application\/problem\+json$/ : /^application\/json/,
      )
      expect(message).not.toMatch(/\{\w+\}|undefined|\bat .+:\d+:\d+|a secret/)
      expect(message.length).toBeGreaterThan(10)
    })
  }

  it('401 names the way to send a key, 429 how long to wait', async () => {
    const service = await setup()
    await service.createEndpoint()
    expect((await PROVOKED.UNAUTHORIZED(service)).headers.get('www-authenticate')).toBe('Bearer')
    const answer = await PROVOKED.TOO_MANY_REQUESTS(service)
    expect(answer.headers.get('retry-after')).toBe('10')
  })

  it('INTERNAL is logged under the id that it names', async () => {
    const service = await setup({ storage: (storage) => ({ ...storage }) })
    await service.createEndpoint()
    const { body } = await PROVOKED.INTERNAL(service)
    const logged = service.log.find(({ message }) => message === 'request failed')
    expect(logged).toMatchObject({ level: 'error', fields: { method: 'POST', path: '/v2/e/run' } })
    expect(body.error).toContain((logged as { fields: { requestId: string } }).fields.requestId)
  })

  it('409 on run and runsync of an endpoint whose maximum is 0, and nothing is stored', async () => {
    const service = await setup()
    await service.createEndpoint('e', { workersMin: 0, workersMax: 0 })
    for (const path of ['run', 'runsync'])
      expect((await service.ask('POST', `/v2/e/${path}`, { body: HELD })).body).toMatchObject({
        code: 'ENDPOINT_PAUSED',
        status: 409,
      })
    expect(service.storage().jobs.newestSeq()).toBe(0)
  })

  it('405 names the methods that are allowed', async () => {
    const service = await setup()
    await service.createEndpoint()
    expect((await service.ask('DELETE', '/v2/e/status/x')).body.error).toBe(
      '/v2/e/status/x takes GET, POST, not DELETE.',
    )
  })

  it('404 of a route without a key is no way round the key', async () => {
    const service = await setup()
    expect((await service.ask('GET', '/api/endpoints/nope', { key: null })).status).toBe(401)
  })
})
