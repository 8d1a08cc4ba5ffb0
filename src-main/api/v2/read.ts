import { AppError } from '../../contract/errors.ts'
import { V2_ROUTES } from '../../contract/v2-routes.ts'
import { listGraphJobs, listJobs } from '../../services/management/list-jobs.ts'
import { readHealth } from '../../services/management/views.ts'
import { jsonAnswer, type Operation, queryValue } from './operation.ts'

/** GET health; of a published graph that of the endpoint which does the work. */
export const health: Operation = ({ service, endpoint }) => {
  const behind = service.storage.endpoints.get(endpoint.config.graph?.behind ?? '')
  return jsonAnswer(JSON.stringify(readHealth(service.views, behind ?? endpoint)))
}

/** GET requests: jobs of the endpoint that the job API knows, newest first, with full-text search; those of a published graph without. */
export const requests: Operation = async ({ c, service, endpoint }) => {
  const { query } = V2_ROUTES.requests
  const status = queryValue(c, 'status', query.status)
  const [q, cursor, count] = [
    queryValue(c, 'q', query.q),
    queryValue(c, 'cursor', query.cursor),
    queryValue(c, 'limit', query.limit),
  ]
  if (endpoint.config.graph !== undefined) {
    if (q !== undefined)
      throw new AppError('BAD_FIELD', { field: 'q', why: 'jobs of a published graph have no search' })
    return jsonAnswer(JSON.stringify(listGraphJobs(service, endpoint.id, { status, cursor, limit: count })))
  }
  const states = status === undefined ? undefined : [status]
  const page = await listJobs(service, {
    endpointId: endpoint.id,
    states,
    archived: false,
    q,
    cursor,
    limit: count,
  })
  return jsonAnswer(JSON.stringify(page))
}
