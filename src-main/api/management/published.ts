import type { Context } from 'hono'
import { limit } from '../../contract/limits.ts'
import type { PublishedGraph } from '../../contract/published.ts'
import { PUBLISHED_ROUTES } from '../../contract/published-routes.ts'
import { writeJson } from '../../domain/workflow/json/write.ts'
import { describeGraph } from '../../domain/workflow/publish/describe-graph.ts'
import type { ServiceContext } from '../../services/service-context.ts'
import {
  changeGraph,
  listGraphs,
  type Published,
  publishGraph,
  readGraph,
} from '../../services/workflows/published-graphs.ts'
import { readJson } from '../read-body.ts'
import { jsonAnswer } from '../v2/operation.ts'
import type { AppHandler } from './app-handler.ts'

// Payload and document are JSON within JSON: each quote in them has become two characters.
const BODY_BYTES = 4 * limit('runBodyBytes')

const idOf = (c: Context) => c.req.param('graphId') ?? ''

function withUrl<Graph extends Published>(service: ServiceContext, graph: Graph): Graph & Pick<PublishedGraph, 'url'> {
  return { ...graph, url: `${service.info().url}/v2/${graph.id}` }
}

/** Graphs that are endpoints of their own. */
export const PUBLISHED_OPERATIONS = {
  publishedList: (c, service) => {
    return c.json({ graphs: listGraphs(service.storage).map((graph) => withUrl(service, graph)) })
  },
  async publishedCreate(c, service) {
    const { value } = await readJson(c, BODY_BYTES, 'this operation')
    const wish = PUBLISHED_ROUTES.publishedCreate.body.parse(value)
    return c.json(withUrl(service, await publishGraph(service, wish)))
  },
  publishedRead: (c, service) => c.json(withUrl(service, readGraph(service.storage, idOf(c)))),
  async publishedUpdate(c, service) {
    const { value } = await readJson(c, limit('managementBodyBytes'), 'this operation')
    const changes = PUBLISHED_ROUTES.publishedUpdate.body.parse(value)
    return c.json(withUrl(service, await changeGraph(service, idOf(c), changes)))
  },
  publishedDocument(c, service) {
    const graph = withUrl(service, readGraph(service.storage, idOf(c)))
    return jsonAnswer(writeJson(describeGraph(graph), 2))
  },
} as const satisfies Record<string, AppHandler>
