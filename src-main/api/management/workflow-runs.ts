import type { Context } from 'hono'
import { APP_ROUTES } from '../../contract/app-routes.ts'
import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import { addressesOf } from '../../services/management/views.ts'
import { cancelSweep, createRun, deleteRun, readRun } from '../../services/workflows/runs.ts'
import { readJson } from '../read-body.ts'
import { queryValue } from '../v2/operation.ts'
import type { AppHandler } from './app-handler.ts'

const idOf = (c: Context) => c.req.param('runId') ?? ''

// A payload and a document, as texts within JSON.
const BODY_BYTES = 4 * limit('workflowBytes')

/** Runs of graphs, alone and in sweeps. */
export const RUN_OPERATIONS = {
  async runCreate(c, service) {
    const { value } = await readJson(c, BODY_BYTES, 'this operation')
    const asked = APP_ROUTES.runCreate.body.parse(value)
    const { storage, clock, newId, workflows, models } = service
    const endpoint = storage.endpoints.get(asked.endpointId)
    if (endpoint === undefined) throw new AppError('ENDPOINT_NOT_FOUND', { endpointId: asked.endpointId.slice(0, 100) })
    if (endpoint.config.loadBalanced !== undefined) {
      const { url } = addressesOf(endpoint, service.info().url)
      throw new AppError('NOT_QUEUE_BASED', { endpointId: endpoint.id, address: url })
    }
    // Not waited for: what the server has now is shown before the next run.
    void workflows.classes.renew(endpoint)
    return c.json(await createRun({ storage, clock, newId, models, nodeTypes: workflows.nodeTypes }, endpoint, asked))
  },
  runList(c, { storage }) {
    const { query } = APP_ROUTES.runList
    const count = queryValue(c, 'limit', query.limit) ?? limit('listPage')
    const before = queryValue(c, 'before', query.before)
    if (before !== undefined && storage.runs.get(before) === undefined)
      throw new AppError('BAD_FIELD', {
        field: 'before',
        why: 'this run is no longer there. Read the list from its beginning',
      })
    const found = storage.runs.list({
      workflowId: queryValue(c, 'workflow', query.workflow),
      endpointId: queryValue(c, 'endpoint', query.endpoint),
      sweepId: queryValue(c, 'sweep', query.sweep),
      text: queryValue(c, 'q', query.q),
      before,
      limit: count + 1,
    })
    return c.json({ runs: found.slice(0, count), more: found.length > count })
  },
  sweepList(c, { storage }) {
    const { query } = APP_ROUTES.sweepList
    const count = queryValue(c, 'limit', query.limit) ?? limit('listPage')
    const before = queryValue(c, 'before', query.before)
    if (before !== undefined && storage.runs.ofSweep(before).length === 0)
      throw new AppError('BAD_FIELD', {
        field: 'before',
        why: 'this sweep is no longer there. Read the list from its beginning',
      })
    const found = storage.runs.sweeps({ before, limit: count + 1 })
    return c.json({ sweeps: found.slice(0, count), more: found.length > count })
  },
  sweepCancel: async (c, service) => c.json({ cancelled: await cancelSweep(service, c.req.param('sweepId') ?? '') }),
  runRead: (c, service) => c.json(readRun(service, idOf(c))),
  async runDelete(c, service) {
    await deleteRun(service, idOf(c))
    return c.json({ ok: true as const })
  },
} as const satisfies Record<string, AppHandler>
