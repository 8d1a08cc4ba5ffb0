import type { ReleasedGraph } from '../../contract/published.ts'
import type { Endpoint, Storage, StoredGraph } from '../../storage/storage.ts'

/** The version that a release runs: a stored one with the same content, else the next. */
export function versionOf(
  { graphs }: Pick<Storage, 'graphs'>,
  endpointId: string | undefined,
  graph: ReleasedGraph,
): number {
  const versions = endpointId === undefined ? [] : graphs.versions(endpointId)
  const same = versions.find((version) => isSame(graphs.get(endpointId ?? '', version), graph))
  return same ?? (versions[0] ?? 0) + 1
}

export function keepVersion(
  { graphs }: Pick<Storage, 'graphs'>,
  { id, config }: Endpoint,
  { parameters, results, payload, document }: ReleasedGraph,
  createdAt: number,
): void {
  const version = config.graph?.version ?? 1
  const stored = graphs.get(id, version)
  if (stored === undefined)
    graphs.insert(id, { version, createdAt, parameters, results, payload, document, workflowId: undefined })
  else if (!isSame(stored, { parameters, results, payload, document, behind: '' }))
    throw new Error(`graph ${id} was published in the meantime. Deploy again`)
}

const contentOf = ({ payload, document, parameters, results }: Omit<ReleasedGraph, 'behind'>) =>
  JSON.stringify([payload, document, parameters, results])

const isSame = (stored: StoredGraph | undefined, graph: ReleasedGraph) =>
  stored !== undefined && contentOf(stored) === contentOf(graph)
