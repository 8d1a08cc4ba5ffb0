import { typesIn } from '../../../../src-main/features/workflows/rules/classes-file.ts'
import { type NodeTypes, withOthers } from '../../../../src-main/features/workflows/rules/node-types.ts'
import type { Caller } from '../../../api-client/client.ts'
import type { Tab } from '../store/editor-store.ts'

export type NodeTypesCache = ReturnType<typeof createNodeTypesCache>

export function createNodeTypesCache(client: Caller) {
  const known = new Map<string | undefined, Promise<NodeTypes>>()
  const load = async (endpoint: string | undefined) =>
    typesIn((await client.call('nodeTypes', { query: { endpoint } })).text)
  async function loadWithBundled(endpoint: string): Promise<NodeTypes> {
    const [own, bundled] = await Promise.all([load(endpoint), read(undefined)])
    return withOthers(own, bundled)
  }
  function read(endpointId: string | undefined): Promise<NodeTypes> {
    const found = known.get(endpointId)
    if (found !== undefined) return found
    const loading = endpointId === undefined ? load(endpointId) : loadWithBundled(endpointId)
    known.set(endpointId, loading)
    loading.catch(() => known.delete(endpointId))
    return loading
  }
  return {
    /**
     * Those of the endpoint, and the bundled ones that it lacks.
     * @param endpointId undefined means the bundled classes
     * @throws ApiError if they are unavailable
     */
    read,
    forget: (endpointId: string | undefined) => void known.delete(endpointId),
  }
}

type NodeTypesPorts = {
  readonly types: Pick<NodeTypesCache, 'read'>
  readonly notify: (kind: 'done' | 'error', text: string) => void
}

/** Ignored if the tab has switched its endpoint meanwhile. */
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
