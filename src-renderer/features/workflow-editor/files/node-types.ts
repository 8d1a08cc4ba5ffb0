/** The classes of nodes that documents are read with: each endpoint is asked once, and tabs show those of theirs. */
import { typesIn } from '../../../../src-main/domain/workflow/classes-file.ts'
import type { NodeTypes } from '../../../../src-main/domain/workflow/node-types.ts'
import type { ApiClient } from '../../../api-client/client.ts'
import type { Tab } from '../store/editor-store.ts'

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

/** Where classes are read, and who hears that they cannot be. */
type NodeTypesPorts = {
  readonly types: Pick<NodeTypesCache, 'read'>
  readonly notify: (kind: 'done' | 'error', text: string) => void
}

/**
 * Shows in a tab the classes of its endpoint, once they are read; a tab that has gone to another one meanwhile keeps
 * its own.
 */
export function showNodeTypes({ editor, runs }: Pick<Tab, 'editor' | 'runs'>, { types, notify }: NodeTypesPorts): void {
  const { endpointId } = runs.getState()
  const typesShown = types.read(endpointId).then(
    (read) => {
      if (runs.getState().endpointId === endpointId) editor.getState().setTypes(read)
    },
    (error: Error) => notify('error', `The node classes of ${endpointId} cannot be read: ${error.message}`),
  )
  runs.getState().set({ typesShown })
}
