import { V2_ROUTES } from '../../contract/v2-routes.ts'
import { listJobs } from '../../services/management/list-jobs.ts'
import { readHealth } from '../../services/management/views.ts'
import { jsonAnswer, type Operation, queryValue } from './operation.ts'

/** GET health. */
export const health: Operation = ({ service, endpoint }) =>
  jsonAnswer(JSON.stringify(readHealth(service.views, endpoint.id)))

/** GET requests: jobs of the endpoint, newest first, with full-text search. */
export const requests: Operation = async ({ c, service, endpoint }) => {
  const { query } = V2_ROUTES.requests
  const status = queryValue(c, 'status', query.status)
  const page = await listJobs(service.storage, {
    endpointId: endpoint.id,
    states: status === undefined ? undefined : [status],
    q: queryValue(c, 'q', query.q),
    cursor: queryValue(c, 'cursor', query.cursor),
    limit: queryValue(c, 'limit', query.limit),
  })
  return jsonAnswer(JSON.stringify(page))
}
