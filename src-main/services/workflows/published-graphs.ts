/**
 * Published graphs: each is an endpoint without workers of its own, whose jobs run on the workers of another.
 * Source: image-workflows, Published graphs.
 */
import { endpointConfig } from '../../contract/endpoint.ts'
import { AppError } from '../../contract/errors.ts'
import type { PublishedGraph, PublishGraph } from '../../contract/published.ts'
import { newEndpoint } from '../management/endpoints.ts'
import type { StoredGraph } from '../ports/graphs.ts'
import type { Clock, Endpoint, NewId, Storage } from '../ports.ts'
import { checkPublished } from './check-published.ts'
import { refuseWithoutWorkflows } from './runs.ts'

type Deps = { readonly storage: Storage; readonly clock: Clock; readonly newId: NewId }

/** A published graph without the address of its endpoint. Whoever wants a key of its own makes one: `endpoint rotate-key`. */
export type Published = Omit<PublishedGraph, 'url'>

/**
 * Publishes a graph, or the next version of one.
 * @throws AppError NOT_A_WORKFLOW, BAD_FIELD, ENDPOINT_NOT_FOUND, ENDPOINT_EXISTS, TAKES_NO_WORKFLOWS
 */
export async function publishGraph({ storage, clock, newId }: Deps, wish: PublishGraph): Promise<Published> {
  checkPublished(wish)
  const key = newId.key()
  return storage.write(() => {
    requireBehind(storage, wish.behind)
    const now = clock.now()
    const before = wish.id === undefined ? undefined : storage.endpoints.read(wish.id)
    if (before !== undefined && before.config.graph === undefined)
      throw new AppError('ENDPOINT_EXISTS', { field: 'id', value: before.id })
    const version = (before === undefined ? 0 : (storage.graphs.versions(before.id)[0] ?? 0)) + 1
    const config = endpointConfig.parse({
      ...before?.config,
      name: wish.name,
      workersMax: 0,
      graph: { behind: wish.behind, version },
    })
    const endpoint =
      before === undefined
        ? newEndpoint({ storage, newId }, { config, wantedId: wish.id, key, now })
        : { ...before, config, updatedAt: now }
    storage.endpoints.save(endpoint, before === undefined ? 'created' : 'updated', now)
    storage.graphs.insert(endpoint.id, storedGraph(wish, version, now))
    return viewOf(storage, endpoint)
  })
}

function storedGraph(wish: PublishGraph, version: number, createdAt: number): StoredGraph {
  const { parameters, results, payload, document, workflowId } = wish
  return { version, createdAt, parameters, results, payload, document, workflowId }
}

function requireBehind(storage: Storage, behind: string): void {
  const endpoint = storage.endpoints.read(behind)
  if (endpoint === undefined) throw new AppError('ENDPOINT_NOT_FOUND', { endpointId: behind })
  refuseWithoutWorkflows(endpoint)
}

/**
 * Lets another version run, or another endpoint do the work.
 * @throws AppError ENDPOINT_NOT_FOUND, BAD_FIELD, TAKES_NO_WORKFLOWS
 */
export function changeGraph(
  { storage, clock }: Omit<Deps, 'newId'>,
  id: string,
  { version, behind }: { readonly version?: number | undefined; readonly behind?: string | undefined },
): Promise<Published> {
  return storage.write(() => {
    const { endpoint, graph } = requireGraph(storage, id)
    if (behind !== undefined) requireBehind(storage, behind)
    if (version !== undefined && !storage.graphs.versions(id).includes(version))
      throw new AppError('BAD_FIELD', { field: 'version', why: `there is no version ${version} of ${id}` })
    const changed = {
      ...endpoint,
      config: {
        ...endpoint.config,
        graph: { behind: behind ?? graph.behind, version: version ?? graph.version },
      },
      updatedAt: clock.now(),
    }
    storage.endpoints.save(changed, 'updated', changed.updatedAt)
    return viewOf(storage, changed)
  })
}

/** All published graphs, the last changed one first. */
export function listGraphs(storage: Storage): readonly Published[] {
  return storage.endpoints
    .all()
    .filter(({ config }) => config.graph !== undefined)
    .toSorted((one, other) => other.updatedAt - one.updatedAt)
    .map((endpoint) => viewOf(storage, endpoint))
}

/** A published graph with the texts of the version that runs. @throws AppError ENDPOINT_NOT_FOUND */
export function readGraph(storage: Storage, id: string): Published & Pick<StoredGraph, 'payload' | 'document'> {
  const { endpoint, graph } = requireGraph(storage, id)
  const { payload, document } = requireVersion(storage, id, graph.version)
  return { ...viewOf(storage, endpoint), payload, document }
}

// The endpoint of a graph, and what runs.
function requireGraph(storage: Storage, id: string) {
  const endpoint = storage.endpoints.read(id)
  const graph = endpoint?.config.graph
  if (endpoint === undefined || graph === undefined) throw new AppError('ENDPOINT_NOT_FOUND', { endpointId: id })
  return { endpoint, graph }
}

/** A version of a graph. @throws AppError ENDPOINT_NOT_FOUND */
export function requireVersion(storage: Storage, id: string, version: number): StoredGraph {
  const stored = storage.graphs.get(id, version)
  if (stored === undefined) throw new AppError('ENDPOINT_NOT_FOUND', { endpointId: id })
  return stored
}

function viewOf(storage: Storage, { id, config }: Endpoint): Published {
  const { behind, version } = config.graph ?? { behind: '', version: 0 }
  const { createdAt, parameters, results, workflowId } = requireVersion(storage, id, version)
  return {
    ...{ id, name: config.name, behind, version, createdAt, parameters, results },
    ...(workflowId === undefined ? {} : { workflowId }),
    versions: [...storage.graphs.versions(id)],
  }
}
