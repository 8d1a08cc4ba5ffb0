import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '../../../contract/errors.ts'
import { limit } from '../../../contract/limits.ts'
import type { PublishedGraph } from '../../../contract/published.ts'
import { bodyOf, fileResponse, JSON_TYPE, jsonResponse, type ManagementOperations } from '../../../http/operation.ts'
import type { Json } from '../../../lib/json/bytes.ts'
import { writeJson } from '../../../lib/json/value.ts'
import { KIB } from '../../../lib/units.ts'
import type { Endpoint } from '../../../storage/storage.ts'
import { requireQueue } from '../../endpoints/kinds/endpoint-kinds.ts'
import { endpointOf } from '../../endpoints/routes.ts'
import type { ServiceBase, ServiceContext } from '../../service-context.ts'
import { exportRun, exportText, openGraph, replayRun } from '../graph-exports.ts'
import {
  addWorkflow,
  deleteWorkflow,
  dropDraft,
  readWorkflow,
  requireWorkflow,
  restoreWorkflow,
  saveDraft,
  saveVersion,
  updateWorkflow,
} from '../library.ts'
import { changeGraph, listGraphs, type Published, publishGraph, readGraph } from '../published-graphs.ts'
import { describeGraph } from '../rules/publish/describe-graph.ts'
import { cancelSweep, createRun, deleteRun, readRun } from '../runs.ts'

type Services = ServiceBase & Pick<ServiceContext, 'workflows' | 'models'>

// Letters escaped in one turn of the event loop; 16 MiB would hold it for 200 ms. Source: ours.
const TURN_LETTERS = 256 * KIB

export const WORKFLOW_OPERATIONS = {
  workflowList: (_request, { storage }) => ({ workflows: storage.workflows.list(limit('workflows')) }),
  workflowCreate: async ({ body }, { workflows }) => await addWorkflow(workflows.library, body),
  workflowRead: ({ path }, service) => withText(readWorkflow(service, path.workflowId)),
  async workflowUpdate({ path, body }, { workflows }) {
    return await updateWorkflow(workflows.library, path.workflowId, body)
  },
  async workflowDelete({ path }, { workflows }) {
    await deleteWorkflow(workflows.library, path.workflowId)
    return { ok: true as const }
  },
  workflowRestore: async ({ path }, { workflows }) => await restoreWorkflow(workflows.library, path.workflowId),
  workflowDraft: async ({ path, body }, { workflows }) => await saveDraft(workflows.library, path.workflowId, body),
  workflowDropDraft: async ({ path }, { workflows }) => await dropDraft(workflows.library, path.workflowId),
  workflowSave: async ({ path, body }, { workflows }) => await saveVersion(workflows.library, path.workflowId, body),
  workflowVersions({ path }, service) {
    requireWorkflow(service, path.workflowId)
    return { versions: service.storage.workflows.versions(path.workflowId) }
  },
  workflowVersion({ path }, service) {
    requireWorkflow(service, path.workflowId)
    const version = service.storage.workflows.version(path.workflowId, Number(path.version))
    if (version === undefined)
      throw new AppError('WORKFLOW_NOT_FOUND', {
        workflowId: `${path.workflowId} in version ${path.version.slice(0, 20)}`,
      })
    return withText(version)
  },
  async workflowFile({ path }, service) {
    const { id, name, text } = readWorkflow(service, path.workflowId)
    return exportResponse(await exportText(exportsOf(service), { name, text, endpoint: undefined }), id)
  },
  workflowTemplates: async (_request, { workflows }) => ({ templates: await workflows.templates() }),
} as const satisfies Partial<ManagementOperations<Services>>

