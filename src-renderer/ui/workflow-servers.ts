/** ComfyUI servers on this machine: those that answer, and their classes of nodes read for an endpoint. */
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { NodeTypesResponse, WorkflowServer } from '../../src-main/contract/workflows.ts'
import { type AppServices, useApp } from '../store/app-context.ts'

// Nobody starts one more often, and each look is a request to whatever listens there.
const CHECK_AFTER_MS = 10_000

const serversQuery = (client: AppServices['client']) =>
  queryOptions({
    queryKey: ['workflow-servers'],
    queryFn: ({ signal }) => client.call('workflowServers', { signal }),
    staleTime: CHECK_AFTER_MS,
  })

/**
 * The ComfyUI servers that answer on this machine; undefined while nobody knows. Looked for when it is first drawn and
 * when somebody comes back to the window, as from the terminal where one was started.
 */
export function useWorkflowServers(): readonly WorkflowServer[] | undefined {
  const { client } = useApp()
  const queries = useQueryClient()
  useEffect(() => {
    const refresh = () => void queries.prefetchQuery(serversQuery(client))
    addEventListener('focus', refresh)
    return () => removeEventListener('focus', refresh)
  }, [client, queries])
  return useQuery(serversQuery(client)).data?.servers
}

/**
 * Has the classes of nodes of an endpoint read from its server, and tells the open graphs.
 * @returns what was read @throws ApiError where they could not be
 */
export async function readNodeTypes(
  { client, store }: Pick<AppServices, 'client' | 'store'>,
  endpointId: string,
): Promise<NodeTypesResponse> {
  const read = await client.call('nodeTypesFetch', { path: { endpointId } })
  store.getState().noteNodeTypes(endpointId)
  return read
}
