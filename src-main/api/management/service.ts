import { APP_ROUTES } from '../../contract/app-routes.ts'
import type { UsageReading } from '../../contract/endpoint.ts'
import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import { serviceSettingsUpdate } from '../../contract/management.ts'
import { viewWorker } from '../../services/management/views.ts'
import { followAsEvents } from '../follow.ts'
import { readJson } from '../read-body.ts'
import { queryValue } from '../v2/operation.ts'
import type { AppHandler } from './app-handler.ts'

/** The service itself: where it is, its settings, its workers, its key. */
export const SERVICE_OPERATIONS = {
  info(c, { storage, views, calls, info }) {
    const { version, pid, url, data, startedAt } = info()
    const { normal, lowPriority, inProgress } = views.counts.total()
    const jobs = { inQueue: normal + lowPriority, inProgress }
    return c.json({
      version,
      pid,
      url,
      data,
      startedAt,
      endpoints: storage.endpoints.all().length,
      jobs,
      lateResults: calls.lateReports(),
    })
  },
  workerList(c, { registry, views }) {
    const endpoint = queryValue(c, 'endpoint', APP_ROUTES.workerList.query.endpoint)
    const workers = endpoint === undefined ? registry.all() : registry.ofEndpoint(endpoint)
    return c.json({ workers: workers.map((worker) => viewWorker(views, worker)) })
  },
  async workerUsage(c, { usage, clock, stopping }) {
    const { query } = APP_ROUTES.workerUsage
    const endpoint = queryValue(c, 'endpoint', query.endpoint)
    const narrow = ({ at, workers }: UsageReading) => ({
      at,
      workers: workers.filter(({ endpointId }) => endpoint === undefined || endpointId === endpoint),
    })
    if (queryValue(c, 'follow', query.follow) !== 'true') return c.json(narrow(await usage.read()))
    const leave = usage.look()
    c.req.raw.signal.addEventListener('abort', leave)
    stopping.addEventListener('abort', leave)
    // Without it those to come; one may be made in this very millisecond.
    let told = queryValue(c, 'after', query.after) ?? clock.now() - 1
    return followAsEvents(c, {
      bell: usage.bell,
      stopping,
      read() {
        const readings = usage.since(told)
        told = readings.at(-1)?.at ?? told
        const items = readings.map((one) => ({ id: one.at, event: 'usage', data: JSON.stringify(narrow(one)) }))
        return { items, more: false }
      },
    })
  },
  workerStop(c, { registry, supervisor, storage, log }) {
    const workerId = c.req.param('workerId') ?? ''
    const worker = registry.get(workerId)
    if (worker === undefined) throw new AppError('WORKER_NOT_FOUND', { workerId: workerId.slice(0, 50) })
    const graceMs = storage.endpoints.get(worker.endpointId)?.config.stopGraceMs ?? limit('stopGraceMs')
    supervisor
      .stopWorker(worker, 'stopped by a person', graceMs)
      .catch((error) => log.error('worker not stopped', { workerId, error }))
    return c.json({ ok: true as const })
  },
  settingsRead: (c, { settings }) => c.json(settings.get()),
  async settingsUpdate(c, { settings }) {
    const { value } = await readJson(c, limit('managementBodyBytes'), 'this operation')
    const changes = Object.fromEntries(
      Object.entries(serviceSettingsUpdate.parse(value)).filter(([, given]) => given !== undefined),
    )
    return c.json(await settings.update(changes))
  },
  async keyRotate(c, { rotateAccountKey, info }) {
    await rotateAccountKey()
    return c.json({ keyFile: info().keyFile })
  },
} as const satisfies Record<string, AppHandler>
