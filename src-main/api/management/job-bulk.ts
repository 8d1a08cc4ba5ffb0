import type { Context } from 'hono'
import { APP_ROUTES } from '../../contract/app-routes.ts'
import { jobBulk } from '../../contract/job-routes.ts'
import { limit } from '../../contract/limits.ts'
import { countJobs } from '../../services/management/count-jobs.ts'
import { type ListRequest, listJobs, listJobsById, searchable } from '../../services/management/list-jobs.ts'
import { moveJobs } from '../../services/management/move-jobs.ts'
import { runJobsAgain } from '../../services/management/run-jobs-again.ts'
import { readJson } from '../read-body.ts'
import { queryValue } from '../v2/operation.ts'
import type { AppHandler } from './app-handler.ts'

const FILTER = APP_ROUTES.jobCount.query

/** The filter in the query of a request. @throws AppError BAD_FIELD */
export function filterOf(c: Context): Omit<ListRequest, 'limit' | 'offset'> {
  return {
    endpointId: queryValue(c, 'endpoint', FILTER.endpoint),
    states: queryValue(c, 'status', FILTER.status),
    workerId: queryValue(c, 'worker', FILTER.worker),
    from: queryValue(c, 'from', FILTER.from),
    to: queryValue(c, 'to', FILTER.to),
    archived: queryValue(c, 'expired', FILTER.expired),
    q: queryValue(c, 'q', FILTER.q),
    cursor: queryValue(c, 'cursor', FILTER.cursor),
  }
}

/** Many jobs at once: listed, counted, moved. */
export const JOB_BULK_OPERATIONS = {
  async jobList(c, service) {
    const { query } = APP_ROUTES.jobList
    const ids = queryValue(c, 'ids', query.ids)
    if (ids !== undefined) return c.json(listJobsById(service, ids))
    const offset = queryValue(c, 'offset', query.offset)
    const page = queryValue(c, 'limit', query.limit)
    return c.json(await listJobs(service, { ...filterOf(c), offset, limit: page }))
  },
  jobCount: async (c, { storage }) =>
    c.json(await countJobs(storage, { ...filterOf(c), after: queryValue(c, 'after', FILTER.after) })),
  async jobBulk(c, service) {
    const { value } = await readJson(c, limit('managementBodyBytes'), 'this operation')
    const { action, ids, filter = {} } = jobBulk.parse(value)
    const { endpoint, status, worker, from, to, q, expired, cursor } = filter
    const named = { endpointId: endpoint, states: status, workerId: worker, from, to, q, archived: expired, cursor }
    const selection = ids === undefined ? { filter: await searchable(service.storage, named) } : { ids }
    if (action === 'rerun') return c.json(await runJobsAgain(service, selection))
    return c.json(await moveJobs(service, action, selection))
  },
} as const satisfies Record<string, AppHandler>
