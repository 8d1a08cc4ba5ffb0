import { AppError } from '../../contract/errors.ts'
import { type FleetEvent, fleetEvent } from '../../contract/fleet-events.ts'
import { limit } from '../../contract/limits.ts'
import { type ManagementOperations, type ManagementRequest, moreThan } from '../../http/operation.ts'
import { followAsEvents } from '../../http/send-response.ts'
import type { LogScope } from '../../storage/storage.ts'
import { endpointOf } from '../endpoints/routes.ts'
import type { ServiceBase, ServiceContext } from '../service-context.ts'

const PAGE = 1000

function serveLogs(
  { c, query }: Pick<ManagementRequest<'endpointLogs'>, 'c' | 'query'>,
  service: ServiceBase,
  scope: LogScope,
) {
  const { storage, stopping, notifiers } = service
  const after = query.after
  const tail = query.tail ?? PAGE
  const follow = query.follow === 'true'
  if (!follow) {
    const found =
      after === undefined ? storage.logs.newest(scope, tail + 1) : storage.logs.after(scope, after, PAGE + 1)
    const lines = after === undefined ? found.slice(found.length > tail ? 1 : 0) : found.slice(0, PAGE)
    return { lines: [...lines], ...moreThan(lines.length, found) }
  }
  const first = after === undefined ? storage.logs.newest(scope, tail) : storage.logs.after(scope, after, PAGE)
  let cursor = after ?? storage.logs.lastId()
  let next = first
  return followAsEvents(c, {
    notifier: notifiers.logs,
    stopping,
    read() {
      const lines = next
      cursor = lines.at(-1)?.id ?? cursor
      next = storage.logs.after(scope, cursor, PAGE)
      return {
        items: lines.map((line) => ({ id: line.id, event: 'line', data: JSON.stringify(line) })),
        more: next.length > 0,
      }
    },
  })
}

export const LOG_OPERATIONS = {
  endpointLogs: (request, service) =>
    serveLogs(request, service, { by: 'endpoint', id: endpointOf(request.path, service).id }),
  workerLogs: (request, service) => serveLogs(request, service, { by: 'worker', id: request.path.workerId }),
  jobLogs: (request, service) => serveLogs(request, service, { by: 'job', id: request.path.jobId }),
} as const satisfies Partial<ManagementOperations<ServiceBase>>

const KINDS = fleetEvent.shape.kind.options
const USUAL_KINDS = KINDS.filter((kind) => kind !== 'worker')

export const FLEET_EVENT_OPERATIONS = {
  fleetEventList({ query }, { storage }) {
    const most = query.limit ?? limit('listPage')
    const found = storage.events.fleet({
      kinds: kindsIn(query.kinds),
      endpointId: query.endpoint,
      from: query.from ?? 0,
      to: query.to ?? Number.MAX_SAFE_INTEGER,
      before: query.before ?? Number.MAX_SAFE_INTEGER,
      limit: most + 1,
    })
    const events = found.slice(0, most)
    return { events, ...moreThan(events.length, found) }
  },
} as const satisfies Partial<ManagementOperations<Pick<ServiceBase, 'storage'>>>

function kindsIn(text: string | undefined): readonly FleetEvent['kind'][] {
  if (text === undefined || text === '') return USUAL_KINDS
  const named = text.split(',')
  const unknown = named.find((name) => !KINDS.some((kind) => kind === name))
  if (unknown !== undefined)
    throw new AppError('BAD_FIELD', { field: 'kinds', why: `has no kind ${unknown}; there are ${KINDS.join(', ')}` })
  return KINDS.filter((kind) => named.includes(kind))
}

export const STATISTICS_OPERATIONS = {
  figuresRead: (_request, { stats }) => stats.read(),
} as const satisfies Partial<ManagementOperations<Pick<ServiceContext, 'stats'>>>
