/** The operations of endpoints, and of the lines of their workers. */
import type { Context } from 'hono'
import { deleteEndpoint } from '../../services/endpoints/endpoints.ts'
import {
  countPlatformWorkers,
  createPlatformEndpoint,
  listPlatformReleases,
  listPlatformWorkers,
  showPlatformEndpoint,
  updatePlatformEndpoint,
} from '../../services/platform/endpoints.ts'
import { findTaskCall, workerOfTaskCall } from '../../services/platform/task-calls.ts'
import {
  type LineSource,
  type LineWish,
  openWorkerLines,
  requireEndpointOf,
} from '../../services/platform/worker-lines.ts'
import type { Endpoint } from '../../services/ports/storage.ts'
import type { ServiceContext } from '../../services/service-context.ts'
import { endpointOf } from '../management/endpoints.ts'
import type { PlatformOperations } from '../operation.ts'
import { followAsEvents } from '../send-response.ts'

const of = ({ id }: { readonly id: string }, service: ServiceContext): Endpoint =>
  endpointOf({ endpointId: id }, service)

const ALL: readonly LineSource[] = ['container', 'system']
// Lines that are given where nobody says how many; source: the platform.
const USUAL_TAIL = 100

/** Endpoints in the platform's words. */
export const PLATFORM_ENDPOINT_OPERATIONS = {
  endpointList: (_request, service) => ({
    endpoints: service.storage.endpoints.all().map((endpoint) => showPlatformEndpoint(service, endpoint)),
  }),
  endpointCreate: async ({ body }, service) =>
    showPlatformEndpoint(service, await createPlatformEndpoint(service, body)),
  endpointRead: ({ path }, service) => showPlatformEndpoint(service, of(path, service)),
  endpointUpdate: async ({ path, body }, service) =>
    showPlatformEndpoint(service, await updatePlatformEndpoint(service, of(path, service), body)),
  async endpointDelete({ path }, service) {
    await deleteEndpoint(service, of(path, service))
    return undefined
  },
  async workerList({ path }, service) {
    const endpoint = of(path, service)
    const workers = await listPlatformWorkers(service, endpoint)
    return { workers, summary: countPlatformWorkers(service, endpoint, workers), endpointVersion: endpoint.revision }
  },
  releaseList: async ({ path }, service) => await listPlatformReleases(service, of(path, service)),
  workerLogs({ c, path, query }, service) {
    const endpointId = requireEndpointOf(service, path.workerId, of(path, service).id)
    const sources = query.source === undefined ? ALL : [query.source]
    return follow(c, service, endpointId, { ...query, workerId: path.workerId, sources })
  },
  workerLogSnapshot({ c, path, query }, service) {
    const call = findTaskCall(service.storage, path.workerId)
    const workerId = call === undefined ? path.workerId : workerOfTaskCall(service.storage, call)
    if (workerId === undefined) return { container: [], system: [] }
    const endpointId = requireEndpointOf(service, workerId)
    const sources = query.type === undefined || query.type === 'all' ? ALL : [query.type]
    if (query.stream === 'true') return follow(c, service, endpointId, { ...query, workerId, sources })
    const { lines } = openWorkerLines(service, endpointId, wishOf({ ...query, workerId, sources })).read()
    const from = (source: LineSource) =>
      lines.filter((one) => one.source === source).map(({ ts, line }) => `${ts} ${line}`)
    return { container: from('container'), system: from('system') }
  },
} as const satisfies Partial<PlatformOperations>

type Wish = Pick<LineWish, 'workerId' | 'sources'> & {
  readonly tail?: number | undefined
  readonly since?: string | undefined
}

function wishOf({ workerId, sources, tail = USUAL_TAIL, since }: Wish): LineWish {
  const from = since === undefined ? Number.NaN : Date.parse(since)
  return { workerId, sources, tail, since: Number.isNaN(from) ? 0 : from }
}

// Each event has the time of its line as its id, so that a client that comes back says from when on. The response ends
// with its worker, when nothing has come for a while.
function follow(c: Context, service: ServiceContext, endpointId: string, wish: Wish): Response {
  const since = c.req.header('last-event-id') ?? wish.since
  const lines = openWorkerLines(service, endpointId, wishOf({ ...wish, since }))
  let wasOver = false
  return followAsEvents(c, {
    notifier: service.notifiers.logs,
    stopping: service.stopping,
    durable: service.storage.durable,
    read() {
      const isOver = lines.isOver()
      const { lines: news, more } = lines.read()
      const end = wasOver && news.length === 0
      wasOver = isOver
      return { items: news.map((line) => ({ id: line.ts, data: JSON.stringify(line) })), more, end }
    },
  })
}
