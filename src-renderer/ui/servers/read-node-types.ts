import type { NodeTypesAnswer } from '../../../src-main/contract/workflows.ts'
import type { AppServices } from '../../store/app-context.ts'

/**
 * Has the classes of nodes of an endpoint read from its server, and tells the open graphs.
 * @returns what was read @throws ApiError where they could not be
 */
export async function readNodeTypes(
  { client, store }: Pick<AppServices, 'client' | 'store'>,
  endpointId: string,
): Promise<NodeTypesAnswer> {
  const read = await client.call('nodeTypesFetch', { path: { endpointId } })
  store.getState().noteNodeTypes(endpointId)
  return read
}
