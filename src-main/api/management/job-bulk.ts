import type { Context } from 'hono'
import { APP_ROUTES } from '../../contract/app-routes.ts'
import { jobBulk } from '../../contract/job-routes.ts'
import { limit } from '../../contract/limits.ts'
import { countJobs } from '../../services/management/count-jobs.ts'
import { type ListRequest, listJobs, listJobsById, searchable } from '../../services/management/list-jobs.ts'
import { moveJobs } from '../../services/management/move-jobs.ts'
import { readJson } from '../read-body.ts'
import { queryValue } from '../v2/operation.ts'
import type { AppHandler } from './app-handler.ts'

const FILTER = APP_ROUTES.jobCount.query

function filterOf(c: Context): Omit<ListRequest, 'limit' | 'offset'> {
  return {
    endpointId: queryValue(c, 'endpoint', FILTER.endpoint),
    states: queryValue(c, 'status', FILTER.status),
    workerId: queryValue(c, 'worker', FILTER.worker),
    from: queryValue(c, 'from', FILTER.from),
    to: queryValue(c, 'to', FILTER.to),
    q: queryValue(c, 'q', FILTER.q),
    cursor: queryValue(c, 'cursor', FILTER.cursor),
  }
}

/** Many jobs at once: listed, counted, moved. */
export const JOB_BULK_OPERATIONS = {
  async jobList(c, { storage }) {
    const { query } = APP_ROUTES.jobList
    const ids = queryValue(c, 'ids', query.ids)
    if (ids !== undefined) return c.json(listJobsById(storage, ids))
    const offset = queryValue(c, 'offset', query.offset)
    const page = queryValue(c, 'limit', query.limit)
    return c.json(await listJobs(storage, { ...filterOf(c), offset, limit: page }))
  },
  jobCount: async (c, { storage }) =>
    c.json(await countJobs(storage, { ...filterOf(c), after: queryValue(c, 'after', FILTER.after) })),
  async jobBulk(c, service) {
    const { value } = await readJson(c, limit('managementBodyBytes'), 'this operation')
    const { action, ids, filter = {} } = jobBulk.parse(value)
    if (ids !== undefined) return c.json(await moveJobs(service, action, { ids }))
    const { endpoint, status, worker, from, to, q, cursor } = filter
    const named = { endpointId: endpoint, states: status, workerId: worker, from, to, q, cursor }
    return c.json(await moveJobs(service, action, { filter: await searchable(service.storage, named) }))
  },
} as const satisfies Record<string, AppHandler>