export const RUN_OPERATIONS = {
  async runCreate({ body }, service) {
    return await createRun(runsOf(service), endpointForRun(service, body.endpointId), body)
  },
  runList({ query }, { storage }) {
    const count = query.limit ?? limit('listPage')
    const { before } = query
    if (before !== undefined && storage.runs.get(before) === undefined)
      throw new AppError('BAD_FIELD', {
        field: 'before',
        why: 'this run no longer exists. Read the list from its beginning',
      })
    const found = storage.runs.list({
      workflowId: query.workflow,
      endpointId: query.endpoint,
      sweepId: query.sweep,
      text: query.q,
      before,
      limit: count + 1,
    })
    return { runs: found.slice(0, count), more: found.length > count }
  },
  sweepList({ query }, { storage }) {
    const count = query.limit ?? limit('listPage')
    const { before } = query
    if (before !== undefined && storage.runs.ofSweep(before).length === 0)
      throw new AppError('BAD_FIELD', {
        field: 'before',
        why: 'this sweep no longer exists. Read the list from its beginning',
      })
    const found = storage.runs.sweeps({ before, limit: count + 1 })
    return { sweeps: found.slice(0, count), more: found.length > count }
  },
  sweepCancel: async ({ path }, service) => ({ cancelled: await cancelSweep(service, path.sweepId) }),
  runRead: ({ path }, service) => readRun(service, path.runId),
  runFile: async ({ path }, service) => exportResponse(await exportRun(exportsOf(service), path.runId), path.runId),
  async graphExport({ body }, service) {
    const { name, text } = body
    const endpoint = namedEndpoint(service, body.endpoint)
    return exportResponse(await exportText(exportsOf(service), { name, text, endpoint }), 'workflow')
  },
  async graphOpen({ body, query }, service) {
    return await openGraph(exportsOf(service), { bytes: body, endpoint: namedEndpoint(service, query.endpoint) })
  },
  async graphReplay({ body, query }, service) {
    const endpoint = (ranOn: string) => endpointForRun(service, query.endpoint ?? ranOn)
    return await replayRun({ ...exportsOf(service), ...runsOf(service) }, { bytes: body, endpoint })
  },
  async runDelete({ path }, service) {
    await deleteRun(service, path.runId)
    return { ok: true as const }
  },
} as const satisfies Partial<ManagementOperations<Services>>

function runsOf({ storage, clock, newId, models, readInThread, workflows: { nodeTypes, nodePackages } }: Services) {
  return { storage, clock, newId, models, readInThread, nodeTypes, nodePackages }
}

function endpointForRun(service: Services, endpointId: string): Endpoint {
  const endpoint = endpointOf({ endpointId }, service)
  requireQueue(endpoint, service)
  // Not awaited: the server's current classes are shown before the next run.
  void service.workflows.classes.renew(endpoint)
  return endpoint
}

function withText({ text, ...rest }: { readonly text: string }): Response {
  async function* pieces() {
    yield `${JSON.stringify(rest).slice(0, -1)},"text":"`
    for (let from = 0; from < text.length; from += TURN_LETTERS) {
      await nextTurn()
      yield JSON.stringify(text.slice(from, from + TURN_LETTERS)).slice(1, -1)
    }
    yield '"}'
  }
  return new Response(bodyOf(pieces()), { headers: JSON_TYPE })
}

const exportsOf = (service: Services) => ({ ...service, version: service.info().version })

const exportResponse = (pieces: AsyncIterable<Json>, name: string) =>
  fileResponse(pieces, { name: `${name}.graph.jsonl`, type: 'application/x-ndjson' })

export function namedEndpoint(
  { storage }: Pick<Services, 'storage'>,
  endpointId: string | undefined,
): Endpoint | undefined {
  const endpoint = endpointId === undefined ? undefined : storage.endpoints.get(endpointId)
  if (endpointId !== undefined && endpoint === undefined) throw new AppError('ENDPOINT_NOT_FOUND', { endpointId })
  return endpoint
}

function withUrl<Graph extends Published>(service: Services, graph: Graph): Graph & Pick<PublishedGraph, 'url'> {
  return { ...graph, url: `${service.info().url}/v2/${graph.id}` }
}

export const PUBLISHED_OPERATIONS = {
  publishedList: (_request, service) => {
    return { graphs: listGraphs(service.storage).map((graph) => withUrl(service, graph)) }
  },
  publishedCreate: async ({ body }, service) => withUrl(service, await publishGraph(service, body)),
  publishedRead: ({ path }, service) => withUrl(service, readGraph(service.storage, path.graphId)),
  publishedUpdate: async ({ path, body }, service) => withUrl(service, await changeGraph(service, path.graphId, body)),
  publishedDocument({ path }, service) {
    const graph = withUrl(service, readGraph(service.storage, path.graphId))
    return jsonResponse(writeJson(describeGraph(graph), 2))
  },
} as const satisfies Partial<ManagementOperations<Services>>
