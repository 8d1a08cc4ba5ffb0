import type { ServiceClient } from '../../../app/client/service-client.ts'
import { dependentsOfAll, dependentsText } from '../../endpoints/rules/dependents.ts'

/** Everything outside of these endpoints that breaks when all of them are deleted, and their unfinished jobs. */
export async function findBreaks(
  client: ServiceClient,
  endpoints: readonly { readonly id: string }[],
): Promise<string | undefined> {
  const ids = endpoints.map(({ id }) => id)
  const all = await Promise.all(ids.map((endpointId) => client.call('endpointDependents', { path: { endpointId } })))
  return dependentsText(dependentsOfAll(ids, all))
}
