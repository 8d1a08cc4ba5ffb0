import type { Context } from 'hono'
import type { LineSource } from '../../../contract/log-query.ts'
import type { EndpointQueryV1, EndpointV1 } from '../../../contract/platform-v1.ts'
import type { PlatformOperations } from '../../../http/operation.ts'
import { followAsEvents } from '../../../http/send-response.ts'
import type { Endpoint } from '../../../storage/storage.ts'
import { deleteEndpoint } from '../../endpoints/endpoints.ts'
import { endpointOf } from '../../endpoints/routes.ts'
import type { ServiceContext } from '../../service-context.ts'
import {
  countPlatformWorkers,
  createPlatformEndpoint,
  listPlatformReleases,
  listPlatformWorkers,
  showPlatformEndpoint,
  updatePlatformEndpoint,
} from '../endpoints.ts'
import { requireTemplate } from '../records.ts'
import { USUAL_SCALING, updateOfV1, viewEndpointV1 } from '../rules/endpoint-v1.ts'
import { findTaskCall, workerOfTaskCall } from '../task-calls.ts'
import { type LineQuery, openWorkerLines, requireEndpointOf, type WorkerLines } from '../worker-lines.ts'

const of = ({ id }: { readonly id: string }, service: ServiceContext): Endpoint =>
  endpointOf({ endpointId: id }, service)

const ALL: readonly LineSource[] = ['container', 'system']
// Default number of lines. Source: the platform.
const USUAL_TAIL = 100

type OfEndpoint = { readonly path: { readonly id: string } }

async function showV1(service: ServiceContext, endpoint: Endpoint, query: EndpointQueryV1 = {}): Promise<EndpointV1> {
  return viewEndpointV1(showPlatformEndpoint(service, endpoint), {
    withTemplate: query.includeTemplate === 'true',
    workers: query.includeWorkers === 'true' ? await listPlatformWorkers(service, endpoint) : undefined,
  })
}

async function remove({ path }: OfEndpoint, service: ServiceContext): Promise<undefined> {
  await deleteEndpoint(service, of(path, service))
  return undefined
}

export const PLATFORM_ENDPOINT_OPERATIONS = {
  endpointList: (_request, service) => ({
    endpoints: service.storage.endpoints.all().map((endpoint) => showPlatformEndpoint(service, endpoint)),
  }),
  endpointListV1: async ({ query }, service) =>
    await Promise.all(service.storage.endpoints.all().map((endpoint) => showV1(service, endpoint, query))),
  async endpointCreateV1({ body }, service) {
    const { gpu, scaling = USUAL_SCALING, ...fields } = updateOfV1(body)
    const { name = requireTemplate(service.storage, body.templateId).name } = body
    const pools = gpu?.pools && { gpu: { ...gpu, pools: gpu.pools } }
    return await showV1(
      service,
      await createPlatformEndpoint(service, { ...fields, ...pools, name, scaling, type: 'QUEUE' }),
    )
  },
  endpointReadV1: async ({ path, query }, service) => await showV1(service, of(path, service), query),
  endpointUpdateV1: async ({ path, body }, service) =>
    await showV1(service, await updatePlatformEndpoint(service, of(path, service), updateOfV1(body))),
  endpointDeleteV1: remove,
  endpointCreate: async ({ body }, service) =>
    showPlatformEndpoint(service, await createPlatformEndpoint(service, body)),
  endpointRead: ({ path }, service) => showPlatformEndpoint(service, of(path, service)),
  endpointUpdate: async ({ path, body }, service) =>
    showPlatformEndpoint(service, await updatePlatformEndpoint(service, of(path, service), body)),
  endpointDelete: remove,
  async workerList({ path }, service) {
    const endpoint = of(path, service)
    const workers = await listPlatformWorkers(service, endpoint)
    return { workers, summary: countPlatformWorkers(service, endpoint, workers), endpointVersion: endpoint.revision }
  },
  releaseList: async ({ path }, service) => await listPlatformReleases(service, of(path, service)),
  workerLogs({ c, path, query }, service) {
    const endpointId = requireEndpointOf(service, path.workerId, of(path, service).id)
    const sources = query.source === undefined ? ALL : [query.source]
    return follow(c, service, () => ({ endpointId, workerId: path.workerId }), { ...query, sources })
  },
  workerLogSnapshot({ c, path, query }, service) {
    const find = podWorker(service, path.workerId)
    const sources = query.type === undefined || query.type === 'all' ? ALL : [query.type]
    if (query.stream === 'true') return follow(c, service, find, { ...query, sources })
    const worker = find()
    if (worker === undefined || worker === 'gone') return { container: [], system: [] }
    const { lines } = openWorkerLines(
      service,
      worker.endpointId,
      lineQueryOf(worker.workerId, { ...query, sources }),
    ).read()
    const from = (source: LineSource) =>
      lines.filter((one) => one.source === source).map(({ ts, line }) => `${ts} ${line}`)
    return { container: from('container'), system: from('system') }
  },
} as const satisfies Partial<PlatformOperations>

type FollowQuery = Pick<LineQuery, 'sources'> & {
  readonly tail?: number | undefined
  readonly since?: string | undefined
}

/** Follows a worker or a task call under the path of a pod. */
export const followPlatformPod = (c: Context, service: ServiceContext, id: string, query: FollowQuery): Response =>
  follow(c, service, podWorker(service, id), query)

type FoundWorker = { readonly endpointId: string; readonly workerId: string } | undefined | 'gone'

/**
 * A pod id is the call of a task, or else a worker id.
 * @throws AppError WORKER_NOT_FOUND if it is neither
 */
function podWorker(service: ServiceContext, id: string): () => FoundWorker {
  const call = findTaskCall(service.storage, id)
  if (call === undefined) {
    const endpointId = requireEndpointOf(service, id)
    return () => ({ endpointId, workerId: id })
  }
  const { endpointId } = call
  return () => {
    const workerId = workerOfTaskCall(service.storage, call)
    if (workerId !== undefined) return { endpointId, workerId }
    return findTaskCall(service.storage, id) === undefined ? 'gone' : undefined
  }
}

function lineQueryOf(workerId: string, { sources, tail = USUAL_TAIL, since }: FollowQuery): LineQuery {
  const from = since === undefined ? Number.NaN : Date.parse(since)
  return { workerId, sources, tail, since: Number.isNaN(from) ? 0 : from }
}

// The event id is the line's time, so clients can resume. Ends with its worker, after some silence.
function follow(c: Context, service: ServiceContext, find: () => FoundWorker, query: FollowQuery): Response {
  const since = c.req.header('last-event-id') ?? query.since
  let lines: WorkerLines | undefined
  let wasOver = false
  return followAsEvents(c, {
    notifier: service.notifiers.logs,
    stopping: service.stopping,
    durable: service.storage.durable,
    read() {
      const worker = lines === undefined ? find() : undefined
      if (worker === 'gone') return { items: [], more: false, end: true }
      if (worker !== undefined)
        lines = openWorkerLines(service, worker.endpointId, lineQueryOf(worker.workerId, { ...query, since }))
      if (lines === undefined) return { items: [], more: false, end: false }
      const isOver = lines.isOver()
      const { lines: news, more } = lines.read()
      const end = wasOver && news.length === 0
      wasOver = isOver
      return { items: news.map((line) => ({ id: line.ts, data: JSON.stringify(line) })), more, end }
    },
  })
}
