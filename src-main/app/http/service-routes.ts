import type { UsageReading } from '../../contract/endpoint.ts'
import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import { viewWorker } from '../../features/endpoints/views.ts'
import { waitingJobs } from '../../features/jobs/queue/queue-counts.ts'
import type { ServiceBase, ServiceContext } from '../../features/service-context.ts'
import type { ManagementOperations } from '../../http/operation.ts'
import { followAsEvents } from '../../http/send-response.ts'

type Services = ServiceBase &
  Pick<ServiceContext, 'calls' | 'registry' | 'rotateAccountKey' | 'supervisor' | 'usage' | 'views'>

export const SERVICE_OPERATIONS = {
  info({ caller }, { storage, views, calls, info }) {
    const { version, pid, url, data, startedAt } = info()
    const count = views.counts.total()
    const jobs = { inQueue: waitingJobs(count), inProgress: count.inProgress }
    return {
      version,
      pid,
      url,
      data,
      startedAt,
      ...(caller.role === undefined ? {} : { role: caller.role }),
      endpoints: storage.endpoints.all().length,
      jobs,
      lateResults: calls.lateReports(),
    }
  },
  workerList({ query }, { registry, views }) {
    const { endpoint } = query
    const workers = endpoint === undefined ? registry.all() : registry.ofEndpoint(endpoint)
    return { workers: workers.map((worker) => viewWorker(views, worker)) }
  },
  async workerUsage({ c, query }, { usage, clock, stopping }) {
    const { endpoint } = query
    const narrow = ({ at, workers }: UsageReading) => ({
      at,
      workers: workers.filter(({ endpointId }) => endpoint === undefined || endpointId === endpoint),
    })
    if (query.follow !== 'true') return narrow(await usage.read())
    const leave = usage.watch()
    c.req.raw.signal.addEventListener('abort', leave)
    stopping.addEventListener('abort', leave)
    // Without `after`, only new ones; one may be created in this very millisecond.
    let sentUntil = query.after ?? clock.now() - 1
    return followAsEvents(c, {
      notifier: usage.notifier,
      stopping,
      read() {
        const readings = usage.since(sentUntil)
        sentUntil = readings.at(-1)?.at ?? sentUntil
        const items = readings.map((one) => ({ id: one.at, event: 'usage', data: JSON.stringify(narrow(one)) }))
        return { items, more: false }
      },
    })
  },
  workerStop({ path }, { registry, supervisor, storage, log }) {
    const { workerId } = path
    const worker = registry.get(workerId)
    if (worker === undefined) throw new AppError('WORKER_NOT_FOUND', { workerId: workerId.slice(0, 50) })
    const graceMs = storage.endpoints.get(worker.endpointId)?.config.stopGraceMs ?? limit('stopGraceMs')
    supervisor
      .stopWorker(worker, 'stopped by a person', graceMs)
      .catch((error) => log.error('worker not stopped', { workerId, error }))
    return { ok: true as const }
  },
  settingsRead: (_request, { settings }) => settings.get(),
  async settingsUpdate({ body }, { settings }) {
    const changes = Object.fromEntries(Object.entries(body).filter(([, given]) => given !== undefined))
    return await settings.update(changes)
  },
  async keyRotate(_request, { rotateAccountKey, info }) {
    await rotateAccountKey()
    return { keyFile: info().keyFile }
  },
} as const satisfies Partial<ManagementOperations<Services>>
