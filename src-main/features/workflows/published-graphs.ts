/**
 * Published graphs are endpoints whose jobs run on another endpoint's workers. Source: docs/spec/image-workflows.md, 7.
 */
import { endpointConfig } from '../../contract/endpoint.ts'
import { AppError } from '../../contract/errors.ts'
import type { GraphToRelease, PublishedGraph, PublishGraph } from '../../contract/published.ts'
import type { Clock, NewId } from '../../lib/clock.ts'
import type { Endpoint, Storage, StoredGraph } from '../../storage/storage.ts'
import { newEndpoint } from '../endpoints/endpoints.ts'
import { endpointKind } from '../endpoints/rules/endpoint-kind.ts'
import { refuseLarge } from './library.ts'
import type { ReadsGraphs } from './ports/readers.ts'
import { noPayload } from './run-input.ts'
import { refuseWithoutWorkflows } from './runs.ts'
import { requireVersion } from './submit-graph.ts'

type Deps = ReadsGraphs & { readonly storage: Storage; readonly clock: Clock; readonly newId: NewId }

export type Published = Omit<PublishedGraph, 'url'>

/**
 * Publishes a graph or its next version.
 * @throws AppError NOT_A_WORKFLOW, BAD_FIELD, ENDPOINT_NOT_FOUND, ENDPOINT_EXISTS, TAKES_NO_WORKFLOWS
 */
export async function publishGraph(deps: Deps, given: PublishGraph): Promise<Published> {
  const { storage, clock, newId } = deps
  await checkGraph(deps, given)
  const key = newId.key()
  return storage.write(() => {
    requireBackingEndpoint(storage, given.behind)
    const now = clock.now()
    const before = given.id === undefined ? undefined : storage.endpoints.read(given.id)
    if (before !== undefined && endpointKind(before.config) !== 'graph')
      throw new AppError('ENDPOINT_EXISTS', { field: 'id', value: before.id })
    const version = (before === undefined ? 0 : (storage.graphs.versions(before.id)[0] ?? 0)) + 1
    const config = endpointConfig.parse({
      ...before?.config,
      name: given.name,
      workersMax: 0,
      graph: { behind: given.behind, version },
    })
    const endpoint =
      before === undefined
        ? newEndpoint({ storage, newId }, { config, wantedId: given.id, key, now })
        : { ...before, config, updatedAt: now }
    storage.endpoints.save(endpoint, before === undefined ? 'created' : 'updated', now)
    storage.graphs.insert(endpoint.id, storedGraph(given, version, now))
    return viewOf(storage, endpoint)
  })
}

function storedGraph(given: PublishGraph, version: number, createdAt: number): StoredGraph {
  const { parameters, results, payload, document, workflowId } = given
  return { version, createdAt, parameters, results, payload, document, workflowId }
}

function requireBackingEndpoint(storage: Storage, backingId: string): void {
  const endpoint = storage.endpoints.read(backingId)
  if (endpoint === undefined) throw new AppError('ENDPOINT_NOT_FOUND', { endpointId: backingId })
  refuseWithoutWorkflows(endpoint)
}

/**
 * Switches to another version or worker endpoint.
 * @throws AppError ENDPOINT_NOT_FOUND, BAD_FIELD, TAKES_NO_WORKFLOWS
 */
export function changeGraph(
  { storage, clock }: Pick<Deps, 'storage' | 'clock'>,
  id: string,
  { version, behind }: { readonly version?: number | undefined; readonly behind?: string | undefined },
): Promise<Published> {
  return storage.write(() => {
    const { endpoint, graph } = requireGraph(storage, id)
    if (behind !== undefined) requireBackingEndpoint(storage, behind)
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

export function listGraphs(storage: Storage): readonly Published[] {
  return storage.endpoints
    .all()
    .filter(({ config }) => endpointKind(config) === 'graph')
    .toSorted((one, other) => other.updatedAt - one.updatedAt)
    .map((endpoint) => viewOf(storage, endpoint))
}

export function readGraph(storage: Storage, id: string): Published & Pick<StoredGraph, 'payload' | 'document'> {
  const { endpoint, graph } = requireGraph(storage, id)
  const { payload, document } = requireVersion(storage, id, graph.version)
  return { ...viewOf(storage, endpoint), payload, document }
}

function requireGraph(storage: Storage, id: string) {
  const endpoint = storage.endpoints.read(id)
  const graph = endpoint?.config.graph
  if (endpoint === undefined || graph === undefined) throw new AppError('ENDPOINT_NOT_FOUND', { endpointId: id })
  return { endpoint, graph }
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

/** @throws AppError NOT_A_WORKFLOW, BAD_FIELD if it cannot be published */
export async function checkGraph({ readInThread }: ReadsGraphs, given: GraphToRelease): Promise<void> {
  const { payload, parameters, results } = given
  refuseLarge(payload)
  const read = await readInThread.publishProblem({ payload, parameters, results })
  if ('isFine' in read) return
  if ('problem' in read) throw new AppError('BAD_FIELD', { field: 'payload', why: `cannot be read: ${read.problem}` })
  throw 'why' in read ? new AppError('BAD_FIELD', read) : noPayload(read)
}
