import { typesIn } from '../../../../src-main/domain/workflow/classes-file.ts'
import type { NodeTypes } from '../../../../src-main/domain/workflow/node-types.ts'
import type { ApiClient } from '../../../api-client/client.ts'

/** Classes of nodes by endpoint, each read once. */
export type NodeTypesCache = {
  /** @param endpointId undefined: those that come along @throws ApiError where they cannot be had */
  readonly read: (endpointId: string | undefined) => Promise<NodeTypes>
  /** Reads those of an endpoint anew the next time, as they have changed. */
  readonly forget: (endpointId: string | undefined) => void
}

/** Makes one that has read nothing. */
export function createNodeTypesCache(client: Pick<ApiClient, 'call'>): NodeTypesCache {
  const known = new Map<string | undefined, Promise<NodeTypes>>()
  async function load(endpointId: string | undefined): Promise<NodeTypes> {
    return typesIn((await client.call('nodeTypes', { query: { endpoint: endpointId } })).text)
  }
  return {
    read(endpointId) {
      const found = known.get(endpointId)
      if (found !== undefined) return found
      const loading = load(endpointId)
      known.set(endpointId, loading)
      loading.catch(() => known.delete(endpointId))
      return loading
    },
    forget: (endpointId) => void known.delete(endpointId),
  }
}
